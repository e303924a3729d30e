"""Commands that need no service: bench, idl, ior and journal."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.archive_worlds import archive_journal
from tests.edges.cli.running import objects, tidings
from tests.edges.engine.test_lost_ends import published, segments_of
from tests.edges.orb.echo import INTERFACE, EchoServant
from tests.edges.server.serving import serving, sources
from tests.edges.stores.sample_journal import flip
from tests.patience import PATIENCE
from tidings.errors import StoreError
from tidings.orb.aio import Address, Orb
from tidings.orb.ior import make_reference, to_ior

# ---------------------------------------------------------------- bench

SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "match": (
        "--workload W1 --subscriptions 200 --rounds 1 --events 5",
        {"workloads": ["W1"], "subscriptions": 200, "rounds": 1, "events": 5, "seed": 1},
    ),
    "channel": (
        "--events 120 --consumers 10 --fan-out 2 --rounds 1",
        {"events": 120, "consumers": 10, "fan_out": 2, "rounds": 1},
    ),
    "persist": ("--events 80 --rounds 1", {"events": 80, "rounds": 1}),
    "recover": (
        "--events 60 --proxies 3 --proxies 2",
        {"events": 60, "proxies": [3, 2]},
    ),
    "trader": (
        "--offers 60 --offers 20 --queries 6 --rounds 1 --subscribers 5",
        {"offers": [60, 20], "queries": 6, "rounds": 1, "subscribers": 5, "seed": 1},
    ),
    "memory": ("--proxies 50", {"proxies": 50}),
    "web": (
        "--events 20 --subscriptions 2 --consumers 3 --rounds 1",
        {"events": 20, "subscriptions": [2], "consumers": 3, "rounds": 1},
    ),
}


@pytest.mark.slow  # it starts programs
@pytest.mark.parametrize("bench", SMALL)
def test_the_options_of_each_bench_reach_it(bench: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def run(**settings: Any) -> dict[str, Any]:
        asked.update(settings)
        asked.pop("progress", lambda words: None)("at work")
        names = ("name", "value", "unit", "target", "ok")
        found = [("speed", 0.0123, "times", ">= 1", False), ("slow", 1234.5, "µs", None, True)]
        rows = [dict(zip(names, row, strict=True)) for row in found]
        rows.append({"name": "n", "value": 5_000, "unit": "", "ok": True})
        return {"bench": bench, "results": rows}

    module = ModuleType(f"tidings.bench.{bench}")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"tidings.bench.{bench}", module)
    options, expected = SMALL[bench]
    result = tidings("bench", bench, *options.split())
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["what", "value", "unit", "target", "met"],
        ["speed", "0.0123", "times", ">=", "1", "no"],
        ["slow", "1,234", "µs"],
        ["n", "5,000"],
    ]
    assert (result.stderr, asked) == ("at work\n", expected)


@pytest.mark.slow  # it starts programs
@pytest.mark.parametrize("bench", SMALL)
def test_each_bench_on_a_small_scale(
    bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = tidings("bench", bench, *SMALL[bench][0].split(), "--json")
    assert result.exit_code == 0
    [found] = objects(result.stdout)
    assert (found["bench"], bool(found["results"])) == (bench, True)
    names = {"name", "value", "unit", "target", "ok"}
    assert all(names <= row.keys() for row in found["results"])
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- idl compile

BANK = """#include <CosNotification.idl>
module Bank {
  struct Sum { long euros; };
  interface Account { Sum balance(); void log(in CosNotification::StructuredEvent what); };
};
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Bank.idl"
    path.write_text(BANK)
    return path


def test_check_writes_nothing_and_tells_by_its_exit_code(file: Path, tmp_path: Path) -> None:
    command = ("idl", "compile", str(file), "-o", str(tmp_path))
    checked = tidings(*command, "--check")
    assert checked.exit_code == 1
    assert "is not what the file gives; nothing was written" in checked.stderr
    module = tmp_path / "Bank_auto.py"
    assert not module.exists()
    told = {"file": str(file), "module": str(module), "definitions": 2, "changed": True}
    assert objects(tidings(*command, "--json").stdout) == [told]
    again = tidings(*command, "--check")
    assert again.exit_code == 0
    assert "Bank_auto.py is up to date" in again.stderr
    file.write_text(BANK.replace("euros", "dollars"))
    assert tidings(*command, "--check").exit_code == 1


def test_what_is_included_is_imported_from_the_package(file: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "Money.idl").write_text("module Money { struct Sum { long euros; }; };")
    file.write_text("#include <Money.idl>\nmodule Bank { typedef sequence<Money::Sum> Sums; };")
    command = ["idl", "compile", str(file), "-o", str(tmp_path)]
    assert tidings(*command).exit_code == 2
    assert tidings(*command, "-I", str(shared), "--package", "my.bank").exit_code == 0
    module = tmp_path / "Bank_auto.py"
    assert "from my.bank import Money_auto as _Money" in module.read_text()
    assert tidings(*command, "-I", str(shared)).exit_code == 0
    assert "\nimport Money_auto as _Money" in module.read_text()


def test_what_cannot_be_compiled_is_told(tmp_path: Path, file: Path) -> None:
    odd = tmp_path / "my-bank.idl"
    odd.write_text("module Bank {};")
    for words, told in (
        ((str(odd), "-o", str(tmp_path)), "rename the file"),
        ((str(file), "-o", str(tmp_path), "--package", "a-b"), "no name of a package"),
        ((str(file), "-o", str(tmp_path / "none")), "no such file"),
    ):
        ran = tidings("idl", "compile", *words)
        assert (ran.exit_code, told in ran.stderr) == (2, True)
    assert "Bank_auto" not in sys.modules


# ---------------------------------------------------------------- ior show and check

REFERENCE = make_reference(INTERFACE.id, "127.0.0.1", 1, b"echo", alternates=[("::1", 2)])


@contextmanager
def orb_elsewhere() -> Iterator[Address]:
    """An ORB in a thread of its own: it has `echo`, and sends callers of `moved` elsewhere."""
    address: list[Address] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def run() -> None:
        async with Orb(find=lambda key: REFERENCE if key == b"moved" else None) as orb:
            address.append(await orb.listen())
            orb.activate(EchoServant(), b"echo")
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield address[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()


def test_a_reference_is_shown(tmp_path: Path) -> None:
    ior = to_ior(REFERENCE)
    profile = {"addresses": ["127.0.0.1:1", "[::1]:2"], "minor": 2, "key": b"echo".hex()}
    told = {"type_id": INTERFACE.id, "ior": ior, "profiles": [profile]}
    assert objects(tidings("ior", "show", "--json", ior).stdout) == [told]
    expected = tidings("ior", "show", ior).stdout
    file = tmp_path / "echo.ior"
    file.write_text(f"{ior}\n")
    for name in (f"file:{file}", f"file://{file}", "-"):
        assert tidings("ior", "show", name, given=ior).stdout == expected
    missing = f"file:{tmp_path / 'nothing.ior'}"
    wrong = {missing: "nothing.ior", "IOR:zz": "hexadecimal", "corbaname::x#y": "IOR: or corbaloc:"}
    for name, words in wrong.items():
        result = tidings("ior", "show", name)
        assert (result.exit_code, words in result.stderr) == (2, True)


def test_a_check_says_which_address_has_the_object_and_where_callers_are_sent() -> None:
    with orb_elsewhere() as (host, port):
        place = f"127.0.0.1:{port}"
        reference = make_reference("", "127.0.0.1", 1, b"echo", alternates=[(host, port)])
        checked = tidings("ior", "check", to_ior(reference))
        has = f"127.0.0.1:1: Connection refused\n{place}: has the object\n"
        assert (checked.exit_code, checked.stdout) == (0, has)
        checked = tidings("ior", "check", f"corbaloc::{place}/nobody")
        answers = f"{place}: answers, and has no such object\n"
        assert (checked.exit_code, checked.stdout) == (1, answers)
        shown = tidings("ior", "check", f"corbaloc::{place}/moved").stdout
        said = "sends callers elsewhere"
        assert shown.startswith(f"{place}: {said}\n  type: IDL:tests/Echo:1.0\n")
        moved = tidings("ior", "check", "--json", f"corbaloc::{place}/moved").stdout
        told = {"address": place, "found": True, "said": said, "forward": to_ior(REFERENCE)}
        assert objects(moved) == [told]


# ---------------------------------------------------------------- journal check and accept


def octets(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in segments_of(folder)}


async def test_a_good_journal_and_none(tmp_path: Path) -> None:
    result = tidings("journal", "check", str(tmp_path))
    assert (result.exit_code, "there is no journal in" in result.stderr) == (2, True)
    await published(tmp_path)
    before = octets(tmp_path)
    result = tidings("journal", "check", str(tmp_path))
    assert result.exit_code == 0
    assert result.stdout.startswith("the journal is good: ")
    assert octets(tmp_path) == before


async def test_what_is_damaged_or_missing_is_listed(tmp_path: Path) -> None:
    used = await published(tmp_path, 100)
    files = segments_of(tmp_path)
    files[3].unlink()
    flip(files[5], 8 * 200)
    os.truncate(files[-2], files[-2].stat().st_size - 20)
    files[-1].unlink()
    before = octets(tmp_path)
    result = tidings("journal", "check", str(tmp_path), "--json")
    assert result.exit_code == 1
    [found] = objects(result.stdout)
    last, gone = int(files[-2].stem), int(files[-1].stem)
    damage = {(4, "missing"), (6, "damaged"), (last, "damaged"), (gone, "missing")}
    assert {(one["segment"], one["what"]) for one in found["damage"]} == damage
    lost = {n for one in found["events"] for n in range(one["first"], (one["last"] or 100) + 1)}
    assert lost < set(used)
    assert octets(tmp_path) == before
    text = tidings("journal", "check", str(tmp_path)).stdout
    for words in ("segment 4 is missing\n", "may be lost\n", "the journal is not whole"):
        assert words in text


async def test_a_lost_first_segment_names_what_only_others_still_name(tmp_path: Path) -> None:
    await published(tmp_path, 60)
    for path in segments_of(tmp_path)[:3]:
        path.unlink()
    [found] = objects(tidings("journal", "check", str(tmp_path), "--json").stdout)
    assert len(found["channels"]) == 1


async def test_a_restored_copy_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    await published(data, 5)
    shutil.copytree(data, tmp_path / "backup")
    await published(data, 40)
    archive_journal(data / "journal", archive)
    shutil.rmtree(data)
    shutil.move(tmp_path / "backup", data)
    both = (str(data), "--archive", str(archive))

    async def play() -> None:
        async with serving(sources(store__dir=str(data), archive__dir=str(archive))):
            pass

    with pytest.raises(StoreError, match="Nothing was changed") as refused:
        await play()
    assert f"tidings journal accept {data} --archive {archive}" in str(refused.value)
    result = tidings("journal", "check", *both)
    assert result.exit_code == 1
    assert "the journal ends before\n" in result.stdout
    assert "events from 6 to 45 may be lost" in result.stdout
    assert "name it with --archive" in tidings("journal", "accept", str(data)).stdout
    assert "accepted: the journal goes on in segment" in tidings("journal", "accept", *both).stdout
    again = tidings("journal", "accept", *both).stdout
    assert "there is nothing to accept" in again
    assert "--archive" not in again
    await play()


async def test_a_damaged_line_of_the_archives_manifest_is_named(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    for _ in range(3):
        await published(data, 5)
        archive_journal(data / "journal", archive)
    manifest = archive / "manifest.jsonl"
    flip(manifest, 8 * (manifest.read_bytes().index(b"\n") + 40))
    result = tidings("journal", "check", str(data), "--archive", str(archive))
    assert result.exit_code == 1
    told = "line 2 of manifest.jsonl is damaged"
    assert f"the archive: {told}" in result.stdout
    place = sources(store__dir=str(data), archive__dir=str(archive))
    async with serving(place) as (service, http):
        assert told in "".join(notice.detail for notice in service.host.notices)
        assert (await http.get("/health/ready")).json()["archive"] == "damaged"


# ---------------------------------------------------------------- tls


def test_development_certificates_are_made_for_clients_too(tmp_path: Path) -> None:
    assert tidings("tls", "make-dev", str(tmp_path), "--client", "radar-7").exit_code == 0
    assert {"ca.pem", "service.pem", "radar-7.pem", "radar-7.key"} <= {
        path.name for path in tmp_path.iterdir()
    }
