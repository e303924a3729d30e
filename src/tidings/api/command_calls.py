"""Every command of management, and what pull consumers answer, as one HTTP request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from tidings.api.call import BASE, Call, reading, unread
from tidings.api.changes import (
    Attached,
    AttachFilter,
    KnownTypes,
    KnownTypesForm,
    Ranges,
    SetMappingForm,
    TypesChange,
)
from tidings.api.filters import (
    ConstraintForm,
    MadeConstraints,
    MadeFilter,
    MappedForm,
    ModifyConstraintsForm,
    ModifyMappedForm,
    NewConstraints,
    NewFilter,
    NewMapped,
    NewMapping,
)
from tidings.api.new_proxy import NewProxy
from tidings.api.objects import Admin, Channel, NewAdmin, NewChannel, Proxy
from tidings.api.problems import misfit_of
from tidings.api.properties import properties_out
from tidings.api.pulling import AckForm, ReasonForm
from tidings.api.trails import DryRunForm, TrailForm
from tidings.channel import commands, management
from tidings.channel.commands import Command
from tidings.channel.vocabulary import Place
from tidings.channel.wellformed import check_command, is_checked
from tidings.errors import InvalidUsage

_Maker: TypeAlias = Callable[[Any], Call]


def call_of(command: Command) -> Call:
    """The request that has a command carried out.

    Raises:
        InvalidUsage: It has a part of another type than its attribute, or it is no request of
            its own: events and connections go over a line.
        InvalidEvent: A value in it is none.
    """
    kind = type(command)
    make = _MAKERS.get(kind)
    if make is None:
        raise InvalidUsage(f"a {kind.__name__} is no request of its own over HTTP")
    if is_checked(kind):
        check_command(command)
    try:
        return make(command)
    except ValidationError as error:
        told = misfit_of(error.errors(include_url=False))["detail"]
        raise InvalidUsage(f"{kind.__name__}: {told}") from error


def _path(place: Place) -> str:
    if place.proxy is None and place.admin is None:
        return f"/channels/{place.channel}"
    return _holder_path(place)


def _holder_path(place: Place) -> str:
    """The path of an admin or proxy."""
    if place.proxy is not None:
        return f"/channels/{place.channel}/proxies/{place.proxy}"
    if place.admin is None or place.side is None:
        raise InvalidUsage(f"{place} has no filters and no event types; its admins have")
    return f"/channels/{place.channel}/admins/{place.side.value}/{place.admin}"


def _post(path: str, body: BaseModel | None, read: Callable[[object], Any]) -> Call:
    return Call("POST", BASE + path, None if body is None else _plain(body), read)


def _patch(path: str, body: object) -> Call:
    plain = _plain(body) if isinstance(body, BaseModel) else body
    return Call("PATCH", BASE + path, plain, unread)


def _delete(path: str) -> Call:
    return Call("DELETE", BASE + path, None, unread)


def _plain(body: BaseModel) -> object:
    return body.model_dump(mode="json")


# Objects.

_made_channel: Final = reading(Channel, lambda made: made.id)
_made_admin: Final = reading(Admin, lambda made: made.id)
_made_proxy: Final = reading(Proxy, lambda made: made.id)
_made_filter: Final = reading(MadeFilter, lambda made: (made.id, tuple(made.constraints)))
_made_constraints: Final = reading(MadeConstraints, lambda made: made.constraints)
_attached: Final = reading(Attached, lambda made: made.attachment)
_ranges: Final = reading(Ranges, Ranges.info)
_known_types: Final = reading(KnownTypes, KnownTypes.info)
_trail: Final = reading(TrailForm, TrailForm.info)


def _create_channel(command: management.CreateChannel) -> Call:
    return _post("/channels", NewChannel.of(command), _made_channel)


def _destroy_channel(command: management.DestroyChannel) -> Call:
    return _delete(f"/channels/{command.channel}")


def _new_admin(command: management.NewAdmin) -> Call:
    return _post(f"/channels/{command.channel}/admins", NewAdmin.of(command), _made_admin)


def _destroy_admin(command: management.DestroyAdmin) -> Call:
    return _delete(_path(Place(command.channel, command.side, command.admin)))


def _obtain_proxy(command: management.ObtainProxy) -> Call:
    return _post(f"/channels/{command.channel}/proxies", NewProxy.of(command), _made_proxy)


def _disconnect(command: management.Disconnect) -> Call:
    return _delete(_path(Place(command.channel, proxy=command.proxy)))


def _suspend(command: management.Suspend) -> Call:
    return _post(f"/channels/{command.channel}/proxies/{command.proxy}/suspend", None, unread)


def _resume(command: management.Resume) -> Call:
    return _post(f"/channels/{command.channel}/proxies/{command.proxy}/resume", None, unread)


# Properties.


def _set_qos(command: management.SetQoS) -> Call:
    return _patch(f"{_path(command.place)}/qos", properties_out(command.properties))


def _set_admin_properties(command: management.SetAdminProperties) -> Call:
    path = f"/channels/{command.channel}/admin-properties"
    return _patch(path, properties_out(command.properties))


def _validate_qos(command: management.ValidateQoS) -> Call:
    path = f"{BASE}{_path(command.place)}/qos/validate"
    return Call("POST", path, properties_out(command.properties), _ranges)


def _validate_event_qos(command: management.ValidateEventQoS) -> Call:
    path = f"{BASE}/channels/{command.channel}/proxies/{command.proxy}/event-qos/validate"
    return Call("POST", path, properties_out(command.properties), _ranges)


# Filters.


def _create_filter(command: management.CreateFilter) -> Call:
    return _post("/filters", NewFilter.of(command), _made_filter)


def _create_mapping(command: management.CreateMapping) -> Call:
    return _post("/mapping-filters", NewMapping.of(command), _made_filter)


def _add_constraints(command: management.AddConstraints) -> Call:
    form = NewConstraints(constraints=[ConstraintForm.of(one) for one in command.constraints])
    return _post(f"/filters/{command.filter}/constraints", form, _made_constraints)


def _add_mapped(command: management.AddMapped) -> Call:
    form = NewMapped(mapped=[MappedForm.of_mapped(one) for one in command.mapped])
    return _post(f"/filters/{command.filter}/mapped", form, _made_constraints)


def _modify_constraints(command: management.ModifyConstraints) -> Call:
    replace: dict[int, ConstraintForm | str] = {
        id: ConstraintForm.of(one) for id, one in command.replace.items()
    }
    form = ModifyConstraintsForm(delete=list(command.delete), replace=replace)
    return _patch(f"/filters/{command.filter}/constraints", form)


def _modify_mapped(command: management.ModifyMapped) -> Call:
    replace = {id: MappedForm.of_mapped(one) for id, one in command.replace.items()}
    form = ModifyMappedForm(delete=list(command.delete), replace=replace)
    return _patch(f"/filters/{command.filter}/mapped", form)


def _clear_filter(command: management.ClearFilter) -> Call:
    return _delete(f"/filters/{command.filter}/constraints")


def _destroy_filter(command: management.DestroyFilter) -> Call:
    return _delete(f"/filters/{command.filter}")


def _add_filter(command: management.AddFilter) -> Call:
    form = AttachFilter(filter=command.filter)
    return _post(f"{_holder_path(command.place)}/filters", form, _attached)


def _remove_filter(command: management.RemoveFilter) -> Call:
    return _delete(f"{_holder_path(command.place)}/filters/{command.attachment}")


def _remove_all_filters(command: management.RemoveAllFilters) -> Call:
    return _delete(f"{_holder_path(command.place)}/filters")


def _set_mapping(command: management.SetMapping) -> Call:
    purpose = quote(command.purpose, safe="")
    path = f"{BASE}{_holder_path(command.place)}/mappings/{purpose}"
    return Call("PUT", path, _plain(SetMappingForm(filter=command.filter)), unread)


# Event types, trails, and what consumers answer.


def _change_types(command: management.OfferChange | management.SubscriptionChange) -> Call:
    return _patch(f"{_holder_path(command.place)}/types", TypesChange.of(command))


def _obtain_types(command: management.ObtainTypes) -> Call:
    path = f"/channels/{command.channel}/proxies/{command.proxy}/known-types"
    return _post(path, KnownTypesForm.of(command), _known_types)


def _dry_run(command: commands.DryRun) -> Call:
    return _post(f"/channels/{command.channel}/dry-run", DryRunForm.of(command), _trail)


def _ack(command: commands.Ack) -> Call:
    path = f"/channels/{command.channel}/proxies/{command.proxy}/ack"
    return _post(path, AckForm(seqs=list(command.seqs)), unread)


def _failed(command: commands.Failed) -> Call:
    path = f"/channels/{command.channel}/proxies/{command.proxy}"
    if command.gone:  # the consumer exists no more: its proxy ends, and with it all it waits for
        return _delete(path)
    return _post(f"{path}/retry", ReasonForm.of(command.seqs, command.reason), unread)


def _reject(command: commands.Reject) -> Call:
    path = f"/channels/{command.channel}/proxies/{command.proxy}/reject"
    return _post(path, ReasonForm.of(command.seqs, command.reason), unread)


_MAKERS: Final[Mapping[type, _Maker]] = {
    commands.Ack: _ack,
    commands.DryRun: _dry_run,
    commands.Failed: _failed,
    commands.Reject: _reject,
    management.AddConstraints: _add_constraints,
    management.AddFilter: _add_filter,
    management.AddMapped: _add_mapped,
    management.ClearFilter: _clear_filter,
    management.CreateChannel: _create_channel,
    management.CreateFilter: _create_filter,
    management.CreateMapping: _create_mapping,
    management.DestroyAdmin: _destroy_admin,
    management.DestroyChannel: _destroy_channel,
    management.DestroyFilter: _destroy_filter,
    management.Disconnect: _disconnect,
    management.ModifyConstraints: _modify_constraints,
    management.ModifyMapped: _modify_mapped,
    management.NewAdmin: _new_admin,
    management.ObtainProxy: _obtain_proxy,
    management.ObtainTypes: _obtain_types,
    management.OfferChange: _change_types,
    management.RemoveAllFilters: _remove_all_filters,
    management.RemoveFilter: _remove_filter,
    management.Resume: _resume,
    management.SetAdminProperties: _set_admin_properties,
    management.SetMapping: _set_mapping,
    management.SetQoS: _set_qos,
    management.SubscriptionChange: _change_types,
    management.Suspend: _suspend,
    management.ValidateEventQoS: _validate_event_qos,
    management.ValidateQoS: _validate_qos,
}
