"""What a query needs of others: which links it follows, which values it asks for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edges.trader.test_exceptions import DYNAMIC_TYPE, GOOD, ask, export, query, trader
from tidings import errors as e
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.reference import Reference
from tidings.trader import requests as r
from tidings.trader.core import Trader
from tidings.trader.model import DYNAMIC, FollowOption
from tidings.trader.outside import (
    Answered,
    ContinueQuery,
    Evaluation,
    Failed,
    Follow,
    Known,
    LinkedOffer,
    Needed,
)

FAR = Reference("IDL:Eval:1.0", [(0, b"far")])


def dynamic(type_: tc.TypeCode = tc.DOUBLE) -> AnyValue:
    """A dynamic property that somebody evaluates."""
    return AnyValue.trusted(DYNAMIC_TYPE, (FAR, type_, None))


def numbers(answer: r.QueryAnswer) -> list[str]:
    return [one.id for one in answer.offers]


def linked(*commands: Any, rule: str = "ALWAYS") -> Trader:
    """A trader that follows its link."""
    return trader(
        r.SetTraderSettings(max_hop_count=5, max_follow_policy=FollowOption.ALWAYS),
        r.ModifyLink("campus", FollowOption.LOCAL_ONLY, FollowOption[rule]),
        *commands,
    )


def policies(**given: Any) -> dict[str, Any]:
    return {"link_follow_rule": "always", "hop_count": 2, **given}


def needed(made: Trader, asked: Any) -> Needed:
    found = ask(made, asked)
    assert isinstance(found, Needed)
    return found


# Links.


@pytest.mark.parametrize(
    ("rule", "hops", "constraint", "followed"),
    [
        ("always", 1, "", True),
        ("always", 0, "", False),
        ("local_only", 1, "", False),
        ("if_no_local", 1, "", False),
        ("if_no_local", 1, "cost > 99", True),
    ],
)
def test_which_links_are_followed(rule: str, hops: int, constraint: str, followed: bool) -> None:
    made = linked()
    given = policies(link_follow_rule=rule, hop_count=hops)
    found = ask(made, query(constraint=constraint, policies=given))
    assert isinstance(found, Needed) is followed
    if not followed:
        assert found.limits == (("hop_count",) if hops == 0 else ())
    ask(made, r.ModifyLink("campus", FollowOption.LOCAL_ONLY, FollowOption.LOCAL_ONLY))
    assert not ask(made, query(constraint=constraint, policies=given)).limits


def test_the_traders_own_maxima_count() -> None:
    made = trader(r.ModifyLink("campus", FollowOption.LOCAL_ONLY, FollowOption.ALWAYS))
    assert not ask(made, query(policies=policies())).limits
    ask(made, r.SetTraderSettings(max_follow_policy=FollowOption.ALWAYS))
    assert ask(made, query(policies=policies())).limits == ("hop_count",)
    ask(made, r.SetTraderSettings(max_hop_count=1))
    [follow] = needed(made, query(policies=policies(hop_count=9))).links
    assert follow.query.policies["hop_count"] == AnyValue(tc.ULONG, 0)


def passed(follow: Follow) -> dict[str, Any]:
    given = {name: getattr(one, "value", one) for name, one in follow.query.policies.items()}
    given.pop("request_id")
    return given


def test_what_the_next_trader_is_told() -> None:
    made = linked()
    ask(made, r.ModifyLink("campus", FollowOption.IF_NO_LOCAL, FollowOption.ALWAYS))
    [follow] = needed(made, query(policies=policies(exact_type_match=True), desired=["x"])).links
    assert passed(follow) == {
        "hop_count": 1, "link_follow_rule": "always", "exact_type_match": True,
    }  # fmt: skip
    assert (follow.target, follow.query.desired, follow.seconds) == (GOOD, None, 20)
    usual = r.SetTraderSettings(def_hop_count=1, def_follow_policy=FollowOption.ALWAYS)
    ask(made, usual)
    [follow] = needed(made, query()).links
    assert passed(follow) == {"hop_count": 0, "link_follow_rule": "if_no_local"}
    assert follow.seconds == 10


def test_a_query_that_comes_back_is_known_by_its_id() -> None:
    made = linked()
    first = needed(made, query(policies=policies()))
    again = ask(made, first.query)
    assert (again.offers, again.limits) == ((), ("request_id",))
    assert "asked the same query before" in again.notes[0]
    ids = {repr(needed(made, query(policies=policies())).query.policies) for _ in range(3)}
    assert len(ids) == 3
    ask(made, r.SetTraderSettings(request_id_stem="0102"))
    stem: Any = needed(made, query(policies=policies())).query.policies["request_id"]
    assert stem.value.startswith(b"\x01\x02")
    other = needed(linked(), first.query)
    assert other.query.policies["request_id"] == first.query.policies["request_id"]
    with pytest.raises(e.InvalidUsage, match="hexadecimal"):
        ask(made, r.SetTraderSettings(request_id_stem="xy"))


def test_ids_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.trader.core.MOST_SEEN", 2)
    made = trader()
    for id in (b"1", b"2", b"3"):
        assert ask(made, query(policies={"request_id": id})).offers
    assert ask(made, query(policies={"request_id": b"3"})).limits == ("request_id",)
    assert ask(made, query(policies={"request_id": b"1"})).offers


def test_offers_of_others_are_ordered_among_ours() -> None:
    made = linked()
    asked = query(preference="min cost", policies=policies(return_card=3), desired=["cost"])
    first = needed(made, asked)
    others = [LinkedOffer("corbaloc::far/1", {"cost": one, "x": 1}) for one in (1.0, 15.0, 99.0)]
    known = Known(answers={"campus": Answered(others, ("search_card",))})
    found = ask(made, ContinueQuery(first.query, known))
    assert [one.properties["cost"] for one in found.offers] == [1.0, 9.5, 15.0]
    assert [(one.id, one.link) for one in found.offers] == [
        ("", "campus"), ("Printer/1", ""), ("", "campus"),
    ]  # fmt: skip
    assert found.limits == ("search_card", "return_card")
    down = Known(answers={"campus": Answered(note="no answer within 10 s")})
    found = ask(made, ContinueQuery(first.query, down))
    assert numbers(found) == ["Printer/1", "Plotter/2"]
    assert found.notes == ("link campus: no answer within 10 s",)


def test_a_query_can_start_elsewhere() -> None:
    made = linked()
    given = policies(starting_trader=("campus", "lab"))
    [follow] = needed(made, query(policies=given)).links
    assert passed(follow) == {
        "hop_count": 2, "link_follow_rule": "always", "starting_trader": ("lab",),
    }  # fmt: skip
    first = needed(made, query(policies=given))
    known = Known(answers={"campus": Answered([LinkedOffer("corbaloc::far/1", {})])})
    assert [one.link for one in ask(made, ContinueQuery(first.query, known)).offers] == ["campus"]


def test_too_many_links_are_told() -> None:
    many = [r.AddLink(f"l{at:03}", GOOD, limiting_rule=FollowOption.ALWAYS) for at in range(101)]
    made = linked(*many)
    first = needed(made, query(policies=policies()))
    assert len(first.links) == 100
    assert {one.most for one in first.links} == {98}
    answers = {one.link: Answered() for one in first.links}
    found = ask(made, ContinueQuery(first.query, Known(answers=answers)))
    assert [note.partition(":")[0] for note in found.notes] == [
        "link l099 was not followed", "link l100 was not followed",
    ]  # fmt: skip


# Dynamic properties.


def test_values_are_asked_for_where_they_decide() -> None:
    made = trader(export(cost=dynamic()), export(cost=dynamic(), site="Wien"), export(x=dynamic()))
    first = needed(made, query(constraint="cost < 5 and site == 'Graz'"))
    assert first.evaluations == (Evaluation(3, "cost", dynamic()),)
    assert first.seconds == 5
    assert not isinstance(ask(made, query(constraint="site == 'Graz'")), Needed)
    ordered = needed(made, query(preference="min cost"))
    assert [one.offer for one in ordered.evaluations] == [3, 4]
    exact = needed(made, query(constraint="x > 1 and cost > 1", policies={"search_card": 3}))
    assert [one.offer for one in exact.evaluations] == [3]


def test_values_count_in_constraints_and_preferences() -> None:
    made = trader(export(cost=dynamic()), export(cost=dynamic()))
    asked = query(constraint="cost < 19", preference="min cost")
    values: dict[Any, Any] = {(3, "cost"): 1.5, (4, "cost"): 50.0}
    found = ask(made, ContinueQuery(asked, Known(True, values)))
    assert numbers(found) == ["Printer/3", "Printer/1"]
    assert found.offers[0].properties["cost"] == 1.5
    assert found.notes == ()
    shown: Any = ask(made, r.SeeOffer("Printer/3")).properties["cost"]
    assert shown.type.id == DYNAMIC


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (Failed("no answer within 5 s"), "no answer within 5 s"),
        (7, "the answer is of the type long, not double"),
        (dynamic(), "the answer is a dynamic property"),
    ],
)
def test_a_value_that_does_not_come_counts_as_missing(value: Any, why: str) -> None:
    made = trader(export(cost=dynamic()))
    for constraint, ids in (("cost > 0", 2), ("not exist cost or cost > 0", 3)):
        known = Known(True, {(3, "cost"): value})
        found = ask(made, ContinueQuery(query(constraint=constraint), known))
        assert len(numbers(found)) == ids
        assert found.notes == (f"property cost of Printer/3 counts as missing: {why}",)


def test_an_offer_that_changed_meanwhile_is_as_it_is_now() -> None:
    made = trader(export(cost=dynamic()), export(cost=dynamic()))
    ask(made, r.ModifyOffer("Printer/3", (), {"cost": 2.0}))
    ask(made, r.WithdrawOffer("Printer/4"))
    values: dict[Any, Any] = {(3, "cost"): 50.0, (4, "cost"): 1.0}
    found = ask(made, ContinueQuery(query(constraint="cost < 5"), Known(True, values)))
    assert (numbers(found), found.notes) == (["Printer/3"], ())


@pytest.mark.parametrize("by_setting", [True, False])
def test_dynamic_properties_can_be_left_out(by_setting: bool) -> None:
    made = trader(export(cost=dynamic()))
    given: dict[str, Any] = {} if by_setting else {"use_dynamic_properties": False}
    if by_setting:
        ask(made, r.SetTraderSettings(supports_dynamic_properties=False))
    found = ask(made, query(constraint="cost > 0", policies=given))
    assert numbers(found) == ["Printer/1", "Plotter/2"]
    assert found.notes == ("property cost is dynamic in 1 offer, and counts as missing there",)


def test_a_query_asks_for_so_many_values() -> None:
    made = trader(*(export(cost=dynamic()) for _ in range(103)))
    first = needed(made, query(constraint="cost > 0"))
    assert len(first.evaluations) == 100
    values: dict[Any, Any] = {(one.offer, one.name): 1.0 for one in first.evaluations}
    found = ask(made, ContinueQuery(first.query, Known(True, values)))
    assert len(found.offers) + found.left == 102
    assert found.notes == (
        "dynamic properties of 3 offers count as missing: a query asks for 100 values",
    )


def test_links_are_followed_when_the_values_are_known() -> None:
    made = linked(export(cost=dynamic()))
    asked = query(
        constraint="cost > 99", policies=policies(link_follow_rule="if_no_local"), how_many=9
    )
    first = needed(made, asked)
    assert first.evaluations
    assert not first.links
    found = ask(made, ContinueQuery(first.query, Known(True, {(3, "cost"): 100.0})))
    assert numbers(found) == ["Printer/3"]
    second = needed(made, ContinueQuery(first.query, Known(True, {(3, "cost"): 1.0})))
    assert [one.link for one in second.links] == ["campus"]
