"""CosTrading: the trader's Lookup, Register, Link and Admin, and its repository of types.

All are objects without ids: a service has one trader. What each may be used for, the rights of the
requests say that it makes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from tidings.cos import CosTrading_auto as wire
from tidings.cos import CosTradingRepos_auto as repos
from tidings.cos.trading import (
    definitions_in,
    desired_in,
    incarnation_in,
    incarnation_out,
    policies_in,
    properties_in,
    properties_out,
    reference_in,
    reference_out,
    rule_in,
    rule_out,
    type_out,
)
from tidings.errors import (
    IllegalLinkName,
    IllegalTraderName,
    InterfaceTypeMismatch,
    RegisterNotSupported,
    UnknownLinkName,
    UnknownTraderName,
)
from tidings.events.anyvalue import UnionValue
from tidings.events.reference import Reference
from tidings.orb.exceptions import NO_IMPLEMENT, TRANSIENT, CorbaError
from tidings.orb.pseudo import IS_A
from tidings.servants.offer_lists import OfferLists, offers_out
from tidings.servants.service import NIL, CorbaService, ObjectServant
from tidings.trader import requests as r
from tidings.trader.model import FollowOption, TraderSettings, checked_link_name, refusal

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.servants.door import GatheringDoor

TRADER: Final = "trader"
"""The kind of the Lookup object, where clients begin."""
REGISTER: Final = "register"
LINK: Final = "link"
ADMIN: Final = "trader admin"
SERVICE_TYPES: Final = "service types"

_CHECK_SECONDS: Final = 2.0
"""How long an exported object has to say whether it has the interface of its service type."""


class TraderPart(ObjectServant):
    """What all interfaces of a trader tell: the other ones, and the settings."""

    async def get_lookup_if(self) -> Reference:
        """Return the object that answers queries."""
        self.require_known()
        return self.reference(TRADER, (), wire.Lookup_INTERFACE)

    async def get_register_if(self) -> Reference:
        """Return the object that takes offers."""
        self.require_known()
        return self.reference(REGISTER, (), wire.Register_INTERFACE)

    async def get_link_if(self) -> Reference:
        """Return the object that keeps links."""
        self.require_known()
        return self.reference(LINK, (), wire.Link_INTERFACE)

    async def get_proxy_if(self) -> Reference:
        """Return nil: there are no proxy offers."""
        self.require_known()
        return NIL

    async def get_admin_if(self) -> Reference:
        """Return the object that has the settings."""
        self.require_known()
        return self.reference(ADMIN, (), wire.Admin_INTERFACE)

    async def get_type_repos(self) -> Reference:
        """Return the repository of service types."""
        self.require_known()
        return self.reference(SERVICE_TYPES, (), repos.ServiceTypeRepository_INTERFACE)

    async def get_supports_proxy_offers(self) -> bool:
        """Return FALSE: there are no proxy offers."""
        self.require_known()
        return False

    async def settings(self) -> TraderSettings:
        """Return the settings, for a caller who may see them."""
        return await self.door.request(r.SeeTraderSettings())


def _outward(value: object) -> Any:  # noqa: ANN401 -- as the attribute has it
    return rule_out(value) if isinstance(value, FollowOption) else value


def _reading(name: str) -> Any:  # noqa: ANN401 -- a method of a servant
    async def get(self: TraderPart) -> Any:  # noqa: ANN401 -- as the attribute has it
        return _outward(getattr(await self.settings(), name))

    return get


def _setting(name: str) -> Any:  # noqa: ANN401 -- a method of a servant
    async def change(self: TraderPart, value: Any) -> Any:  # noqa: ANN401 -- as the attribute
        before = getattr(await self.settings(), name)
        given: Any = rule_in(value) if isinstance(before, FollowOption) else value
        await self.door.ask(r.SetTraderSettings(**{name: given}))
        return _outward(before)

    return change


for _one in fields(TraderSettings):
    setattr(TraderPart, f"get_{_one.name}", _reading(_one.name))


class LookupObject(TraderPart, wire.LookupServant):
    """CosTrading::Lookup."""

    def __init__(
        self, lists: OfferLists, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> None:
        super().__init__(service, door, key)
        self._lists = lists

    async def query(
        self,
        type: str,
        constr: str,
        pref: str,
        policies: Sequence[wire.Policy],
        desired_props: UnionValue,
        how_many: int,
    ) -> tuple[Sequence[wire.Offer], Reference, Sequence[str]]:
        """Find offers; return the first, an iterator for the rest, and which policies limited."""
        asked = r.QueryOffers(
            type, constr, pref, policies_in(policies), desired_in(desired_props), how_many
        )
        found = await self.door.request(asked)
        offers = await offers_out(found.offers)
        return offers, self._lists.offers(self, found.iterator), found.limits


class RegisterObject(TraderPart, wire.RegisterServant):
    """CosTrading::Register."""

    async def export(
        self, reference: Reference, type: str, properties: Sequence[wire.Property]
    ) -> str:
        """Export an offer; return its id."""
        asked = r.ExportOffer(type, reference_in(reference), properties_in(properties))
        self.door.check(asked)
        await self._check_interface(reference, type)
        await self.service.traders.admit(properties)
        made: str = await self.door.ask(asked)
        return made

    async def _check_interface(self, reference: Reference, type: str) -> None:
        """Refuse an object that says that it does not have its service type's interface.

        One that does not answer is accepted: it may be started later.
        """
        declared = await self.service.host.ask(r.SeeServiceType(type))
        interface: str = declared.interface
        if not reference.profiles or reference.type_id == interface:
            return
        if not interface.startswith(("IDL:", "RMI:")):
            return
        try:
            orb = self.service.orb
            fits = await orb.call(reference, IS_A, (interface,), _CHECK_SECONDS)
        except CorbaError:
            return
        if not fits:
            raise refusal(
                InterfaceTypeMismatch,
                f"offers of {type} have the interface {interface}, and this object does not",
                type=type,
                reference=reference_in(reference),
            )

    async def withdraw(self, id: str) -> None:
        """Withdraw an offer."""
        await self.door.ask(r.WithdrawOffer(id))

    async def describe(self, id: str) -> wire.Register_OfferInfo:
        """Return an offer."""
        found = await self.door.request(r.SeeOffer(id))
        return wire.Register_OfferInfo(
            reference_out(found.reference), found.type, properties_out(found.properties)
        )

    async def modify(
        self, id: str, del_list: Sequence[str], modify_list: Sequence[wire.Property]
    ) -> None:
        """Change properties of an offer, all or nothing."""
        asked = r.ModifyOffer(id, tuple(del_list), properties_in(modify_list))
        self.door.check(asked)
        await self.service.traders.admit(modify_list)
        await self.door.ask(asked)

    async def withdraw_using_constraint(self, type: str, constr: str) -> None:
        """Withdraw all offers of exactly one type that match."""
        await self.door.ask(r.WithdrawMatchingOffers(type, constr))

    async def resolve(self, name: Sequence[str]) -> Reference:
        """Return the Register of another trader, by the names of the links that lead there."""
        if not name:
            return await self.get_register_if()
        try:
            link = await self.door.request(r.SeeLink(name[0]))
            for one in name[1:]:
                checked_link_name(one)
        except IllegalLinkName as error:
            raise refusal(IllegalTraderName, str(error), name=tuple(name)) from error
        except UnknownLinkName as error:
            raise refusal(UnknownTraderName, str(error), name=tuple(name)) from error
        settings = await self.settings()
        try:
            async with asyncio.timeout(settings.link_seconds * len(name)):
                return await self.service.traders.register(link.target, name, name[1:])
        except TimeoutError as error:
            raise TRANSIENT(why=f"link {link.name} leads to a trader that is slow") from error


class LinkObject(TraderPart, wire.LinkServant):
    """CosTrading::Link."""

    async def add_link(
        self,
        name: str,
        target: Reference,
        def_pass_on_follow_rule: wire.FollowOption,
        limiting_follow_rule: wire.FollowOption,
    ) -> None:
        """Add a link to another trader."""
        rules = rule_in(def_pass_on_follow_rule), rule_in(limiting_follow_rule)
        await self.door.ask(r.AddLink(name, reference_in(target), *rules))

    async def remove_link(self, name: str) -> None:
        """Remove a link."""
        await self.door.ask(r.RemoveLink(name))

    async def describe_link(self, name: str) -> wire.Link_LinkInfo:
        """Return a link; its target_reg is nil if the other trader does not answer."""
        found = await self.door.request(r.SeeLink(name))
        rules = rule_out(found.default_rule), rule_out(found.limiting_rule)
        register, settings = NIL, await self.settings()
        with suppress(TimeoutError, CorbaError, RegisterNotSupported):
            async with asyncio.timeout(settings.link_seconds):
                register = await self.service.traders.register(found.target, (name,), ())
        return wire.Link_LinkInfo(reference_out(found.target), register, *rules)

    async def list_links(self) -> Sequence[str]:
        """Return the names of all links."""
        return tuple(one.name for one in await self.door.request(r.SeeLinks()))

    async def modify_link(
        self,
        name: str,
        def_pass_on_follow_rule: wire.FollowOption,
        limiting_follow_rule: wire.FollowOption,
    ) -> None:
        """Change the rules of a link."""
        rules = rule_in(def_pass_on_follow_rule), rule_in(limiting_follow_rule)
        await self.door.ask(r.ModifyLink(name, *rules))


class TraderAdminObject(TraderPart, wire.AdminServant):
    """CosTrading::Admin."""

    def __init__(
        self, lists: OfferLists, service: CorbaService, door: GatheringDoor, key: ObjectKey
    ) -> None:
        super().__init__(service, door, key)
        self._lists = lists

    async def get_request_id_stem(self) -> bytes:
        """Return what ids of queries begin with; empty for a random number."""
        return bytes.fromhex((await self.settings()).request_id_stem)

    async def set_request_id_stem(self, stem: bytes) -> bytes:
        """Change what ids of queries begin with; return what it was."""
        before = await self.get_request_id_stem()
        await self.door.ask(r.SetTraderSettings(request_id_stem=stem.hex()))
        return before

    async def set_supports_proxy_offers(self, value: bool) -> bool:
        """Refuse TRUE: there are no proxy offers."""
        if value:
            raise NO_IMPLEMENT(why="there are no proxy offers")
        return await self.get_supports_proxy_offers()

    async def set_type_repos(self, repository: Reference) -> Reference:
        """Refuse: the trader has its own repository."""
        raise NO_IMPLEMENT(why="the repository of service types is the trader's own")

    async def list_offers(self, how_many: int) -> tuple[Sequence[str], Reference]:
        """Return the ids of the first offers, and an iterator for the rest."""
        ids, rest = await self._lists.page(self.door, 0, how_many)
        return ids, self._lists.ids(self, rest)

    async def list_proxies(self, how_many: int) -> tuple[Sequence[str], Reference]:
        """Refuse: there are no proxy offers."""
        raise wire.NotImplemented


for _one in fields(TraderSettings):
    if _one.name != "request_id_stem":
        setattr(TraderAdminObject, f"set_{_one.name}", _setting(_one.name))


class ServiceTypesObject(ObjectServant, repos.ServiceTypeRepositoryServant):
    """CosTradingRepos::ServiceTypeRepository."""

    async def get_incarnation(self) -> repos.ServiceTypeRepository_IncarnationNumber:
        """Return the number of the latest addition."""
        return incarnation_out(await self.door.request(r.SeeIncarnation()))

    async def add_type(
        self,
        name: str,
        if_name: str,
        props: Sequence[repos.ServiceTypeRepository_PropStruct],
        super_types: Sequence[str],
    ) -> repos.ServiceTypeRepository_IncarnationNumber:
        """Add a service type; return the number of the addition."""
        asked = r.AddServiceType(name, if_name, definitions_in(props), tuple(super_types))
        return incarnation_out(await self.door.ask(asked))

    async def remove_type(self, name: str) -> None:
        """Remove a service type."""
        await self.door.ask(r.RemoveServiceType(name))

    async def list_types(self, which_types: UnionValue) -> Sequence[str]:
        """Return the names of all types, or of those since an addition."""
        since = 0
        if which_types.discriminator == repos.ServiceTypeRepository_ListOption.since:
            given = which_types.value
            assert isinstance(given, repos.ServiceTypeRepository_IncarnationNumber)
            since = incarnation_in(given)
        return tuple(one.name for one in await self.door.request(r.SeeServiceTypes(since)))

    async def describe_type(self, name: str) -> repos.ServiceTypeRepository_TypeStruct:
        """Return a type as it was declared."""
        return type_out(await self.door.request(r.SeeServiceType(name)))

    async def fully_describe_type(self, name: str) -> repos.ServiceTypeRepository_TypeStruct:
        """Return a type with all that it inherits."""
        return type_out(await self.door.request(r.SeeFullServiceType(name)))

    async def mask_type(self, name: str) -> None:
        """Let nothing be exported under a type any more."""
        await self.door.ask(r.MaskServiceType(name))

    async def unmask_type(self, name: str) -> None:
        """Let offers be exported under a type again."""
        await self.door.ask(r.UnmaskServiceType(name))
