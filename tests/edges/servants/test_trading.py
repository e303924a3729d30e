"""The trader through CORBA: every operation, and every exception with its members."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import pytest

from tests.edges.servants.scenes import SECRET, refused
from tidings.cos import CosTrading_auto as wire
from tidings.cos import CosTradingDynamic_auto as evaluation
from tidings.cos import CosTradingRepos_auto as repos
from tidings.engine.access import OWNER
from tidings.engine.credentials import create_token
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import UnionValue
from tidings.events.reference import Reference
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import BAD_PARAM, NO_IMPLEMENT, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import NIL
from tidings.orb.stubs import Stub
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.server.cores import service_cores
from tidings.trader import requests as r
from tidings.trader.model import FollowOption

AnyStub = TypeVar("AnyStub", bound=Stub)
Repository = repos.ServiceTypeRepository

MODE: Final = repos.ServiceTypeRepository_PropertyMode
Definition: Final = repos.ServiceTypeRepository_PropStruct
PRINTER: Final = (
    Definition("cost", tc.DOUBLE, MODE.PROP_MANDATORY),
    Definition("site", tc.string(), MODE.PROP_READONLY),
    Definition("features", tc.sequence(tc.string()), MODE.PROP_NORMAL),
)
ALL: Final = UnionValue(wire.Lookup_HowManyProps.all, None)
NONE: Final = UnionValue(wire.Lookup_HowManyProps.none, None)
EVERY: Final = UnionValue(repos.ServiceTypeRepository_ListOption.all, None)
FOLLOW: Final = wire.FollowOption
P: Final = wire.Property
POLICY: Final = wire.Policy


def some(*names: str) -> UnionValue:
    return UnionValue(wire.Lookup_HowManyProps.some, names)


def since(number: int) -> UnionValue:
    given = repos.ServiceTypeRepository_IncarnationNumber(0, number)
    return UnionValue(repos.ServiceTypeRepository_ListOption.since, given)


@dataclass
class Traded:
    """A trader as CORBA clients have it, and an object to offer."""

    opened: Opened
    client: Orb
    lookup: wire.Lookup
    register: wire.Register
    link: wire.Link
    admin: wire.Admin
    types: Repository
    printer: Reference

    @property
    def host(self) -> Host:
        return self.opened.service.host

    def stub(self, cls: type[AnyStub], reference: Reference) -> AnyStub:
        return self.client.stub(cls, reference)

    async def query(self, type: str = "Printer", constr: str = "", **given: Any) -> Any:
        """What a query answers."""
        return await self.lookup.query(
            type,
            constr,
            given.get("pref", ""),
            given.get("policies", ()),
            given.get("desired", ALL),
            given.get("how_many", 100),
        )

    async def export(self, *properties: wire.Property, type: str = "Printer") -> str:
        return await self.register.export(self.printer, type, (P("cost", 9.5), *properties))


@asynccontextmanager
async def traded() -> AsyncIterator[Traded]:
    """A trader with two types and two offers."""
    host = await Host.open(cores=service_cores())
    opened = open_service(host, Options(), SECRET, dict, clients=ClientOptions())
    try:
        address = await opened.service.orb.listen("127.0.0.1", 0)
        opened.publish(None)
        async with Orb() as client:
            await client.listen()
            lookup = client.stub(wire.Lookup, f"corbaloc::{address}/TradingService")
            made = Traded(
                opened,
                client,
                lookup,
                client.stub(wire.Register, await lookup.get_register_if()),
                client.stub(wire.Link, await lookup.get_link_if()),
                client.stub(wire.Admin, await lookup.get_admin_if()),
                client.stub(Repository, await lookup.get_type_repos()),
                client.reference(b"printer", "IDL:office/Printer:1.0"),
            )
            await made.types.add_type("Printer", "IDL:office/Printer:1.0", PRINTER, ())
            await made.types.add_type("Plotter", "IDL:office/Plotter:1.0", (), ("Printer",))
            await made.export(P("site", "Graz"))
            await made.export(P("width", AnyValue(tc.SHORT, 90)), type="Plotter")
            yield made
    finally:
        await opened.close()
        await host.close(0.0)


async def test_types_offers_and_queries() -> None:
    async with traded() as t:
        offers, rest, limits = await t.query(pref="max cost", constr="cost > 1")
        assert (rest, limits) == (NIL, ())
        assert offers[0].reference == t.printer
        assert {one.name: one.value for one in offers[0].properties} == {
            "cost": 9.5,
            "site": "Graz",
        }
        [found], _, _ = await t.query(constr="width == 90", desired=some("width"))
        assert found.properties == (P("width", AnyValue(tc.SHORT, 90)),)
        assert (await t.query(desired=NONE))[0][0].properties == ()
        await t.register.modify("Printer/1", (), (P("cost", 1.0), P("colour", True)))
        told = await t.register.describe("Printer/1")
        assert (told.reference, told.type) == (t.printer, "Printer")
        assert told.properties == (P("cost", 1.0), P("site", "Graz"), P("colour", True))
        await t.register.withdraw("Plotter/2")
        await t.register.withdraw_using_constraint("Printer", "cost == 1.0")
        assert (await t.query())[0] == ()
        assert await t.types.list_types(EVERY) == ("Printer", "Plotter")
        assert await t.types.list_types(since(2)) == ("Plotter",)
        full = await t.types.fully_describe_type("Plotter")
        assert (full.props, full.super_types, full.masked) == (PRINTER, ("Printer",), False)
        assert (await t.types.describe_type("Plotter")).props == ()
        await t.types.mask_type("Printer")
        assert (await t.types.describe_type("Printer")).masked
        await t.types.unmask_type("Printer")
        await t.types.remove_type("Plotter")
        assert (await t.types.get_incarnation()).low == 2


async def test_iterators_end() -> None:
    async with traded() as t:
        for _ in range(3):
            await t.export()
        offers, rest, _ = await t.query(how_many=1)
        assert len(offers) == 1
        iterator = t.stub(wire.OfferIterator, rest)
        assert await iterator.max_left() == 4
        more, page = await iterator.next_n(3)
        assert (more, len(page)) == (True, 3)
        assert (await iterator.next_n(9))[0] is False
        assert (await iterator.next_n(9)) == (False, ())
        await iterator.destroy()
        await refused(iterator.next_n(1), OBJECT_NOT_EXIST)
        ids, rest = await t.admin.list_offers(2)
        assert ids == ("Printer/1", "Plotter/2")
        names = t.stub(wire.OfferIdIterator, rest)
        await refused(names.max_left(), wire.UnknownMaxLeft)
        assert await names.next_n(2) == (True, ("Printer/3", "Printer/4"))
        assert await names.next_n(2) == (False, ("Printer/5",))
        await names.destroy()
        await refused(names.next_n(1), OBJECT_NOT_EXIST)
        assert (await t.admin.list_offers(5))[1] == NIL


async def test_settings_and_links() -> None:
    async with traded() as t:
        assert await t.admin.set_max_return_card(1) == 10_000
        assert await t.lookup.get_max_return_card() == 1
        assert (await t.query())[2] == ("return_card",)
        assert await t.admin.set_max_follow_policy(FOLLOW.always) is FOLLOW.local_only
        assert await t.lookup.get_max_follow_policy() is FOLLOW.always
        assert await t.register.get_supports_modifiable_properties()
        assert await t.admin.set_supports_modifiable_properties(False) is True
        await refused(t.register.modify("Printer/1", (), ()), wire.NotImplemented)
        await refused(t.admin.set_type_repos(NIL), NO_IMPLEMENT)
        await refused(t.admin.set_max_list(0), BAD_PARAM)
        await t.link.add_link("campus", t.printer, FOLLOW.local_only, FOLLOW.always)
        await t.link.modify_link("campus", FOLLOW.if_no_local, FOLLOW.always)
        assert await t.link.list_links() == ("campus",)
        told = await t.link.describe_link("campus")
        assert (told.target, told.def_pass_on_follow_rule) == (t.printer, FOLLOW.if_no_local)
        await t.link.remove_link("campus")


Call = Callable[[Traded], Awaitable[object]]
LONG_COST: Final = Definition("cost", tc.LONG, MODE.PROP_MANDATORY)
X: Final = Definition("x", tc.LONG, MODE.PROP_NORMAL)
RAISED: Final[list[tuple[Call, type[Exception], tuple[Any, ...]]]] = [
    (lambda t: t.types.add_type("1st", "", (), ()), wire.IllegalServiceType, ("1st",)),
    (
        lambda t: t.types.add_type("Printer", "", (), ()),
        repos.ServiceTypeRepository_ServiceTypeExists,
        ("Printer",),
    ),
    (
        lambda t: t.types.add_type("New", "", (), ("Printer",)),
        repos.ServiceTypeRepository_InterfaceTypeMismatch,
        ("Printer", "IDL:office/Printer:1.0", "New", ""),
    ),
    (
        lambda t: t.types.add_type("New", "I", (LONG_COST,), ("Printer",)),
        repos.ServiceTypeRepository_ValueTypeRedefinition,
        ("New", LONG_COST, "Printer", PRINTER[0]),
    ),
    (
        lambda t: t.types.add_type("New", "I", (), ("Printer", "Printer")),
        repos.ServiceTypeRepository_DuplicateServiceTypeName,
        ("Printer",),
    ),
    (lambda t: t.types.add_type("N", "", (X, X), ()), wire.DuplicatePropertyName, ("x",)),
    (
        lambda t: t.types.add_type("N", "", (X._replace(name="a-b"),), ()),
        wire.IllegalPropertyName,
        ("a-b",),
    ),
    (
        lambda t: t.types.remove_type("Printer"),
        repos.ServiceTypeRepository_HasSubTypes,
        ("Printer", "Plotter"),
    ),
    (
        lambda t: t.types.unmask_type("Printer"),
        repos.ServiceTypeRepository_NotMasked,
        ("Printer",),
    ),
    (lambda t: t.types.describe_type("No"), wire.UnknownServiceType, ("No",)),
    (
        lambda t: t.register.export(NIL, "Printer", ()),
        wire.Register_InvalidObjectRef,
        (NIL,),
    ),
    (
        lambda t: t.register.export(t.printer, "Printer", ()),
        wire.MissingMandatoryProperty,
        ("Printer", "cost"),
    ),
    (
        lambda t: t.register.export(t.printer, "Printer", (P("cost", 9),)),
        wire.PropertyTypeMismatch,
        ("Printer", P("cost", 9)),
    ),
    (lambda t: t.export(P("cost", 1.0)), wire.DuplicatePropertyName, ("cost",)),
    (lambda t: t.export(P("a b", 1.0)), wire.IllegalPropertyName, ("a b",)),
    (lambda t: t.export(type="No"), wire.UnknownServiceType, ("No",)),
    (lambda t: t.register.withdraw("Printer"), wire.IllegalOfferId, ("Printer",)),
    (lambda t: t.register.describe("Printer/9"), wire.UnknownOfferId, ("Printer/9",)),
    (
        lambda t: t.register.modify("Printer/1", ("cost",), ()),
        wire.Register_MandatoryProperty,
        ("Printer", "cost"),
    ),
    (
        lambda t: t.register.modify("Printer/1", ("site",), ()),
        wire.Register_ReadonlyProperty,
        ("Printer", "site"),
    ),
    (
        lambda t: t.register.modify("Printer/1", ("colour",), ()),
        wire.Register_UnknownPropertyName,
        ("colour",),
    ),
    (
        lambda t: t.register.withdraw_using_constraint("Printer", "cost > 99"),
        wire.Register_NoMatchingOffers,
        ("cost > 99",),
    ),
    (lambda t: t.query(constr="cost ="), wire.IllegalConstraint, ("cost =",)),
    (lambda t: t.query(pref="best"), wire.Lookup_IllegalPreference, ("best",)),
    (
        lambda t: t.query(policies=(POLICY("speed", 1),)),
        wire.Lookup_IllegalPolicyName,
        ("speed",),
    ),
    (
        lambda t: t.query(policies=(POLICY("search_card", "x"),)),
        wire.Lookup_PolicyTypeMismatch,
        (POLICY("search_card", "x"),),
    ),
    (
        lambda t: t.query(policies=(POLICY("link_follow_rule", "x"),)),
        wire.Lookup_InvalidPolicyValue,
        (POLICY("link_follow_rule", "x"),),
    ),
    (
        lambda t: t.query(policies=(POLICY("search_card", 1),) * 2),
        wire.DuplicatePolicyName,
        ("search_card",),
    ),
    (lambda t: t.query(desired=some("x", "x")), wire.DuplicatePropertyName, ("x",)),
    (
        lambda t: t.link.add_link("a b", t.printer, FOLLOW.local_only, FOLLOW.always),
        wire.Link_IllegalLinkName,
        ("a b",),
    ),
    (
        lambda t: t.link.add_link("a", NIL, FOLLOW.local_only, FOLLOW.always),
        wire.InvalidLookupRef,
        (NIL,),
    ),
    (
        lambda t: t.link.add_link("a", t.printer, FOLLOW.always, FOLLOW.if_no_local),
        wire.Link_DefaultFollowTooPermissive,
        (FOLLOW.always, FOLLOW.if_no_local),
    ),
    (lambda t: t.link.remove_link("no"), wire.Link_UnknownLinkName, ("no",)),
    (lambda t: t.admin.list_proxies(1), wire.NotImplemented, ()),
]


async def test_exceptions_have_their_members() -> None:
    async with traded() as t:
        for call, kind, members in RAISED:
            with pytest.raises(kind) as caught:
                await call(t)
            assert caught.value.args == members, kind
        await t.admin.set_max_link_follow_policy(FOLLOW.local_only)
        with pytest.raises(wire.Link_LimitingFollowTooPermissive) as told:
            await t.link.add_link("a", t.printer, FOLLOW.local_only, FOLLOW.always)
        assert told.value.args == (FOLLOW.always, FOLLOW.local_only)
        await t.types.mask_type("Printer")
        with pytest.raises(repos.ServiceTypeRepository_AlreadyMasked):
            await t.types.mask_type("Printer")


class Odd(wire.OfferIdIteratorServant):
    """An object that has not the interface of a printer."""


async def test_an_object_with_another_interface_is_refused() -> None:
    async with traded() as t:
        odd = t.client.activate(Odd(), b"odd")
        with pytest.raises(wire.Register_InterfaceTypeMismatch) as caught:
            await t.register.export(odd, "Printer", (P("cost", 1.0),))
        assert caught.value.args == ("Printer", odd)
        gone = t.client.reference(b"gone", "IDL:other:1.0")
        await t.register.export(gone, "Printer", (P("cost", 1.0),))


# Who may do what.


async def test_where_grants_decide_a_reference_leads_to_the_trader() -> None:
    async with traded() as t:
        for name, verbs, channels in (
            ("root", (Verb.ADMINISTER,), ()),
            ("maker", (Verb.PUBLISH,), ("roads",)),
            ("seeker", (Verb.SUBSCRIBE,), ("roads",)),
        ):
            await t.host.ask(g.CreatePrincipal(name))
            await t.host.ask(g.CreateGrant(name, verbs, channels))
        await create_token(t.host, OWNER, g.CreateToken("root"))
        owner = LocalDoor(t.host)

        async def begin(name: str) -> wire.Lookup:
            made = await owner.request(g.CreateReference(name, trader=True))
            return t.client.stub(wire.Lookup, made.reference)

        await refused(t.query(), NO_PERMISSION)  # everybody's Lookup is that of nobody now
        seeker, maker = await begin("seeker"), await begin("maker")
        found = await seeker.query("Printer", "", "", (), ALL, 1)
        iterator = t.stub(wire.OfferIterator, found[1])
        assert await iterator.max_left() == 1
        await refused(maker.query("Printer", "", "", (), ALL, 1), NO_PERMISSION)
        register = t.stub(wire.Register, await maker.get_register_if())
        id = await register.export(t.printer, "Printer", (P("cost", 3.0),))
        assert (await owner.request(r.SeeOffer(id))).owner == "maker"
        await refused(register.withdraw("Printer/1"), NO_PERMISSION)
        await register.withdraw(id)
        types = t.stub(Repository, await maker.get_type_repos())
        await refused(types.add_type("New", "", (), ()), NO_PERMISSION)
        await refused(types.list_types(EVERY), NO_PERMISSION)
        looks = t.stub(Repository, await seeker.get_type_repos())
        assert (await looks.get_incarnation()).low == 2


# Other traders, and dynamic properties.

FOLLOWING: Final = (
    POLICY("link_follow_rule", AnyValue(wire.FollowOption_TYPE, "always")),
    POLICY("hop_count", AnyValue(tc.ULONG, 3)),
)


async def join(one: Traded, other: Traded, name: str = "next") -> None:
    """Link a trader to another one."""
    if await one.lookup.get_max_hop_count() == 0:
        await one.admin.set_max_hop_count(5)
        await one.admin.set_max_follow_policy(FOLLOW.always)
        await one.host.ask(r.SetTraderSettings(link_seconds=60, dynamic_seconds=60))
    target = one.client.stub(wire.Lookup, other.opened.reference("TradingService"))._reference
    await one.link.add_link(name, target, FOLLOW.always, FOLLOW.always)


async def costs(t: Traded, constr: str = "", **given: Any) -> list[float]:
    offers, _, _ = await t.query(constr=constr, pref="min cost", policies=FOLLOWING, **given)
    return [one.value for each in offers for one in each.properties if one.name == "cost"]


async def test_offers_of_linked_traders_are_found() -> None:
    async with traded() as one, traded() as two, traded() as three:
        await join(one, two)
        await join(two, three)
        await join(three, one)  # a circle
        await two.register.export(two.printer, "Printer", (P("cost", 1.0),))
        await three.register.export(three.printer, "Printer", (P("cost", 5.0),))
        assert await costs(one) == [1.0, 5.0, *[9.5] * 6]
        assert await costs(one, "cost < 9") == [1.0, 5.0]
        first, rest, _ = await one.query(policies=FOLLOWING, how_many=3)
        more, others = await one.stub(wire.OfferIterator, rest).next_n(9)
        assert (len(first), len(others), more) == (3, 5, False)
        here = wire.Policy("hop_count", AnyValue(tc.ULONG, 1))
        offers, _, limits = await one.query(policies=(FOLLOWING[0], here))
        assert (len(offers), limits) == (5, ("hop_count",))
        register = await one.register.resolve(("next", "next"))
        assert register == await three.lookup.get_register_if()
        assert await one.register.resolve(()) == await one.lookup.get_register_if()
        told = await one.link.describe_link("next")
        assert told.target_reg == await two.lookup.get_register_if()
        start = wire.Policy("starting_trader", AnyValue(wire.TraderName_TYPE, ("next", "next")))
        offers, _, _ = await one.query(constr="cost == 5.0", policies=(start,))
        assert len(offers) == 1


async def test_all_pages_of_a_linked_trader_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.servants.linked_traders._PAGE", 2)
    async with traded() as one, traded() as two:
        await join(one, two)
        for at in range(3):
            await two.register.export(two.printer, "Printer", (P("cost", float(at)),))
        assert await costs(one, "cost < 9") == [0.0, 1.0, 2.0]
        few = wire.Policy("return_card", AnyValue(tc.ULONG, 3))
        offers, _, limits = await one.query(policies=(*FOLLOWING, few), pref="min cost")
        assert (len(offers), limits) == (3, ("return_card",))


async def test_names_of_traders() -> None:
    async with traded() as one, traded() as two:
        await join(one, two)
        for name, kind in (
            (("no",), wire.Register_UnknownTraderName),
            (("next", "no"), wire.Register_UnknownTraderName),
            (("a b",), wire.Register_IllegalTraderName),
            (("next", ""), wire.Register_IllegalTraderName),
        ):
            raised = await refused(one.register.resolve(name), kind)
            assert raised.args[0] == (("no",) if name[-1] == "no" else name)
        looks = one.client.activate(LookupOnly(), b"lookup only")
        await one.link.add_link("mute", looks, FOLLOW.local_only, FOLLOW.always)
        mute = wire.Register_RegisterNotSupported
        assert (await refused(one.register.resolve(("mute",)), mute)).args == (("mute",),)


class LookupOnly(wire.LookupServant):
    """A trader that takes no offers, and answers no query before it is let go."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def get_register_if(self) -> Reference:
        return NIL

    async def query(self, *given: Any) -> Any:
        self.asked.set()
        await asyncio.Event().wait()


async def notes_of(t: Traded, **given: Any) -> tuple[str, ...]:
    asked = r.QueryOffers("Printer", **given)
    return (await LocalDoor(t.host).request(asked)).notes


async def test_a_linked_trader_that_is_gone_or_refuses_is_noted() -> None:
    async with traded() as one, traded() as two:
        await join(one, two)
        gone = one.client.reference(b"gone", wire.Lookup_INTERFACE)
        await one.link.add_link("gone", gone, FOLLOW.always, FOLLOW.always)
        always = FollowOption.ALWAYS
        await one.host.ask(r.AddLink("web", "https://other", always, always))
        policies: Any = {"link_follow_rule": "always", "hop_count": 1}
        door = LocalDoor(one.host)
        found = await door.request(r.QueryOffers("Printer", policies=policies))
        assert [note.partition(":")[0] for note in found.notes] == ["link gone", "link web"]
        assert "OBJECT_NOT_EXIST" in found.notes[0]
        assert [each.link for each in found.offers] == ["", "", "next", "next"]
        await one.types.add_type("Odd", "", (), ())
        found = await door.request(r.QueryOffers("Odd", policies=policies))
        assert "link next: CosTrading::UnknownServiceType (Odd)" in found.notes


async def test_a_linked_trader_that_is_slow_holds_up_nobody_else() -> None:
    async with traded() as one, traded() as two:
        await join(one, two)
        await one.link.remove_link("next")
        slow = LookupOnly()
        reference = one.client.activate(slow, b"slow")
        await one.link.add_link("slow", reference, FOLLOW.always, FOLLOW.always)
        asking = asyncio.create_task(costs(one))
        await slow.asked.wait()
        assert len((await one.query())[0]) == 2
        asking.cancel()
        await one.host.ask(r.SetTraderSettings(link_seconds=1))
        policies: Any = {"link_follow_rule": "always", "hop_count": 1}
        found = await LocalDoor(one.host).request(r.QueryOffers("Printer", policies=policies))
        assert found.notes == ("link slow: no answer within 1 s",)
        assert len(found.offers) == 2


class Meter(evaluation.DynamicPropEvalServant):
    """Evaluates costs; one that it does not know never comes."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def evalDP(self, name: str, returned_type: tc.TypeCode, extra_info: Any) -> Any:
        self.asked.append((name, returned_type, extra_info))
        if extra_info == "hang":
            await asyncio.Event().wait()
        if extra_info == "fail":
            raise evaluation.DPEvalFailure(name, returned_type, "out of order")
        return AnyValue(tc.DOUBLE, extra_info)


def metered(whom: Reference, extra: Any) -> wire.Property:
    """A cost that an object evaluates."""
    value = evaluation.DynamicProp(whom, tc.DOUBLE, extra)
    return P("cost", AnyValue(evaluation.DynamicProp_TYPE, value))


async def test_dynamic_properties_are_evaluated() -> None:
    async with traded() as t:
        await t.host.ask(r.SetTraderSettings(dynamic_seconds=60))
        meter = Meter()
        whom = t.client.activate(meter, b"meter")
        for extra in (1.5, 50.0, "fail"):
            await t.register.export(t.printer, "Printer", (metered(whom, extra),))
        offers, _, _ = await t.query(constr="cost < 19", pref="min cost")
        found = [dict(one.properties)["cost"] for one in offers]
        assert found == [1.5, 9.5, 9.5]
        assert sorted(map(repr, meter.asked)) == sorted(
            repr(("cost", tc.DOUBLE, extra)) for extra in (1.5, 50.0, "fail")
        )
        told = "CosTradingDynamic::DPEvalFailure (cost, out of order)"
        assert await notes_of(t, constraint="cost < 19") == (
            f"property cost of Printer/5 counts as missing: {told}",
        )
        assert await t.lookup.get_supports_dynamic_properties()
        no = POLICY("use_dynamic_properties", False)
        assert len((await t.query(constr="cost > 0", policies=(no,)))[0]) == 2


async def test_a_value_that_never_comes_counts_as_missing() -> None:
    async with traded() as t:
        whom = t.client.activate(Meter(), b"meter")
        await t.register.export(t.printer, "Printer", (metered(whom, "hang"),))
        await t.register.export(t.printer, "Printer", (metered(NIL, 1.5),))
        await t.host.ask(r.SetTraderSettings(dynamic_seconds=1))
        nobody = "nobody is there to be asked: eval_if is nil"
        assert await notes_of(t, constraint="cost < 19") == (
            "property cost of Printer/3 counts as missing: no answer within 1 s",
            f"property cost of Printer/4 counts as missing: {nobody}",
        )
