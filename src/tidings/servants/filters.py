"""Filters and mapping filters, and their factory.

Constraints are compiled without blocking the loop. Errors name the invalid constraint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from tidings import errors
from tidings.channel.management import (
    AddConstraints,
    AddMapped,
    CreateFilter,
    CreateMapping,
    ModifyConstraints,
    ModifyMapped,
)
from tidings.channel.settings import FilterPart
from tidings.channel.translation import entered
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.cos import mapping
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
    StructuredEvent,
)
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    ConstraintInfo,
    ConstraintNotFound,
    Filter_INTERFACE,
    FilterFactoryServant,
    FilterServant,
    InvalidConstraint,
    InvalidValue,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilter_INTERFACE,
    MappingFilterServant,
    UnsupportedFilterableData,
)
from tidings.cos.events import any_in, event_in
from tidings.engine.access import FilterId
from tidings.engine.beside import compiled
from tidings.events import structured
from tidings.events.anyvalue import Value, infer
from tidings.events.fields import Fields, fields_for
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.filters.constraint import Constraint
from tidings.filters.filter import FilterVersion, accepted_grammar
from tidings.filters.mapping import MappedConstraint, MappingFilter
from tidings.grants.model import Verb
from tidings.orb.stubs import Interface
from tidings.servants.service import ObjectServant

_TYPED: Final = EventHeader(FixedEventHeader(EventType("", "%TYPED"), ""), ())
_Made = TypeVar("_Made")


class FilterFactoryObject(ObjectServant, FilterFactoryServant):
    """CosNotifyFilter::FilterFactory."""

    async def create_filter(self, constraint_grammar: str) -> Reference:
        """Create a filter without constraints."""
        made, _ = await self.door.ask(CreateFilter(grammar=constraint_grammar))
        return self.reference("filter", (made,), Filter_INTERFACE)

    async def create_mapping_filter(
        self, constraint_grammar: str, default_value: Value
    ) -> Reference:
        """Create a mapping filter without constraints; the default fixes its value type."""
        made, _ = await self.door.ask(CreateMapping(default_value, grammar=constraint_grammar))
        return self.reference("mapping", (made,), MappingFilter_INTERFACE)


class _ConstraintsPart(ObjectServant):
    """Operations shared by filters and mapping filters."""

    async def get_constraint_grammar(self) -> str:
        """Return the constraint language."""
        return accepted_grammar("")

    async def match(self, filterable_data: Value) -> Any:  # noqa: ANN401 -- see `_match`
        """Match an event that is a bare value, or the event in it."""
        return self._match(self._fields(any_in(filterable_data)))

    async def match_structured(self, filterable_data: StructuredEvent) -> Any:  # noqa: ANN401
        """Match a structured event."""
        try:
            event = event_in(filterable_data)
        except errors.BadInput as error:
            raise UnsupportedFilterableData from error
        return self._match(self._fields(event))

    async def match_typed(self, filterable_data: Sequence[Property]) -> Any:  # noqa: ANN401
        """Match a typed event: its operation and parameter values."""
        return await self.match_structured(StructuredEvent(_TYPED, filterable_data, None))

    def _match(self, fields: Fields) -> Any:  # noqa: ANN401 -- the result of `match`
        raise NotImplementedError

    def _known(self) -> Mapping[int, object]:
        """Return the constraints by their ids; raise if the principal may not read them."""
        raise NotImplementedError

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        return {"filter": self.id}

    @property
    def id(self) -> int:
        """Return the filter's id."""
        return self.key.ids[0]

    def _fields(self, event: structured.StructuredEvent) -> Fields:
        """Return the fields, treating the event as the host's channels would now."""
        try:
            kept = entered(event, unwrap=True)
        except errors.BadInput as error:
            raise UnsupportedFilterableData from error
        return fields_for(kept, self.service.host.time())

    async def _compiled(self, expressions: Sequence[ConstraintExp]) -> list[Constraint]:
        """Compile constraints; refuse too many before compiling any."""
        parts = [FilterPart(one.constraint_expr, len(one.event_types)) for one in expressions]
        octets = self.service.host.settings.limits.check_filter(parts)
        return await compiled(octets, lambda: [constraint_in(one) for one in expressions])

    async def _modify(
        self,
        delete: Sequence[int],
        ids: Sequence[int],
        command: ModifyConstraints | ModifyMapped,
    ) -> None:
        try:
            await self.door.ask(command)
        except errors.ConstraintNotFound:  # a concurrent request deleted it
            check_ids(delete, ids, self._known())
            raise


def _with_old_name(interface: Interface) -> Interface:
    """Add an operation under the name it had in drafts of the standard."""
    old = "remove_all_constraint"
    again = interface.operations["remove_all_constraints"].replace(name=old)
    return interface.with_operations({old: again})


class FilterObject(_ConstraintsPart, FilterServant):
    """CosNotifyFilter::Filter."""

    INTERFACE = _with_old_name(Filter_INTERFACE)

    async def add_constraints(
        self, constraint_list: Sequence[ConstraintExp]
    ) -> Sequence[ConstraintInfo]:
        """Add all constraints or none; return them with their ids."""
        made = await self._compiled(constraint_list)
        ids = await self.door.ask(AddConstraints(self.id, made))
        return tuple(map(ConstraintInfo, constraint_list, ids))

    async def modify_constraints(
        self, del_list: Sequence[int], modify_list: Sequence[ConstraintInfo]
    ) -> None:
        """Delete some constraints and replace others, all or nothing."""
        ids = [one.constraint_id for one in modify_list]
        check_ids(del_list, ids, self._known())
        new = await self._compiled([one.constraint_expression for one in modify_list])
        command = ModifyConstraints(self.id, del_list, dict(zip(ids, new, strict=True)))
        await self._modify(del_list, ids, command)

    async def get_constraints(self, id_list: Sequence[int]) -> Sequence[ConstraintInfo]:
        """Return the constraints with these ids."""
        return mapping.constraints_out(selected(id_list, self._known()))

    async def get_all_constraints(self) -> Sequence[ConstraintInfo]:
        """Return all constraints."""
        return mapping.constraints_out(self._known())

    async def attach_callback(self, callback: Reference) -> int:
        """Register a client for changes of the filter's event types; return the callback's id."""
        if not callback.profiles:
            raise errors.InvalidUsage("a callback is needed, not a nil reference")
        await self.service.orb.admit(callback)
        self._require_manage()
        return self.service.callbacks.attach(self.id, callback, self.door.caller)

    async def detach_callback(self, callback: int) -> None:
        """Remove a callback."""
        self._require_manage()
        self.service.callbacks.detach(self.id, callback)

    async def get_callbacks(self) -> Sequence[int]:
        """Return the ids of all callbacks."""
        self._info()  # raises if the principal may not read
        return self.service.callbacks.of(self.id)

    def _info(self) -> FilterInfo:
        info = self.door.views.filter(self.id)
        assert isinstance(info, FilterInfo)
        return info

    def _known(self) -> Mapping[int, Constraint]:
        return self._info().constraints

    def _match(self, fields: Fields) -> bool:
        info = self._info()
        if not info.constraints:
            return self.service.host.settings.empty_filter_passes
        return FilterVersion(info.version, info.constraints).matches(fields)

    def _require_manage(self) -> None:
        """Check the right to change the filter; the core knows nothing of callbacks."""
        owner = self._info().owner
        self.door.require("filter_callbacks", Verb.MANAGE, FilterId(self.id), owner)


class MappingObject(_ConstraintsPart, MappingFilterServant):
    """CosNotifyFilter::MappingFilter: overrides events' priority or lifetime for some consumers."""

    async def get_value_type(self) -> TypeCode:
        """Return the type of all its values."""
        return infer(self._mapping().default)

    async def get_default_value(self) -> Value:
        """Return the value for events that match no constraint."""
        return self._mapping().default

    async def add_mapping_constraints(
        self, pair_list: Sequence[MappingConstraintPair]
    ) -> Sequence[MappingConstraintInfo]:
        """Add all constraints or none; return them with their ids."""
        new = await self._mapped(pair_list)
        ids = await self.door.ask(AddMapped(self.id, new))
        pairs = zip(pair_list, ids, strict=True)
        return tuple(MappingConstraintInfo(pair[0], id, pair[1]) for pair, id in pairs)

    async def modify_mapping_constraints(
        self, del_list: Sequence[int], modify_list: Sequence[MappingConstraintInfo]
    ) -> None:
        """Delete some constraints and replace others, all or nothing."""
        ids = [one.constraint_id for one in modify_list]
        check_ids(del_list, ids, self._known())
        new = await self._mapped([(one.constraint_expression, one.value) for one in modify_list])
        command = ModifyMapped(self.id, del_list, dict(zip(ids, new, strict=True)))
        await self._modify(del_list, ids, command)

    async def get_mapping_constraints(
        self, id_list: Sequence[int]
    ) -> Sequence[MappingConstraintInfo]:
        """Return the constraints with these ids, and their values."""
        return mapping.mapped_out(selected(id_list, self._known()))

    async def get_all_mapping_constraints(self) -> Sequence[MappingConstraintInfo]:
        """Return all constraints, and their values."""
        return mapping.mapped_out(self._known())

    def _known(self) -> Mapping[int, MappedConstraint]:
        info = self.door.views.filter(self.id)
        assert isinstance(info, MappingInfo)
        return info.mapped

    def _mapping(self) -> MappingFilter:
        self._known()  # raises if the principal may not read
        return self.service.host.filters.mapping(self.id)

    def _match(self, fields: Fields) -> tuple[bool, Value]:
        return self._mapping().match(fields)

    async def _mapped(self, pairs: Sequence[tuple[ConstraintExp, Value]]) -> list[MappedConstraint]:
        """Compile constraints; refuse values whose type is not the mapping filter's."""
        constraints = await self._compiled([expression for expression, _ in pairs])
        made = list(map(MappedConstraint, constraints, [value for _, value in pairs]))
        wanted = infer(self._mapping().default)
        for one in made:
            if not infer(one.value).equivalent(wanted):
                raise InvalidValue(mapping.constraint_out(one.constraint), one.value)
        return made


# ---------------------------------------------------------------- constraints


def constraint_in(expression: ConstraintExp) -> Constraint:
    """Read a constraint from a client; raise InvalidConstraint if it or a type is invalid."""
    try:
        return mapping.constraint_in(expression)
    except errors.BadInput as error:
        raise InvalidConstraint(expression) from error


def check_ids(delete: Iterable[int], replace: Iterable[int], known: Mapping[int, object]) -> None:
    """Raise ConstraintNotFound for the first id that is unknown or in both lists."""
    deleted, replaced = list(delete), list(replace)
    in_both = set(deleted) & set(replaced)
    for id in (*deleted, *replaced):
        if id not in known or id in in_both:
            raise ConstraintNotFound(id)


def selected(ids: Sequence[int], known: Mapping[int, _Made]) -> dict[int, _Made]:
    """Return the constraints with these ids.

    Raises:
        ConstraintNotFound: Names the unknown id.
        InvalidUsage: More ids than constraints; a small request must not cause a huge answer.
    """
    check_ids(ids, (), known)
    if len(ids) > len(known):
        raise errors.InvalidUsage(
            f"{len(ids)} ids are asked for, and there are {len(known)} constraints: "
            "ask for each one once"
        )
    return {id: known[id] for id in ids}
