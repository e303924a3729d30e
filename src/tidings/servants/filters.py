"""Filters, and the factory of filters and mapping filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tidings import errors
from tidings.channel.management import (
    AddConstraints,
    CreateFilter,
    CreateMapping,
    ModifyConstraints,
)
from tidings.channel.views import FilterInfo
from tidings.cos.CosNotification_auto import Property, StructuredEvent
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    ConstraintInfo,
    Filter_INTERFACE,
    FilterFactoryServant,
    FilterServant,
    MappingFilter_INTERFACE,
)
from tidings.cos.mapping import constraints_out
from tidings.engine.access import Verb
from tidings.events.anyvalue import Value
from tidings.events.fields import Fields
from tidings.events.reference import Reference
from tidings.filters.filter import FilterVersion, accepted_grammar
from tidings.orb.stubs import Interface
from tidings.servants.constraints import constraints_in, selected, unknown_id
from tidings.servants.matching import any_fields, structured_fields, typed_fields
from tidings.servants.service import ObjectServant


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


def _with_old_name(interface: Interface) -> Interface:
    """Add an operation under the name it had in drafts of the standard."""
    old, known = "remove_all_constraint", interface.operations
    again = known["remove_all_constraints"].replace(name=old)
    return replace(interface, operations={**known, old: again})


class FilterObject(ObjectServant, FilterServant):
    """CosNotifyFilter::Filter."""

    INTERFACE = _with_old_name(Filter_INTERFACE)

    async def get_constraint_grammar(self) -> str:
        """Return the constraint language."""
        return accepted_grammar("")

    async def add_constraints(
        self, constraint_list: Sequence[ConstraintExp]
    ) -> Sequence[ConstraintInfo]:
        """Add all constraints or none; return them with their ids."""
        settings = self.service.host.settings
        made = await constraints_in(constraint_list, settings)
        ids = await self.door.ask(AddConstraints(self._id, made))
        return tuple(map(ConstraintInfo, constraint_list, ids))

    async def modify_constraints(
        self, del_list: Sequence[int], modify_list: Sequence[ConstraintInfo]
    ) -> None:
        """Delete some constraints and replace others, all or nothing."""
        self._check_ids(del_list, modify_list)
        settings = self.service.host.settings
        ids = [one.constraint_id for one in modify_list]
        new = await constraints_in([one.constraint_expression for one in modify_list], settings)
        command = ModifyConstraints(self._id, del_list, dict(zip(ids, new, strict=True)))
        try:
            await self.door.ask(command)
        except errors.ConstraintNotFound:  # a concurrent request deleted it
            self._check_ids(del_list, modify_list)
            raise

    async def get_constraints(self, id_list: Sequence[int]) -> Sequence[ConstraintInfo]:
        """Return the constraints with these ids."""
        found = selected(id_list, self._info().constraints)
        return constraints_out({id: found[id] for id in id_list})

    async def get_all_constraints(self) -> Sequence[ConstraintInfo]:
        """Return all constraints."""
        return constraints_out(self._info().constraints)

    async def match(self, filterable_data: Value) -> bool:
        """Return whether an event that is a bare value would pass."""
        return self._matches(any_fields(filterable_data, self.service.host))

    async def match_structured(self, filterable_data: StructuredEvent) -> bool:
        """Return whether a structured event would pass."""
        return self._matches(structured_fields(filterable_data, self.service.host))

    async def match_typed(self, filterable_data: Sequence[Property]) -> bool:
        """Return whether a typed event would pass."""
        return self._matches(typed_fields(filterable_data, self.service.host))

    async def attach_callback(self, callback: Reference) -> int:
        """Register a client for changes of the filter's event types; return the callback's id."""
        if not callback.profiles:
            raise errors.InvalidUsage("a callback is needed, not a nil reference")
        await self.service.orb.admit(callback)
        self._require_manage()
        return self.service.callbacks.attach(self._id, callback)

    async def detach_callback(self, callback: int) -> None:
        """Remove a callback."""
        self._require_manage()
        self.service.callbacks.detach(self._id, callback)

    async def get_callbacks(self) -> Sequence[int]:
        """Return the ids of all callbacks."""
        self._info()  # raises if the principal may not read
        return self.service.callbacks.of(self._id)

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        return {"filter": self._id}

    @property
    def _id(self) -> int:
        return self.key.ids[0]

    def _info(self) -> FilterInfo:
        info = self.door.views.filter(self._id)
        assert isinstance(info, FilterInfo)
        return info

    def _check_ids(self, delete: Sequence[int], replace: Sequence[ConstraintInfo]) -> None:
        replaced = [one.constraint_id for one in replace]
        unknown = unknown_id(delete, replaced, self._info().constraints)
        if unknown is not None:
            raise unknown

    def _matches(self, fields: Fields) -> bool:
        info = self._info()
        if not info.constraints:
            return self.service.host.settings.empty_filter_passes
        return FilterVersion(info.version, info.constraints).matches(fields)

    def _require_manage(self) -> None:
        """Check the right to change the filter; the core knows nothing of callbacks."""
        host, grant = self.service.host, self.service.grants[self.key.grant]
        owner, what = self._info().owner, f"filter {self._id}"
        host.access.require(grant.principal, Verb.MANAGE, what, owner)
