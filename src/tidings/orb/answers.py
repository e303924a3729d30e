"""The answer to a call: a result, an exception, or a forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidings.errors import TidingsError
from tidings.orb import giop
from tidings.orb.exceptions import (
    MARSHAL,
    OMG,
    UNKNOWN,
    Completion,
    SystemException,
    UserException,
    system_exception,
)
from tidings.orb.marshal_checks import read_void

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.connection import Answer
    from tidings.orb.limits import Limits
    from tidings.orb.stubs import Operation

# Whether the operation was carried out, where nothing but the status of the answer can be read.
_COMPLETED: Final = {
    giop.ReplyStatus.NO_EXCEPTION: Completion.YES,
    giop.ReplyStatus.USER_EXCEPTION: Completion.YES,
    giop.ReplyStatus.SYSTEM_EXCEPTION: Completion.MAYBE,
    giop.ReplyStatus.LOCATION_FORWARD: Completion.NO,
    giop.ReplyStatus.LOCATION_FORWARD_PERM: Completion.NO,
    giop.ReplyStatus.NEEDS_ADDRESSING_MODE: Completion.NO,
}


class Forward(NamedTuple):
    """The object must be called elsewhere."""

    reference: Reference


class Readdress(NamedTuple):
    """The object must be named by its profile or its whole reference."""

    addressing: int


def result_of(answer: Answer, operation: Operation, limits: Limits) -> Any:  # noqa: ANN401
    """The result of a call, or where to call instead; raises what the object raised."""
    reply = answer.reply
    assert isinstance(reply, giop.Reply)
    went_well = reply.status is giop.ReplyStatus.NO_EXCEPTION
    if went_well and operation.read_result is read_void:
        return None
    reader = reply.reader(answer.codesets, limits)
    try:
        if went_well:
            return operation.read_result(reader)
        outcome = _outcome(reply.status, reader, operation)
    except SystemException as error:
        completed = _COMPLETED[reply.status]
        raise type(error)(error.minor, completed, f"the reply: {error.why}") from error
    except TidingsError as error:  # well-formed octets, and no value that may be
        raise MARSHAL(0, _COMPLETED[reply.status], f"the reply: {error}") from error
    if isinstance(outcome, SystemException | UserException):
        raise outcome
    return outcome


def location_of(answer: Answer, limits: Limits) -> bool | Forward:
    """Whether the object is there, or where it is."""
    reply = answer.reply
    assert isinstance(reply, giop.LocateReply)
    reader = reply.reader(answer.codesets, limits)
    status = reply.status
    if status in (giop.LocateStatus.OBJECT_FORWARD, giop.LocateStatus.OBJECT_FORWARD_PERM):
        return Forward(reader.reference())
    if status is giop.LocateStatus.LOC_SYSTEM_EXCEPTION:
        raise _system_exception(reader)
    # A server that wants more than the key is there at least, and calls will tell.
    return status is not giop.LocateStatus.UNKNOWN_OBJECT


def _outcome(
    status: giop.ReplyStatus, reader: Reader, operation: Operation
) -> SystemException | UserException | Forward | Readdress:
    if status is giop.ReplyStatus.USER_EXCEPTION:
        return _user_exception(reader, operation)
    if status is giop.ReplyStatus.SYSTEM_EXCEPTION:
        return _system_exception(reader)
    if status is giop.ReplyStatus.NEEDS_ADDRESSING_MODE:
        return Readdress(reader.short())
    return Forward(reader.reference())


def _user_exception(reader: Reader, operation: Operation) -> SystemException | UserException:
    id = reader.latin()
    for declared in operation.exceptions:
        if id == declared.ID:
            read: UserException = declared.read(reader)
            return read
    why = f"the object raised {id!r}, which {operation.name!r} does not declare"
    return UNKNOWN(OMG | 1, Completion.YES, why)


def _system_exception(reader: Reader) -> SystemException:
    id, minor, completed = reader.latin(), reader.ulong(), reader.ulong()
    if completed > Completion.MAYBE:
        raise reader.bad(f"{completed} is not a completion")
    return system_exception(id, minor, Completion(completed))
