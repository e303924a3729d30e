"""CORBA exceptions as Tidings errors.

A system exception carries no text, so the message names the call and its outcome.
"""

from __future__ import annotations

from typing import Final

from tidings import errors
from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.mapping import property_errors_in
from tidings.errors import TidingsError
from tidings.events.anyvalue import Any
from tidings.orb import exceptions as corba
from tidings.orb.exceptions import Completion, CorbaError, SystemException, UserException

# By repository id, the errors of exceptions that IDL declares.
_DECLARED: Final[dict[str, type[TidingsError]]] = {
    kind.corba_id: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, TidingsError)
}

_SYSTEM: Final[dict[type[SystemException], type[TidingsError]]] = {
    corba.BAD_INV_ORDER: errors.WrongState,
    corba.BAD_PARAM: errors.InvalidUsage,
    corba.COMM_FAILURE: errors.Unreachable,
    corba.IMP_LIMIT: errors.LimitExceeded,
    corba.NO_PERMISSION: errors.Forbidden,
    corba.NO_RESOURCES: errors.LimitExceeded,
    corba.PERSIST_STORE: errors.StoreError,
    corba.TIMEOUT: errors.Unreachable,
    corba.TRANSIENT: errors.Unreachable,
}

# The service did not answer.
_SILENT: Final = (corba.COMM_FAILURE, corba.TIMEOUT, corba.TRANSIENT)

# While pushing, the event or the queue's capacity is at fault.
_PUSHING: Final[dict[type[SystemException], type[TidingsError]]] = {
    **_SYSTEM,
    corba.BAD_PARAM: errors.InvalidEvent,
    corba.DATA_CONVERSION: errors.InvalidEvent,
    corba.IMP_LIMIT: errors.ChannelFull,
    corba.MARSHAL: errors.InvalidEvent,
    corba.NO_RESOURCES: errors.ChannelFull,
}


def told(
    error: CorbaError, what: str, operation: str, missing: type[TidingsError], *, repeatable: bool
) -> TidingsError:
    """Convert a CORBA exception; `missing` is the error if the object does not exist."""
    if isinstance(error, UserException):
        return _declared(error, f"{what}: {operation}: {type(error).__name__}")
    if isinstance(error, corba.OBJECT_NOT_EXIST):
        return missing(f"there is no {what}")
    table = _PUSHING if operation.startswith("push") else _SYSTEM
    for kind, made in table.items():
        if isinstance(error, kind):
            return made(f"{what}: {operation}: {error}{_fate(error, repeatable)}")
    return TidingsError(f"{what}: {operation}: {error}")


def _fate(error: CorbaError, repeatable: bool) -> str:
    """Warn the caller if the outcome of a call that is not idempotent is unknown."""
    unsure = isinstance(error, _SILENT) and error.completed is not Completion.NO
    if not unsure or repeatable:
        return ""
    return ", so whether the service has done it is unknown: look before asking again"


def _declared(error: UserException, words: str) -> TidingsError:
    if isinstance(error, notification.UnsupportedQoS):
        return errors.UnsupportedQoS(property_errors_in(error.qos_err))
    if isinstance(error, notification.UnsupportedAdmin):
        return errors.UnsupportedAdmin(property_errors_in(error.admin_err))
    if isinstance(error, channel_admin.AdminLimitExceeded):
        name, value = error.admin_property_err
        limit = value.value if isinstance(value, Any) else value
        return errors.AdminLimitExceeded(name, limit if isinstance(limit, int) else 0)
    if isinstance(error, filters.InvalidConstraint):
        why = "the service does not take this constraint, and does not say why"
        return errors.InvalidConstraint(why, error.constr.constraint_expr)
    if isinstance(error, filters.ConstraintNotFound):
        return errors.ConstraintNotFound(f"{words}: {error.id}")
    if isinstance(error, filters.InvalidValue):
        return errors.InvalidMappingValue(f"{words}: {error.value!r:.60}")
    if isinstance(error, comm.InvalidEventType):
        return errors.InvalidEventType(f"{words}: {error.type.domain_name}::{error.type.type_name}")
    return _DECLARED.get(error.ID, TidingsError)(words)
