"""The file of the audit trail: whole lines in order, whatever names, disks and kills do."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.edges.engine.hosts import soon, until
from tidings.channel import management as m
from tidings.channel.effects import NoticeKind
from tidings.channel.questions import SeeChannel
from tidings.engine import trail_file
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.trail_file import TrailFile, TrailOptions
from tidings.errors import Forbidden, InvalidUsage, TidingsError
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.trader.requests import AddServiceType, ExportOffer

EVE = Caller("eve", credential=3, door="HTTP", peer="192.0.2.9")


def trail_of(host: Host) -> TrailFile:
    assert host.trail is not None
    return host.trail


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, as a reader that splits at any line break sees them."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def make_channels(host: Host, *names: str) -> None:
    door = LocalDoor(host)
    for name in names:
        await soon(door.ask(m.CreateChannel(new_origin(), name=name)))


def abouts(lines: list[dict[str, Any]]) -> list[str]:
    return [line["about"] for line in lines]


def names(first: int, after: int) -> list[str]:
    return [f"name c{number}" for number in range(first, after)]


async def test_a_line_names_what_was_made(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, cores=service_cores())
    door = LocalDoor(host)
    await soon(door.ask(AddServiceType("Bank")))
    offer = await soon(door.ask(ExportOffer("Bank", "corbaloc::10.0.0.9/bank")))
    await host.close(0.05)
    assert abouts(lines_of(trail_of(host).path)) == ["name Bank", f"offer {offer}, type Bank"]


async def test_a_line_says_who_what_and_from_where(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, cores=service_cores())
    await make_channels(host, "roads")
    with pytest.raises(Forbidden):
        await LocalDoor(host, EVE).ask(m.DestroyChannel(1))
    await host.close(0.05)
    path = trail_of(host).path
    assert path == tmp_path / "audit" / "trail.jsonl"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    made, refused = lines_of(path)
    assert made.pop("time") <= refused.pop("time")
    assert made == {
        "number": 1, "principal": "owner", "operation": "create_channel", "about": "name roads",
        "channel": "", "result": "done", "credential": None, "door": "in-process", "peer": "",
        "refused": False, "count": 1,
    }  # fmt: skip
    assert refused == {
        "number": 2, "principal": "eve", "operation": "destroy_channel", "about": "channel 1",
        "channel": "roads", "result": "forbidden", "credential": 3, "door": "HTTP",
        "peer": "192.0.2.9", "refused": True, "count": 1,
    }  # fmt: skip


async def test_full_files_get_a_number_and_the_oldest_goes(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, trail=TrailOptions(1_000, 2))
    for number in range(40):
        await make_channels(host, f"c{number}")
    await host.close(0.05)
    path = trail_of(host).path
    files = [path.with_name(name) for name in ("trail.jsonl.2", "trail.jsonl.1", "trail.jsonl")]
    assert sorted(files) == sorted(path.parent.iterdir())
    kept = [line for file in files for line in lines_of(file)]
    assert abouts(kept) == names(40 - len(kept), 40)
    assert all(500 < file.stat().st_size <= 1_000 for file in files[:2])
    assert files[2].stat().st_size <= 1_000


async def test_a_line_that_a_kill_cut_off_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "trail.jsonl"
    path.parent.mkdir()
    path.write_bytes(b'{"whole": 1}\n{"time": "2026-11')
    host = await Host.open(tmp_path)
    await make_channels(host, "c0", "c1")
    await host.close(0.05)
    first, torn, *rest = path.read_bytes().splitlines()
    assert (first, torn) == (b'{"whole": 1}', b'{"time": "2026-11')
    assert abouts([json.loads(line) for line in rest]) == names(0, 2)


async def test_the_service_goes_on_while_the_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("in the way")
    host = await Host.open(tmp_path)
    trail = trail_of(host)
    await make_channels(host, "c0")
    await until(lambda: trail.problem)
    await make_channels(host, "c1", "c2")
    trail.write()
    await until(lambda: not host.disk.waiting)
    [notice] = [one for one in host.notices if "audit trail" in one.detail]
    assert notice.kind is NoticeKind.FAILING
    assert "changes go on" in notice.detail
    (tmp_path / "audit").unlink()
    await until(lambda: not trail.problem)  # it is tried again and again
    await host.close(0.05)
    assert abouts(lines_of(trail.path)) == names(0, 3)
    assert "is written again" in host.notices[-1].detail
    assert trail.missed == 0


async def test_what_does_not_wait_any_more_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail_file, "MOST_WAITING", 3)
    (tmp_path / "audit").write_text("in the way")
    host = await Host.open(tmp_path)
    trail = trail_of(host)
    await make_channels(host, "c0")
    await until(lambda: trail.problem)
    await make_channels(host, *(f"c{number}" for number in range(1, 8)))
    assert (trail.missed, len(trail._waiting)) == (5, 3)
    (tmp_path / "audit").unlink()
    trail.write()
    await host.close(0.05)
    *lines, last = lines_of(trail.path)
    assert abouts(lines) == names(0, 3)
    assert last["missing"] == 5
    assert "5 lines are missing" in host.notices[-1].detail


def test_a_disk_that_fills_up_in_the_middle_leaves_no_half_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trail.jsonl"
    trail_file.append_lines(path, b"{}\n", TrailOptions())

    def full(file: int, octets: bytes) -> None:
        os.write(file, octets[: len(octets) // 2])
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(trail_file, "write_all", full)
        with pytest.raises(OSError, match="full"):
            trail_file.append_lines(path, b'{"half": 1}\n', TrailOptions())
    assert path.read_bytes() == b"{}\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    path = tmp_path / "trail.jsonl"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        trail_file.append_lines(path, b"{}\n", TrailOptions())
    assert (tmp_path / "elsewhere").read_bytes() == b""


HOSTILE = [
    'x"}\n{"number": 1, "principal": "owner"}',
    "a\rb", "a\u2028b\u2029c\x85d", "\x1b[2J", "\x00", "\ud800", "\u202eabc", "n" * 1_000_000,
]  # fmt: skip


async def test_no_name_makes_more_lines_than_one(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, cores=service_cores())
    for name in HOSTILE:
        door = LocalDoor(host, Caller(name[:64], peer=name))
        with pytest.raises(TidingsError):
            await door.ask(m.CreateChannel(new_origin(), name=name))
    await host.close(0.05)
    text = trail_of(host).path.read_bytes()
    assert text.isascii()
    lines = lines_of(trail_of(host).path)
    assert len(lines) == text.count(b"\n") == len(HOSTILE)
    assert max(map(len, text.splitlines())) < 3_000
    assert [one["number"] for one in lines] == list(range(1, len(HOSTILE) + 1))
    assert all(one["refused"] for one in lines)
    assert "name a\\rb" in abouts(lines)


async def test_a_flood_of_one_refusal_is_two_lines(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, cores=service_cores())
    door = LocalDoor(host, EVE)
    for _ in range(500):
        with pytest.raises(Forbidden):
            await door.ask(m.CreateChannel(new_origin()))
    await host.close(0.05)
    first, rest = lines_of(trail_of(host).path)
    assert (first["count"], rest["count"]) == (1, 499)
    assert host.operations.refusals == {("HTTP", "forbidden"): 500}


async def test_the_owner_finds_missing_what_is_missing() -> None:
    host = await Host.open(cores=service_cores())
    with pytest.raises(TidingsError):
        await LocalDoor(host).request(SeeChannel(7))
    await asyncio.sleep(0)
    assert not host.operations.refusals
    await host.close(0.05)


@pytest.mark.parametrize("wrong", [(0, 1), (1, 0)])
def test_a_file_has_room_and_an_old_one_is_kept(wrong: tuple[int, int]) -> None:
    with pytest.raises(InvalidUsage, match="one old one"):
        TrailOptions(*wrong)
