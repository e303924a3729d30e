"""COSMIC: what holds for every load, every loss and every layout of a frame."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

import pytest
from cantools.database.can import Message, Signal
from cantools.database.conversion import BaseConversion
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.laws.can_simulation import SimulatedBus, Submission, is_soft
from tidings.errors import InvalidEvent, InvalidUsage, TidingsError
from tidings.events.anyvalue import same
from tidings.events.structured import StructuredEvent
from tidings.services.cosmic.bulk import Reassembly, fragments
from tidings.services.cosmic.channels import Channel, ChannelKind, Network, Sampler
from tidings.services.cosmic.fields import Field, FieldsCodec
from tidings.services.cosmic.frames import Timing
from tidings.services.cosmic.scheduler import Scheduler
from tidings.services.cosmic.settings import WholeCodec, _of_message

A = TypeVar("A")
B = TypeVar("B")

HARD, SOFT, OTHER = ChannelKind
CODEC = FieldsCodec((), 0, StructuredEvent(), "")
WHOLE = WholeCodec("x")
NODES = (1, 2, 3)
TIMINGS = st.builds(
    Timing,
    bit_rate=st.sampled_from((125_000, 500_000, 1_000_000)),
    faults=st.integers(0, 2),
    guard=st.sampled_from((0, 300, 1_000)),
    step=st.sampled_from((200, 500)),
)


# The bus.


@given(st.integers(0, 2**29 - 1), st.binary(max_size=8), st.booleans())
def test_no_frame_takes_longer_than_its_bound(id: int, data: bytes, extended: bool) -> None:
    # One bit a microsecond: the bound in bits.
    bound = Timing(bit_rate=1_000_000).frame_time(len(data), extended=extended)
    assert _bits_on_the_wire(id if extended else id >> 18, data, extended) <= bound


def _bits_on_the_wire(id: int, data: bytes, extended: bool) -> int:
    """A frame as ISO 11898 sends it: with its CRC and stuff bits, and the pause after it."""
    head = f"{id >> 18:011b}11{id & 0x3FFFF:018b}000" if extended else f"{id:011b}000"
    text = f"0{head}{len(data):04b}" + "".join(f"{octet:08b}" for octet in data)
    crc = 0
    for bit in text:
        crc = (crc << 1 ^ (0x4599 if (crc >> 14) ^ int(bit) else 0)) & 0x7FFF
    text += f"{crc:015b}"
    sent, run, before = 0, 0, ""
    for bit in text:
        run = run + 1 if bit == before else 1
        sent, before = sent + 1, bit
        if run == 5:
            sent, run, before = sent + 1, 1, "10"[int(bit)]
    return sent + 13


def hard_channels(draw: st.DrawFn, timing: Timing) -> list[Channel]:
    """Hard channels of several nodes, as many of those drawn as the calendar admits."""
    admitted: list[Channel] = []
    longest = timing.slot_time(8)
    for tag in range(draw(st.integers(1, 6))):
        octets = draw(st.integers(3, 8))
        period = longest * draw(st.sampled_from((1, 2, 3, 4, 6, 8)))
        deadline = period + timing.slot_time(octets)
        node = draw(st.sampled_from(NODES))
        one = Channel(f"hard {tag}", HARD, tag, CODEC, octets, node=node, period=period,
                      deadline=deadline)  # fmt: skip
        try:
            Network([*admitted, one], timing)
        except InvalidUsage:
            continue
        admitted.append(one)
    return admitted


def other_channels(timing: Timing) -> list[Channel]:
    frame = timing.frame_time()
    soft = [
        Channel(f"soft {n}", SOFT, 100 + n, CODEC, 8, deadline=frame * n) for n in (2, 5, 12, 40)
    ]
    return [
        *soft,
        Channel("plain", OTHER, 5 << 21 | 300, CODEC, 8, plain=True, deadline=frame * 50),
        Channel("short", OTHER, 9, CODEC, 8, plain=True, extended=False, deadline=frame * 50),
        Channel("bulk", OTHER, 200, WHOLE, 8, deadline=frame * 200),
        Channel("patient", OTHER, 201, CODEC, 8, deadline=frame * 50),
    ]


def load(network: Network, random: Random, count: int, share: float) -> list[Submission]:
    """Events at random times, in bursts; about so many times what the bus can carry."""
    names = sorted(network.channels)
    span = max(1, int(network.calendar.timing.frame_time() * count / share))
    made = []
    for number in range(count):
        channel = network.channels[random.choice(names)]
        node = channel.node if channel.kind is HARD else random.choice(NODES)
        if channel.plain:
            node = 1  # two nodes never send the same identifier
        head = number.to_bytes(3, "big")
        pieces = random.randint(1, 12) if channel.codec.whole else 1
        payloads = [head.ljust(channel.octets, bytes((at,))) for at in range(pieces)]
        time = random.randrange(span)
        if channel.kind is HARD and random.random() < 0.8:
            # Just too late for a slot: it waits for the next one.
            slot = network.calendar.slots[channel.subject]
            time = max(0, slot.begin(time) + network.calendar.timing.window + 1)
        made.append(Submission(time, node, channel, payloads))
    return made


@settings(max_examples=60)
@given(st.data(), TIMINGS, st.integers(0, 2**32), st.sampled_from((0.3, 1.0, 3.0)), st.booleans())
def test_hard_events_are_never_late_and_every_event_is_accounted_for(
    data: st.DataObject, timing: Timing, seed: int, share: float, clocks: bool
) -> None:
    channels = data.draw(st.composite(lambda draw: hard_channels(draw, timing))())
    random = Random(seed)
    network = Network([*channels, *other_channels(timing)], timing)
    bus = SimulatedBus(network, NODES, random, clocks=clocks)
    bus.run(load(network, random, 250, share))
    for one in bus.accepted:
        assert one.sent + one.missed == 1
        if one.sent:
            assert one.frames == list(one.submission.payloads)
        # `SimulatedBus` checks the deadline of what is sent.
        assert one.sent or one.channel.kind is not HARD
    assert any(one.channel.kind is HARD for one in bus.accepted)


@given(TIMINGS, st.integers(0, 8), st.integers(1, 5))
def test_the_worst_case_of_a_hard_event_is_in_time(timing: Timing, octets: int, slots: int) -> None:
    period = slots * timing.slot_time(octets)
    deadline = period + timing.slot_time(octets)
    channel = Channel("hard", HARD, 1, CODEC, octets, node=1, period=period, deadline=deadline)
    scheduler = Scheduler(Network([channel], timing), 1)
    # One event goes in its slot, and the next one comes as soon as there is room.
    begin = 7 * period
    scheduler.submit(channel, [bytes(octets)], begin)
    [first] = scheduler.tick(begin).send
    assert scheduler.tick(begin + 1).send == []
    assert not scheduler.room(channel)
    assert scheduler.sent(first) == 1
    ticket = scheduler.submit(channel, [bytes(octets)], begin + 1)
    assert scheduler.tick(begin + 1) == ([], [], [], begin + period)
    # A frame of its own has just begun, and is destroyed; the node is as late as it may be; another
    # frame has just begun; and all faults come still.
    own_fault = timing.error_time if timing.faults else 0
    now = begin + period + timing.frame_time() + own_fault + timing.guard
    [frame] = scheduler.tick(now).send
    now += timing.frame_time()
    for _ in range(timing.faults):
        now += timing.frame_time(octets) + timing.error_time
        assert scheduler.tick(now)[:3] == ([], [], [])
    now += timing.frame_time(octets)
    assert scheduler.sent(frame) == ticket
    assert now <= begin + period + timing.slot_time(octets)
    assert now <= begin + 1 + deadline


@settings(max_examples=40)
@given(TIMINGS, st.integers(0, 2**32), st.sampled_from((0.7, 1.5, 4.0)))
def test_soft_events_go_earliest_deadline_first_and_others_yield(
    timing: Timing, seed: int, share: float
) -> None:
    random = Random(seed)
    # Plain identifiers have a priority of their own.
    channels = [one for one in other_channels(timing) if not one.plain]
    network = Network(channels, timing)
    bus = SimulatedBus(network, NODES, random, clocks=True)
    bus.run(load(network, random, 200, share))
    frame = timing.frame_time()
    for time, winner, waiting in bus.wins:
        soft = [one for one in waiting if is_soft(one) and one.deadline - time >= frame]
        soft = [one for one in soft if one.submission.time <= time]
        assert is_soft(winner) or not soft
        if is_soft(winner):
            level = timing.soft_priority(winner.deadline - time)
            for one in soft:
                # Between nodes, to a step of the priority; within one, exactly.
                assert level <= timing.soft_priority(one.deadline - time)
                if one.submission.node == winner.submission.node:
                    assert winner.deadline <= one.deadline
    assert share < 4 or any(one.missed for one in bus.accepted if is_soft(one))


@given(
    st.lists(
        st.tuples(st.sampled_from((6, 8, 12, 16, 24)), st.integers(1, 9), st.integers(3, 8)),
        min_size=8,
        max_size=12,
    ),
    TIMINGS,
)
def test_reserved_slots_never_meet(asked: list[tuple[int, int, int]], timing: Timing) -> None:
    network = Network((), timing)
    unit = timing.slot_time(8) // 2
    for tag, (period, patience, octets) in enumerate(asked):
        channel = Channel(
            str(tag), HARD, tag, CODEC, octets, node=1, period=period * unit,
            deadline=(period + patience) * unit,
        )  # fmt: skip
        try:
            network.calendar.admit(channel)
        except InvalidUsage:
            continue
        assert channel.deadline >= channel.period + timing.slot_time(octets)
    slots = network.calendar.slots.values()
    for one, other in itertools.combinations(slots, 2):
        for first, second in ((one, other), (other, one)):
            for turn in range(200):
                begin = first.offset + turn * first.period
                latest = second.begin(begin)
                # The slot of the other that has begun last has ended.
                assert latest + second.length <= begin or latest < second.offset


# Bulk events.


@st.composite
def transfers(draw: st.DrawFn) -> tuple[dict[str, list[bytes]], list[tuple[str, bytes]], bool]:
    """What senders sent, and what came of it: frames lost, twice, and mixed between senders."""
    sent: dict[str, list[bytes]] = {}
    queues: list[tuple[str, list[bytes]]] = []
    for sender in "abc"[: draw(st.integers(1, 3))]:
        sent[sender] = draw(
            st.lists(st.binary(min_size=1, max_size=40) | _long(), min_size=1, max_size=4)
        )
        first = draw(st.integers(0, 127))
        frames = [
            one for at, octets in enumerate(sent[sender], first) for one in fragments(octets, at)
        ]
        queues.append((sender, frames))
    random = Random(draw(st.integers(0, 2**32)))
    lost, twice = draw(st.sampled_from(((0.0, 0.0), (0.0, 0.3), (0.02, 0.02), (0.3, 0.1))))
    came = []
    while queues:
        sender, frames = random.choice(queues)
        frame = frames.pop(0)
        if not frames:
            queues.remove((sender, frames))
        if random.random() >= lost:
            came.append((sender, frame))
            if random.random() < twice:
                came.append((sender, frame))
    return sent, came, not lost


def _long() -> st.SearchStrategy[bytes]:
    # Indices go round after 256 fragments.
    return st.builds(bytes.__mul__, st.binary(min_size=1, max_size=3), st.integers(500, 900))


@given(transfers())
def test_a_bulk_event_comes_whole_or_not_at_all(
    made: tuple[dict[str, list[bytes]], list[tuple[str, bytes]], bool],
) -> None:
    sent, came, whole = made
    reassembly = Reassembly()
    found: dict[str, list[bytes]] = {sender: [] for sender in sent}
    for now, (sender, frame) in enumerate(came):
        octets = reassembly.take(sender, frame, now)
        if octets is not None:
            found[sender].append(octets)
    for sender, events in found.items():
        remaining = iter(sent[sender])
        assert all(any(one == each for each in remaining) for one in events)
    if whole:
        assert found == sent


HOSTILE = (
    st.binary(max_size=9)
    | st.builds(lambda length, rest: b"\x80\0\0" + bytes((length,)) + rest,
                st.integers(0, 7), st.binary(min_size=4, max_size=4))
    | st.builds(lambda index, rest: bytes((0, index)) + rest,
                st.integers(0, 2), st.binary(max_size=6))
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("ab"), HOSTILE), max_size=30))
def test_hostile_fragments_are_no_event_and_take_no_room(came: list[tuple[str, bytes]]) -> None:
    reassembly = Reassembly()
    for now, (sender, data) in enumerate(came):
        octets = reassembly.take(sender, data, now)
        assert octets is None or fragments(octets, data[0])[0][1:] in {one[1:] for _, one in came}
    assert len(reassembly._partial) <= 2


# Mapping.


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[Field], int]:
    """Fields that fit beside each other."""
    octets = draw(st.integers(1, 8))
    used: set[tuple[int, int]] = set()
    fields: list[Field] = []
    for number in range(draw(st.integers(1, 6))):
        field = draw(one_field(f"f{number}", octets))
        bits = field.wires()
        if max(at for at, _ in bits) < octets and not bits & used:
            used |= bits
            fields.append(field)
    assume(fields)
    return fields, octets


@st.composite
def one_field(draw: st.DrawFn, name: str, octets: int) -> Field:
    type_ = draw(st.sampled_from(("string", "long", "double", "boolean", "floating")))
    order: Any = draw(st.sampled_from(("little", "big")))
    if type_ == "string":
        start, length = 8 * draw(st.integers(0, octets - 1)), 8 * draw(st.integers(1, 8))
    elif type_ == "floating":
        start, length = draw(st.integers(0, 31)), 32
    else:
        start = draw(st.integers(0, 8 * octets - 1))
        length = 1 if type_ == "boolean" else draw(st.integers(1, 32))
    scale, offset = 1.0, 0.0
    if type_ == "long":
        scale, offset = draw(st.integers(1, 9)), draw(st.integers(-9, 9))
    elif type_ == "double":
        scale = draw(st.sampled_from((1.0, 0.1, 0.25, 3.0, 1e-6)))
        offset = draw(st.sampled_from((0.0, -40.0, 0.05)))
    return Field(
        name=name,
        type="double" if type_ == "floating" else type_,  # type: ignore[arg-type]
        bits=f"{start}..{min(start + length, 99) - 1}",
        order=order,
        signed=type_ in ("long", "double") and draw(st.booleans()),
        floating=type_ == "floating",
        scale=scale,
        offset=offset,
    )


@given(layouts(), st.data())
def test_mapping_back_gives_the_same(layout: tuple[list[Field], int], data: st.DataObject) -> None:
    fields, size = layout
    codec = FieldsCodec(fields, size, StructuredEvent(name="Speed"), "here")
    octets = data.draw(st.binary(min_size=size, max_size=8))
    event = or_refusal(codec.decode, octets)
    if isinstance(event, InvalidEvent):
        assert event.where.startswith("data.f")
        return
    again = codec.encode(event)
    used = set().union(*(field.wires() for field in fields))
    for at in range(size):
        mask = sum(1 << bit for octet, bit in used if octet == at)
        assert again[at] == octets[at] & mask
    assert same(dict(codec.decode(again).data), dict(event.data))


def or_refusal(call: Callable[[A], B], given: A) -> B | InvalidEvent:
    """What a codec answers: nothing else may be raised."""
    try:
        return call(given)
    except InvalidEvent as error:
        return error


VALUES = (
    st.text(max_size=9)
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.none()
    | st.decimals(allow_nan=True)
    | st.floats(-300, 300)
    | st.integers(-10, 300)
)


@given(layouts(), st.data())
def test_what_is_mapped_is_what_was_given(
    layout: tuple[list[Field], int], data: st.DataObject
) -> None:
    fields, size = layout
    codec = FieldsCodec(fields, size, StructuredEvent(name="Speed"), "here")
    values = {field.name: data.draw(VALUES) for field in fields}
    octets = or_refusal(codec.encode, StructuredEvent(name="Speed", data=values))
    if isinstance(octets, InvalidEvent):
        assert octets.where.startswith("data.f")
        assert "fit" in octets.problem
        return
    found = codec.decode(octets).data
    for field in fields:
        given_: Any = values[field.name]
        got: Any = found[field.name]
        if field.floating:
            assert got == pytest.approx(float(given_), rel=1e-6, abs=1e-40)
        elif field.type == "double":
            assert abs(float(given_) - got) <= field.scale * 0.500001
        else:
            assert got == (given_.rstrip("\0") if isinstance(given_, str) else given_)


@given(layouts(), st.data())
def test_a_message_of_a_dbc_file_is_read_as_cantools_reads_it(
    layout: tuple[list[Field], int], data: st.DataObject
) -> None:
    fields, size = layout
    signals = [_signal(field) for field in fields if field.type != "string"]
    assume(signals)
    message = Message(1, "M", size, signals, strict=True)
    codec = _of_message(message, StructuredEvent(name="M"), "here")
    octets = data.draw(st.binary(min_size=size, max_size=size))
    theirs: Any = message.decode(octets, decode_choices=False)
    event = or_refusal(codec.decode, octets)
    if isinstance(event, InvalidEvent):
        assert not all(map(math.isfinite, theirs.values()))
        return
    assert dict(event.data) == pytest.approx(theirs)
    assert codec.encode(event) == message.encode(theirs, strict=False)


def _signal(field: Field) -> Signal:
    # A DBC file begins a big-endian field at its highest bit, numbered from the lowest.
    start = field.span.start ^ 7 if field.order == "big" else field.span.start
    whole = float(field.scale).is_integer() and float(field.offset).is_integer()
    scale: Any = int(field.scale) if whole else field.scale
    offset: Any = int(field.offset) if whole else field.offset
    return Signal(
        field.name,
        start,
        len(field.span),
        "big_endian" if field.order == "big" else "little_endian",
        field.signed,
        conversion=BaseConversion.factory(scale, offset, is_float=field.floating),
    )


@given(st.binary(max_size=60))
def test_octets_are_an_event_or_are_refused(octets: bytes) -> None:
    for codec in (WHOLE, FieldsCodec((), 3, StructuredEvent(), "")):
        assert isinstance(or_refusal(codec.decode, octets), StructuredEvent | TidingsError)


# Sampling.


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from("ab")), max_size=60))
def test_sampling_lets_the_latest_pass_in_its_time(came: list[tuple[int, str]]) -> None:
    sampler, now = Sampler(), 0
    passed: list[tuple[int, str, bytes]] = []
    channels = {name: Channel(name, OTHER, 1, CODEC, sample=50) for name in "ab"}

    def flush(until: int) -> None:
        while (wake := sampler.wake) is not None and wake <= until:
            passed.extend((wake, one.subject, octets) for one, octets in sampler.due(wake))

    latest: dict[str, bytes] = {}
    for number, (pause, name) in enumerate(came):
        flush(now + pause)
        now += pause
        latest[name] = bytes((number,))
        if sampler.passes(channels[name], latest[name], now):
            passed.append((now, name, latest[name]))
    flush(now + 50)
    for name in "ab":
        mine = [(time, octets) for time, subject, octets in passed if subject == name]
        assert all(b[0] - a[0] >= 50 for a, b in itertools.pairwise(mine))
        assert [octets for _, octets in mine] == sorted({octets for _, octets in mine})
        assert not mine or mine[-1][1] == latest[name]
        assert bool(mine) == (name in latest)
    assert len(passed) + sampler.skipped == len(came)
