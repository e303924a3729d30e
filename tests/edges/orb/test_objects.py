"""Objects: from requests to methods, and from their ends to replies and what these say."""

from __future__ import annotations

import struct

import pytest

from tests.edges.orb.echo import ECHO, Bad, Echo, EchoServant
from tests.edges.orb.raw import request, string
from tidings.errors import NotFound, TidingsError
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.calls import result_of
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.connection import Answer, Call, Connection, Locate
from tidings.orb.exceptions import (
    INTF_REPOS,
    MARSHAL,
    NO_PERMISSION,
    OMG,
    Completion,
    SystemException,
    meaning,
    system_exception,
)
from tidings.orb.limits import DEFAULT_LIMITS
from tidings.orb.poa import Found, Invocation, ObjectAdapter
from tidings.orb.pseudo import PSEUDO
from tidings.orb.stubs import Operation

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


def opened(operation: str, body: bytes) -> Invocation:
    invocation = ADAPTER.open(call(request(operation, body)))
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
        *((b"echo", "nothing", b"", "BAD_OPERATION"), (b"echo", "missing", b"", "NO_IMPLEMENT")),
        *((b"echo", "echo", b"\1", "MARSHAL"), (b"echo", "_is_a", b"", "MARSHAL")),
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
    [*((b"echo", "OBJECT_HERE"), (b"moved", "OBJECT_FORWARD")),
     *((b"nobody", "UNKNOWN_OBJECT"), (b"refused", "UNKNOWN_OBJECT"))],
)  # fmt: skip
def test_where_an_object_is_can_be_asked(key: bytes, status: str) -> None:
    asking = Connection(opener=True)
    asking.locate(key)
    (found,) = Connection(opener=False).receive_data(asking.data_to_send())
    assert isinstance(found, Locate)
    reply = giop.decode_message(ADAPTER.locate(found))
    assert isinstance(reply, giop.LocateReply)
    assert reply.status.name == status


def test_failures_that_no_reply_can_tell_are_told_as_what_is_wrong() -> None:
    failure = opened("fail", struct.pack("<i", 3)).failure(Bad("x"))  # type: ignore[arg-type]
    assert raised(failure.octets).NAME == "BAD_PARAM"

    class Odd(TidingsError):
        """Its id is that of no system exception."""

        corba_id = "IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0"

    failure = opened("echo", string("x")).failure(Odd("x"))
    assert failure.unforeseen
    assert raised(failure.octets).NAME == "UNKNOWN"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        *(("_is_a", ("IDL:tests/Echo:1.0",), True), ("_is_a", ("IDL:tests/Base:1.0",), True)),
        ("_is_a", ("IDL:omg.org/CORBA/Object:1.0",), True),
        *(("_is_a", ("IDL:tests/Other:1.0",), False), ("_non_existent", (), False)),
        *(("_not_existent", (), False), ("_repository_id", (), "IDL:tests/Echo:1.0")),
        *(("_component", (), Reference()), ("_domain_managers", (), ())),
        ("_get_domain_managers", (), ()),
    ],
)
def test_every_object_answers(name: str, arguments: tuple[str, ...], expected: object) -> None:
    operation, answer = PSEUDO[name]
    asked = Writer()
    operation.write_arguments(asked, arguments)
    read = operation.read_arguments(Reader(asked.getvalue(), little=True))
    result = answer(SERVANT, *read)
    several = (Reference(), ELSEWHERE)  # which no object of ours has
    for said in (result, several) if result == () else (result,):
        told = Writer()
        operation.write_result(told, said)
        assert operation.read_result(Reader(told.getvalue(), little=True)) == said
    assert result == expected


def test_there_is_no_interface_repository() -> None:
    with pytest.raises(INTF_REPOS) as none:
        PSEUDO["_interface"][1](SERVANT)
    assert none.value.minor == OMG | 1


async def test_a_stub_hands_its_calls_to_the_orb() -> None:
    made: list[object] = []

    class Recorder:
        async def call(
            self,
            reference: Reference,
            operation: Operation,
            arguments: tuple[object, ...],
            timeout: float | None = None,  # noqa: ASYNC109 - as Caller has it
        ) -> str:
            made.append((reference, operation, arguments, timeout))
            return "answer"

    reference = Reference("IDL:tests/Echo:1.0", [(5, b"x")])
    stub = Echo(Recorder(), reference, 2.5)
    assert await stub.echo("hi") == "answer"
    assert made == [(reference, ECHO, ("hi",), 2.5)]
    assert repr(stub) == f"Echo({reference!r})"


@pytest.mark.parametrize(
    ("status", "completed"),
    [*(("NO_EXCEPTION", "YES"), ("USER_EXCEPTION", "YES"), ("SYSTEM_EXCEPTION", "MAYBE")),
     *(("LOCATION_FORWARD", "NO"), ("LOCATION_FORWARD_PERM", "NO")),
     ("NEEDS_ADDRESSING_MODE", "NO")],
)  # fmt: skip
def test_whether_the_operation_was_carried_out_is_told_by_the_status(
    status: str, completed: str
) -> None:
    wire, asked = giop.Wire(2, True, OURS), giop.ReplyStatus[status]
    octets = giop.encode_reply(wire, 7, asked, write_body=lambda writer: writer.octet(1))
    reply = giop.decode_message(octets)
    assert isinstance(reply, giop.Reply)
    with pytest.raises(MARSHAL, match="the reply") as told:
        result_of(Answer(reply, OURS), ECHO, DEFAULT_LIMITS)
    assert told.value.completed.name == completed


def test_a_special_case_of_an_exception_travels_as_it() -> None:
    class Lost(MARSHAL):
        """A case of its own."""

    assert Lost().id == MARSHAL().id
    assert type(system_exception(Lost().id, 0, Completion.NO)) is MARSHAL


@pytest.mark.parametrize(
    ("name", "minor", "said"),
    [
        *(("MARSHAL", 0, ""), ("TRANSIENT", OMG | 3, "OMG minor 3: cancelled")),
        ("TRANSIENT", OMG | 99, "OMG minor 99"),
        ("BAD_OPERATION", 0x41540026, "omniORB minor 38"),
        ("TRANSIENT", 0x41540003, "omniORB minor 3"),
        ("MARSHAL", 0x12345678, "minor 0x12345678"),
    ],
)
def test_minor_codes_in_words(name: str, minor: int, said: str) -> None:
    assert meaning(name, minor) == said


def test_the_oldest_goes_when_there_are_too_many() -> None:
    cache = BoundedCache[int, str](2)
    for number in (1, 2, 3):
        cache.keep(number, str(number))
    assert (cache.get(1), cache.get(2), cache.get(3), len(cache)) == (None, "2", "3", 2)
