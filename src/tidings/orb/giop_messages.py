"""The messages of GIOP, as values."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeAlias

import msgspec

from tidings.events.reference import Reference
from tidings.orb.cdr_reader import Reader
from tidings.orb.codesets import NOT_NEGOTIATED, CodeSets
from tidings.orb.ior import key_of_profile
from tidings.orb.limits import DEFAULT_LIMITS, Limits


class MessageType(IntEnum):
    """The types of messages, numbered as in their headers."""

    REQUEST = 0
    REPLY = 1
    CANCEL_REQUEST = 2
    LOCATE_REQUEST = 3
    LOCATE_REPLY = 4
    CLOSE_CONNECTION = 5
    MESSAGE_ERROR = 6
    FRAGMENT = 7


class ReplyStatus(IntEnum):
    """What came of a request. The last two are of GIOP 1.2."""

    NO_EXCEPTION = 0
    USER_EXCEPTION = 1
    SYSTEM_EXCEPTION = 2
    LOCATION_FORWARD = 3
    LOCATION_FORWARD_PERM = 4
    NEEDS_ADDRESSING_MODE = 5


class LocateStatus(IntEnum):
    """Where an object is. The last three are of GIOP 1.2."""

    UNKNOWN_OBJECT = 0
    OBJECT_HERE = 1
    OBJECT_FORWARD = 2
    OBJECT_FORWARD_PERM = 3
    LOC_SYSTEM_EXCEPTION = 4
    LOC_NEEDS_ADDRESSING_MODE = 5


class AddressKind(IntEnum):
    """How a request says which object it is for."""

    KEY = 0
    PROFILE = 1
    REFERENCE = 2


class ServiceContext(NamedTuple):
    """What travels beside a request or reply."""

    id: int
    data: bytes


class ProfileTarget(NamedTuple):
    """An object named by one profile of its reference."""

    tag: int
    data: bytes


class ReferenceTarget(NamedTuple):
    """An object named by its reference, and the profile that was chosen of it."""

    profile_index: int
    reference: Reference


Target: TypeAlias = bytes | ProfileTarget | ReferenceTarget
"""Which object a request is for: its key, as almost always, or more of its reference."""


def key_of(target: Target) -> bytes:
    """The object key of a target; empty when it cannot be told, as no object has it."""
    if isinstance(target, bytes):
        return target
    if isinstance(target, ProfileTarget):
        return key_of_profile(target.tag, target.data)
    profiles = target.reference.profiles
    if target.profile_index >= len(profiles):
        return b""
    return key_of_profile(*profiles[target.profile_index])


class _WithBody(msgspec.Struct, frozen=True):
    """A message with a body: the octets of the whole message, and where the body begins."""

    minor: int
    little: bool
    request_id: int
    octets: bytes
    at: int

    def reader(
        self, codesets: CodeSets = NOT_NEGOTIATED, limits: Limits = DEFAULT_LIMITS
    ) -> Reader:
        """A reader of the body."""
        return Reader(
            self.octets,
            little=self.little,
            at=self.at,
            minor=self.minor,
            codesets=codesets,
            limits=limits,
        )


class Request(_WithBody, frozen=True):
    """A call of an operation.

    Attributes:
        response_flags: Bit 0 says that a reply is wanted; 3 is an ordinary call.
        target: Which object, as the peer named it.
        key: The object key in it.
        operation: The operation's name on the wire.
        contexts: What travels beside it.
    """

    response_flags: int
    target: Target
    key: bytes
    operation: str
    contexts: tuple[ServiceContext, ...]


class Reply(_WithBody, frozen=True):
    """What came of a request."""

    status: ReplyStatus
    contexts: tuple[ServiceContext, ...]


class LocateReply(_WithBody, frozen=True):
    """Where an object is."""

    status: LocateStatus


class LocateRequest(msgspec.Struct, frozen=True):
    """The question whether an object is here."""

    minor: int
    little: bool
    request_id: int
    target: Target
    key: bytes


class CancelRequest(msgspec.Struct, frozen=True):
    """The reply to a request is not wanted any more."""

    minor: int
    little: bool
    request_id: int


class CloseConnection(msgspec.Struct, frozen=True):
    """The peer closes the connection in good order."""

    minor: int
    little: bool


class MessageError(msgspec.Struct, frozen=True):
    """The peer does not understand what it was sent."""

    minor: int
    little: bool


Message: TypeAlias = (
    Request | Reply | CancelRequest | LocateRequest | LocateReply | CloseConnection | MessageError
)
