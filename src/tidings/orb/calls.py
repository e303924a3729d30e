"""Calls of objects elsewhere: where they go, and what the answer says."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidings.errors import TidingsError
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.codesets import CodeSets, negotiate
from tidings.orb.exceptions import (
    CODESET_INCOMPATIBLE,
    IMP_LIMIT,
    INV_OBJREF,
    MARSHAL,
    OMG,
    UNKNOWN,
    Completion,
    SystemException,
    UserException,
    system_exception,
)
from tidings.orb.ior import TAG_IIOP, is_nil, read_profile
from tidings.orb.marshal import read_void

if TYPE_CHECKING:
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.connection import Answer
    from tidings.orb.limits import MessageLimits
    from tidings.orb.stubs import Operation

# References come from peers, who may make them long: so many are kept, and none that is longer.
_MOST_KEPT: Final = 4096
_LONGEST_KEPT: Final = 2048


class Destination(NamedTuple):
    """One profile of a reference, whose addresses are tried in order.

    `codesets` are those to agree on, or None if the server names none; `place` is the index of the
    profile; `tls` says what is spoken at the addresses.
    """

    addresses: tuple[tuple[str, int], ...]
    key: bytes
    minor: int
    codesets: CodeSets | None
    reference: Reference
    place: int
    tls: bool = False

    def target(self, addressing: int) -> giop.Target:
        """How a request names the object; servers that want more than the key say so."""
        if addressing == giop.AddressKind.PROFILE:
            return giop.ProfileTarget(*self.reference.profiles[self.place])
        if addressing == giop.AddressKind.REFERENCE:
            return giop.ReferenceTarget(self.place, self.reference)
        return self.key


def destinations(
    reference: Reference, highest_minor: int = 2, *, prefer_tls: bool = False
) -> tuple[Destination, ...]:
    """Where calls of an object may go, in order; unusable profiles are left out.

    Where both are offered, `prefer_tls` decides, whatever the server requires: omniORB always says
    that it requires TLS. Whoever prefers TLS does not fall back to calls that others can read.
    """
    kept = reference.size <= _LONGEST_KEPT
    return (_kept if kept else _found)(reference, highest_minor, prefer_tls)


def _found(reference: Reference, highest_minor: int, prefer_tls: bool) -> tuple[Destination, ...]:
    if is_nil(reference):
        raise INV_OBJREF(why="the reference is nil: there is no object to call")
    found: list[Destination] = []
    fault: SystemException = IMP_LIMIT(OMG | 1, why="the reference has no IIOP profile")
    for index, (tag, _) in enumerate(reference.profiles):
        if tag == TAG_IIOP:
            try:
                found.append(_destination(reference, index, highest_minor, prefer_tls))
            except (INV_OBJREF, CODESET_INCOMPATIBLE) as error:
                fault = error
    if not found:
        raise fault
    return tuple(found)


_kept = lru_cache(_MOST_KEPT)(_found)


def _destination(
    reference: Reference, index: int, highest_minor: int, prefer_tls: bool
) -> Destination:
    profile = read_profile(reference.profiles[index][1])
    try:
        addresses, offered, tls = profile.addresses, profile.code_sets, profile.tls
    except MARSHAL as error:
        raise INV_OBJREF(why=f"a component that cannot be read: {error.why}") from error
    if tls is not None and (prefer_tls or not profile.port):
        addresses = ((profile.host, tls.port),)
    else:
        tls = None
    if not addresses:
        raise INV_OBJREF(why=f"the profile names no port of {profile.host}")
    minor = min(profile.minor, highest_minor)
    codesets = negotiate(offered) if offered is not None and minor else None
    secured = tls is not None
    return Destination(addresses, profile.key, minor, codesets, reference, index, secured)


# ---------------------------------------------------------------- answers

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


def result_of(answer: Answer, operation: Operation, limits: MessageLimits) -> Any:  # noqa: ANN401
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


def location_of(answer: Answer, limits: MessageLimits) -> bool | Forward:
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
