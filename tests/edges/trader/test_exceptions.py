"""Every exception of the trading service is raised where it should be, with its members."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tidings import errors as e
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.reference import Reference
from tidings.trader import requests as r
from tidings.trader.core import Trader
from tidings.trader.model import DYNAMIC, FollowOption, PropertyDef, PropertyMode

GOOD: Final = "corbaloc::192.0.2.9:2809/printer"
NIL: Final = "IOR:01000000010000000000000000000000"
MODES: Final = PropertyMode
PRINTER: Final = (
    PropertyDef("cost", tc.DOUBLE, MODES.MANDATORY),
    PropertyDef("site", tc.string(), MODES.READONLY),
    PropertyDef("serial", tc.string(), MODES.MANDATORY_READONLY),
    PropertyDef("features", tc.sequence(tc.string())),
)
VALUES: Final[dict[str, Any]] = {"cost": 9.5, "serial": "a1", "site": "Graz"}
DYNAMIC_TYPE: Final = tc.struct(
    DYNAMIC,
    "DynamicProp",
    [("eval_if", tc.objref()), ("returned_type", tc.TYPECODE), ("extra_info", tc.ANY)],
)


def dynamic(type_: tc.TypeCode) -> AnyValue:
    """A dynamic property of a type."""
    return AnyValue.trusted(DYNAMIC_TYPE, (Reference(), type_, None))


def trader(*commands: Any) -> Trader:
    """A trader with a printer type, one below it, an offer of each, a link, and what follows."""
    made = Trader()
    ask(made, r.AddServiceType("Printer", "IDL:Printer:1.0", PRINTER))
    ask(made, r.AddServiceType("Plotter", "IDL:Plotter:1.0", (), ("Printer",)))
    ask(made, r.AddServiceType("Free"))
    ask(made, r.ExportOffer("Printer", GOOD, VALUES))
    ask(made, r.ExportOffer("Plotter", GOOD, VALUES | {"cost": 20.0}))
    ask(made, r.AddLink("campus", GOOD))
    for one in commands:
        ask(made, one)
    return made


def ask(made: Trader, command: Any, now: int = 0) -> Any:
    """Runs a command; its answer, or its error is raised. What is refused keeps nothing."""
    [answer], effects = made.handle_many([command], now)
    if isinstance(answer, Exception):
        assert not effects
        raise answer
    return answer


def add(name: str, *properties: PropertyDef, above: tuple[str, ...] = ()) -> r.AddServiceType:
    return r.AddServiceType(name, "IDL:X:1.0", properties, above)


def query(**given: Any) -> r.QueryOffers:
    return r.QueryOffers(given.pop("type", "Printer"), **given)


def export(type_: Any = "Printer", reference: Any = GOOD, **changes: Any) -> r.ExportOffer:
    given = {name: one for name, one in (VALUES | changes).items() if one is not ...}
    return r.ExportOffer(type_, reference, given)


ODD: Final[dict[str, Any]] = {"a b": 1}
X: Final = PropertyDef("x", tc.LONG)
LONG_COST: Final = PropertyDef("cost", tc.LONG, MODES.MANDATORY)
WEAK_COST: Final = PropertyDef("cost", tc.DOUBLE)
CASES: Final[list[tuple[Any, type[e.TidingsError], dict[str, Any]]]] = [
    # The repository.
    (add("1st"), e.IllegalServiceType, {"type": "1st"}),
    (add("A:B"), e.IllegalServiceType, {}),
    (add("IDL:x"), e.IllegalServiceType, {}),
    (add("A" * 257), e.IllegalServiceType, {}),
    (add("Printer"), e.ServiceTypeExists, {"name": "Printer"}),
    (add("New", above=("Nobody",)), e.UnknownServiceType, {"type": "Nobody"}),
    (add("New", above=("no one",)), e.IllegalServiceType, {"type": "no one"}),
    (add("New", above=("Printer", "Printer")), e.DuplicateServiceTypeName, {"name": "Printer"}),
    (add("New", PropertyDef("a-b", tc.LONG)), e.IllegalPropertyName, {"name": "a-b"}),
    (add("New", X, X), e.DuplicatePropertyName, {"name": "x"}),
    (
        add("New", LONG_COST, above=("Printer",)),
        e.ValueTypeRedefinition,
        {
            "type_1": "New",
            "definition_1": LONG_COST,
            "type_2": "Printer",
            "definition_2": PRINTER[0],
        },
    ),
    (add("New", WEAK_COST, above=("Plotter",)), e.ValueTypeRedefinition, {"type_2": "Plotter"}),
    (
        r.AddServiceType("New", "", (), ("Printer",)),
        e.InterfaceNotDerived,
        {"base_service": "Printer", "base_if": "IDL:Printer:1.0", "derived_service": "New"},
    ),
    (r.RemoveServiceType("Printer!"), e.IllegalServiceType, {}),
    (r.RemoveServiceType("Nobody"), e.UnknownServiceType, {}),
    (r.SeeServiceType("Nobody"), e.UnknownServiceType, {}),
    (r.SeeFullServiceType("?"), e.IllegalServiceType, {}),
    (r.RemoveServiceType("Printer"), e.HasSubTypes, {"sub_type": "Plotter"}),
    (r.UnmaskServiceType("Free"), e.NotMasked, {"name": "Free"}),
    # The register.
    (export(reference=""), e.InvalidObjectRef, {"ref": ""}),
    (export(reference=NIL), e.InvalidObjectRef, {"ref": NIL}),
    (export(reference="IOR:01"), e.InvalidObjectRef, {}),
    (export(reference="IOR:xyz"), e.InvalidObjectRef, {}),
    (export(reference="printer 7"), e.InvalidObjectRef, {}),
    (export("a b"), e.IllegalServiceType, {"type": "a b"}),
    (export("Nobody"), e.UnknownServiceType, {"type": "Nobody"}),
    (export(**ODD), e.IllegalPropertyName, {"name": "a b"}),
    (export(cost=9), e.PropertyTypeMismatch, {"type": "Printer", "prop": ("cost", 9)}),
    (export(features=(1,)), e.PropertyTypeMismatch, {"prop": ("features", (1,))}),
    (export(cost=...), e.MissingMandatoryProperty, {"type": "Printer", "name": "cost"}),
    (export("Plotter", serial=...), e.MissingMandatoryProperty, {"type": "Plotter"}),
    (export(site=dynamic(tc.string())), e.ReadonlyDynamicProperty, {"name": "site"}),
    (export(cost=dynamic(tc.string())), e.PropertyTypeMismatch, {"type": "Printer"}),
    *(
        case
        for make in (r.WithdrawOffer, r.SeeOffer, r.ModifyOffer)
        for case in (
            (make("Printer"), e.IllegalOfferId, {"id": "Printer"}),
            (make("Printer/0"), e.IllegalOfferId, {}),
            (make("a b/1"), e.IllegalOfferId, {}),
            (make("Printer/9"), e.UnknownOfferId, {"id": "Printer/9"}),
            (make("Plotter/1"), e.UnknownOfferId, {}),
        )
    ),
    (r.ModifyOffer("Printer/1", ["x y"]), e.IllegalPropertyName, {"name": "x y"}),
    (r.ModifyOffer("Printer/1", [], {"x y": 1}), e.IllegalPropertyName, {"name": "x y"}),
    (r.ModifyOffer("Printer/1", ["colour"]), e.UnknownPropertyName, {"name": "colour"}),
    (
        r.ModifyOffer("Printer/1", [], {"cost": "x"}),
        e.PropertyTypeMismatch,
        {"prop": ("cost", "x")},
    ),
    (r.ModifyOffer("Printer/1", ["cost"]), e.MandatoryProperty, {"name": "cost"}),
    (r.ModifyOffer("Printer/1", ["site"]), e.ReadonlyProperty, {"name": "site"}),
    (r.ModifyOffer("Printer/1", [], {"serial": "b"}), e.ReadonlyProperty, {"name": "serial"}),
    (r.ModifyOffer("Printer/1", ["cost", "cost"]), e.DuplicatePropertyName, {"name": "cost"}),
    (r.ModifyOffer("Printer/1", ["cost"], {"cost": 1.0}), e.DuplicatePropertyName, {}),
    (r.WithdrawMatchingOffers("a b"), e.IllegalServiceType, {}),
    (r.WithdrawMatchingOffers("Nobody"), e.UnknownServiceType, {}),
    (r.WithdrawMatchingOffers("Printer", "cost ="), e.IllegalConstraint, {"constr": "cost ="}),
    (r.WithdrawMatchingOffers("Printer", "cost > 99"), e.NoMatchingOffers, {"constr": "cost > 99"}),
    (r.WithdrawMatchingOffers("Printer", "cost == 20.0"), e.NoMatchingOffers, {}),
    (r.WithdrawMatchingOffers("Free"), e.NoMatchingOffers, {}),
    # Lookup.
    (query(type="a b"), e.IllegalServiceType, {}),
    (query(type="Nobody"), e.UnknownServiceType, {}),
    (query(constraint="$cost > 1"), e.IllegalConstraint, {"constr": "$cost > 1"}),
    (query(constraint="1 + 1"), e.IllegalConstraint, {}),
    (query(preference="best cost"), e.IllegalPreference, {"pref": "best cost"}),
    (query(preference="max"), e.IllegalPreference, {}),
    (query(preference="max 'ab'"), e.IllegalPreference, {}),
    (query(preference="with 'ab'"), e.IllegalPreference, {}),
    (query(preference="first cost"), e.IllegalPreference, {}),
    (query(policies={"speed": 1}), e.IllegalPolicyName, {"name": "speed"}),
    (
        query(policies={"search_card": -1}),
        e.PolicyTypeMismatch,
        {"the_policy": ("search_card", -1)},
    ),
    (query(policies={"match_card": True}), e.PolicyTypeMismatch, {}),
    (query(policies={"exact_type_match": 1}), e.PolicyTypeMismatch, {}),
    (query(policies={"request_id": (256,)}), e.PolicyTypeMismatch, {}),
    (query(policies={"starting_trader": "x"}), e.PolicyTypeMismatch, {}),
    (
        query(policies={"starting_trader": ("x",)}),
        e.InvalidPolicyValue,
        {"the_policy": ("starting_trader", ("x",))},
    ),
    (query(policies={"request_id": b"x" * 1025}), e.InvalidPolicyValue, {}),
    (query(policies={"link_follow_rule": 1}), e.PolicyTypeMismatch, {}),
    (query(policies={"link_follow_rule": "often"}), e.InvalidPolicyValue, {}),
    (query(desired=["a b"]), e.IllegalPropertyName, {}),
    (query(desired=["x", "x"]), e.DuplicatePropertyName, {"name": "x"}),
    # Links.
    (r.AddLink("a b", GOOD), e.IllegalLinkName, {"name": "a b"}),
    (r.AddLink("campus", GOOD), e.DuplicateLinkName, {"name": "campus"}),
    (r.AddLink("new", NIL), e.InvalidLookupRef, {"target": NIL}),
    (
        r.ModifyLink("campus", FollowOption.ALWAYS, FollowOption.IF_NO_LOCAL),
        e.DefaultFollowTooPermissive,
        {
            "def_pass_on_follow_rule": FollowOption.ALWAYS,
            "limiting_follow_rule": FollowOption.IF_NO_LOCAL,
        },
    ),
    (r.RemoveLink("nowhere"), e.UnknownLinkName, {"name": "nowhere"}),
    (r.SeeLink("/"), e.IllegalLinkName, {}),
]
# After something else has happened.
LATER: Final[list[tuple[Any, Any, type[e.TidingsError]]]] = [
    (r.MaskServiceType("Printer"), export(), e.UnknownServiceType),
    (r.MaskServiceType("Printer"), r.MaskServiceType("Printer"), e.AlreadyMasked),
    (r.WithdrawOffer("Printer/1"), r.WithdrawOffer("Printer/1"), e.UnknownOfferId),
    (
        r.SetTraderSettings(supports_modifiable_properties=False),
        r.ModifyOffer("Printer/1", [], {"cost": 1.0}),
        e.TradingNotImplemented,
    ),
    (
        r.SetTraderSettings(max_link_follow_policy=FollowOption.LOCAL_ONLY),
        r.AddLink("new", GOOD),
        e.LimitingFollowTooPermissive,
    ),
]
# Nothing of the core raises these: what they are about comes with CORBA and with other traders.
NOT_HERE: Final = {
    e.DuplicatePolicyName,  # policies have names of their own in a mapping
    e.InterfaceTypeMismatch,  # nobody asks the object
    e.IllegalTraderName,
    e.UnknownTraderName,
    e.RegisterNotSupported,
    e.ProxyOfferId,
    e.UnknownMaxLeft,
}


@pytest.mark.parametrize(("command", "kind", "members"), CASES)
def test_an_exception(command: Any, kind: type[e.TidingsError], members: dict[str, Any]) -> None:
    made = trader()
    before = dict(made.snapshot())
    with pytest.raises(e.TidingsError) as caught:
        ask(made, command)
    assert type(caught.value) is kind, caught.value
    assert members.items() <= caught.value.members.items()
    assert dict(made.snapshot()) == before


@pytest.mark.parametrize(("first", "command", "kind"), LATER)
def test_an_exception_after_something_else(
    first: Any, command: Any, kind: type[e.TidingsError]
) -> None:
    made = trader(first)
    with pytest.raises(kind):
        ask(made, command)


def test_every_exception_is_in_the_tables() -> None:
    classes = [kind for kind in vars(e).values() if isinstance(kind, type)]
    errors = [kind for kind in classes if issubclass(kind, e.TidingsError)]
    every = {kind for kind in errors if kind.corba_id.startswith("IDL:omg.org/CosTrading")}
    raised = {kind for _, kind, _ in CASES} | {kind for *_, kind in LATER}
    assert every == raised | NOT_HERE
    assert not raised & NOT_HERE
    assert len({kind.corba_id for kind in every}) == len(every)
    assert e.InterfaceNotDerived.corba_id.endswith("/InterfaceTypeMismatch:1.0")


def test_a_type_with_offers_stays() -> None:
    made = trader()
    with pytest.raises(e.WrongState, match="has 1 offers: withdraw them first"):
        ask(made, r.RemoveServiceType("Plotter"))
    ask(made, r.WithdrawOffer("Plotter/2"))
    ask(made, r.RemoveServiceType("Plotter"))
    assert ask(made, add("Again")) == 4  # incarnations are not given twice


def test_a_subtype_makes_a_property_stronger_and_inherits_the_rest() -> None:
    strong = PropertyDef("features", tc.sequence(tc.string()), MODES.MANDATORY)
    made = trader(add("Strong", strong, X, above=("Plotter",)))
    full = ask(made, r.SeeFullServiceType("Strong"))
    modes = {one.name: one.mode for one in full.properties}
    assert modes == {
        "features": MODES.MANDATORY, "x": MODES.NORMAL, "cost": MODES.MANDATORY,
        "site": MODES.READONLY, "serial": MODES.MANDATORY_READONLY,
    }  # fmt: skip
    assert full.super_types == ("Plotter", "Printer")
    assert ask(made, r.SeeServiceType("Strong")).super_types == ("Plotter",)
    assert [one.name for one in ask(made, r.SeeServiceTypes(since=3))] == ["Free", "Strong"]


def test_of_a_property_inherited_twice_the_strongest_mode_counts() -> None:
    made = trader(
        add("Left", PropertyDef("x", tc.LONG, MODES.READONLY)),
        add("Right", PropertyDef("x", tc.LONG, MODES.MANDATORY)),
        add("Both", above=("Left", "Right")),
        add("Other", PropertyDef("x", tc.SHORT)),
    )
    [x] = ask(made, r.SeeFullServiceType("Both")).properties
    assert x.mode is MODES.MANDATORY_READONLY
    with pytest.raises(e.ValueTypeRedefinition):
        ask(made, add("Worse", above=("Left", "Other")))


def test_a_masked_type_has_its_offers_and_those_of_subtypes() -> None:
    made = trader(r.MaskServiceType("Printer"))
    assert [one.id for one in ask(made, query()).offers] == ["Printer/1", "Plotter/2"]
    exact = query(policies={"exact_type_match": True})
    assert [one.id for one in ask(made, exact).offers] == ["Printer/1"]


def test_what_could_change_can_be_left_out() -> None:
    made = trader()
    fixed = {"use_modifiable_properties": False}
    assert len(ask(made, query(constraint="site == 'Graz'", policies=fixed)).offers) == 2
    assert not ask(made, query(constraint="cost > 1", policies=fixed)).offers
    assert not ask(made, query(constraint="site != 'x' and not exist y", policies=fixed)).offers


def test_an_iterator_has_the_rest_until_nobody_asks_for_long() -> None:
    made = trader(*(export(cost=float(number)) for number in range(5)))
    first = ask(made, query(preference="min cost", how_many=2, desired=["cost"]), 1)
    assert [dict(one.properties) for one in first.offers] == [{"cost": 0.0}, {"cost": 1.0}]
    assert (first.iterator, first.left) == (1, 5)
    ask(made, r.WithdrawOffer("Printer/5"), 2)
    page = ask(made, r.SeeFoundOffers(1, 0, 3), 3)
    assert [one.properties["cost"] for one in page.offers] == [2.0, 3.0, 4.0]
    assert (page.next, page.left) == (3, 2)
    page = ask(made, r.SeeFoundOffers(1, page.next), 4)
    assert ([one.id for one in page.offers], page.next, page.left) == (
        ["Printer/1", "Plotter/2"], 5, 0,
    )  # fmt: skip
    assert made.wake_at == 300_000_004
    made.handle_many((), 300_000_004)
    with pytest.raises(e.NotFound, match="there is no iterator 1"):
        ask(made, r.SeeFoundOffers(1), 300_000_005)
    other = ask(made, query(how_many=0))
    assert (other.offers, other.left) == ((), 6)
    ask(made, r.EndIterator(other.iterator))
    with pytest.raises(e.NotFound):
        ask(made, r.EndIterator(other.iterator))


def test_the_longest_unused_iterator_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.trader.core.MOST_ITERATORS", 2)
    made = trader()
    for now in (1, 2):
        ask(made, query(how_many=0), now)
    ask(made, r.SeeFoundOffers(1), 3)
    ask(made, query(how_many=0), 4)
    assert len(ask(made, r.SeeFoundOffers(1)).offers) == 2
    with pytest.raises(e.NotFound):
        ask(made, r.SeeFoundOffers(2))


def test_policies_stay_within_the_maxima() -> None:
    made = trader(r.SetTraderSettings(max_return_card=1, def_match_card=1, max_list=1))
    found = ask(made, query(policies={"return_card": 9, "match_card": 9}))
    assert ([one.id for one in found.offers], found.limits) == (["Printer/1"], ("return_card",))
    assert ask(made, query()).limits == ("match_card",)
    none = ask(made, query(policies={"search_card": 0}))
    assert (none.offers, none.limits) == ((), ("search_card",))
    with pytest.raises(e.InvalidUsage, match="max_list"):
        ask(made, r.SetTraderSettings(max_list=0))


def test_random_is_another_order_of_the_same_offers() -> None:
    made = trader(*(export() for _ in range(20)))
    orders = {
        tuple(one.id for one in ask(made, query(preference="random"), now).offers)
        for now in range(3)
    }
    assert len(orders) == 3
    assert len({frozenset(order) for order in orders}) == 1


def test_pages_of_all_offers() -> None:
    made = trader(*(export() for _ in range(3)))
    ids = [one.id for one in ask(made, r.SeeOffers())]
    assert ids == ["Printer/1", "Plotter/2", "Printer/3", "Printer/4", "Printer/5"]
    assert [one.id for one in ask(made, r.SeeOffers(after=2, most=2))] == ids[2:4]


def test_what_is_too_large_is_refused() -> None:
    made = trader()
    with pytest.raises(e.LimitExceeded, match="octets, more than 16384"):
        ask(made, export(features=("x" * 17_000,)))
    with pytest.raises(e.IllegalConstraint, match="more than 500 parts"):
        ask(made, query(constraint=" or ".join(["x == 1"] * 200)))
    with pytest.raises(e.IllegalPreference, match="nests deeper than 100"):
        ask(made, query(preference="max " + " + ".join(["(x * 1)"] * 200)))
    with pytest.raises(e.LimitExceeded, match="1000 properties"):
        ask(made, export("Free", **{f"p{number}": 1 for number in range(1_001)}))


def test_states_of_a_newer_version_are_left_alone() -> None:
    states = dict(trader().snapshot())
    states["offer 1"] = {**states["offer 1"], "version": 2}
    with pytest.raises(e.StoreError, match="offer 1 was written in form 2"):
        Trader().restore(states)
    with pytest.raises(e.StoreError, match="cannot be understood"):
        Trader().restore({"offer 1": {"version": 1}})
    states = {key: one for key, one in trader().snapshot() if key != "type Plotter"}
    restored = Trader()
    assert restored.restore(states) == ["offer Plotter/2: its service type is not there"]
    assert len(ask(restored, query()).offers) == 1


@pytest.mark.parametrize(
    ("preference", "order"),
    [
        ("max width", [5, 3, 1, 2, 4]),
        ("min width", [3, 5, 1, 2, 4]),
        ("min 10 / width", [5, 3, 1, 2, 4]),
        ("with width > 3", [5, 3, 1, 2, 4]),
        ("with exist width", [3, 4, 5, 1, 2]),
        ("", [1, 2, 3, 4, 5]),
    ],
)
def test_offers_for_which_a_preference_says_nothing_come_last(
    preference: str, order: list[int]
) -> None:
    made = trader(export(width=2), export(width=0 if "/" in preference else "broad"))
    ask(made, export(width=5))
    found = ask(made, query(preference=preference)).offers
    assert [int(one.id.rpartition("/")[2]) for one in found] == order
