"""From start to end: ready, drained, closed; faults do not go unnoticed."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.unit.server.serving import TOKEN, scene, serving, sources
from tidings.engine.host import Host
from tidings.engine.housekeeping import Housekeeping
from tidings.errors import InvalidUsage, StoreError
from tidings.server import lifecycle
from tidings.server.build import bound_socket
from tidings.server.layers import Sources
from tidings.server.lifecycle import FAULT, Service, run
from tidings.server.logs import Logs


async def ran(place: Sources, port_file: Path | None = None) -> int:
    return await run(place, place.load(), port_file)


def test_ready_only_when_it_is_said() -> None:
    async def play() -> None:
        place = sources(store__memory=True)
        async with (
            Service(place, place.load(), Logs(0, "text")) as service,
            httpx2.AsyncClient(base_url=service.url) as client,
        ):
            assert (await client.get("/health/live")).status_code == 200
            answer = await client.get("/health/ready")
            assert (answer.status_code, answer.json()["reason"]) == (503, "starting")
            service.ready()
            assert (await client.get("/health/ready")).status_code == 200

    scene(play)


def test_a_signal_ends_it_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port_file = tmp_path / "port"

    async def play() -> None:
        place = sources(store__dir=str(tmp_path / "data"))
        task = asyncio.create_task(ran(place, port_file))
        while not port_file.exists():
            assert not task.done()
            await asyncio.sleep(0.01)
        told = json.loads(port_file.read_text())
        assert told["pid"] == os.getpid()
        async with httpx2.AsyncClient(base_url=told["url"]) as client:
            assert (await client.get("/health/ready")).status_code == 200
        os.kill(os.getpid(), signal.SIGTERM)
        assert await task == 0
        assert not port_file.exists()

    scene(play)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("lifecycle: ")[2].partition(" http")[0] for line in lines] == [
        "listening on", "stopping: SIGTERM came", "stopped"
    ]  # fmt: skip
    assert f"data in {tmp_path / 'data'} (tidings " in lines[0]


def test_while_draining_nothing_new_is_taken_and_events_leave() -> None:
    async def play() -> None:
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

    scene(play)


def test_a_part_that_ends_by_a_fault_ends_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(self: Housekeeping) -> None:
        raise ValueError("broken inside")

    async def quiet(self: Housekeeping) -> None: ...

    monkeypatch.setattr(Housekeeping, "_keep", fail)
    monkeypatch.setattr(Housekeeping, "stop", quiet)

    async def play() -> None:
        assert await ran(sources(store__dir=str(tmp_path / "data"))) == FAULT

    scene(play)
    told = capsys.readouterr().err
    assert "has ended by a fault" in told
    assert "ValueError: broken inside" in told
    assert "stopping: a part of the service has ended by a fault" in told


@pytest.mark.parametrize("call", ["fdatasync", "write"])
def test_a_journal_that_cannot_go_on_ends_the_service(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port_file = tmp_path / "port"
    real = getattr(os, call)

    def fail(*given: Any) -> Any:
        if threading.current_thread().name == "tidings-disk":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*given)

    async def play() -> None:
        place = sources(store__dir=str(tmp_path / "data"), stop__patience="1 h")
        task = asyncio.create_task(ran(place, port_file))
        while not port_file.exists():
            assert not task.done()
            await asyncio.sleep(0.01)
        url = json.loads(port_file.read_text())["url"]
        drain = Host.drain
        seen: list[tuple[int, str]] = []

        async def looked_at(host: Host, seconds: float) -> bool:
            if not seen:
                answer = await watcher.get("/health/ready")
                seen.append((answer.status_code, answer.json()["reason"]))
            return await drain(host, seconds)

        async with (
            httpx2.AsyncClient(base_url=url) as client,
            httpx2.AsyncClient(base_url=url) as watcher,
        ):
            monkeypatch.setattr(Host, "drain", looked_at)
            assert (await watcher.get("/health/ready")).status_code == 200
            monkeypatch.setattr(os, call, fail)
            answer = await client.post("/v1/channels", json={"name": "roads"})
            assert answer.status_code == 503
            monkeypatch.setattr(os, call, real)  # what failed once is not believed again
            assert await task == FAULT
        [(status, reason)] = seen
        assert (status, reason) == (503, "the journal cannot go on")  # and no path

    scene(play)
    told = capsys.readouterr().err
    assert "failed ([Errno 5] Input/output error); open it again" in told


def test_a_port_in_use_is_found_before_the_data_is_touched(tmp_path: Path) -> None:
    async def play() -> None:
        with bound_socket("127.0.0.1", 0) as taken:
            taken.listen()
            place = sources(store__dir=str(tmp_path / "data"), http__port=taken.getsockname()[1])
            with pytest.raises(InvalidUsage, match="in use by another program"):
                await ran(place)

    scene(play)
    assert list(tmp_path.iterdir()) == []


def test_two_that_took_one_port_before_either_listened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        with bound_socket("127.0.0.1", 0) as first:
            port = first.getsockname()[1]
            second = bound_socket("127.0.0.1", port)  # neither listens: both may have it
            first.listen()
            monkeypatch.setattr(lifecycle, "bound_socket", lambda host, port: second)
            with pytest.raises(InvalidUsage, match=f"port {port} on 127.0.0.1 is in use"):
                await ran(sources(store__dir=str(tmp_path / "data"), http__port=port))
            assert second.fileno() < 0

    scene(play)


def test_a_wrong_token_file_is_found_before_the_data_is_touched(tmp_path: Path) -> None:
    async def play() -> None:
        place = sources(store__dir=str(tmp_path / "data"), http__token_file=tmp_path / "missing")
        with pytest.raises(InvalidUsage, match="missing cannot be read"):
            await ran(place)

    scene(play)
    assert list(tmp_path.iterdir()) == []


def test_a_port_file_that_cannot_be_written_ends_it(tmp_path: Path) -> None:
    async def play() -> None:
        with pytest.raises(StoreError, match="cannot be written"):
            await ran(sources(store__memory=True), tmp_path / "missing" / "port")

    scene(play)


def test_a_token_file_others_can_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)

    async def play() -> None:
        async with serving(sources(store__memory=True, http__token_file=path)):
            pass
        assert "chmod 600" in capsys.readouterr().err
        path.chmod(0o600)
        async with serving(sources(store__memory=True, http__token_file=path)):
            pass
        told = capsys.readouterr().err
        assert "chmod 600" not in told
        assert TOKEN not in told

    scene(play)


def test_what_has_no_effect_is_told_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = sources(store__memory=True, ior_file__factory=str(tmp_path / "ior"))

    async def play() -> None:
        with pytest.raises(StoreError):
            await ran(place, tmp_path / "missing" / "port")

    scene(play)
    assert "ior_file.factory (test) has no effect: iiop.enabled is false" in capsys.readouterr().err
