"""The command line inside the test's own process, and a few events to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from tidings.cli.main import app

CAR = {
    "domain": "Traffic",
    "type": "Speed",
    "name": "car-7",
    "header": {"Priority": 4},
    "data": {"rate": 57.5, "zones": [3, 17]},
}
SLOW_CAR = {"domain": "Traffic", "type": "Speed", "name": "car-8", "data": {"rate": 31.0}}
ALARM = {
    "domain": "Telecom",
    "type": "CommunicationsAlarm",
    "name": "lost_packet",
    "header": {"Priority": 2},
    "data": {"host": "node-17", "up": True},
}
EVENTS = (CAR, SLOW_CAR, ALARM)


def lines(*events: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in events)


def written(folder: Path, *events: object, name: str = "events.jsonl") -> str:
    file = folder / name
    file.write_text(lines(*(events or EVENTS)), encoding="utf-8")
    return str(file)


def tidings(*arguments: str, given: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
