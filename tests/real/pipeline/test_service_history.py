"""The history of services on Spark: the same as plain Python finds in the notices."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.notice_event import event_of
from tidings.idl.diff import Difference
from tidings.pipeline.archive import Selection
from tidings.pipeline.frames import events_frame, kind_frame
from tidings.pipeline.report.services import (
    SERVICE_CHANGES,
    ServiceChange,
    ServiceHistory,
    find_service_changes,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

OPERATIONS = {
    ChangeKind.INSTANTIATION_SERVICE: "export_offer",
    ChangeKind.CHANGE_PROPERTY_VAL: "modify_offer",
    ChangeKind.CHANGE_TYPE: "replace_offer",
    ChangeKind.REMOVAL_SERVICE: "withdraw_offer",
}
COUNT = 60


class Line(NamedTuple):
    """A line of the audit trail."""

    at_us: int
    principal: str
    operation: str
    about: str
    result: str = "done"

    def row(self, number: int) -> tuple[int, tuple[object, ...]]:
        """As the archive has it."""
        who = (self.principal, None, "HTTP", "192.0.2.7", self.operation, self.about, self.result)
        return self.at_us, ("", "", number, self.at_us, *who, False, 1, number)


def _notices(random: Random) -> list[Notice]:
    found = []
    for at in range(1, COUNT + 1):
        time = random.choice(list(TimeIndicator))
        type_ = random.choice(["Bank", "Printer", "Bank_2", 'odd "type" ü'])
        service = ServiceDescription(ServiceTypeDescription(type_), {"Name": "ISEL"}, "IOR:00")
        compatible = random.choice([True, False, None])
        differences = () if compatible is None else (
            Difference("operation deposit", "changed", compatible, "rule", f"deposit {at} ü"),
            Difference("property Name", "added", True, "rule", "Name is new"),
        )[: random.randrange(3)]  # fmt: skip
        found.append(
            Notice(
                f"EV{at}",
                random.choice(list(ChangeKind)),
                time,
                5,
                FIRST_US + at * SECOND,
                before=service,
                offer=f"{type_}/{random.randrange(3) + 1}" if at % 5 else "",
                compatible=compatible,
                differences=differences,
                evolver=f"evolver-{at % 3}" if time is TimeIndicator.ADVANCE else "",
            )
        )
    return found


def _trail(notices: list[Notice], random: Random) -> list[Line]:
    """Lines of all immediate notices but some, and lines that are about something else."""
    lines = []
    for one in notices:
        about = f"offer {one.offer}, type {one.described.type.name}"
        operation = OPERATIONS[one.kind]
        took = random.choice([0, 1, SECOND // 2])
        if one.time_indicator is TimeIndicator.IMMEDIATE and one.offer and random.random() < 0.8:
            lines.append(Line(one.timestamp + took, f"ann-{one.id}", operation, about))
        lines += [
            Line(one.timestamp - 1, "early", operation, about),
            Line(one.timestamp, "refused", operation, about, "forbidden"),
            Line(one.timestamp, "reader", "see_offer", about),
            Line(one.timestamp, "other", operation, f"offer {one.offer}0"),
        ]
    return lines


def _by(one: Notice, trail: list[Line]) -> str | None:
    if one.time_indicator is TimeIndicator.ADVANCE:
        return one.evolver
    if not one.offer:
        return None
    since = [
        line
        for line in trail
        if line.operation == OPERATIONS[one.kind]
        and line.result == "done"
        and f"offer {one.offer}" in line.about.split(", ")
        and 0 <= line.at_us - one.timestamp <= 60 * SECOND
    ]
    return min(since, key=lambda line: line.at_us).principal if since else None


def _history(type_: str, notices: list[Notice]) -> ServiceHistory:
    made = [one for one in notices if one.time_indicator is TimeIndicator.IMMEDIATE]
    judged = Counter(one.compatible for one in made)
    return ServiceHistory(
        type_,
        len(notices) - len(made),
        len(made),
        judged[False],
        judged[True],
        judged[None],
        sum(one.kind is ChangeKind.REMOVAL_SERVICE for one in made),
        max(one.timestamp for one in notices),
    )


def _change(one: Notice, trail: list[Line]) -> ServiceChange:
    return ServiceChange(
        one.timestamp,
        one.id,
        one.kind.name,
        one.time_indicator.name,
        one.described.type.name,
        one.offer,
        _by(one, trail),
        one.compatible,
        "; ".join(each.text for each in one.differences),
    )


def test_it_is_what_the_notices_say(spark: SparkSession, tmp_path: Path) -> None:
    random = Random(11)
    notices = _notices(random)
    trail = _trail(notices, random)
    maker = ArchiveMaker(tmp_path)
    rows = [
        Row(at, event_of(one), SERVICE_CHANGES, one.timestamp) for at, one in enumerate(notices, 1)
    ]
    elsewhere = Row(COUNT + 1, event_of(notices[0]), "other")
    lines = [line.row(number) for number, line in enumerate(trail, 1)]
    maker.seal([*rows, elsewhere], changes=lines)
    maker.close()
    chosen = Selection(str(tmp_path))
    changes = kind_frame(spark, chosen, "changes").df
    found = find_service_changes(events_frame(spark, chosen).df, changes, 50)

    types = {one.described.type.name for one in notices}
    histories = [
        _history(type_, [one for one in notices if one.described.type.name == type_])
        for type_ in types
    ]
    histories.sort(key=lambda one: (-one.breaking, -one.changes, one.service_type))
    assert list(found["services"]) == histories
    latest = notices[::-1][:50]
    assert list(found["service_changes"]) == [_change(one, trail) for one in latest]
    named = {one.by for one in found["service_changes"]}
    assert None in named
    assert len(named) > 10
