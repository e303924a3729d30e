from __future__ import annotations

from tests.unit.client.configuration.test_diff import found
from tidings.channel.vocabulary import Side
from tidings.client.configuration.matching import in_words_of
from tidings.client.configuration.model import Configuration
from tidings.client.configuration.reading import read_configuration


def read(text: str) -> Configuration:
    return read_configuration("version = 1\n" + text)


def admins(wanted: str, there: str) -> list[str]:
    seen = in_words_of(read(wanted), found(read(there)))
    return list(seen.configuration.channels["a"].admins[Side.CONSUMER])


A = "[channels.a.consumer-admins.{}]\n"


def test_an_admin_is_known_by_its_subscriptions() -> None:
    there = A.format("one") + A.format("two") + "[channels.a.subscriptions.s]\nadmin = 'two'\n"
    wanted = A.format("x") + "[channels.a.subscriptions.s]\nadmin = 'x'\n"
    assert admins(wanted, there) == ["default", "one", "x"]


def test_an_admin_is_known_by_what_it_is() -> None:
    there = A.format("one") + A.format("two") + "types = ['D::T']\n"
    wanted = A.format("x") + "types = ['D::T']\n" + A.format("y")
    assert admins(wanted, there) == ["default", "y", "x"]


def test_an_admin_is_known_by_its_position_at_last() -> None:
    there = A.format("one") + "types = ['D::T']\n"
    assert admins(A.format("x") + "types = ['E::T']\n", there) == ["default", "x"]
    assert admins(A.format("x") + "operator = 'or'\n", there) == ["default", "one"]


def test_what_is_not_in_the_file_does_not_look_as_if_it_were() -> None:
    there = A.format("x") + "types = ['D::T']\n"
    wanted = A.format("x") + "operator = 'or'\n"
    assert admins(wanted, there) == ["default", "the service's x"]


F = "[filters.{0}]\nconstraints = ['$n == {1}']\n"
S = "[channels.a.subscriptions.{0}]\nfilters = ['{1}']\n"


def filters(wanted: str, there: str) -> dict[str, int]:
    return dict(in_words_of(read(wanted), found(read(there))).filters)


def test_a_filter_is_known_by_its_constraints() -> None:
    there = F.format("one", 1) + F.format("two", 2) + S.format("s", "one") + S.format("t", "two")
    wanted = F.format("x", 2) + F.format("y", 1) + S.format("s", "x") + S.format("t", "y")
    assert filters(wanted, there) == {"y": 1, "x": 2}


def test_a_filter_is_known_by_who_holds_it() -> None:
    there = F.format("one", 1) + F.format("two", 2) + S.format("s", "one") + S.format("t", "two")
    wanted = F.format("x", 3) + F.format("y", 4) + S.format("s", "x") + S.format("t", "y")
    assert filters(wanted, there) == {"x": 1, "y": 2}


def test_a_mapping_with_another_default_is_another_one() -> None:
    text = """
    [mappings.{0}]
    default = {{ "$type" = "short", value = {1} }}
    [channels.a.subscriptions.s]
    priority = "{0}"
    """
    wanted = read(text.format("x", 1))
    assert in_words_of(wanted, found(read(text.format("m", 1)))).mappings == {"x": 100}
    assert in_words_of(wanted, found(read(text.format("m", 2)))).mappings == {"m": 100}
