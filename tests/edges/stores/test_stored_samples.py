"""What an earlier version wrote is read; payloads and books are still written octet for octet.

The samples in `tests/vectors/stores` come from the version of 2026-11-18, before its formats became
msgspec Structs. Never write them again: add one for each new format.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.edges.stores.sample_payloads import EVENT, LETTER
from tidings import embedded, event
from tidings.audit import AuditTrail, Change, SeeChanges
from tidings.channel.effects import Outcome
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import (
    AdminRule,
    MappingRule,
    Operator,
    PlanChange,
    PlanOptions,
    ProxyRule,
    Rule,
    Side,
)
from tidings.filters.plan_form import change_from_plain, change_to_plain
from tidings.stores import payloads
from tidings.stores.archive.books import Books, ChannelBook, ProxyBook, books_octets, read_books
from tidings.stores.archive.manifest import (
    Gap,
    Seal,
    SegmentFile,
    drop_line,
    folded_lines,
    parse_manifest,
    seal_line,
)
from tidings.stores.loss_book import FILE, Accepted, Loss, LossBook, read_book
from tidings.stores.segments import Cursor

STORES = Path(__file__).parents[2] / "vectors" / "stores"
ORIGIN = "0af7651916cd43dd8448eb211c80319c"
MARKS = [["gate", -1, [[1, 0, 2], [5, 7, 3]]], ["camera 7", 4, [[9, -1, 1], [12, 20, 1]]]]
STATE = {"id": 2, "name": "fast", "qos": {"Priority": 3}, "types": [["Traffic", "Speed*"]], 5: None}

_SPEED = EventTypePattern("Traffic", "Speed*")
_RULE = Rule(
    ((constraint("$speed > 50", [_SPEED]), constraint("$zone == 3")), ()),
    (_SPEED,),
    MappingRule(
        AnyValue(tc.SHORT, 1), (MappedConstraint(constraint("$a"), AnyValue(tc.SHORT, 2)),)
    ),
    MappingRule(7, ()),
)
CHANGE = PlanChange(
    7,
    False,
    PlanOptions(empty_filter_passes=False),
    {
        (Side.CONSUMER, 0): AdminRule(Side.CONSUMER, 0, Operator.OR, Rule()),
        (Side.SUPPLIER, 3): None,
    },
    {4: None, 5: ProxyRule(Side.CONSUMER, 5, 0, _RULE)},
)

_SUMS = {ORIGIN: (3, 6)}
EVENTS = SegmentFile(
    "events", "events/date=2026-11-18/hour=08/000000000002.parquet", 3, 4096, 77, 10, 20,
    ((ORIGIN, "roads"),), (("Traffic", "Speed"),), {"data": ("speed",)}, _SUMS, 2, 900,
)  # fmt: skip
PLANS = SegmentFile(
    "plans", "plans/date=2026-11-18/hour=08/000000000001-merged.parquet", 2, 512, 78, 1, 9,
    None, None, None, _SUMS, 1, 800, 1,
)  # fmt: skip
GONE = replace(
    EVENTS, path="events/date=2026-11-18/hour=07/000000000001.parquet", seal=1, observed_us=800,
    channels=None, types=None, names=None,
)  # fmt: skip
FOLDED = Seal(1, 1_000, Cursor(1, 64), "books/000000000001.json", 5, None, 0, 0, 800)
SEAL = Seal(
    2, 2_000, Cursor(3, 4096), "books/000000000002.json", 6,
    Gap(Cursor(1, 64), Cursor(2, 48)), 1, 2, 900,
)  # fmt: skip
BOOKS = Books(
    2, "ab" * 16, Cursor(3, 4096),
    {ORIGIN: ChannelBook(
        1, "roads", lowest=1, highest=3, events=3, seq_sum=6, plan_version=7, plans=2,
        plan_digest="cd", first=1, last=3, gaps=[(4, 5)], open=True, carried={2},
        rules={"proxy/5": "ef"}, state="01", unsure=True,
    )},
    {f"{ORIGIN}/5": ProxyBook(False, 1, 3, [(1, 2)], {2}, 3, "02", True)},
    99, {f"{ORIGIN}/5/2": "broken"},
)  # fmt: skip
LOSSES = LossBook(
    [Loss("part 1 64 damaged", "64 octets", 5, 1, False, True), Loss("channel 2", "roads", 6)],
    {ORIGIN: [(1, 3)]}, {ORIGIN: [(5, 5)]}, [Accepted(7, "one part")],
)  # fmt: skip

PAYLOADS: dict[str, tuple[Callable[[], bytes], Callable[[bytes], Any], object]] = {
    "event": (lambda: payloads.event_payload(EVENT), payloads.stored_event, EVENT),
    "outcome": (
        lambda: payloads.outcome_payload(2, Outcome.DELIVERED, [5, 6, 9], 7),
        payloads.stored_outcome,
        (2, Outcome.DELIVERED, (5, 6, 9), 7),
    ),
    "dead letter": (lambda: payloads.dead_payload(LETTER), payloads.stored_dead, LETTER),
    "dead letter gone": (
        lambda: payloads.dead_gone_payload(2, 9),
        payloads.stored_dead_gone,
        (2, 9),
    ),
    "checkpoint": (
        lambda: payloads.checkpoint_payload(3, begins=True),
        payloads.stored_checkpoint,
        (3, True),
    ),
    "dropped": (lambda: payloads.dropped_payload(3), payloads.stored_dropped, 3),
    "topology": (
        lambda: payloads.topology_payload(1, "proxy", "2", STATE),
        payloads.stored_topology,
        (1, "proxy", "2", STATE),
    ),
    "gone": (
        lambda: payloads.topology_payload(1, "proxy", "2", None),
        payloads.stored_topology,
        (1, "proxy", "2", None),
    ),
    "plan": (
        lambda: payloads.plan_payload(change_to_plain(CHANGE)),
        lambda octets: change_from_plain(payloads.stored_plan(octets)),
        CHANGE,
    ),
    "marks": (
        lambda: payloads.marks_payload(ProducerMarks.from_plain(MARKS, Limits()).to_plain()),
        payloads.stored_marks,
        MARKS,
    ),
    "numbers": (lambda: payloads.numbers_payload(9, 2), payloads.stored_numbers, (9, 2)),
}


def manifest_octets() -> bytes:
    """A manifest with every kind of line."""
    return b"".join(
        [*folded_lines(FOLDED, [PLANS], [GONE]), seal_line(SEAL, [EVENTS]), drop_line(["x"], 3_000)]
    )


@pytest.mark.parametrize("name", PAYLOADS)
def test_the_payload_of_a_record(name: str) -> None:
    write, read, value = PAYLOADS[name]
    stored = bytes.fromhex(json.loads((STORES / "payloads.json").read_text())[name])
    assert read(stored) == value
    assert write() == stored


def test_the_manifest_of_an_archive() -> None:
    stored = (STORES / "manifest.jsonl").read_bytes()
    found = parse_manifest(stored)
    assert found.seals == (FOLDED, SEAL)
    assert (found.files, found.gone) == ((PLANS, EVENTS), (GONE,))
    assert found.dropped == {"x", GONE.path}
    assert (found.folded, found.problems) == (1, ())
    again = parse_manifest(manifest_octets())  # what is as usual is left out today
    assert {**vars(again), "end": 0} == {**vars(found), "end": 0}


def test_the_books_of_an_archive() -> None:
    stored = (STORES / "books.json").read_bytes()
    seal = replace(SEAL, books="books.json", books_crc32=0x3B53FD68)
    assert read_books(STORES, seal) == BOOKS
    assert books_octets(BOOKS) == stored


def test_a_change_of_the_audit_trail() -> None:
    stored = json.loads((STORES / "changes.json").read_text())
    trail = AuditTrail()
    trail.restore(stored["of 2026-11-18, without door and address"])
    trail.restore(stored["with door and address"])
    [found], _ = trail.handle_many([SeeChanges()], 0)
    at = 1_760_000_000_000_000
    assert found == [
        Change(7, at, "owner", "destroy_channel", "channel 3", "roads", "done"),
        Change(8, at + 1, "ann", "push", "channel 3, proxy 4", "roads", "forbidden",
               2, "IIOP", "192.0.2.7", True, 12),
    ]  # fmt: skip
    assert dict(trail.snapshot())["refused 0"] == stored["with door and address"]["refused 0"]


def test_the_losses_of_a_journal() -> None:
    assert read_book(STORES, 0) == LOSSES
    assert LOSSES.octets() == (STORES / FILE).read_bytes()


async def test_a_journal_gives_its_objects_and_its_backlog(tmp_path: Path) -> None:
    shutil.copytree(STORES / "journal", tmp_path / "journal")
    async with await embedded(tmp_path) as client:
        roads = await client.channel("roads")
        [letter] = await client.dead_letters()
        assert (letter.seq, letter.causes[0].reason) == (2, "broken")
        waiting = await client.subscribe(roads, name="all")
        async for delivery in waiting:
            if delivery.seq == 3:
                break
        assert delivery.event.name == "car-80"
        fast = await client.subscribe(roads, name="fast")
        house = await client.publisher(roads, "camera 7")
        await house.publish(event("Traffic", "Speed", "slow", {"speed": 50}))
        receipt = await house.publish(event("Traffic", "Speed", "quick", {"speed": 51}))
        async for delivery in fast:
            assert (delivery.seq, delivery.event.name) == (receipt.seq, "quick")
            break
