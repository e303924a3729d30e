"""The CORBA door of the service: its secret, its files, its names, its start and its end."""

from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path

import pytest

from tests.unit.servants.opened import whole
from tests.unit.server.serving import scene, serving, sources
from tidings.cos.CosNaming_auto import NamingContextExt
from tidings.cos.CosNotification_auto import Property, UnsupportedQoS
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel, EventChannelFactory
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.errors import InvalidUsage, StoreError
from tidings.orb.aio import Orb
from tidings.orb.exceptions import IMP_LIMIT, OBJECT_NOT_EXIST, TRANSIENT
from tidings.orb.ior import from_ior, profile_of
from tidings.server.config import ServerSettings
from tidings.server.corba import SECRET_FILE, agent_properties, object_secret
from tidings.server.layers import Sources


def settings(**sections: dict[str, object]) -> ServerSettings:
    return ServerSettings.model_validate(sections)


def with_corba(**flags: object) -> Sources:
    return sources(None, **{"store__memory": True, "iiop__enabled": True, "iiop__port": 0, **flags})


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    given = settings(store={"dir": str(tmp_path)})
    made = object_secret(given)
    path = tmp_path / SECRET_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert object_secret(given) == made
    path.unlink()
    assert object_secret(given) != made


def test_in_memory_every_secret_is_new(tmp_path: Path) -> None:
    given = settings(store={"dir": str(tmp_path), "memory": True})
    assert object_secret(given) != object_secret(given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 64, b"\xff" * 64])
def test_a_file_that_holds_no_secret_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SECRET_FILE).write_bytes(content)
    with pytest.raises(StoreError, match=SECRET_FILE):
        object_secret(settings(store={"dir": str(tmp_path)}))


def test_the_agent_tells_settings_by_old_and_new_names() -> None:
    told = agent_properties(settings(http={"port": 99, "token": "a-secret-of-the-owner"}))
    assert (told["http.port"], told["httpport"], told["dumpdir"]) == ("99", "99", "tidings-data")
    assert told["http.token"] == "***"
    assert "bind" not in told


def test_clients_begin_with_names_files_or_the_agent(tmp_path: Path) -> None:
    files = {f"ior_file__{one}": str(tmp_path / one) for one in ("factory", "agent")}

    async def play() -> None:
        async with serving(with_corba(**files)) as (service, http), Orb() as orb:
            root = orb.stub(NamingContextExt, service.corba_url)
            found = await root.resolve_str("NotificationService")
            text = (tmp_path / "factory").read_text()
            assert len(text) < 512
            assert from_ior(text) == found
            agent = orb.stub(Agent, from_ior((tmp_path / "agent").read_text()))
            assert await agent.getECF() == found
            assert await orb.stub(EventChannelFactory, found).get_all_channels() == (1,)
            metrics = (await http.get("/metrics")).text
            assert "tidings_corba_connections 1.0" in metrics
            assert "CORBA connections" in (await http.get("/")).text

    scene(play)


@pytest.mark.parametrize("level", [1, 2, 4])
def test_operations_are_logged_by_the_names_of_their_objects(
    level: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async def play() -> None:
        async with serving(with_corba(log__level=level)) as (service, _), Orb() as orb:
            factory = orb.stub(
                EventChannelFactory, service.corba_url.replace("NameService", "NotificationService")
            )
            await factory.create_channel((), ())
            default = orb.stub(EventChannel, await factory.get_event_channel(1))
            with pytest.raises(UnsupportedQoS):
                await default.set_qos([Property("Priority", "high")])
            nowhere = orb.stub(EventChannel, service.corba_url.replace("NameService", "nowhere"))
            with pytest.raises(OBJECT_NOT_EXIST):
                await nowhere.get_MyFactory()

    scene(play)
    told = re.findall(r"requests: CORBA (.*), [0-9.]+ ms$", capsys.readouterr().err, re.MULTILINE)
    depths = {
        "create_channel NotificationService: done": 1,
        "get_event_channel NotificationService: done": 4,
        "set_qos channel default: UnsupportedQoS": 2,
        "_get_MyFactory nowhere: refused": 4,
    }
    assert told == [line for line, depth in depths.items() if depth <= level]


def test_references_outlive_a_restart_on_the_same_folder_and_port(tmp_path: Path) -> None:
    async def play() -> None:
        ior, port = "", 0
        async with Orb() as orb:
            for _ in range(2):
                flags = {"store__memory": False, "store__dir": str(tmp_path), "iiop__port": port}
                path = tmp_path / "ior"
                place = with_corba(ior_file__factory=str(path), **flags)
                async with serving(place):
                    ior = ior or path.read_text()
                    assert path.read_text() == ior
                    profile = profile_of(from_ior(ior))
                    assert profile is not None
                    port = profile.port
                    stub = orb.stub(EventChannelFactory, from_ior(ior))
                    assert await stub.get_all_channels() == (1,)

    scene(play)


def test_what_references_name_can_be_set(tmp_path: Path) -> None:
    async def play() -> None:
        flags = {
            "iiop__advertise_host": "events.example",
            "iiop__advertise_port": 4000,
            "iiop__alternates": ["second.example:4001"],
        }
        async with serving(with_corba(ior_file__factory=str(tmp_path / "ior"), **flags)):
            profile = profile_of(from_ior((tmp_path / "ior").read_text()))
            assert profile is not None
            assert profile.addresses == (("events.example", 4000), ("second.example", 4001))

    scene(play)


def test_the_agent_tells_settings_as_they_are_now(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("")

    async def play() -> None:
        place = with_corba()
        async with serving(Sources(file, None, place.flags, {})) as (service, _), Orb() as orb:
            url = service.corba_url.replace("NameService", "NotificationServiceAgent")
            agent = orb.stub(Agent, url)
            before = await agent.getProperty("stop.patience")
            file.write_text("[stop]\npatience = 3\n")
            assert await service.reloader.reload()
            assert (before, await agent.getProperty("stop.patience")) == ("10 s", "3 s")

    scene(play)


def test_names_are_as_many_as_the_setting_allows() -> None:
    async def play() -> None:
        async with serving(with_corba(iiop__max_names=100)) as (service, _), Orb() as orb:
            root = orb.stub(NamingContextExt, service.corba_url)
            own, _ = await root.list(1_000)
            found = await root.resolve_str("NotificationService")
            for number in range(len(own), 100):
                await root.bind(await root.to_name(f"n{number}"), found)
            with pytest.raises(IMP_LIMIT):
                await root.bind(await root.to_name("more"), found)

    scene(play)


def test_corba_may_be_the_only_door() -> None:
    async def play() -> None:
        place = with_corba(http__enabled=False, iiop__default_channel="none")
        from tidings.server.lifecycle import Service
        from tidings.server.logs import Logs

        async with Service(place, place.load(), Logs(0, "text")) as service, Orb() as orb:
            assert service.url == ""
            service.ready()
            url = service.corba_url.replace("NameService", "NotificationService")
            assert await orb.stub(EventChannelFactory, url).get_all_channels() == ()
            gone = service.corba_url.replace("NameService", "DefaultEventChannel")
            with pytest.raises(OBJECT_NOT_EXIST):
                await orb.stub(EventChannelFactory, gone).get_all_channels()

    scene(play)


def test_while_it_stops_callers_are_told_to_come_back() -> None:
    async def play() -> None:
        async with serving(with_corba()) as (service, _), Orb() as orb:
            url = service.corba_url.replace("NameService", "NotificationService")
            factory = orb.stub(EventChannelFactory, url)
            await factory.get_all_channels()
            service.host._stopping = True
            with pytest.raises(TRANSIENT):
                await factory.create_channel((), ())
            service.host._stopping = False
        async with Orb() as orb:
            with pytest.raises(TRANSIENT, match="refused"):
                await orb.stub(EventChannelFactory, url).get_all_channels()

    scene(play)


def test_an_address_that_is_taken_is_told() -> None:
    async def play() -> None:
        async with whole() as other:
            place = with_corba(iiop__port=other.address.port)
            with pytest.raises(InvalidUsage, match=r"iiop: cannot listen at .* --iiop"):
                async with serving(place):
                    pass

    scene(play)


def test_it_registers_at_another_naming_service(capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with whole() as other:
            flags = {
                "naming__enabled": True,
                "naming__url": f"corbaloc::{other.address}/NameService",
                "naming__factory": "plant/line 3/events.factory",
                "naming__filter_factory": "filters",
            }
            async with serving(with_corba(**flags)):
                async with asyncio.timeout(5):
                    while "registered at" not in capsys.readouterr().err:  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
                found = await other.root.resolve_str("plant/line 3/events.factory")
                stub = other.client.stub(EventChannelFactory, found)
                assert await stub.get_all_channels() == (1,)
                assert (await other.root.resolve_str("filters")).profiles

    scene(play)


def test_a_naming_service_that_does_not_answer_is_tried_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def play() -> None:
        flags = {
            "naming__enabled": True,
            "naming__factory": "f",
            "naming__url": "corbaloc::[::1]:1/x",
        }
        async with serving(with_corba(**flags)):
            async with asyncio.timeout(5):
                while "it is tried again" not in capsys.readouterr().err:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)

    scene(play)
