"""How servants get their operations: derived from the catalogue, with errors translated.

A servant's own methods take precedence. For each operation that is left to the generated base class
and is a command of the catalogue, a method is added when the servant class is created: it fills the
command's fields from the arguments and the object key, and converts the answer.

Servants raise TidingsError. Every operation translates it to an exception that the operation
declares, or to a system exception. A servant raises a declared exception itself only where it must
name a client's argument, such as the bad constraint. Any other exception is a bug: the ORB logs it
and answers UNKNOWN. An error of kind "internal" is a bug as well, logged where it arose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from tidings import errors
from tidings.channel.management import Connect
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.qos import QOS_PROPERTIES
from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.cos.mapping import pattern_in, property_errors_out
from tidings.cos.operations import Bound, answer_out, bound_to, request_of
from tidings.cos.trading import exception_out
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.orb.exceptions import (
    BAD_INV_ORDER,
    BAD_PARAM,
    IMP_LIMIT,
    OBJECT_NOT_EXIST,
    OMG,
    TRANSIENT,
    UNKNOWN,
    Completion,
    CorbaError,
    SystemException,
    UserException,
    system_exception,
)
from tidings.orb.stubs import Interface, Servant

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.servants.proxies import ProxyPart
    from tidings.servants.service import ObjectServant

_SYSTEM: Final = "IDL:omg.org/CORBA/"


def typed(error: TidingsError, declared: Collection[type[UserException]] = ()) -> CorbaError:
    """Translate an error for an operation that declares these exceptions."""
    if isinstance(error, CorbaError):
        return error
    for exception in declared:
        if error.corba_id == exception.ID:
            told = _declared(error, exception)
            if told is not None:
                return told
    return _system(error)


def _declared(error: TidingsError, exception: type[UserException]) -> UserException | None:
    """Build the declared exception if the error provides all its fields."""
    if isinstance(error, errors.UnsupportedQoS):
        return notification.UnsupportedQoS(property_errors_out(error.errors, QOS_PROPERTIES))
    if isinstance(error, errors.UnsupportedAdmin):
        return notification.UnsupportedAdmin(property_errors_out(error.errors, ADMIN_PROPERTIES))
    if isinstance(error, errors.AdminLimitExceeded):
        limit = channel_admin.AdminLimit(error.name, AnyValue(tc.LONG, error.limit))
        return channel_admin.AdminLimitExceeded(limit)
    return exception_out(error, exception)


# System exceptions for errors that the operation does not declare.
_FAMILIES: Final[tuple[tuple[type[TidingsError], type[SystemException]], ...]] = (
    (errors.NotFound, OBJECT_NOT_EXIST),
    (errors.LimitExceeded, IMP_LIMIT),
    (errors.WrongState, BAD_INV_ORDER),
    (errors.BadInput, BAD_PARAM),
)

_MINORS: Final[dict[type[SystemException], int]] = {OBJECT_NOT_EXIST: OMG | 1, TRANSIENT: OMG | 1}


def _system(error: TidingsError) -> SystemException:
    if error.corba_id == TidingsError.corba_id:
        return UNKNOWN(0, Completion.MAYBE, str(error))
    family = _family(error)
    return family(_MINORS.get(family, 0), Completion.NO, str(error))


def partly(error: TidingsError) -> CorbaError:
    """Translate an error that concerns a part of the request while the rest was done."""
    told = _system(error)
    return type(told)(told.minor, Completion.MAYBE, told.why)


def _family(error: TidingsError) -> type[SystemException]:
    if error.corba_id.startswith(_SYSTEM):
        return type(system_exception(error.corba_id, 0, Completion.NO))
    return next((exception for kind, exception in _FAMILIES if isinstance(error, kind)), UNKNOWN)


class TypedErrors(Servant):
    """Base of servants whose errors are translated with `typed`."""

    __slots__ = ()

    def _translate(
        self, error: TidingsError, declared: tuple[type[UserException], ...]
    ) -> TidingsError:
        return typed(error, declared)


class DerivedOperations(TypedErrors):
    """Base of servants that adds the operations they do not define."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Add the operations of a class that has an interface."""
        interface: Interface | None = getattr(cls, "INTERFACE", None)
        for name, bound in bound_to(interface).items() if interface is not None else ():
            method = interface.operations[name].method if interface is not None else ""
            row = bound.row
            if (row.request is Connect or (row.http and not row.is_question)) and _is_generated(
                cls, method
            ):
                setattr(cls, method, _connect if row.request is Connect else _derived(bound))
        super().__init_subclass__()

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        raise NotImplementedError


def _is_generated(cls: type, method: str) -> bool:
    owner = next(one for one in cls.__mro__ if method in vars(one))
    return owner.__module__.endswith("_auto")


async def _connect(servant: ProxyPart, client: Reference) -> None:
    await servant.connect_client(client)


def _derived(bound: Bound) -> Callable[..., Any]:
    async def run(servant: ObjectServant, *arguments: Any) -> Any:  # noqa: ANN401 -- of any operation
        known = servant.target
        target = {name: known[name] for name in bound.row.fields if name in known}
        try:
            command = request_of(bound, target, arguments)
            answer = await servant.door.ask(command)
        except errors.InvalidEventType as error:
            for one in _refused(arguments):
                raise InvalidEventType(one) from error
            raise
        return answer_out(bound.row, answer)

    return run


def _refused(arguments: tuple[Any, ...]) -> Iterator[EventType]:
    """Yield the invalid event types among the arguments."""
    for one in (type_ for listed in arguments for type_ in listed):
        try:
            pattern_in(one)
        except errors.InvalidEventType:
            yield one
