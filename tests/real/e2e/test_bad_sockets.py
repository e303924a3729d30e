"""WebSockets that are wrong in every way: each is closed or told so, and nothing else happens."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.real.e2e.served import served
from tests.real.e2e.wires import (
    EVENT,
    HALL,
    Hall,
    answered,
    frame,
    frames_on,
    request,
    upgrade,
    upgraded,
)

SUBSCRIBE = f"/v1/channels/{HALL}/subscribe"
TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9
BIG = b"a" * 10**6


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    env = {"TIDINGS_HTTP__WRITE_PATIENCE": "2s"}
    with served(tmp_path_factory.mktemp("hall"), "--log-level", "3", env=env) as service:
        made = Hall(service)
        yield made
        made.close()


def text(**given: Any) -> bytes:
    """A frame with an object."""
    return frame(json.dumps(given).encode())


HANDSHAKES = {
    "another version": (upgrade("/v1/ws", "Sec-WebSocket-Version: 8"), 400),
    "no version": (upgrade("/v1/ws", "Sec-WebSocket-Version: "), 400),
    "no key": (upgrade("/v1/ws", "Sec-WebSocket-Key: "), 400),
    "a key that is none": (upgrade("/v1/ws", "Sec-WebSocket-Key: x"), 400),
    "another method": (upgrade().replace(b"GET", b"POST", 1), 405),
}

REFUSED = {
    "another host": (upgrade("/v1/ws", "Host: evil.example"), 403, "Host header"),
    "another page": (upgrade("/v1/ws", "Origin: http://evil.example"), 403, "another origin"),
    "nowhere": (upgrade("/v1/nothing"), 404, "nothing at this path"),
    "no channel": (upgrade("/v1/channels/none/subscribe"), 404, "no channel named 'none'"),
    "no constraint": (upgrade(f"{SUBSCRIBE}?filter=%24a%20%3D%3D"), 422, "ends too early"),
    "a typing error": (upgrade(f"{SUBSCRIBE}?fitler=x"), 400, "takes after, filter, name"),
    "two names": (upgrade(f"{SUBSCRIBE}?name=a&name=b"), 400, "stands twice"),
    "no window": (upgrade(f"{SUBSCRIBE}?window=0"), 422, "query.window"),
    "a huge window": (upgrade(f"{SUBSCRIBE}?window=99999999999"), 422, "query.window"),
    "a NUL": (upgrade(f"{SUBSCRIBE}?name=%00"), 400, "control character"),
    "the name of a puller": (upgrade(f"{SUBSCRIBE}?name=reader"), 409, "no subscription"),
    "no upgrade": (request("GET", SUBSCRIBE), 426, "this path is a WebSocket"),
}

# What is sent, and the code the socket is closed with.
BROKEN = {
    "not masked": (frame(b"{}", mask=False), 1002),
    "an unknown opcode": (frame(b"{}", 5), 1002),
    "a reserved bit": (b"\xc1" + frame(b"{}")[1:], 1002),
    "a continuation of nothing": (frame(b"{}", 0), 1002),
    "a long ping": (frame(b"x" * 200, PING), 1002),
    "half a ping": (frame(b"x", PING, last=False), 1002),
    "half a code": (frame(b"\x03", CLOSE), 1002),
    "a code that is none": (frame(struct.pack("!H", 1006), CLOSE), 1002),
    "no UTF-8": (frame(b"\xff\xfe"), 1007),
    "HTTP": (request("GET", "/"), 1002),
    "a huge frame": (b"\x81\xff" + struct.pack("!Q", 2**62) + b"\0\0\0\0", 1009),
    "too long a message": (frame(BIG, last=False) + frame(BIG, 0, last=False) * 17, 1009),
}  # fmt: skip

# What is sent, the code the socket is closed with, and what is told before.
MISTAKEN = {
    "a binary frame": (frame(b"{}", BINARY), 1003, "text messages, not binary"),
    "no JSON": (frame(b"{"), 1007, "the JSON ends too early"),
    "deep": (frame(b"[" * 100_000), 1007, "nests too deeply"),
    "a name twice": (frame(b'{"op": "ack", "op": "fail"}'), 1007, "'op' stands twice"),
    "a list": (frame(b"[]"), 1008, "a frame is a JSON object"),
    "no op": (frame(b"{}"), 1008, "a frame needs an op"),
    "an unknown op": (text(op="fly"), 1008, "the op 'fly' is none"),
    "an unknown member": (text(op="ack", line=1, seqs=[1], sec=2), 1008, "`sec`"),
    "a missing member": (text(op="connect", id=1, line=1, channel=1), 1008, "`proxy`"),
    "a text for a number": (text(op="ack", line="1", seqs=[1]), 1008, "`line`"),
    "a number below 0": (text(op="ack", line=1, seqs=[-1]), 1008, "`seqs[0]`"),
    "a huge number": (text(op="ack", line=2**70, seqs=[1]), 1008, "`line`"),
    "no window": (text(op="connect", id=1, line=1, channel=1, proxy=1, window=0), 1008, "window"),
    "half a mark": (
        text(op="push", id=1, channel=1, proxy=1, events=[], producer="x"), 1008, "go together",
    ),
    "too many events": (
        text(op="push", id=1, channel=1, proxy=1, events=[{}] * 1_001), 1008, "<= 1000",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDSHAKES)
def test_a_handshake_that_is_none(hall: Hall, name: str) -> None:
    octets, status = HANDSHAKES[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == status
    assert found.body.startswith(b"Failed to open a WebSocket connection: ")


@pytest.mark.parametrize("name", REFUSED)
def test_a_socket_that_is_refused(hall: Hall, name: str) -> None:
    octets, status, words = REFUSED[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == status, found
    assert words in found.problem["detail"]


@pytest.mark.parametrize("name", BROKEN)
def test_frames_that_are_none(hall: Hall, name: str) -> None:
    octets, code = BROKEN[name]
    with hall.unharmed(), upgraded(hall.service) as connection:
        with suppress(OSError):  # it may be closed before all is sent
            connection.sendall(octets)
        assert closed(connection) == ([], code)


@pytest.mark.parametrize("name", MISTAKEN)
def test_frames_that_cannot_be_understood(hall: Hall, name: str) -> None:
    octets, code, words = MISTAKEN[name]
    with hall.unharmed(), upgraded(hall.service) as connection:
        connection.sendall(octets)
        ((told,), found) = closed(connection)
        assert (told["op"], found) == ("error", code)
        assert words in told["problem"]["detail"]


def test_fragments_are_one_message(hall: Hall) -> None:
    whole = json.dumps({"op": "release", "id": 1, "line": 4}).encode()
    parts = [frame(whole[:5], last=False), frame(b"", PING), frame(whole[5:], 0)]
    with hall.unharmed(), upgraded(hall.service) as connection:
        connection.sendall(b"".join(parts))
        connection.sendall(frame(struct.pack("!H", 1000), CLOSE))
        (told,), code = closed(connection)
    assert (told["id"], told["problem"]["detail"], code) == (1, "this socket has no line 4", 1000)


def test_lines_and_events_of_others(hall: Hall) -> None:
    """A client can acknowledge, reject or answer only what came to itself."""
    asked = [
        {"op": "connect", "id": 1, "line": 1, "channel": 1, "proxy": 999},
        {"op": "connect", "id": 2, "line": 1, "channel": 999, "proxy": 1},
        {"op": "ack", "line": 7, "seqs": [1, 2, 3]},
        {"op": "fail", "line": 7, "seqs": [1], "reason": "x"},
        {"op": "reject", "line": 7, "seqs": [1]},
        {"op": "polled", "line": 7, "poll": 5},
        {"op": "release", "id": 3, "line": 7, "end": True},
        {"op": "push", "id": 4, "channel": 1, "proxy": 1, "events": [json.loads(EVENT)]},
        {"op": "push", "id": 5, "channel": 1, "proxy": 999, "events": [json.loads(EVENT)]},
    ]
    with hall.unharmed(), upgraded(hall.service) as connection:
        for one in asked:
            connection.sendall(text(**one))
        found = [told for _, told in zip(range(5), objects(connection), strict=False)]
    assert sorted(told["id"] for told in found) == [1, 2, 3, 4, 5]
    assert {told["op"] for told in found} <= {"error", "pushed"}
    assert all("problem" in json.dumps(told) or "error" in told for told in found)


def test_what_is_in_flight_to_others_is_not_theirs(hall: Hall) -> None:
    """Numbers on a line that never carried them change nothing, whatever they are."""
    with upgraded(hall.service, f"{SUBSCRIBE}?name=first") as first:
        to_first = objects(first)
        connected = next(to_first)
        with upgraded(hall.service, f"{SUBSCRIBE}?name=second") as second:
            to_second = objects(second)
            next(to_second)
            seq = published(hall)
            second.sendall(text(op="ack", line=0, seqs=[10**9, seq + 1]))
            second.sendall(text(op="reject", line=0, seqs=[10**9]))
            second.sendall(text(op="ack", line=5, seqs=[seq]))
            assert [one["seq"] for one in next(to_first)["events"]] == [seq]
            again = {"op": "connect", "id": 9, "line": 1, "channel": connected["channel"],
                     "proxy": connected["proxy"], "notices": False}  # fmt: skip
            second.sendall(text(**again))
            answers = (one for one in to_second if one.get("id") == 9)
            assert next(answers)["problem"]["code"] == "already_connected"
            first.sendall(text(op="ack", line=0, seqs=[seq]))
            hall.others_go_on()


def test_many_lines_on_one_socket(hall: Hall) -> None:
    """Ten thousand lines that lead nowhere, each of which is told so."""
    with hall.unharmed(), upgraded(hall.service) as connection:
        found = 0
        answers = objects(connection)
        for start in range(0, 10_000, 500):
            some = [text(op="connect", id=n, line=n, channel=1, proxy=10**6)
                    for n in range(start, start + 500)]  # fmt: skip
            connection.sendall(b"".join(some))
            for number in range(start, start + 500):
                told = next(answers)
                assert (told["op"], told["id"]) == ("error", number)
                found += 1
    assert found == 10_000


def test_pings_that_nobody_reads_the_answers_of(hall: Hall) -> None:
    flood = frame(b"x" * 125, PING) * 300_000
    with hall.unharmed(), upgraded(hall.service) as connection, pytest.raises(ConnectionError):
        connection.sendall(flood)


def closed(connection: socket.socket) -> tuple[list[Any], int]:
    """What is told before the socket is closed, and the code it is closed with."""
    told: list[Any] = []
    for opcode, data in frames_on(connection):
        if opcode == TEXT:
            told.append(json.loads(data))
        if opcode == CLOSE:
            return told, int(struct.unpack("!H", data[:2])[0])
    raise AssertionError("the connection has ended without a word")


def objects(connection: socket.socket) -> Iterator[Any]:
    """The objects that come, but for notices."""
    for opcode, data in frames_on(connection):
        if opcode == TEXT and (found := json.loads(data))["op"] != "types":
            yield found


def published(hall: Hall) -> int:
    """Sends an event; its number."""
    body = request("POST", f"/v1/channels/{HALL}/events", "Content-Type: application/json",
                   body=EVENT)  # fmt: skip
    return int(json.loads(answered(hall.service, body).body)["seq"])
