"""`tidings grant ior` and `tidings status`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.edges.cli.served import Served
from tidings.client.client import Client
from tidings.engine.host import Host
from tidings.errors import StoreError


def _host(served: Served) -> Host:
    async def begin(client: Client) -> None:
        pass

    served.run(begin)
    host = served._service._host
    assert host is not None
    return host


@pytest.fixture
def issuing(served: Served) -> Served:
    """A service with a channel, a proxy and Ann; its references say what they lead to."""
    _host(served).issue_reference = lambda target, credential: f"IOR:{target}, {credential}"
    served.done("call", "create_channel", "name=roads")
    served.done("call", "obtain_proxy", "channel=roads", "name=billing")
    served.done("call", "create_principal", "name=ann")
    return served


@pytest.mark.parametrize(("options", "target"), [
    ((), "factory"), (("--agent",), "agent"), (("--channel", "roads"), "channel 1"),
    (("--channel", "roads", "--proxy", "billing"), "proxy 1 of channel 1"),
    (("--channel", "1", "--side", "consumer", "--admin", "0"), "consumer admin 0 of channel 1"),
])  # fmt: skip
def test_a_reference_is_shown_once(issuing: Served, options: tuple[str, ...], target: str) -> None:
    said = issuing.done("grant", "ior", "ann", *options, "--label", "till 3")
    assert said == f"IOR:{target}, 1\n"
    listed = json.loads(issuing.done("call", "see_credentials"))["credentials"]
    assert [(one["leads_to"], one["label"]) for one in listed] == [(target, "till 3")]
    assert "IOR:" not in json.dumps(listed)
    issuing.done("call", "revoke_credential", "credential=1")


def test_a_reference_expires(issuing: Served) -> None:
    given: Any = json.loads(issuing.done("grant", "ior", "ann", "--expires", "2h", "--json"))
    assert given == {"credential": 1, "reference": "IOR:factory, 1"}
    (listed,) = json.loads(issuing.done("call", "see_credentials"))["credentials"]
    lasts = listed["expires_at"] - listed["created_at"]
    assert abs(lasts - 7_200_000_000) < 60_000_000


def test_what_is_wrong_with_a_reference_is_told(issuing: Served) -> None:
    for options, words in (
        (("eve",), "there is no principal 'eve'"),
        (("ann", "--proxy", "billing"), "name it with --channel"),
        (("ann", "--expires", "soon"), "or as a duration such as 90s, 2h or 30d"),
        (("ann", "--channel", "roads", "--admin", "0"), "an admin (channel, side and admin)"),
    ):
        assert words in issuing.refused("grant", "ior", *options)
    _host(issuing).issue_reference = None
    assert "start it with --iiop" in issuing.refused("grant", "ior", "ann")


def test_the_status_tells_what_is_left_open(served: Served) -> None:
    host = _host(served)
    assert served.done("status").startswith("ready, tidings ")
    host.warnings.append("iiop.open_loopback is set")
    assert served.done("status").endswith(", 0 channels\nwarning: iiop.open_loopback is set\n")
    host.disk_error = StoreError("full")
    result = served.tidings("status", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["ready"], found["warnings"]) == (False, ["iiop.open_loopback is set"])
    host.disk_error = None
