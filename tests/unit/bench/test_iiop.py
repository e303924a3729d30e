"""The bench of the CORBA door reports only what came, once, in order and whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tidings.bench import iiop, iiop_load
from tidings.bench.iiop import Sizes
from tidings.bench.iiop_flow import Flow
from tidings.bench.iiop_load import Came, Load, build, check_programs
from tidings.errors import InvalidUsage

needs_omniorb = pytest.mark.skipif(
    not all(map(iiop_load.program, ("g++", "omniidl", "omniNames", "omniEvents"))),
    reason="needs g++, omniORB and omniEvents: tools/system_packages.sh tests",
)
TINY = Sizes(events=40, batched=150, fanned=3, fan_out=10, paced=3, filtered=(1, 4), idle=5)


def _run() -> dict[str, dict[str, Any]]:
    report = iiop.run(rounds=1, sizes=TINY)
    assert report["bench"] == "iiop"
    return {row["name"]: row for row in report["results"]}


@needs_omniorb
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_every_figure_of_the_report_is_there() -> None:
    rows = _run()
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
        assert row["value"] > 0 or "memory" in row["name"]
    targets = {name: row["target"] for name, row in rows.items() if row["target"]}
    assert targets == {
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
@pytest.mark.timeout(120)
def test_the_load_says_what_is_wrong(tmp_path: Path) -> None:
    with Load(build(tmp_path)) as load:
        with pytest.raises(AssertionError, match="dance: unknown command dance"):
            load.ask("dance")
        with pytest.raises(AssertionError, match="push: something is missing"):
            load.ask("push")
        with pytest.raises(AssertionError, match="supply: TRANSIENT"):
            load.ask("supply", "corbaloc::127.0.0.1:1/nobody", "any")


class FakeLoad(Load):
    """A load that answers without a program."""

    def __init__(self, came: Came) -> None:
        self._came = came

    def ask(self, *words: object) -> list[str]:
        return {"push": ["0", "1000"], "await": [str(one) for one in self._came]}.get(
            str(words[0]), ["0"]
        )


@pytest.mark.parametrize(
    ("came", "why"),
    [
        (Came(9, 0, 5), "9 of 10 events came"),
        (Came(11, 0, 5), "11 of 10 events came"),
        (Came(10, 2, 5), "2 of 10 events out of order, or not whole"),
    ],
)
def test_wrong_answers_end_the_bench(came: Came, why: str) -> None:
    load = FakeLoad(came)
    flow = Flow("somewhere", load)
    flow.add_consumers([load], 1)
    with pytest.raises(AssertionError, match=why):
        flow.round(10)


def test_an_event_for_who_did_not_ask_ends_the_bench() -> None:
    load = FakeLoad(Came(1, 0, 5))
    flow = Flow("somewhere", load, "structured")
    flow.add_filtered(load, 2)
    with pytest.raises(AssertionError, match="1 events came to consumers that did not ask"):
        flow.round(1)


def test_rates_count_all_deliveries() -> None:
    load = FakeLoad(Came(50, 0, 2_000_000_000))
    flow = Flow("somewhere", load)
    flow.add_consumers([load], 5)
    flow.round(10)
    assert flow.rates == [25]
    assert flow.rate == 25
    assert flow.accepted == [pytest.approx(1e7)]
    flow.forget()
    assert not flow.rates


def test_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    with pytest.raises(InvalidUsage, match=r"needs g\+\+, omniidl.*apt-get install .*omnievents"):
        check_programs()


def test_a_load_that_cannot_be_built_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "omniidl").write_text("#!/bin/sh\necho 'fatal error: no orb.h' >&2\nexit 1\n")
    (programs / "omniidl").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    with pytest.raises(InvalidUsage, match=r"fatal error: no orb.h; .*libomniorb4-dev"):
        build(tmp_path)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="rounds must be at least 1"):
        iiop.run(rounds=0)
