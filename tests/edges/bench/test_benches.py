"""Benches measure what they say, and report nothing when something goes astray."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tidings.bench import (
    access,
    attack,
    channel,
    console,
    iiop,
    iiop_load,
    match,
    memory,
    persist,
    recover,
    web,
)
from tidings.bench.attack_load import ATTACKS
from tidings.bench.console_load import BusyService
from tidings.bench.harness import resident_octets
from tidings.bench.iiop import Sizes
from tidings.bench.iiop_load import Flow, Load, build, built_once, check_programs
from tidings.bench.web import Crowd
from tidings.bench.web_load import Socket
from tidings.engine.endpoints import BufferEndpoint, EventBatch
from tidings.engine.store import Store, Writable
from tidings.errors import InvalidUsage
from tidings.events.fields import Fields
from tidings.filters.index import MatchIndex
from tidings.stores.segments import Cursor


def run(bench: ModuleType, *arguments: object, **sizes: object) -> dict[str, dict[str, Any]]:
    """The rows of a report by their names."""
    report = bench.run(*arguments, **sizes)
    assert report["bench"] == bench.__name__.rpartition(".")[2]
    rows = {row["name"]: row for row in report["results"]}
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    return rows


def targets(rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: row["target"] for name, row in rows.items() if row["target"]}


@pytest.mark.parametrize(
    ("bench", "wrong", "why"),
    [
        (attack, {"attacks": ["x"]}, "no attack is named 'x'"),
        (attack, {"seconds": 0}, "seconds must be more than 0"),
        (match, {"workloads": ["W9"], "subscriptions": 10}, "there are W1, W2, W3"),
    ],
)
def test_bad_arguments_are_refused(bench: ModuleType, wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidUsage, match=why):
        bench.run(**wrong)


@pytest.mark.slow
def test_attacks_are_reported_as_another_client_feels_them() -> None:
    chosen = "1,000 bad events", "64 frames of 1,000 events under way", "100 references to nobody"
    assert set(chosen) <= set(ATTACKS)
    rows = run(attack, seconds=0.3, attacks=chosen)
    for name in ("nobody attacks", *chosen):
        for what in ("an event", "a request"):
            assert rows[f"{name}: p50 of {what}"]["value"] > 0
            assert rows[f"{name}: p99 of {what}"]["target"] == "<= 50"
        assert rows[f"{name}: memory"]["target"] == "<= 200"
    assert "the longest hold of the loop" in rows


def test_every_figure_of_access_is_there() -> None:
    rows = run(access, events=600, grants=50, connections=8, rounds=1)
    assert targets(rows) == {
        "50 grants, of 10": "<= 1.5",
        "a check, of a push over WebSocket": "<= 0.03",
        "a check, of a push over IIOP": "<= 0.03",
    }
    assert all(row["value"] > 0 for row in rows.values())
    check, push = rows["a check with 50 grants"], rows["a push over IIOP"]
    share = rows["a check, of a push over IIOP"]["value"]
    assert share == pytest.approx(check["value"] / push["value"], abs=1e-3)


def test_a_check_that_lets_strangers_pass_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "authorise", lambda *asked: None)
    with pytest.raises(AssertionError, match="a stranger may publish"):
        run(access, events=10, grants=20, connections=1, rounds=1)


def run_channel() -> dict[str, dict[str, Any]]:
    return run(channel, events=250, consumers=20, fan_out=3, rounds=2)


def test_every_figure_of_the_channel_is_there() -> None:
    rows = run_channel()
    assert targets(rows) == {
        "batches of 100, 1 consumer / floor": ">= 0.015",
        "batches of 100, 20 consumers / 1 consumer": ">= 0.6",
        "fan-out to 3 / floor": ">= 0.035",
    }
    for name in (
        *("building an event", "awaited one by one, 1 consumer", "batches of 100, 2 consumers"),
        *("batches of 100, 1 consumer, FIFO order", "fan-out to 3: floor"),
    ):
        assert rows[name]["value"] > 0
    assert rows["longest block of the loop"]["unit"] == "ms"
    name = "batches of 100, 1 consumer"
    ratio = rows[name]["value"] / rows[f"{name}: floor"]["value"]
    assert rows[f"{name} / floor"]["value"] == pytest.approx(ratio, abs=1e-4)


def test_an_event_that_comes_twice_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    right = BufferEndpoint.deliver

    def wrong(self: BufferEndpoint, batch: EventBatch) -> None:
        batch.messages.append(batch.messages[0])
        right(self, batch)

    monkeypatch.setattr(BufferEndpoint, "deliver", wrong)
    with pytest.raises(AssertionError, match="every event once"):
        run_channel()


def test_wrong_answers_and_an_unfair_opponent_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MatchIndex.match

    def forgetful(self: MatchIndex[int], fields: Fields) -> list[int]:
        return right(self, fields)[1:]

    small = {"subscriptions": 300, "seed": 1, "rounds": 1, "events": 20}
    with monkeypatch.context() as wrong:
        wrong.setattr(MatchIndex, "match", forgetful)
        row = run(match, workloads=["W3"], **small)["W3 300 equal answers"]
    assert row["value"] < 200
    assert row["ok"] is False
    monkeypatch.setattr(match, "_FAIR_NAIVE_NS", 0.001)
    rows = run(match, workloads=["W1"], **small)
    assert not any(row["ok"] for row in rows.values())


def test_consumers_that_are_not_connected_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "in_fresh_process", lambda *given: memory.Grown(1_000, 3))
    with pytest.raises(AssertionError, match="not all consumers are connected"):
        memory.run(proxies=10)


def test_a_record_that_is_not_written_ends_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Store.write

    def forgetful(self: Store, records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
        places = right(self, records[:1] if len(records) > 5 else records, sync=sync)
        return places + places[-1:] * (len(records) - len(places))

    monkeypatch.setattr(Store, "write", forgetful)
    with pytest.raises(AssertionError, match="journal does not have every event once"):
        persist.run(events=160, rounds=2, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_another_first_event_after_recovery_ends_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recover, "first_expected", lambda prepared: [2, 1])
    with pytest.raises(AssertionError, match="not the one that comes first"):
        recover.run(events=20, proxies=(2,), folder=tmp_path)


def test_the_peak_of_memory_is_that_of_this_process() -> None:
    block = b"x" * (64 * 1024 * 1024)
    now = resident_octets()
    del block
    # The system counts a few pages of each thread later.
    assert recover.peak_octets() + 4_000_000 >= now > 64 * 1024 * 1024


def run_web() -> dict[str, dict[str, Any]]:
    return run(web, events=40, rounds=1, consumers=25, subscriptions=(1, 12))


@pytest.mark.slow
def test_every_figure_of_the_web_door_is_there() -> None:
    rows = run_web()
    assert all(row["value"] > 0 or "memory" in row["name"] for row in rows.values())
    assert targets(rows) == {
        "1 filtered subscription, of the floor": ">= 0.3",
        "12 filtered subscriptions, of 1": ">= 0.6",
    }
    assert rows["12 filtered subscriptions, p99 of one event"]["unit"] == "ms"
    assert rows["fan-out to 25 WebSocket consumers"]["unit"] == "deliveries/s"


@pytest.mark.slow
def test_an_event_out_of_order_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Crowd._delivered

    def muddled(self: Crowd, socket: Socket, frame: bytes) -> None:
        right(self, socket, frame)
        self.came.sort(key=lambda number: -number)

    monkeypatch.setattr(Crowd, "_delivered", muddled)
    with pytest.raises(AssertionError, match="missing, twice or out of order"):
        run_web()


needs_omniorb = pytest.mark.skipif(
    not all(map(iiop_load.program, ("g++", "omniidl", "omniNames", "omniEvents"))),
    reason="needs g++, omniORB and omniEvents: tools/system_packages.sh tests",
)


@needs_omniorb
@pytest.mark.slow
def test_every_figure_of_the_corba_door_is_there() -> None:
    tiny = Sizes(events=40, batched=150, fanned=3, fan_out=10, paced=3, filtered=(1, 4), idle=5)
    rows = run(iiop, rounds=1, sizes=tiny)
    assert all(row["value"] > 0 or "memory" in row["name"] for row in rows.values())
    assert targets(rows) == {
        "single pushes, of omniEvents": ">= 0.5",
        "fan-out to 10 consumers in 1 process, of omniEvents": ">= 1",
        "fan-out to 10 consumers in 10 processes, of omniEvents": ">= 1",
        "structured, batches of 100, of single pushes": ">= 3",
        "4 filtered consumers, of 1": ">= 0.6",
        "one event beside 5 idle consumers, p50 of that without": "<= 1.2",
    }
    assert rows["one event at a low rate, omniEvents, p99"]["unit"] == "ms"


@needs_omniorb
@pytest.mark.slow
def test_the_load_says_what_is_wrong() -> None:
    with Load(build()) as load:
        with pytest.raises(AssertionError, match="dance: unknown command dance"):
            load.ask("dance")
        with pytest.raises(AssertionError, match="push: something is missing"):
            load.ask("push")
        with pytest.raises(AssertionError, match="supply: TRANSIENT"):
            load.ask("supply", "corbaloc::127.0.0.1:1/nobody", "any")


class FakeLoad(Load):
    """A load that answers without a program: how many came, how many were wrong, and when."""

    def __init__(self, *came: int) -> None:
        self._answers = {"push": ["0", "1000"], "await": list(map(str, came))}

    def ask(self, *words: object) -> list[str]:
        return self._answers.get(str(words[0]), ["0"])


def test_what_comes_wrong_over_corba_ends_the_bench() -> None:
    for load, why in (
        (FakeLoad(9, 0, 5), "9 of 10 events came"),
        (FakeLoad(11, 0, 5), "11 of 10 events came"),
        (FakeLoad(10, 2, 5), "2 of 10 events out of order, or not whole"),
    ):
        flow = Flow("somewhere", load)
        flow.add_consumers([load], 1)
        with pytest.raises(AssertionError, match=why):
            flow.round(10)
    load = FakeLoad(1, 0, 5)
    flow = Flow("somewhere", load, "structured")
    flow.add_filtered(load, 2)
    with pytest.raises(AssertionError, match="1 events came to consumers that did not ask"):
        flow.round(1)


def test_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    with pytest.raises(InvalidUsage, match=r"needs g\+\+, omniidl.*apt-get install .*omnievents"):
        check_programs()


def test_a_program_is_built_once_for_the_same_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for program in ("g++", "omniidl"):
        (tmp_path / program).write_text("#!/bin/sh\necho 1.0\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    source = tmp_path / "source.cc"
    source.write_text("first")
    made: list[str] = []

    def make(folder: Path) -> None:
        made.append(source.read_text())
        (folder / "program").write_text(made[-1])

    first = [built_once("program", [source], make) / "program" for _ in range(2)]
    source.write_text("second")
    second = built_once("program", [source], make) / "program"
    assert made == ["first", "second"]
    assert [one.read_text() for one in (*first, second)] == ["first", "first", "second"]
    (tmp_path / "g++").write_text("#!/bin/sh\necho 2.0\n")
    built_once("program", [source], make)
    assert made == ["first", "second", "second"]


def test_a_load_that_cannot_be_built_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "omniidl").write_text("#!/bin/sh\necho 'fatal error: no orb.h' >&2\nexit 1\n")
    (programs / "omniidl").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InvalidUsage, match=r"fatal error: no orb.h; .*libomniorb4-dev"):
        build()


@pytest.mark.slow
def test_every_figure_of_the_console_is_there() -> None:
    small = {"channels": 4, "proxies": 12, "rate": 400}
    rows = run(console, **small, rounds=1, round_seconds=0.5, seconds=0.5)
    assert targets(rows) == {
        "overview open: throughput left": ">= 0.95",
        "objects open: throughput left": ">= 0.95",
        "tree painted": "<= 1000",
        "scrolling 12 proxies: longest task": "<= 100",
        "the same, of the beginning": "<= 1.1",
    }
    for name in ("events accepted", "largest answer"):
        assert rows[name]["value"] > 0
    assert rows["scrolling 12 proxies: most rows in the page"]["value"] > 8


def test_without_a_browser_the_console_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidUsage, match="the bench needs Chromium: none of"):
        run(console)


def test_events_that_a_watched_service_muddles_do_not_count() -> None:
    service = BusyService.__new__(BusyService)
    service._last = {3: 4}
    with pytest.raises(AssertionError, match="line 3 got other events than the next ones"):
        service._took(b'{"op":"events","line":3,"events":[{"seq":6}]}')
