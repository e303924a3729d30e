from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import ALARM, CAR, objects, written
from tests.unit.cli.served import Served


@pytest.fixture
def traffic(served: Served) -> Served:
    served.done("channel", "create", "traffic")
    served.done("subscription", "create", "traffic", "fast", "$rate > 50")
    served.done("subscription", "create", "traffic", "slow", "$rate < 10")
    return served


def test_each_stage_with_verdict_and_reason(traffic: Served) -> None:
    shown = traffic.done("trail", "traffic", "Traffic::Speed", "car-7", "rate=57.5")
    head, where, _, root, *stages = shown.splitlines()
    assert head == "accepted, for 1 of 2 consumers"
    assert where == "  Traffic::Speed car-7"
    assert root.startswith("✓ rules of version ")
    assert [line.split()[1:4] for line in stages] == [
        ["✓", "channel", "there"],
        ["✓", "consumer", "fast"],
        ["✗", "consumer", "slow"],
        ["✗", "$rate", "<"],
    ]
    assert stages[3].endswith("$rate = 57.5")
    assert "'$rate > 50'" in stages[1]


def test_nothing_is_published(traffic: Served) -> None:
    traffic.done("trail", "traffic", "Traffic::Speed", "rate=57.5")
    [found] = objects(traffic.done("channel", "list", "--json"))
    assert found["accepted"] == 0


def test_files_as_json(traffic: Served, tmp_path: Path) -> None:
    file = written(tmp_path, CAR, ALARM)
    first, second = objects(traffic.done("trail", "traffic", "--json-lines", file, "--json"))
    assert (len(first["recipients"]), len(second["recipients"])) == (1, 0)
    stages = ["header", "channel", "consumer", "consumer"]
    assert [step["stage"] for step in first["steps"]] == stages
    assert first["steps"][0]["priority"] == 4


def test_bad_lines_are_told_and_the_rest_goes_on(traffic: Served, tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_text('oops\n{"domain": "D", "type": "T"}\n')
    result = traffic.tidings("trail", "traffic", "--json-lines", str(file))
    assert result.exit_code == 2
    assert result.stdout.startswith("accepted, for 0 of 2 consumers\n")


def test_a_full_channel(served: Served) -> None:
    served.done("channel", "create", "small", "--limit", "MaxQueueLength=1")
    served.done("subscription", "create", "small", "waits")
    served.done("publish", "small", "D::T")
    shown = served.done("trail", "small", "D::T")
    assert shown.startswith("not accepted: MaxQueueLength is reached\n")


def test_nobody_to_go_to(served: Served) -> None:
    served.done("channel", "create", "lonely")
    assert served.done("trail", "lonely", "D::T").startswith("accepted, and there are no consumers")


def test_start_and_end_of_life_are_told(traffic: Served) -> None:
    words = ("Traffic::Speed", "rate=57", "--header", "Timeout=600000000", "--header", "Priority=3")
    assert ", priority 3, until 20" in traffic.done("trail", "traffic", *words)
