"""What benches are made of: loads, workloads, and the check of deliveries lets nothing pass."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from tidings.bench.harness import Recording, check_received, sample_events
from tidings.bench.match_workloads import WORKLOADS
from tidings.bench.pipeline_workloads import ORIGIN, plans, write_events
from tidings.bench.web_load import Socket, client_frame
from tidings.events.fields import fields_of
from tidings.events.structured import StructuredEvent
from tidings.filters.parse import parse
from tidings.filters.to_python import to_python
from tidings.pipeline.matching.book import PlanBook
from tidings.server.embedded import embedded

EVENTS, _ = sample_events(0, 20)


@pytest.mark.parametrize(
    ("got", "fifo", "why"),
    [
        (EVENTS[1:], False, "every event once"),
        ([*EVENTS, EVENTS[0]], False, "every event once"),
        ([*EVENTS[1:], EVENTS[1]], False, "every event once"),
        ([*EVENTS[1:], sample_events(99, 1)[0][0]], False, "every event once"),
        ([*EVENTS[:5], EVENTS[6], EVENTS[5], *EVENTS[7:]], True, "out of order"),
        ([*EVENTS[5:], *EVENTS[:5]], False, "out of order"),
        ([*EVENTS[:-1], sample_events(19, 1, area=7)[0][0]], False, "another content"),
    ],
    ids=["missing", "twice", "another twice", "stranger", "not fifo", "late", "changed"],
)
def test_what_is_wrong_is_noticed(got: list[StructuredEvent], fifo: bool, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        check_received(got, EVENTS, fifo=fifo)


async def test_deliveries_are_waited_for_and_strays_are_noticed() -> None:
    async with await embedded() as client:
        channel = await client.create_channel()
        mine, stray = [await client.subscribe(channel, "$area == 0") for _ in range(2)]
        recording = Recording([mine], [stray])
        recording.expect(len(EVENTS))
        await (await client.publisher(channel)).publish_many(EVENTS)
        await recording.all_here()
        assert len(recording.got[0]) == len(EVENTS)
        with pytest.raises(AssertionError, match="20 events came to consumers whose filters"):
            await recording.check(EVENTS, fifo=False)
        recording.expect(3)
        assert recording.got == [[]]
        with pytest.raises(AssertionError, match="3 deliveries did not come"):
            await recording.all_here(seconds=0.01)
        recording.stop()


@pytest.mark.parametrize(
    ("workload", "least", "most"), [("W1", 0.00002, 0.0001), ("W2", 0.03, 0.06), ("W3", 0.08, 0.12)]
)
def test_workloads_are_as_selective_as_they_say(workload: str, least: float, most: float) -> None:
    one = WORKLOADS[workload]
    tests = [to_python(parse(text)) for text in one.constraints(4_000, 1)]
    events = [fields_of(event) for event in one.events(60, 1)]
    matches = sum(bool(test(fields)) for fields in events for test in tests)
    assert least <= matches / (len(tests) * len(events)) <= most


def test_the_same_seed_gives_the_same_events(tmp_path: Path) -> None:
    one, two, three = (
        pq.read_table(write_events(tmp_path / name, 50, seed)[0], partitioning=None)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == two
    assert one != three


@pytest.mark.parametrize("kind", ["equality", "W2", "W3"])
def test_plans_have_as_many_consumers_as_asked_for(kind: str) -> None:
    book = PlanBook.from_rows(plans(kind, 25, 4))  # type: ignore[arg-type]
    assert not book.problems
    assert sorted(unit.proxy for unit in book.units) == list(range(1, 26))
    assert {unit.origin for unit in book.units} == {ORIGIN}


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_a_frame_of_ours_is_one_of_the_standard(size: int) -> None:
    reader = StreamReader()
    reader.feed_data(client_frame(b"x" * size))
    parsing = Frame.parse(reader.read_exact, mask=True, max_size=None)
    with pytest.raises(StopIteration) as end:
        next(parsing)
    assert end.value.value == Frame(Opcode.TEXT, b"x" * size)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1_000_000])
async def test_frames_come_whole_in_whatever_pieces(step: int) -> None:
    texts = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 70_000, b"e"]
    octets = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
    octets += b"".join(Frame(Opcode.TEXT, one).serialize(mask=False) for one in texts)
    came: list[bytes] = []
    socket = Socket(came.append)
    for at in range(0, len(octets), step):
        socket.data_received(octets[at : at + step])
    assert came == texts


async def test_an_answer_that_is_no_websocket_is_told() -> None:
    with pytest.raises(AssertionError, match=r"no WebSocket: HTTP/1\.1 404 Not Found"):
        Socket(print).data_received(b"HTTP/1.1 404 Not Found\r\n\r\n")
