"""How many connections each door gets of the descriptors there are."""

from __future__ import annotations

import resource

import pytest

from tidings.errors import InvalidUsage
from tidings.server.config import ServerSettings
from tidings.server.descriptors import budget, raised_limit

HTTP_ONLY, BOTH = ServerSettings(), ServerSettings.model_validate({"iiop": {"enabled": True}})


@pytest.mark.parametrize("limit", [300, 1_024, 4_096, 20_000, 1_000_000])
@pytest.mark.parametrize("settings", [HTTP_ONLY, BOTH])
def test_the_reserve_is_never_given_away(settings: ServerSettings, limit: int) -> None:
    http, iiop = budget(settings, limit)
    both_ways = 2 * iiop.most if settings.iiop.enabled else 0
    assert http.most + both_ways <= limit - settings.store.reserved_descriptors
    assert 1 <= http.most_unauthenticated < http.most <= 10_000
    assert not http.limit_loopback


def test_what_is_fixed_is_taken_first() -> None:
    doors = {"iiop": {"enabled": True, "max_connections": 100, "max_connections_per_host": 7},
             "http": {"max_unauthenticated": 5}}  # fmt: skip
    http, iiop = budget(ServerSettings.model_validate(doors), 1_024)
    assert (http.most, http.most_unauthenticated) == (1_024 - 256 - 200, 5)
    assert (iiop.most, iiop.most_per_address, iiop.limit_loopback) == (100, 7, True)


@pytest.mark.parametrize("fixed", [{}, {"max_connections": 200}])
def test_too_few_are_refused_with_what_takes_them(fixed: dict[str, object]) -> None:
    settings = ServerSettings.model_validate({"http": fixed})
    with pytest.raises(InvalidUsage, match=r"open 260 file .*256 for store.reserved_descriptors"):
        budget(settings, 260)


def test_the_limit_is_raised_as_far_as_it_may_be() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = before[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
        assert raised_limit() == hard == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
