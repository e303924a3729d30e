"""Clients that are slow, vanish, or never read: they are let go, and nobody else notices."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.patience import PATIENCE
from tests.real.e2e.served import served
from tests.real.e2e.wires import (
    EVENT,
    HALL,
    JSON,
    LINES,
    Hall,
    answer_on,
    answered,
    opened,
    request,
    upgraded,
)

CHANNELS, EVENTS = "/v1/channels", f"/v1/channels/{HALL}/events"
CHUNKED = "Transfer-Encoding: chunked"
READ_PATIENCE, WRITE_PATIENCE = 0.5, 1.0


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    env = {
        "TIDINGS_HTTP__READ_PATIENCE": f"{READ_PATIENCE}s",
        "TIDINGS_HTTP__WRITE_PATIENCE": f"{WRITE_PATIENCE}s",
        "TIDINGS_HTTP__PING_INTERVAL": "5s",
        "TIDINGS_HTTP__MAX_SOCKET_OCTETS": "1MiB",
    }
    with served(tmp_path_factory.mktemp("hall"), "--log-level", "3", env=env) as service:
        made = Hall(service)
        yield made
        made.close()


def soon(happens: Callable[[], bool]) -> None:
    """Waits until something is so."""
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.02)


def dribbled(connection: socket.socket, octets: bytes) -> None:
    """Sends octets one by one, as long as anybody takes them."""
    connection.settimeout(0.05)
    for octet in octets:
        try:
            connection.sendall(bytes([octet]))
            if connection.recv(1, socket.MSG_PEEK) is not None:
                break
        except TimeoutError:
            continue
    connection.settimeout(PATIENCE)


def test_a_head_that_comes_octet_by_octet(hall: Hall) -> None:
    with hall.unharmed(), opened(hall.service) as connection:
        dribbled(connection, request("GET", CHANNELS, f"X-Slow: {'a' * 200}"))
        found = answer_on(connection)
    assert found.status == 408
    assert found.problem["detail"] == "the request did not come in time"


def test_connections_on_which_nothing_comes(hall: Hall) -> None:
    with hall.unharmed(), ExitStack() as stack:
        files = hall.files
        idle = [stack.enter_context(opened(hall.service)) for _ in range(200)]
        assert [one.recv(1) for one in idle] == [b""] * len(idle)
        soon(lambda: hall.files < files + 10)


def test_a_body_that_stops(hall: Hall) -> None:
    half = request("POST", CHANNELS, JSON, "Content-Length: 50", body=b'{"name": ')
    with hall.unharmed():
        found = answered(hall.service, half)
    assert found.status == 408
    assert found.problem["detail"] == "nothing of the body has come for 0.5 s"


@pytest.mark.parametrize("path", [CHANNELS, EVENTS])
def test_a_client_that_goes_in_the_middle_of_its_body(hall: Hall, path: str) -> None:
    half = request("POST", path, JSON, "Content-Length: 500", body=EVENT)
    with hall.unharmed():
        for _ in range(20):
            with opened(hall.service) as connection:
                connection.sendall(half)


def test_lines_up_to_the_cut_are_taken_and_no_half_one(hall: Hall) -> None:
    with opened(hall.service) as connection:
        connection.sendall(request("POST", EVENTS, LINES, CHUNKED))
        whole = EVENT + b"\n"
        connection.sendall(b"%x\r\n%s\r\n" % (len(whole), whole))
        assert connection.recv(1) == b"H"  # the first line is answered
        connection.sendall(b"%x\r\n%s\r\n" % (len(EVENT) - 2, EVENT[:-2]))
    with hall.unharmed():
        hall.others_go_on()
    page = json.loads(answered(hall.service, request("GET", EVENTS)).body)
    seqs = [one["seq"] for one in page["events"]]
    assert seqs == [1, 2]


def test_a_chunk_of_no_length_behind_lines_that_were_answered(hall: Hall) -> None:
    with opened(hall.service) as connection:
        connection.sendall(request("POST", EVENTS, LINES, CHUNKED))
        connection.sendall(b"%x\r\n%s\n\r\n" % (len(EVENT) + 1, EVENT))
        assert connection.recv(1) == b"H"
        with hall.unharmed():
            connection.sendall(b"ZZ\r\n")
            while connection.recv(65_536):
                pass


def test_an_upload_without_an_end(hall: Hall) -> None:
    """A line that is far too long is not kept; the stream may go on for ever."""
    part = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    with hall.unharmed(megabytes=64), opened(hall.service) as connection:
        connection.sendall(request("POST", EVENTS, LINES, CHUNKED))
        for _ in range(200):
            connection.sendall(part)
        assert hall.memory < 400 * 2**20


def test_a_body_of_chunks_without_an_end(hall: Hall) -> None:
    part = b"100000\r\n" + b" " * 2**20 + b"\r\n"
    with hall.unharmed(megabytes=96), opened(hall.service) as connection:
        connection.sendall(request("POST", EVENTS, JSON, CHUNKED) + part * 17)
        assert answer_on(connection).problem["detail"].startswith("the body is longer than")


def test_a_client_that_goes_while_it_waits(hall: Hall) -> None:
    proxies = f"{CHANNELS}/{HALL}/proxies"
    made = b'{"name": "waiting", "style": "pull"}'
    assert answered(hall.service, request("POST", proxies, JSON, body=made)).status == 201
    at_once = request("POST", f"{proxies}/waiting/pull", JSON, body=b"{}")
    assert json.loads(answered(hall.service, at_once).body)["events"] == []
    with hall.unharmed():
        for _ in range(20):
            with opened(hall.service) as connection:
                pull = request("POST", f"{proxies}/waiting/pull", JSON, body=b'{"wait": 30}')
                connection.sendall(pull)
                time.sleep(0.002)
    sent = answered(hall.service, request("POST", EVENTS, JSON, body=EVENT))
    (event,) = json.loads(answered(hall.service, at_once).body)["events"]
    assert (event["seq"], event["redelivered"]) == (json.loads(sent.body)["seq"], False)


def test_five_hundred_sockets_that_never_read(hall: Hall) -> None:
    """Everybody else gets events; whoever does not read is let go, and what it held is freed."""
    event = json.dumps({"domain": "Auction", "type": "books", "name": "x" * 50_000}).encode()
    batch = request("POST", EVENTS, JSON, body=b"[%s]" % b",".join([event] * 100))
    memory, files = hall.memory, hall.files
    with ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(upgraded(hall.service, f"{CHANNELS}/{HALL}/subscribe"))
        # All were let in. On a busy machine the first may be gone again: they answer no ping.
        assert hall.files > files + 50
        for _ in range(2):
            assert answered(hall.service, batch).status == 200
            hall.others_go_on()
        soon(lambda: hall.files < files + 50)
        hall.others_go_on()
        assert hall.memory - memory < 400 * 2**20
    check_log(hall)


def check_log(hall: Hall) -> None:
    """Nothing went wrong in the service itself."""
    log = hall.service.log.read_text()
    assert "Traceback" not in log
    assert " error " not in log


def test_an_answer_that_is_never_read(hall: Hall) -> None:
    event = json.dumps({"domain": "Auction", "type": "books", "name": "x" * 50_000}).encode()
    batch = request("POST", EVENTS, JSON, body=b"[%s]" % b",".join([event] * 200))
    files = hall.files
    assert answered(hall.service, batch).status == 200
    with ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(opened(hall.service))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.sendall(request("GET", f"{EVENTS}?most=1000"))
        soon(lambda: hall.files >= files + 20)
        soon(lambda: hall.files < files + 5)
    check_log(hall)


def test_a_tail_that_is_never_read(hall: Hall) -> None:
    event = json.dumps({"domain": "Auction", "type": "books", "name": "x" * 50_000}).encode()
    batch = request("POST", EVENTS, JSON, body=b"[%s]" % b",".join([event] * 200))
    files = hall.files
    with opened(hall.service) as connection:
        connection.sendall(request("GET", f"{CHANNELS}/{HALL}/tail"))
        assert connection.recv(1) == b"H"
        for _ in range(3):
            assert answered(hall.service, batch).status == 200
        soon(lambda: hall.files <= files)
        hall.others_go_on()
    check_log(hall)
