"""Mapping filters: override the priority or lifetime of events for some consumers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tidings import errors
from tidings.channel.management import AddMapped, ModifyMapped
from tidings.channel.views import MappingInfo
from tidings.cos.CosNotification_auto import Property, StructuredEvent
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilterServant,
)
from tidings.cos.mapping import mapped_out
from tidings.events.anyvalue import Value, infer
from tidings.events.fields import Fields
from tidings.events.typecode import TypeCode
from tidings.filters.filter import accepted_grammar
from tidings.filters.mapping import MappedConstraint, MappingFilter
from tidings.servants.constraints import (
    bad_value,
    constraints_in,
    selected,
    unknown_id,
)
from tidings.servants.matching import any_fields, structured_fields, typed_fields
from tidings.servants.service import ObjectServant


class MappingObject(ObjectServant, MappingFilterServant):
    """CosNotifyFilter::MappingFilter."""

    async def get_constraint_grammar(self) -> str:
        """Return the constraint language."""
        return accepted_grammar("")

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
        ids = await self.door.ask(AddMapped(self._id, new))
        pairs = zip(pair_list, ids, strict=True)
        return tuple(MappingConstraintInfo(pair[0], id, pair[1]) for pair, id in pairs)

    async def modify_mapping_constraints(
        self, del_list: Sequence[int], modify_list: Sequence[MappingConstraintInfo]
    ) -> None:
        """Delete some constraints and replace others, all or nothing."""
        self._check_ids(del_list, modify_list)
        ids = [one.constraint_id for one in modify_list]
        new = await self._mapped([(one.constraint_expression, one.value) for one in modify_list])
        command = ModifyMapped(self._id, del_list, dict(zip(ids, new, strict=True)))
        try:
            await self.door.ask(command)
        except errors.ConstraintNotFound:  # a concurrent request deleted it
            self._check_ids(del_list, modify_list)
            raise

    async def get_mapping_constraints(
        self, id_list: Sequence[int]
    ) -> Sequence[MappingConstraintInfo]:
        """Return the constraints with these ids, and their values."""
        found = selected(id_list, self._info().mapped)
        return mapped_out({id: found[id] for id in id_list})

    async def get_all_mapping_constraints(self) -> Sequence[MappingConstraintInfo]:
        """Return all constraints, and their values."""
        return mapped_out(self._info().mapped)

    async def match(self, filterable_data: Value) -> tuple[bool, Value]:
        """Return whether a constraint matches a bare value, and the resulting value."""
        return self._match(any_fields(filterable_data, self.service.host))

    async def match_structured(self, filterable_data: StructuredEvent) -> tuple[bool, Value]:
        """Return whether a constraint matches a structured event, and the resulting value."""
        return self._match(structured_fields(filterable_data, self.service.host))

    async def match_typed(self, filterable_data: Sequence[Property]) -> tuple[bool, Value]:
        """Return whether a constraint matches a typed event, and the resulting value."""
        return self._match(typed_fields(filterable_data, self.service.host))

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        return {"filter": self._id}

    @property
    def _id(self) -> int:
        return self.key.ids[0]

    def _info(self) -> MappingInfo:
        info = self.door.views.filter(self._id)
        assert isinstance(info, MappingInfo)
        return info

    def _mapping(self) -> MappingFilter:
        self._info()  # raises if the principal may not read
        return self.service.host.filters.mapping(self._id)

    def _match(self, fields: Fields) -> tuple[bool, Value]:
        return self._mapping().match(fields)

    def _check_ids(self, delete: Sequence[int], replace: Sequence[MappingConstraintInfo]) -> None:
        replaced = [one.constraint_id for one in replace]
        unknown = unknown_id(delete, replaced, self._info().mapped)
        if unknown is not None:
            raise unknown

    async def _mapped(self, pairs: Sequence[tuple[ConstraintExp, Value]]) -> list[MappedConstraint]:
        settings = self.service.host.settings
        constraints = await constraints_in([expression for expression, _ in pairs], settings)
        made = list(map(MappedConstraint, constraints, [value for _, value in pairs]))
        wrong = bad_value(made, infer(self._mapping().default))
        if wrong is not None:
            raise wrong
        return made
