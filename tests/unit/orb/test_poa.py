"""From requests to methods, and from their ends to replies."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from tests.unit.orb.echo import Bad, EchoServant
from tests.unit.orb.raw import request, string
from tidings.errors import NotFound, TidingsError
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.connection import Call, Connection, Locate
from tidings.orb.exceptions import NO_PERMISSION, Completion, SystemException, system_exception
from tidings.orb.poa import Found, Invocation, ObjectAdapter

SERVANT = EchoServant()
ELSEWHERE = Reference("IDL:x:1.0", [(5, b"there")])


def find(key: bytes) -> Found:
    if key == b"refused":
        raise NO_PERMISSION(3)
    if key == b"lost":
        raise NotFound("no such thing")
    known: dict[bytes, Found] = {b"echo": SERVANT, b"moved": ELSEWHERE}
    return known.get(key)


ADAPTER = ObjectAdapter(find)


def call(octets: bytes) -> Call:
    (found,) = Connection(opener=False).receive_data(octets)
    assert isinstance(found, Call)
    return found


def opened(operation: str, body: bytes = b"", **options: object) -> Invocation:
    invocation = ADAPTER.open(call(request(operation, body, **options)))  # type: ignore[arg-type]
    assert isinstance(invocation, Invocation)
    return invocation


def raised(octets: bytes | None) -> SystemException:
    assert octets is not None
    reply = giop.decode_message(octets)
    assert isinstance(reply, giop.Reply)
    assert reply.status is giop.ReplyStatus.SYSTEM_EXCEPTION
    reader = reply.reader()
    return system_exception(reader.latin(), reader.ulong(), Completion(reader.ulong()))


@pytest.mark.parametrize(
    ("key", "operation", "body", "name"),
    [
        (b"nobody", "echo", string("x"), "OBJECT_NOT_EXIST"),
        (b"refused", "echo", string("x"), "NO_PERMISSION"),
        (b"lost", "echo", string("x"), "OBJECT_NOT_EXIST"),
        (b"echo", "nothing", b"", "BAD_OPERATION"),
        (b"echo", "missing", b"", "NO_IMPLEMENT"),
        (b"echo", "echo", b"\1", "MARSHAL"),
        (b"echo", "_is_a", b"", "MARSHAL"),
    ],
)
def test_what_cannot_be_begun_is_refused(
    key: bytes, operation: str, body: bytes, name: str
) -> None:
    asked = call(request(operation, body, key=key))
    error = raised(ADAPTER.open(asked))  # type: ignore[arg-type]
    assert (error.NAME, error.completed) == (name, Completion.NO)
    silent = call(request(operation, body, key=key, flags=0))
    assert ADAPTER.open(silent) is None


def test_an_object_that_is_elsewhere_is_forwarded_to() -> None:
    octets = ADAPTER.open(call(request("echo", string("x"), key=b"moved")))
    assert isinstance(octets, bytes)
    reply = giop.decode_message(octets)
    assert isinstance(reply, giop.Reply)
    assert reply.status is giop.ReplyStatus.LOCATION_FORWARD
    assert reply.reader().reference() == ELSEWHERE
    assert ADAPTER.open(call(request("echo", key=b"moved", flags=0))) is None


@pytest.mark.parametrize(
    ("key", "status"),
    [
        (b"echo", giop.LocateStatus.OBJECT_HERE),
        (b"moved", giop.LocateStatus.OBJECT_FORWARD),
        (b"nobody", giop.LocateStatus.UNKNOWN_OBJECT),
        (b"refused", giop.LocateStatus.UNKNOWN_OBJECT),
    ],
)
def test_where_an_object_is_can_be_asked(key: bytes, status: giop.LocateStatus) -> None:
    asking = Connection(opener=True)
    asking.locate(key)
    (found,) = Connection(opener=False).receive_data(asking.data_to_send())
    assert isinstance(found, Locate)
    reply = giop.decode_message(ADAPTER.locate(found))
    assert isinstance(reply, giop.LocateReply)
    assert reply.status is status


def test_a_result_is_written() -> None:
    invocation = opened("echo", string("hi"))
    octets = invocation.result(invocation.call())
    assert octets is not None
    reply = giop.decode_message(octets)
    assert isinstance(reply, giop.Reply)
    assert reply.reader().string() == "hi"


def test_a_result_that_does_not_fit_was_still_done() -> None:
    invocation = opened("echo", string("hi"))
    with pytest.raises(SystemException, match="the result") as misfit:
        invocation.result(7)
    assert misfit.value.completed is Completion.YES


@pytest.mark.parametrize(
    ("error", "name", "completed", "unforeseen"),
    [
        (lambda: NO_PERMISSION(3, Completion.YES), "NO_PERMISSION", Completion.YES, False),
        (lambda: NotFound("gone"), "OBJECT_NOT_EXIST", Completion.NO, False),
        (lambda: Bad(1), "UNKNOWN", Completion.MAYBE, True),
        (lambda: KeyError("bug"), "UNKNOWN", Completion.MAYBE, True),
    ],
)
def test_what_a_servant_raises_is_told(
    error: Callable[[], Exception], name: str, completed: Completion, unforeseen: bool
) -> None:
    failure = opened("echo", string("x")).failure(error())
    told = raised(failure.octets)
    assert (told.NAME, told.completed, failure.unforeseen) == (name, completed, unforeseen)
    silent = opened("echo", string("x"), flags=0).failure(error())
    assert silent == (None, unforeseen)


def test_a_declared_exception_travels_with_its_members() -> None:
    failure = opened("fail", struct.pack("<i", 3)).failure(Bad(3))
    assert failure.octets is not None
    reply = giop.decode_message(failure.octets)
    assert isinstance(reply, giop.Reply)
    assert reply.status is giop.ReplyStatus.USER_EXCEPTION
    reader = reply.reader()
    assert (reader.latin(), reader.long()) == (Bad.ID, 3)


def test_a_declared_exception_that_cannot_be_written_is_told_as_what_is_wrong() -> None:
    failure = opened("fail", struct.pack("<i", 3)).failure(Bad("x"))  # type: ignore[arg-type]
    assert raised(failure.octets).NAME == "BAD_PARAM"


@pytest.mark.parametrize(
    ("flags", "early", "replies"), [(0, False, False), (1, True, False), (3, False, True)]
)
def test_a_oneway_is_answered_as_it_asks(flags: int, early: bool, replies: bool) -> None:
    invocation = opened("note", struct.pack("<i", 3), flags=flags)
    assert (invocation.early_reply is not None, invocation.replies) == (early, replies)
    assert (invocation.result(None) is not None) is replies


def test_it_says_which_operation_of_which_object_it_is() -> None:
    assert str(opened("echo", string("x"))) == "operation 'echo' of object b'echo'"


def test_an_error_whose_id_is_no_system_exception_is_a_fault() -> None:
    class Odd(TidingsError):
        corba_id = "IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0"

    failure = opened("echo", string("x")).failure(Odd("x"))
    assert failure.unforeseen
    assert raised(failure.octets).NAME == "UNKNOWN"
