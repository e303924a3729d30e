from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.unit.cli.running import objects, tidings

pytestmark = pytest.mark.slow  # it starts programs


def measured(workload: str, subscriptions: int, **settings: int) -> dict[str, Any]:
    """What a bench returns on a slow day."""
    found = [("us_per_event", 1234.5, "µs", None, True), ("speedup", 3, "times", 1000, False)]
    names = ("name", "value", "unit", "target", "ok")
    results = [dict(zip(names, (f"{workload}.{row[0]}", *row[1:]), strict=True)) for row in found]
    results.append(
        {"name": str(sorted(settings.items())), "value": subscriptions, "unit": "", "ok": True}
    )
    return {"bench": "match", "results": results}


@pytest.fixture
def _slow_day(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tidings.bench.match")
    module.run = measured  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tidings.bench.match", module)


@pytest.mark.usefixtures("_slow_day")
def test_all_workloads_and_exit_0_whatever_the_figures() -> None:
    result = tidings("bench", "match", "--json")
    (found,) = objects(result.stdout)
    assert found["bench"] == "match"
    names = [row["name"] for row in found["results"]]
    assert [name for name in names if "speedup" in name] == [
        "W1.speedup",
        "W2.speedup",
        "W3.speedup",
    ]
    assert result.exit_code == 0


@pytest.mark.usefixtures("_slow_day")
def test_the_options_reach_the_bench() -> None:
    options = ("--subscriptions", "7", "--seed", "5", "--rounds", "2", "--events", "9")
    result = tidings("bench", "match", "--workload", "W2", "--workload", "W1", *options, "--json")
    rows: Any = objects(result.stdout)[0]["results"]
    assert [row["name"][:2] for row in rows if row["unit"] == "µs"] == ["W2", "W1"]
    assert rows[2]["name"] == "[('events', 9), ('rounds', 2), ('seed', 5)]"
    assert rows[2]["value"] == 7


@pytest.mark.usefixtures("_slow_day")
def test_without_json_it_is_a_table() -> None:
    shown = tidings("bench", "match", "--workload", "W1", "--subscriptions", "5000").stdout
    heading, first, second, third = shown.splitlines()
    assert heading.split() == ["what", "value", "unit", "target", "met"]
    assert first.split() == ["W1.us_per_event", "1,234", "µs"]
    assert second.split() == ["W1.speedup", "3", "times", "1000", "no"]
    assert "5,000" in third


def test_the_real_bench_on_a_small_scale() -> None:
    options = ("--subscriptions", "200", "--rounds", "1", "--events", "5", "--json")
    result = tidings("bench", "match", "--workload", "W1", *options)
    rows: Any = objects(result.stdout)[0]["results"]
    assert rows
    assert all({"name", "value", "unit", "target", "ok"} <= row.keys() for row in rows)


SMALL = {
    "channel": ("--events", "120", "--consumers", "10", "--fan-out", "2", "--rounds", "1"),
    "persist": ("--events", "80", "--rounds", "1"),
    "recover": ("--events", "60", "--proxies", "3", "--proxies", "2"),
    "memory": ("--proxies", "50"),
    "web": ("--events", "20", "--subscriptions", "2", "--consumers", "3", "--rounds", "1"),
}


@pytest.mark.parametrize("bench", SMALL)
def test_the_options_of_each_bench_reach_it(bench: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def run(**settings: Any) -> dict[str, Any]:
        asked.update(settings)
        settings["progress"]("at work")
        row = {"name": "speed", "value": 0.0123, "unit": "times", "target": ">= 1", "ok": False}
        return {"bench": bench, "results": [row]}

    module = ModuleType(f"tidings.bench.{bench}")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"tidings.bench.{bench}", module)
    result = tidings("bench", bench, *SMALL[bench])
    assert result.exit_code == 0
    assert result.stderr == "at work\n"
    assert result.stdout.splitlines()[1].split() == ["speed", "0.0123", "times", ">=", "1", "no"]
    del asked["progress"]
    expected: dict[str, dict[str, Any]] = {
        "channel": {"events": 120, "consumers": 10, "fan_out": 2, "rounds": 1},
        "persist": {"events": 80, "rounds": 1, "folder": None},
        "recover": {"events": 60, "proxies": [3, 2], "folder": None},
        "memory": {"proxies": 50},
        "web": {"events": 20, "subscriptions": [2], "consumers": 3, "rounds": 1},
    }
    assert asked == expected[bench]


@pytest.mark.parametrize("bench", SMALL)
def test_each_bench_on_a_small_scale(
    bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = tidings("bench", bench, *SMALL[bench], "--json")
    assert result.exit_code == 0
    [found] = objects(result.stdout)
    assert found["bench"] == bench
    rows: Any = found["results"]
    assert all(set(row) == {"name", "value", "unit", "target", "ok"} for row in rows)
    assert list(tmp_path.iterdir()) == []
