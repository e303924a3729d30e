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
from tidings.events.boxes import Value
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
        """Makes a filter without constraints."""
        made, _ = await self.door.ask(CreateFilter(grammar=constraint_grammar))
        return self.reference("filter", (made,), Filter_INTERFACE)

    async def create_mapping_filter(
        self, constraint_grammar: str, default_value: Value
    ) -> Reference:
        """Makes a mapping filter without constraints; the default fixes the type of its values."""
        made, _ = await self.door.ask(CreateMapping(default_value, grammar=constraint_grammar))
        return self.reference("mapping", (made,), MappingFilter_INTERFACE)


def _with_old_name(interface: Interface) -> Interface:
    """The interface with an operation under the name it had in drafts of the standard."""
    old, known = "remove_all_constraint", interface.operations
    again = known["remove_all_constraints"].replace(name=old)
    return replace(interface, operations={**known, old: again})


class FilterObject(ObjectServant, FilterServant):
    """CosNotifyFilter::Filter."""

    INTERFACE = _with_old_name(Filter_INTERFACE)

    async def get_constraint_grammar(self) -> str:
        """The language of its constraints."""
        return accepted_grammar("")

    async def add_constraints(
        self, constraint_list: Sequence[ConstraintExp]
    ) -> Sequence[ConstraintInfo]:
        """Adds all constraints or none; they come back with their ids."""
        settings = self.service.host.settings
        made = await constraints_in(constraint_list, settings)
        ids = await self.door.ask(AddConstraints(self._id, made))
        return tuple(map(ConstraintInfo, constraint_list, ids))

    async def modify_constraints(
        self, del_list: Sequence[int], modify_list: Sequence[ConstraintInfo]
    ) -> None:
        """Deletes some constraints and replaces others, all or nothing."""
        self._check_ids(del_list, modify_list)
        settings = self.service.host.settings
        ids = [one.constraint_id for one in modify_list]
        new = await constraints_in([one.constraint_expression for one in modify_list], settings)
        command = ModifyConstraints(self._id, del_list, dict(zip(ids, new, strict=True)))
        try:
            await self.door.ask(command)
        except errors.ConstraintNotFound:  # another request was faster
            self._check_ids(del_list, modify_list)
            raise

    async def get_constraints(self, id_list: Sequence[int]) -> Sequence[ConstraintInfo]:
        """The constraints with these ids."""
        found = selected(id_list, self._info().constraints)
        return constraints_out({id: found[id] for id in id_list})

    async def get_all_constraints(self) -> Sequence[ConstraintInfo]:
        """All constraints."""
        return constraints_out(self._info().constraints)

    # Asking it directly.

    async def match(self, filterable_data: Value) -> bool:
        """Whether an event that is a bare value would pass."""
        return self._matches(any_fields(filterable_data, self.service.host))

    async def match_structured(self, filterable_data: StructuredEvent) -> bool:
        """Whether a structured event would pass."""
        return self._matches(structured_fields(filterable_data, self.service.host))

    async def match_typed(self, filterable_data: Sequence[Property]) -> bool:
        """Whether a typed event would pass."""
        return self._matches(typed_fields(filterable_data, self.service.host))

    # Callbacks.

    async def attach_callback(self, callback: Reference) -> int:
        """Has a client told whenever the event types asked for change; the callback's id."""
        if not callback.profiles:
            raise errors.InvalidUsage("a callback is needed, not a nil reference")
        await self.service.orb.admit(callback)
        self._require_manage()
        return self.service.callbacks.attach(self._id, callback)

    async def detach_callback(self, callback: int) -> None:
        """Stops telling a client."""
        self._require_manage()
        self.service.callbacks.detach(self._id, callback)

    async def get_callbacks(self) -> Sequence[int]:
        """The ids of all callbacks."""
        self._info()  # who may not look is told so
        return self.service.callbacks.of(self._id)

    @property
    def target(self) -> Mapping[str, Any]:
        """The fields of commands that the called object tells."""
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
        """Lets those pass who may change the filter: callbacks are not the core's matter."""
        host, grant = self.service.host, self.service.grants[self.key.grant]
        owner, what = self._info().owner, f"filter {self._id}"
        host.access.require(grant.principal, Verb.MANAGE, what, owner)
