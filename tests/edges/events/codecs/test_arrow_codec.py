"""The Arrow codec: columns of a batch, and what is no batch."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pytest

from tidings.errors import InvalidEvent, LimitExceeded, MissingExtra, TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.codecs import arrow_codec
from tidings.events.codecs.arrow_codec import (
    arrow_schema,
    from_record_batch,
    to_record_batch,
)
from tidings.events.codecs.json_codec import encode_event
from tidings.events.envelope import Envelope, ProducerMark, TraceContext

ORIGIN = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"
SEVERITY = tc.enum("IDL:S:1.0", "Severity", ["minor", "major"])
DATA = {
    "n": 7, "short": Any(tc.SHORT, -1), "edge": 2**63 - 1, "beyond": 2**63, "r": 0.5,
    "boxed": Any(tc.ANY, 8), "nan": math.nan, "s": "é", "wide": Any(tc.wstring(), "w"), "b": True,
    "char": Any(tc.CHAR, "c"), "enum": Any(SEVERITY, "major"), "dec": Decimal("1.5"), "seq": [1],
    "empty": [], "reals": [0.5, 2.5], "texts": ["a", "é"], "truths": [True, False],
    "mixed": [1, 0.5], "huge": [1, 2**63], "chars": Any(tc.sequence(tc.CHAR), ("c",)),
    "octets": b"ab", "record": {"a": 1}, "nothing": None,
}  # fmt: skip
HEADER = {"route": "north", "list": [1]}
RICH = Envelope(
    event("Traffic", "Speed", "car-7", DATA, priority=4, header=HEADER),
    *(ORIGIN, 42, -5, 7, ProducerMark("cam", 9), (ORIGIN, "f" * 32)),
    TraceContext(TRACEPARENT, "a=1"),
)
BARE = Envelope(event("", ""), ORIGIN, 1, 0)


def test_the_columns() -> None:
    batch = to_record_batch([RICH, BARE])
    assert batch.schema == arrow_schema()
    batch.validate(full=True)
    rich, bare = batch.to_pylist(maps_as_pydicts="strict")
    assert math.isnan(rich["data_double"].pop("nan"))
    assert rich == {
        "origin": ORIGIN, "seq": 42, "arrival_us": -5, "plan": 7, "domain": "Traffic",
        "type": "Speed", "name": "car-7", "priority": 4, "producer": "cam", "number": 9,
        "hops": [ORIGIN, "f" * 32], "traceparent": TRACEPARENT, "tracestate": "a=1",
        "header_int": {"Priority": 4}, "header_double": {}, "header_string": {"route": "north"},
        "header_bool": {}, "data_int": {"n": 7, "short": -1, "edge": 2**63 - 1, "boxed": 8},
        "data_double": {"r": 0.5}, "data_string": {"s": "é", "wide": "w"},
        "data_bool": {"b": True}, "data_ints": {"seq": [1], "empty": []},
        "data_doubles": {"reals": [0.5, 2.5]}, "data_strings": {"texts": ["a", "é"]},
        "data_bools": {"truths": [True, False]}, "header_other": ["list"],
        "data_other": ["beyond", "char", "enum", "dec", "mixed", "huge", "chars", "octets",
                       "record", "nothing"],
        "raw": encode_event(RICH.event),
    }  # fmt: skip
    assert [name for name, value in bare.items() if value is None] == [
        *("priority", "producer", "number", "traceparent", "tracestate")
    ]


def changed(name: str, values: list[object], type_: pa.DataType | None = None) -> pa.RecordBatch:
    batch = to_record_batch([BARE, BARE])
    at = batch.schema.get_field_index(name)
    return batch.set_column(at, name, pa.array(values, type_))


@pytest.mark.parametrize(
    ("batch", "says"),
    [
        (
            lambda: to_record_batch([BARE]).drop_columns(["raw", "seq"]),
            "lacks the columns seq, raw",
        ),
        (lambda: changed("raw", [b"{}", b"{}"]), r"row\[0\].raw.domain: an event needs a domain"),
        (lambda: changed("raw", ["{}", "{}"]), r"row\[0\].raw: must be octets"),
        (lambda: changed("seq", [1, 0]), r"row\[1\].seq: 0 is not between"),
        (lambda: changed("seq", [1.0, 2.0]), r"row\[0\].seq: must be an integer, not 1.0"),
        (lambda: changed("seq", [1, None]), r"row\[1\].seq: must be an integer, not nothing"),
        (lambda: changed("origin", ["x", "x"]), r"row\[0\].origin"),
        (lambda: changed("producer", ["p", "p"]), r"row\[0\].number: must be"),
        (lambda: changed("hops", [[1], []]), r"row\[0\].hops\[0\]: must be a text"),
        (lambda: changed("traceparent", ["x", "x"]), r"row\[0\].traceparent: "),
    ],
)
def test_what_is_no_batch(batch: Callable[[], pa.RecordBatch], says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        from_record_batch(batch())


def decoded(octets: bytes) -> list[Envelope]:
    """The envelopes of an Arrow IPC stream."""
    try:
        with pa.ipc.open_stream(octets) as reader:
            batches = list(reader)
        for batch in batches:
            batch.validate(full=True)
    except (pa.ArrowException, OSError):
        return []
    return [envelope for batch in batches for envelope in from_record_batch(batch)]


def test_damaged_octets_are_envelopes_or_refused() -> None:
    sink, batch = pa.BufferOutputStream(), to_record_batch([RICH, BARE])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    octets = sink.getvalue().to_pybytes()
    assert decoded(octets) == [RICH, BARE]
    chance = random.Random(7)
    for _ in range(1_500):
        damaged = bytearray(octets)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        try:
            found = decoded(bytes(damaged))
        except TidingsError:
            continue
        assert all(isinstance(envelope, Envelope) for envelope in found)


def test_a_batch_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_codec, "MAX_BATCH_OCTETS", 100)
    assert len(to_record_batch([BARE] * 4)) == 4
    with pytest.raises(LimitExceeded, match="more than 100 octets"):
        to_record_batch([BARE] * 5)


@pytest.mark.parametrize("use", [arrow_schema, lambda: to_record_batch([])])
def test_pyarrow_may_be_missing(use: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install tidings\[arrow\]"):
        use()
