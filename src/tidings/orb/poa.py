"""The object adapter: a request to a servant's method, and its outcome to a reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from tidings.errors import TidingsError
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.exceptions import (
    BAD_OPERATION,
    MARSHAL,
    NO_IMPLEMENT,
    OBJECT_NOT_EXIST,
    OMG,
    UNKNOWN,
    Completion,
    CorbaError,
    SystemException,
    UserException,
    system_exception,
)
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits
from tidings.orb.marshal import write_void
from tidings.orb.pseudo import PSEUDO
from tidings.orb.stubs import Operation, Servant

if TYPE_CHECKING:
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.connection import Call, Locate

Found: TypeAlias = Servant | Reference | None
"""What a key stands for: the servant, where the object is now, or nothing."""

_REPLY_WANTED: Final = 1  # the bit of the response flags
_SYNC_WITH_SERVER: Final = 1  # the response flags of a oneway that waits for its arrival
_DONE: Final = giop.ReplyStatus.NO_EXCEPTION


class Failure(NamedTuple):
    """The reply to a call that raised; `unforeseen` if the servant is at fault."""

    octets: bytes | None
    error: Exception
    unforeseen: bool


class Invocation:
    """A call with its arguments and its method, and how far it has come.

    Attributes:
        early_reply: For a oneway that asks to be told that it has arrived, and not what comes of
            it.
        replies: Whether the caller waits for a reply.
        key: Tells calls in progress apart: the request's id, or an object if it has no reply.
        ended: Told in a word how the call ends; None if nobody wants to hear of it.
        end: What runs the method: a task, or a result that comes later.
        started: Whether the task runs or has run.
        dropped: Whether nobody wants the answer any more.
    """

    # Most calls need none of these, and making them takes time.
    early_reply: bytes | None = None
    ended: Callable[[str], None] | None = None
    end: Any = None
    started = False
    dropped = False

    def __init__(
        self,
        call: Call,
        servant: Servant,
        operation: Operation,
        method: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> None:
        request = call.request
        flags = request.response_flags
        self.request_id = request.request_id
        self.operation = operation
        self.replies = flags & _REPLY_WANTED == _REPLY_WANTED
        self._call = call
        self._servant = servant
        self._method = method
        self._arguments = arguments
        if operation.oneway and flags == _SYNC_WITH_SERVER and request.minor >= 2:
            self.early_reply = _encode(call, _DONE)
            self.replies = False
        self.key: object = self.request_id if self.replies else object()

    @property
    def interface(self) -> str:
        """The name of the interface."""
        return self._servant.INTERFACE.name

    def __str__(self) -> str:
        return f"operation {self.operation.name!r} of object {self._call.request.key!r}"

    def call(self) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Call the method: returns its result, or the coroutine that will."""
        return self._method(*self._arguments)

    def result(self, value: object) -> bytes:
        """The reply with a result."""
        write = self.operation.write_result
        if write is write_void:
            return giop.encode_reply(self._call.wire, self.request_id, _DONE)
        try:
            return _encode(self._call, _DONE, lambda writer: write(writer, value))
        except SystemException as error:
            raise type(error)(error.minor, Completion.YES, f"the result: {error.why}") from error

    def failure(self, error: Exception) -> Failure:
        """The reply with an exception."""
        if isinstance(error, TidingsError):
            error = self._servant._translate(error, self.operation.exceptions)
        if isinstance(error, self.operation.exceptions):
            assert isinstance(error, UserException)
            return Failure(self._user_exception_reply(error), error, unforeseen=False)
        system, unforeseen = _as_system_exception(error)
        octets = _exception_reply(self._call, system) if self.replies else None
        return Failure(octets, error, unforeseen)

    def _user_exception_reply(self, error: UserException) -> bytes | None:
        def write(writer: Writer) -> None:
            writer.latin(error.ID)
            type(error).write(writer, error)

        if not self.replies:
            return None
        try:
            return _encode(self._call, giop.ReplyStatus.USER_EXCEPTION, write)
        except SystemException as misfit:
            return _exception_reply(self._call, misfit)


def _as_system_exception(error: Exception) -> tuple[SystemException, bool]:
    """What the caller is told of an exception, and whether the servant is at fault."""
    if isinstance(error, SystemException):
        return error, False
    if isinstance(error, UserException):
        why = f"{error.ID} is not among what the operation raises"
        return UNKNOWN(OMG | 1, Completion.MAYBE, why), True
    if isinstance(error, TidingsError) and not isinstance(error, CorbaError):
        told = system_exception(error.corba_id, 0, Completion.NO)
        return told, isinstance(told, UNKNOWN)
    return UNKNOWN(0, Completion.MAYBE, str(error)), True


class ObjectAdapter:
    """Finds servants and reads their arguments."""

    def __init__(
        self, find: Callable[[bytes], Found], limits: MessageLimits = DEFAULT_LIMITS
    ) -> None:
        self._find = find
        self._limits = limits

    def open(self, call: Call) -> Invocation | bytes | None:
        """A request, ready to be called; or its reply if it has ended already.

        None if it has ended, and nobody waits for a reply.
        """
        request = call.request
        try:
            found = self._find(request.key)
            if isinstance(found, Reference):
                return self._forward(call, found)
            return self._invocation(call, found)
        except SystemException as error:
            return self.refuse(call, error)
        except TidingsError as error:
            return self.refuse(call, _as_system_exception(error)[0])

    def _invocation(self, call: Call, servant: Servant | None) -> Invocation:
        request = call.request
        if servant is None:
            raise OBJECT_NOT_EXIST(OMG | 1, why=f"there is no object with key {request.key!r}")
        interface = servant.INTERFACE
        operation = interface.operations.get(request.operation)
        if operation is not None:
            method = getattr(servant, operation.method, None)
            if method is None:
                raise NO_IMPLEMENT(why=f"{type(servant).__name__} has no {operation.method!r}")
            return Invocation(call, servant, operation, method, self._arguments(call, operation))
        pseudo = PSEUDO.get(request.operation)
        if pseudo is None:
            why = f"{interface.name} has no operation {request.operation!r}"
            raise BAD_OPERATION(OMG | 2, why=why)
        operation, answer = pseudo
        arguments = (servant, *self._arguments(call, operation))
        return Invocation(call, servant, operation, answer, arguments)

    def _forward(self, call: Call, reference: Reference) -> bytes | None:
        if not call.request.response_flags & _REPLY_WANTED:
            return None
        return _encode(call, giop.ReplyStatus.LOCATION_FORWARD, _writes_reference(reference))

    def refuse(self, call: Call, error: SystemException) -> bytes | None:
        """The reply to a refused request; None if nobody waits for one."""
        if not call.request.response_flags & _REPLY_WANTED:
            return None
        return _exception_reply(call, error)

    def locate(self, locate: Locate) -> bytes:
        """The reply to the question where an object is."""
        request, wire = locate
        status, write = giop.LocateStatus.UNKNOWN_OBJECT, None
        try:
            found = self._find(request.key)
        except Exception:  # noqa: BLE001 - whoever calls the object is told why
            found = None
        if isinstance(found, Reference):
            status, write = giop.LocateStatus.OBJECT_FORWARD, _writes_reference(found)
        elif found is not None:
            status = giop.LocateStatus.OBJECT_HERE
        return giop.encode_locate_reply(wire, request.request_id, status, write)

    def _arguments(self, call: Call, operation: Operation) -> tuple[Any, ...]:
        try:
            reader = call.request.reader(call.wire.codesets, self._limits)
            return operation.read_arguments(reader)
        except SystemException:
            raise
        except TidingsError as error:  # well-formed octets, and no value that may be
            raise MARSHAL(why=str(error)) from error


def _encode(
    call: Call, status: giop.ReplyStatus, write_body: giop.WriteBody | None = None
) -> bytes:
    return giop.encode_reply(call.wire, call.request.request_id, status, write_body=write_body)


def _exception_reply(call: Call, error: SystemException) -> bytes:
    def write(writer: Writer) -> None:
        giop.write_system_exception(writer, error)

    return _encode(call, giop.ReplyStatus.SYSTEM_EXCEPTION, write)


def _writes_reference(reference: Reference) -> giop.WriteBody:
    return lambda writer: writer.reference(reference)
