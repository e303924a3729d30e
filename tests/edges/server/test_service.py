"""From start to end: ready, announced, reloaded, drained, closed; faults do not go unnoticed."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.engine.fake_archive import FakeArchive
from tests.edges.engine.hosts import until
from tests.edges.server.serving import TOKEN, serving, sources
from tests.promises.services import SETTINGS
from tidings.engine.archiving import ArchivePlan
from tidings.engine.host import Host
from tidings.engine.housekeeping import Housekeeping
from tidings.errors import InvalidUsage, JournalInUse, Stopping, StoreError
from tidings.server import build, lifecycle
from tidings.server.announce import drop_stale_port_file, is_everywhere, notify_manager
from tidings.server.build import bound_socket
from tidings.server.embedded import embedded
from tidings.server.interpreter import Collector, Interpreter
from tidings.server.layers import Sources
from tidings.server.lifecycle import FAULT, run
from tidings.stores.retention import Retention

OTHER = "another-token-is-used"
Err = pytest.CaptureFixture[str]


# Start and end.


async def ran(place: Sources, port_file: Path | None = None) -> int:
    return await run(place, place.load(), port_file)


async def started(place: Sources, port_file: Path) -> tuple[asyncio.Task[int], dict[str, Any]]:
    """A service that runs, and what its port file tells."""
    task = asyncio.create_task(ran(place, port_file))
    while not port_file.exists():
        assert not task.done()
        await asyncio.sleep(0.01)
    return task, json.loads(port_file.read_text())


async def test_a_signal_ends_it_in_order(tmp_path: Path, capsys: Err) -> None:
    port_file = tmp_path / "port"
    task, told = await started(sources(store__dir=str(tmp_path / "data")), port_file)
    assert told["pid"] == os.getpid()
    async with httpx2.AsyncClient(base_url=told["url"]) as client:
        assert (await client.get("/health/ready")).status_code == 200
    os.kill(os.getpid(), signal.SIGTERM)
    assert await task == 0
    assert not port_file.exists()
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("lifecycle: ")[2].partition(" http")[0] for line in lines] == [
        "listening on", "stopping: SIGTERM came", "stopped"
    ]  # fmt: skip
    assert f"data in {tmp_path / 'data'} (tidings " in lines[0]


async def test_while_draining_nothing_new_is_taken_and_events_leave() -> None:
    async with serving(sources(store__memory=True)) as (service, client):
        drained = asyncio.Event()

        async def drain(seconds: float) -> bool:
            assert seconds == 10
            answer = await client.get("/health/ready")
            assert (answer.status_code, answer.json()["reason"]) == (503, "draining")
            with pytest.raises(httpx2.ConnectError):
                async with httpx2.AsyncClient(base_url=service.url) as other:
                    await other.get("/health/live")
            drained.set()
            return True

        assert (await client.get("/health/ready")).status_code == 200
        service.host.drain = drain  # type: ignore[assignment]
        await service.stop("the test says so")
        assert drained.is_set()
        with pytest.raises(httpx2.TransportError):
            await client.get("/health/live")
        service.host.drain = Host.drain.__get__(service.host)  # type: ignore[method-assign]


async def test_a_part_that_ends_by_a_fault_ends_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Err
) -> None:
    async def fail(self: Housekeeping) -> None:
        raise ValueError("broken inside")

    async def quiet(self: Housekeeping) -> None: ...

    monkeypatch.setattr(Housekeeping, "_keep", fail)
    monkeypatch.setattr(Housekeeping, "stop", quiet)
    assert await ran(sources(store__dir=str(tmp_path / "data"))) == FAULT
    told = capsys.readouterr().err
    assert "has ended by a fault" in told
    assert "ValueError: broken inside" in told
    assert "stopping: a part of the service has ended by a fault" in told


@pytest.mark.parametrize("call", ["fdatasync", "write"])
async def test_a_journal_that_cannot_go_on_ends_the_service(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Err
) -> None:
    real = getattr(os, call)

    def fail(*given: Any) -> Any:
        if threading.current_thread().name == "tidings-disk":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*given)

    place = sources(store__dir=str(tmp_path / "data"), stop__patience="1 h")
    task, told = await started(place, tmp_path / "port")
    drain = Host.drain
    seen: list[tuple[int, str]] = []

    async def looked_at(host: Host, seconds: float) -> bool:
        if not seen:
            answer = await watcher.get("/health/ready")
            seen.append((answer.status_code, answer.json()["reason"]))
        return await drain(host, seconds)

    async with (
        httpx2.AsyncClient(base_url=told["url"]) as client,
        httpx2.AsyncClient(base_url=told["url"]) as watcher,
    ):
        monkeypatch.setattr(Host, "drain", looked_at)
        assert (await watcher.get("/health/ready")).status_code == 200
        monkeypatch.setattr(os, call, fail)
        answer = await client.post("/v1/channels", json={"name": "roads"})
        assert answer.status_code == 503
        monkeypatch.setattr(os, call, real)  # what failed once is not believed again
        assert await task == FAULT
    assert seen == [(503, "the journal cannot go on")]  # and no path
    assert "failed ([Errno 5] Input/output error); open it again" in capsys.readouterr().err


async def test_what_is_wrong_is_found_before_the_data_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: dict[str, Any] = {"store__dir": str(tmp_path / "data")}
    with bound_socket("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(InvalidUsage, match="in use by another program"):
            await ran(sources(**data, http__port=taken.getsockname()[1]))
    with pytest.raises(InvalidUsage, match="missing cannot be read"):
        await ran(sources(**data, http__token_file=tmp_path / "missing"))
    monkeypatch.setattr(build, "find_spec", {"json": True}.get)
    with pytest.raises(InvalidUsage, match=r"pip install tidings\[arrow\]"):
        await ran(sources(**data, archive__dir=str(tmp_path / "archive")))
    assert list(tmp_path.iterdir()) == []


async def test_two_that_took_one_port_before_either_listened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        second = bound_socket("127.0.0.1", port)  # neither listens: both may have it
        first.listen()
        monkeypatch.setattr(lifecycle, "bound_socket", lambda host, port: second)
        with pytest.raises(InvalidUsage, match=f"port {port} on 127.0.0.1 is in use"):
            await ran(sources(store__dir=str(tmp_path / "data"), http__port=port))
        assert second.fileno() < 0


async def test_a_port_file_that_cannot_be_written_ends_it(tmp_path: Path, capsys: Err) -> None:
    place = sources(store__memory=True, ior_file__factory=str(tmp_path / "ior"))
    with pytest.raises(StoreError, match="cannot be written"):
        await ran(place, tmp_path / "missing" / "port")
    assert "ior_file.factory (test) has no effect: iiop.enabled is false" in capsys.readouterr().err


def test_only_what_a_killed_service_has_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "port"
    drop_stale_port_file(path)
    child = os.spawnv(os.P_NOWAIT, "/bin/true", ["true"])
    os.waitpid(child, 0)
    pids: list[object] = [child, os.getpid(), 1, 0, -1, True, "1", None]
    for pid in pids:
        path.write_text(json.dumps({"url": "", "pid": pid}))
        drop_stale_port_file(path)
        assert path.exists() is (pid != child), pid


def test_whether_all_addresses_are_listened_on_and_nobody_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosts = {"0.0.0.0": True, "::": True, "127.0.0.1": False}
    assert {host: is_everywhere((host, 80)) for host in hosts} == hosts
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify_manager("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nobody/listens")
    notify_manager("READY=1")


async def test_closing_the_client_stops_the_service_and_frees_the_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        async with await embedded(str(tmp_path / "data"), settings=SETTINGS) as client:
            await client.create_channel(name)
            with pytest.raises(JournalInUse):
                await embedded(tmp_path / "data")
        with pytest.raises(Stopping):
            await client.channels()
    async with await embedded(tmp_path / "data") as client:
        assert [info.name for info in await client.channels()] == ["one", "two"]
    with pytest.raises(InvalidUsage, match="leave it out"):
        await embedded("")
    with pytest.raises(InvalidUsage, match="at least 1 octet, not -1"):
        await embedded(tmp_path, segment_octets=-1)
    assert list(tmp_path.glob("journal/*")) == []


# Settings that change while the service runs.


async def status(client: httpx2.AsyncClient, token: str = "") -> int:
    """How a request with a token is answered."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return (await client.get("/v1/channels", headers=headers)).status_code


async def test_what_can_be_applied_is(tmp_path: Path, capsys: Err) -> None:
    file = tmp_path / "x.toml"
    file.write_text("")
    async with serving(sources(file, store__dir=str(tmp_path / "data"))) as (service, client):
        await client.post("/v1/channels", json={"name": "kept"})
        file.write_text(
            f'[http]\ntoken = "{TOKEN}"\nallowed_hosts = ["a.example"]\nmax_batch = 7\n'
            '[log]\nlevel = 4\nformat = "json"\n[stop]\npatience = 3\n'
            '[store]\nretention_size = "1 MiB"\nretention_age = "none"\ndisk_quota = "5 MiB"\n'
            "[naming]\nenabled = true\n"
        )
        assert await service.reloader.reload()
        assert await status(client) == 401
        assert await status(client, TOKEN) == 200
        keeping = service.host.housekeeping
        assert keeping.retention == Retention(2**20, None)
        assert keeping.disk_quota == 5 * 2**20
        assert service.reloader.settings.stop.patience == 3
        assert service.reloader.settings.http.max_batch == 1_000
        shown = {one.name: (one.value, one.origin) for one in service.host.told_settings}
        assert shown["stop.patience"] == ("3 s", f"{file}, line 9")
        assert shown["http.max_batch"] == ("1000", "")
        told = capsys.readouterr().err
        words = "http.max_batch, naming.enabled: changed, but only a restart applies it"
        assert f'"message": "{words}"' in told
        assert "GET /v1/channels: 401" in told
        assert "has no effect: iiop.enabled is false" in told
        assert TOKEN not in told

        file.write_text("")
        assert await service.reloader.reload()
        answer = await client.get("/v1/channels")
        assert [one["name"] for one in answer.json()["channels"]] == ["kept"]
        assert keeping.retention == Retention()
        assert "max_batch" not in capsys.readouterr().err


async def test_what_is_wrong_changes_nothing(tmp_path: Path, capsys: Err) -> None:
    file, token = tmp_path / "x.toml", tmp_path / "token"
    token.write_text(TOKEN)
    file.write_text(f'[http]\ntoken_file = "{token}"\n')
    async with serving(sources(file, store__memory=True)) as (service, client):
        before = service.reloader.settings
        for bad in ('[log]\nlevel = 4\n[http]\nprot = 1\n', "[log]\nlevel = 9\n", "oops",
                    '[http]\ntoken_file = "missing"\n[log]\nlevel = 4\n'):  # fmt: skip
            capsys.readouterr()
            file.write_text(bad)
            assert not await service.reloader.reload()
            assert "the settings stay as they were: " in capsys.readouterr().err
            assert service.reloader.settings == before
            assert await status(client, TOKEN) == 200
        file.unlink()
        assert not await service.reloader.reload()


async def test_the_token_is_read_again_or_made_on_reload(tmp_path: Path) -> None:
    file, token, data = (tmp_path / name for name in ("x.toml", "token", "data"))
    token.write_text(TOKEN)
    file.write_text(f'[http]\ntoken_file = "{token}"\n')
    async with serving(sources(file, store__dir=str(data))) as (service, client):
        token.write_text(OTHER)
        assert await status(client, TOKEN) == 200
        assert await service.reloader.reload()
        assert [await status(client, one) for one in (OTHER, TOKEN)] == [200, 401]
        file.write_text('[http]\ntoken = "auto"\n')
        assert await service.reloader.reload()
        own = (data / "owner.token").read_text().strip()
        assert [await status(client, one) for one in (own, OTHER, "")] == [200, 401, 401]


async def test_a_token_does_not_go_while_others_can_reach_the_service(
    tmp_path: Path, capsys: Err
) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f'[http]\nhost = "0.0.0.0"\ntoken = "{TOKEN}"\n')
    async with serving(sources(file, store__memory=True)) as (service, client):
        file.write_text('[http]\nhost = "127.0.0.1"\n')
        assert not await service.reloader.reload()
        assert "http.host is 0.0.0.0" in capsys.readouterr().err
        assert await status(client) == 401


async def test_what_can_be_changed_of_an_archive_is_and_the_folder_needs_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Err
) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")

    monkeypatch.setattr(Host.new_archiving, "__defaults__", (fake.command, ()))
    file = tmp_path / "x.toml"
    file.write_text(f'[archive]\ndir = "{tmp_path / "archive"}"\n')
    async with serving(sources(file, store__dir=str(tmp_path / "data"))) as (service, _):
        assert await service.reloader.reload()
        file.write_text('[archive]\ndir = "b"\nseal_rows = 7\nhold = "5 B"\n')
        archiving = service.host.archiving
        assert archiving is not None
        await until(lambda: archiving.state().running)
        assert await service.reloader.reload()
        assert archiving.plan == ArchivePlan(tmp_path / "archive", seal_rows=7, hold=5)
    [options] = [line for line in fake.told() if line.startswith("options ")]
    assert '"seal_rows": 7' in options
    told = capsys.readouterr().err
    assert "reloaded: archive.seal_rows, archive.hold changed" in told
    assert "archive.dir: changed, but only a restart applies it" in told


# Full collections come when nobody is held up by them, and under load seldom.


class _Process:
    """A process whose seconds pass when told."""

    def __init__(self) -> None:
        self.now = self.used = 0.0
        self.collected = 0
        self.collector = Collector(lambda: self.now, lambda: self.used, self._collect)

    def _collect(self) -> None:
        self.collected += 1

    def passes(self, seconds: int, load: float, since: int = 100) -> int:
        """How many collections there are in so many seconds."""
        before = self.collected
        for _ in range(seconds):
            self.now += 1
            self.used += load
            self.collector.look(since)
        return self.collected - before


def test_under_load_a_collection_is_put_off_but_not_for_ever() -> None:
    idle = _Process()
    assert idle.passes(5, 0.1, since=9) == 0  # not worth while
    assert idle.passes(5, 0.1, since=10) == 5
    busy = _Process()
    assert busy.passes(9, 1.0) == 0
    assert busy.passes(100, 1.0) == 10


async def test_the_settings_of_the_interpreter_are_put_back() -> None:
    before = (sys.getswitchinterval(), gc.get_threshold())
    try:
        with Interpreter():
            assert sys.getswitchinterval() < before[0]
            assert gc.get_threshold()[:2] == before[1][:2]
            assert gc.get_threshold()[2] > 1_000_000
        assert (sys.getswitchinterval(), gc.get_threshold()) == before
    finally:
        gc.unfreeze()
