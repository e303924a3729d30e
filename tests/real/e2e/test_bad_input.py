"""Requests that are wrong in every way: each is told so, and nothing else happens."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.e2e.served import served
from tests.real.e2e.wires import EVENT, HALL, JSON, LINES, SECRET, Hall, answered, request

CHANNELS, EVENTS = "/v1/channels", f"/v1/channels/{HALL}/events"
MARK = "Tidings-Producer: press"
DEEP = b"[" * 5_000
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with served(tmp_path_factory.mktemp("hall"), "--log-level", "4") as service:
        made = Hall(service)
        yield made
        made.close()


def new(body: bytes, *headers: str | bytes) -> bytes:
    """A request for a channel."""
    return request("POST", CHANNELS, *(headers or (JSON,)), body=body)


def sent(body: bytes, *headers: str | bytes, query: str = "") -> bytes:
    """A request with events."""
    return request("POST", EVENTS + query, *(headers or (JSON,)), body=body)


BODIES = {
    "nothing": (new(b""), 400, "the JSON ends too early"),
    "no JSON": (new(b"name: hall"), 400, "line 1, column"),
    "half": (new(b'{"name": '), 400, "the JSON ends too early"),
    "more behind": (new(b'{"name": "x"}}'), 400, "trailing characters"),
    "a list": (new(b"[]"), 422, "body: it must be a JSON object"),
    "a null": (new(b"null"), 422, "body: it must be a JSON object"),
    "an unknown member": (new(b'{"nmae": "x"}'), 422, "body.nmae: nothing of this name is known"),
    "a member twice": (new(b'{"name": "x", "name": "y"}'), 400, "'name' stands twice"),
    "a number for a text": (new(b'{"name": 5}'), 422, "body.name: "),
    "a number for a truth": (new(b'{"persistent": 1}'), 422, "body.persistent: "),
    "deep": (new(DEEP), 400, "nests too deeply"),
    "very many values": (new(b"[%s1]" % (b"1," * 100_000)), 413, "more than the 100000 values"),
    "deep objects": (new(b'{"a":' * 5_000), 400, "nests too deeply"),
    "no number": (new(b'{"qos": {"Priority": NaN}}'), 400, "malformed JSON"),
    "a huge number": (new(b'{"qos": {"Priority": 1e999}}'), 400, "outside a double"),
    "many digits": (new(b'{"qos": {"Priority": %s}}' % (b"9" * 5_000)), 400, "outside"),
    "too large a number": (new(b'{"qos": {"Priority": 40000}}'), 422, "use -32767 to 32767"),
    "an unknown property": (new(b'{"qos": {"Prioritty": 1}}'), 422, "Prioritty: no property"),
    "no UTF-8": (new(b'{"name": "\xe9"}'), 400, "octet 0xE9 is not UTF-8"),
    "overlong UTF-8": (new(b'{"name": "\xc0\xaf"}'), 400, "octet 0xC0 is not UTF-8"),
    "half a character": (new(b'{"name": "\\ud800"}'), 400, "lone surrogate"),
    "a NUL": (new(b'{"name": "\\u0000"}'), 400, "control character"),
    "a long name": (new(b'{"name": "%s"}' % (b"x" * 5_000)), 400, "at most 256 characters"),
    "a taken name": (new(b'{"name": "hall"}'), 409, "there is a channel named 'hall' already"),
    "another charset": (new(b'{"name": "x"}', f"{JSON}; charset=utf-16"), 415, "UTF-8, not in"),
    "another type": (new(b"name=x", "Content-Type: text/plain"), 415, "application/json"),
    "no type": (new(b'{"name": "x"}', "X-Nothing: 1"), 415, "there is none"),
    "two types": (new(b"{}", JSON, "Content-Type: text/plain"), 400, "content-type stands twice"),
    "packed": (new(gzip.compress(b"{}"), JSON, "Content-Encoding: gzip"), 415, "not unpacked"),
    "too long": (new(b" " * (16 * 2**20 + 1)), 413, "more than the 16777216 taken"),
}

EVENTS_IN = {
    "no event": (sent(b"{}"), 422, "domain: an event needs a domain"),
    "a text": (sent(b'"x"'), 422, "an event is a JSON object"),
    "an unknown member": (sent(EVENT[:-1] + b', "prise": 1}'), 422, "an event has no 'prise'"),
    "a member twice": (sent(EVENT[:-1] + b', "type": "x"}'), 422, "'type' stands twice"),
    "deep": (sent(DEEP), 422, "nests too deeply"),
    "too long": (sent(EVENT[:-1] + b', "name": "%s"}' % (b"x" * 10**7)), 413, "10000000"),
    "too many": (sent(b"[%s]" % b",".join([EVENT] * 1_001)), 413, "more than the 1000 events"),
    "packed": (sent(gzip.compress(EVENT), JSON, "Content-Encoding: gzip"), 415, "not unpacked"),
    "no type": (sent(EVENT, "X-Nothing: 1"), 415, "a body without Content-Type"),
    "a form": (sent(EVENT, "Content-Type: multipart/form-data"), 415, "holds no events"),
    "half a mark": (sent(EVENT, JSON, MARK), 400, "go together"),
    "a mark below 0": (sent(EVENT, JSON, MARK, "Tidings-Number: -1"), 400, "a whole number"),
    "a huge mark": (sent(EVENT, JSON, MARK, f"Tidings-Number: {2**63}"), 422, "2**63-1"),
    "two marks": (sent(EVENT, JSON, MARK, "Tidings-Number: 1", "Tidings-Number: 2"), 400, "twice"),
    "two producers": (sent(EVENT, JSON, MARK, MARK, "Tidings-Number: 1"), 400, "stands twice"),
    "a producer that is no UTF-8": (
        sent(EVENT, JSON, b"Tidings-Producer: \xff", "Tidings-Number: 1"), 400, "no UTF-8",
    ),
    "a long producer": (
        sent(EVENT, JSON, f"Tidings-Producer: {'x' * 300}", "Tidings-Number: 1"), 422, "256",
    ),
    "an unknown parameter": (sent(EVENT, query="?trial=true"), 400, "takes publisher, trail"),
    "a parameter twice": (sent(EVENT, query="?trail=1&trail=0"), 400, "stands twice"),
    "a publisher below 0": (sent(EVENT, query="?publisher=-1"), 422, "a number in digits"),
    "no publisher": (sent(EVENT, query="?publisher=77"), 404, "has no proxy 77"),
    "a consumer that publishes": (sent(EVENT, query="?publisher=1"), 409, "proxy 1"),
    "a CloudEvent without an id": (sent(b"", "ce-specversion: 1.0"), 422, "id: a CloudEvent"),
    "a CloudEvent with two ids": (
        sent(b"", "ce-specversion: 1.0", "ce-id: 1", "ce-id: 2", "ce-type: t", "ce-source: s"),
        400, "ce-id stands twice",
    ),
    "a CloudEvent of another age": (
        sent(b"", "ce-specversion: 9", "ce-id: 1", "ce-type: t", "ce-source: s"), 422, '"1.0"',
    ),
}  # fmt: skip

PLACES = {
    "up": (f"{CHANNELS}/%2e%2e", 404, "no channel named '..'"),
    "up and away": (f"{CHANNELS}/../../etc/passwd", 404, "nothing at this path"),
    "health and up": ("/health/../v1/channels", 404, "nothing at this path"),
    "a slash in a name": (f"{CHANNELS}/{HALL}%2Fproxies", 404, "named 'hall/proxies'"),
    "a NUL": (f"{CHANNELS}/{HALL}%00", 404, "no channel can be named"),
    "overlong UTF-8": (f"{CHANNELS}/%c0%af", 404, "no channel can be named"),
    "no UTF-8": (f"{CHANNELS}/%ff", 404, "no channel can be named"),
    "half a character": (f"{CHANNELS}/%ED%A0%80", 404, "no channel can be named"),
    "a bare percent": (f"{CHANNELS}/%zz", 404, "named '%zz'"),
    "a long name": (f"{CHANNELS}/{'x' * 5_000}", 404, "no channel can be named"),
    "a large id": (f"{CHANNELS}/{'9' * 400}", 404, "nothing has the id 999"),
    "other digits": (f"{CHANNELS}/%D9%A1", 404, "no channel named"),
    "a slash too many": (f"/{CHANNELS}", 404, "nothing at this path"),
    "a slash at the end": (f"{CHANNELS}/", 404, "nothing at this path"),
    "a proxy below 0": (f"{CHANNELS}/{HALL}/proxies/-1", 404, "no proxy named '-1'"),
    "a side": (f"{CHANNELS}/{HALL}/admins/front/0", 422, "path.side"),
    "a large number": (f"{CHANNELS}/{HALL}/events?after={2**70}", 422, "query.after"),
    "a large page": ("/v1/top?most=99999999999", 422, "query.most"),
    "no time": (f"{CHANNELS}/{HALL}/events?since=soon", 400, "is no time: write 2026-"),
    "no constraint": (f"{CHANNELS}/{HALL}/events?filter=%24a%20%3D%3D", 422, "ends too early"),
    "a typing error": (f"{CHANNELS}/{HALL}/tail?fitler=x", 400, "takes after, filter, types"),
    "a socket": ("/v1/ws", 426, "this path is a WebSocket"),
}

WHOLE = {
    "no HTTP": (b"hello\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n", 400),
    "no host": (b"GET /v1/channels HTTP/1.1\r\n\r\n", 400),
    "two hosts": (request("GET", CHANNELS, "Host: localhost", "Host: evil.example"), 400),
    "a control character": (request("GET", CHANNELS, b"X-A: a\x00b"), 400),
    "octets in the path": (request("GET", f"{CHANNELS}/\xff"), 400),
    "two lengths": (new(b"{}", JSON, "Content-Length: 2", "Content-Length: 5"), 400),
    "a length below 0": (new(b"{}", JSON, "Content-Length: -5"), 400),
    "a huge length": (new(b"{}", JSON, f"Content-Length: {'9' * 30}"), 400),
    "a chunk of no length": (new(b"ZZ\r\n{}\r\n0\r\n\r\n", JSON, CHUNKED), 400),
    "packed chunks": (new(b"0\r\n\r\n", JSON, "Transfer-Encoding: gzip, chunked"), 501),
    "an endless head": (request("GET", CHANNELS, f"X-A: {'a' * 500_000}")[:-4], 431),
}

HOSTS = {
    "another host": (request("GET", CHANNELS, "Host: evil.example"), "Host header"),
    "a host behind a user": (request("GET", CHANNELS, "Host: localhost@evil"), "Host header"),
    "a host in front": (request("GET", CHANNELS, "Host: localhost.evil.example"), "Host header"),
    "no name": (request("GET", CHANNELS, "Host: "), "Host header"),
    "another page": (request("GET", CHANNELS, "Origin: http://evil.example"), "another origin"),
    "no page": (request("GET", CHANNELS, "Origin: null"), "another origin"),
    "two pages": (
        request("GET", CHANNELS, "Origin: http://localhost", "Origin: http://e"), "another origin",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_cannot_be_understood(hall: Hall, name: str) -> None:
    octets, status, words = BODIES[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == status, found
    assert words in found.problem["detail"]


@pytest.mark.parametrize("name", EVENTS_IN)
def test_events_that_are_none(hall: Hall, name: str) -> None:
    octets, status, words = EVENTS_IN[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == status, found
    assert words in found.problem["detail"]


@pytest.mark.parametrize("name", PLACES)
def test_paths_and_queries_that_lead_nowhere(hall: Hall, name: str) -> None:
    path, status, words = PLACES[name]
    with hall.unharmed():
        found = answered(hall.service, request("GET", path))
    assert found.status == status, found
    assert words in found.problem["detail"]


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_no_http(hall: Hall, name: str) -> None:
    octets, status = WHOLE[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == found.problem["status"] == status
    assert found.headers["connection"] == "close"


@pytest.mark.parametrize("name", HOSTS)
def test_requests_that_pages_elsewhere_make(hall: Hall, name: str) -> None:
    octets, words = HOSTS[name]
    with hall.unharmed():
        found = answered(hall.service, octets)
    assert found.status == 403
    assert words in found.problem["detail"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "PUT", "get", "X"])
def test_methods_that_a_path_does_not_take(hall: Hall, method: str) -> None:
    with hall.unharmed():
        found = answered(hall.service, request(method, CHANNELS))
    assert (found.status, found.headers["allow"]) == (405, "GET, POST")
    if method != "HEAD":
        assert found.problem["detail"] == "this path takes GET, POST only"


def test_lines_are_judged_one_by_one(hall: Hall) -> None:
    bad = (b"{", b"[]", b"x" * 20 * 2**20, b"\xff", DEEP)
    with hall.unharmed():
        found = answered(hall.service, sent(b"\n".join(bad), LINES))
    lines = found.body.splitlines()
    assert found.status == 200
    assert [line.count(b'"error"') for line in lines] == [1] * len(bad)
    assert b"the line is longer than" in lines[2]


def test_what_stands_behind_a_request_is_one_of_its_own(hall: Hall) -> None:
    hidden = request("DELETE", f"{CHANNELS}/{HALL}")
    with hall.unharmed():
        both = new(b"0\r\n\r\n" + hidden, JSON, CHUNKED, f"Content-Length: {5 + len(hidden)}")
        assert answered(hall.service, both).status == 400


TOKENS: dict[str, tuple[str | bytes, ...]] = {
    "none": (),
    "an empty one": ("Authorization: Bearer ",),
    "a wrong one": ("Authorization: Bearer another-token-is-used",),
    "half of it": (f"Authorization: Bearer {SECRET[:-1]}",),
    "more than it": (f"Authorization: Bearer {SECRET}x",),
    "no ASCII": (b"Authorization: Bearer \xc3\xa9\xff",),
    "another scheme": (f"Authorization: Basic {SECRET}",),
    "twice": (f"Authorization: Bearer {SECRET}", f"Authorization: Bearer {SECRET}"),
    "in a cookie": (f"Cookie: token={SECRET}",),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    (folder / "token").write_text(SECRET)
    (folder / "token").chmod(0o600)
    options = ("--token-file", str(folder / "token"), "--log-level", "4")
    with served(folder, *options) as service:
        made = Hall(service, SECRET)
        yield made
        made.close()


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_that_is_not_the_owners(guarded: Hall, name: str) -> None:
    with guarded.unharmed():
        for path in (CHANNELS, f"{CHANNELS}?token={SECRET}", "/metrics", "/v1/openapi.json"):
            found = answered(guarded.service, request("GET", path, *TOKENS[name]))
            assert (found.status, found.headers["www-authenticate"]) == (401, "Bearer")
            assert SECRET not in found.problem["detail"]
        made = request("POST", CHANNELS, JSON, *TOKENS[name], body=b'{"name": "x"}')
        assert answered(guarded.service, made).status == 401
    assert answered(guarded.service, request("GET", "/health/live")).status == 200
