"""The doors of the service: connections over HTTP that are slow or no HTTP, and CORBA."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from tests.edges.servants.scenes import refused, whole
from tests.edges.servants.towns import enforce
from tests.edges.server.serving import TOKEN, serving, sources
from tests.patience import PATIENCE
from tidings.cos.CosNaming_auto import NamingContextExt
from tidings.cos.CosNotification_auto import Property, UnsupportedQoS
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel, EventChannelFactory
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.errors import InvalidUsage, StoreError
from tidings.orb.aio import Orb
from tidings.orb.exceptions import IMP_LIMIT, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import from_ior, profile_of
from tidings.server.connections import MOST_HEAD, Unread
from tidings.server.corba import SECRET_FILE, agent_properties, object_secret
from tidings.server.layers import Sources
from tidings.server.lifecycle import Service
from tidings.server.logs import Logs
from tidings.server.settings import ServerSettings

CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
SWIFT = sources(store__memory=True, http__read_patience=0.05)


# HTTP.


async def said(service: Service, octets: bytes) -> bytes:
    """All that comes back."""
    place = urlsplit(service.url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(octets)
    found = await reader.read()
    writer.close()
    return found


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + CHUNKED, 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (MOST_HEAD + 1), 431),
        (b"GET / HT", 408),
    ],
)  # fmt: skip
async def test_what_is_no_request_is_answered_with_a_problem(octets: bytes, status: int) -> None:
    async with serving(SWIFT) as (service, _):
        head, _, body = (await said(service, octets)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status)
        assert json.loads(body)["status"] == status


async def test_an_answer_may_take_longer_than_a_request_and_nothing_gets_none() -> None:
    async with serving(SWIFT) as (service, client):
        assert await said(service, b"") == b""
        made = {"name": "x", "style": "pull"}
        (await client.post("/v1/channels", json={"name": "x"})).raise_for_status()
        (await client.post("/v1/channels/x/proxies", json=made)).raise_for_status()
        path = "/v1/channels/x/proxies/x/pull"
        assert (await client.post(path, json={"wait": 0.2})).status_code == 200


@pytest.mark.parametrize(("token", "proof", "stays"), [
    (None, b"", True), (TOKEN, b"", False), (TOKEN, b"Authorization: Bearer wrong\r\n", False),
    (TOKEN, b"Authorization: Bearer " + TOKEN.encode() + b"\r\n", True),
])  # fmt: skip
async def test_who_has_shown_no_token_gives_way(
    token: str | None, proof: bytes, stays: bool
) -> None:
    given = sources(store__memory=True, http__max_unauthenticated=2, http__token=token)
    head = b"GET /v1/channels HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    async with serving(given) as (service, _):
        place = urlsplit(service.url)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(head % proof)
        await reader.readuntil(b"}")
        others = [await asyncio.open_connection(place.hostname, place.port) for _ in range(3)]
        if not stays:
            assert await reader.read() == b""
            assert service._web.counts.admissions["http"].gave_way == 2
        else:
            assert await others[0][0].read() == b""
            writer.write(head % proof)
            assert await reader.readuntil(b"}")
        for _, each in (*others, (reader, writer)):
            each.close()


async def test_a_websocket_keeps_its_place_until_it_ends() -> None:
    given = sources(store__memory=True, http__max_connections=2)
    async with serving(given) as (service, client):
        (await client.post("/v1/channels", json={"name": "x"})).raise_for_status()
        await client.aclose()
        url = service.url.replace("http:", "ws:") + "/v1/ws"
        options: dict[str, Any] = {"subprotocols": ["tidings.v1"], "proxy": None}
        async with connect(url, **options), connect(url, **options):
            assert b" 503 " in await said(service, b"")
        async with connect(url, **options):
            pass


class _Closing:
    """A connection that is closed, but has something left."""

    def __init__(self, *sizes: int, closing: bool = True) -> None:
        self.transport = self
        self.aborted = False
        self.get_write_buffer_size = iter(sizes).__next__
        self.is_closing = lambda: closing

    def abort(self) -> None:
        self.aborted = True


def test_only_what_is_not_read_is_cut() -> None:
    slow, busy = _Closing(9, 8, 8), _Closing(9, 9, closing=False)
    unread = Unread()
    connections: list[Any] = [_Closing(9, 9), slow, busy, _Closing(9, 0)]
    unread.look(connections)
    assert not any(one.aborted for one in connections)
    unread.look(connections)
    assert [one.aborted for one in connections] == [True, False, False, False]
    unread.look([slow])
    assert slow.aborted


# CORBA.


def with_corba(**flags: object) -> Sources:
    return sources(None, **{"store__memory": True, "iiop__enabled": True, "iiop__port": 0, **flags})


def plain(service: Service, key: str) -> str:
    """Where the service has an object by its plain key."""
    return service.corba_url.replace("NameService", key)


async def heard(capsys: pytest.CaptureFixture[str], words: str) -> None:
    """Waits until the log tells something."""
    async with asyncio.timeout(PATIENCE):
        while words not in capsys.readouterr().err:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    given = ServerSettings.model_validate({"store": {"dir": str(tmp_path)}})
    made = object_secret(given)
    path = tmp_path / SECRET_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert object_secret(given) == made
    path.unlink()
    assert object_secret(given) != made
    for content in (b"", b"short", b"x" * 64, b"\xff" * 64):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=SECRET_FILE):
            object_secret(given)


def test_the_agent_tells_settings_by_old_and_new_names() -> None:
    http = {"port": 99, "token": "a-secret-of-the-owner"}
    told = agent_properties(ServerSettings.model_validate({"http": http}))
    assert (told["http.port"], told["httpport"], told["dumpdir"]) == ("99", "99", "tidings-data")
    assert told["http.token"] == "***"
    assert "bind" not in told


async def test_clients_begin_with_names_files_or_the_agent(tmp_path: Path) -> None:
    files = {f"ior_file__{one}": str(tmp_path / one) for one in ("factory", "agent")}
    async with serving(with_corba(**files)) as (service, http), Orb() as orb:
        root = orb.stub(NamingContextExt, service.corba_url)
        found = await root.resolve_str("NotificationService")
        text = (tmp_path / "factory").read_text()
        assert len(text) < 512
        assert from_ior(text) == found
        agent = orb.stub(Agent, from_ior((tmp_path / "agent").read_text()))
        assert await agent.getECF() == found
        assert await orb.stub(EventChannelFactory, found).get_all_channels() == (1,)
        assert "tidings_corba_connections 1.0" in (await http.get("/metrics")).text
        assert (await http.get("/v1/overview")).json()["corba"] == 1


@pytest.mark.parametrize("level", [1, 2, 4])
async def test_operations_are_logged_by_the_names_of_their_objects(
    level: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(with_corba(log__level=level)) as (service, _), Orb() as orb:
        factory = orb.stub(EventChannelFactory, plain(service, "NotificationService"))
        await factory.create_channel((), ())
        default = orb.stub(EventChannel, await factory.get_event_channel(1))
        await refused(default.set_qos([Property("Priority", "high")]), UnsupportedQoS)
        await refused(
            orb.stub(EventChannel, plain(service, "nowhere")).get_MyFactory(), OBJECT_NOT_EXIST
        )
    told = re.findall(r"requests: CORBA (.*), [0-9.]+ ms$", capsys.readouterr().err, re.MULTILINE)
    depths = {
        "create_channel NotificationService: done": 1,
        "get_event_channel NotificationService: done": 4,
        "set_qos channel default: UnsupportedQoS": 2,
        "_get_MyFactory nowhere: refused": 4,
    }
    assert told == [line for line, depth in depths.items() if depth <= level]


async def test_references_outlive_a_restart_on_the_same_folder_and_port(tmp_path: Path) -> None:
    ior, port, path = "", 0, tmp_path / "ior"
    async with Orb() as orb:
        for _ in range(2):
            flags = {"store__memory": False, "store__dir": str(tmp_path), "iiop__port": port}
            async with serving(with_corba(ior_file__factory=str(path), **flags)):
                ior = ior or path.read_text()
                assert path.read_text() == ior
                profile = profile_of(from_ior(ior))
                assert profile is not None
                port = profile.port
                stub = orb.stub(EventChannelFactory, from_ior(ior))
                assert await stub.get_all_channels() == (1,)


async def test_the_agent_tells_settings_as_they_are_now(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("")
    place = Sources(file, None, with_corba().flags, {})
    async with serving(place) as (service, _), Orb() as orb:
        agent = orb.stub(Agent, plain(service, "NotificationServiceAgent"))
        before = await agent.getProperty("stop.patience")
        file.write_text("[stop]\npatience = 3\n")
        assert await service.reloader.reload()
        assert (before, await agent.getProperty("stop.patience")) == ("10 s", "3 s")


async def test_names_are_as_many_as_the_setting_allows() -> None:
    async with serving(with_corba(iiop__max_names=100)) as (service, _), Orb() as orb:
        root = orb.stub(NamingContextExt, service.corba_url)
        own, _ = await root.list(1_000)
        found = await root.resolve_str("NotificationService")
        for number in range(len(own), 100):
            await root.bind(await root.to_name(f"n{number}"), found)
        await refused(root.bind(await root.to_name("more"), found), IMP_LIMIT)


async def test_an_open_loopback_is_kept_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    place = with_corba(iiop__open_loopback=True, http__open_loopback=True)
    async with serving(place) as (service, http), Orb() as orb:
        await enforce(service.host)
        factory = orb.stub(EventChannelFactory, plain(service, "NotificationService"))
        assert await factory.get_all_channels() == (1,)
        shown = (await http.get("/v1/overview")).json()["warnings"]
        warnings = (await http.get("/v1/status")).json()["warnings"]
    told = capsys.readouterr().err
    assert [one.partition(" ")[0] for one in warnings] == [
        *("http.open_loopback", "iiop.open_loopback")
    ]
    assert shown == warnings
    assert all(one in told for one in warnings)
    async with serving(with_corba()) as (service, http), Orb() as orb:
        assert (await http.get("/v1/status")).json()["warnings"] == []
        await enforce(service.host)
        factory = orb.stub(EventChannelFactory, plain(service, "NotificationService"))
        await refused(factory.get_all_channels(), NO_PERMISSION)


async def test_corba_may_be_the_only_door() -> None:
    place = with_corba(http__enabled=False, iiop__default_channel="none")
    async with Service(place, place.load(), Logs(0, "text")) as service, Orb() as orb:
        assert service.url == ""
        service.ready()
        factory = orb.stub(EventChannelFactory, plain(service, "NotificationService"))
        assert await factory.get_all_channels() == ()
        await refused(
            orb.stub(EventChannel, plain(service, "DefaultEventChannel")).get_qos(),
            OBJECT_NOT_EXIST,
        )


async def test_it_registers_at_another_naming_service(capsys: pytest.CaptureFixture[str]) -> None:
    async with whole() as other:
        flags = {
            "naming__enabled": True,
            "naming__url": f"corbaloc::{other.address}/NameService",
            "naming__factory": "plant/line 3/events.factory",
            "naming__filter_factory": "filters",
        }
        async with serving(with_corba(**flags)):
            await heard(capsys, "registered at")
            found = await other.root.resolve_str("plant/line 3/events.factory")
            stub = other.client.stub(EventChannelFactory, found)
            assert await stub.get_all_channels() == (1,)
            assert (await other.root.resolve_str("filters")).profiles
        async with serving(with_corba(**{**flags, "naming__url": "corbaloc::[::1]:1/x"})):
            await heard(capsys, "it is tried again")
        with pytest.raises(InvalidUsage, match=r"iiop: cannot listen at .* --iiop"):
            async with serving(with_corba(iiop__port=other.address.port)):
                pass
