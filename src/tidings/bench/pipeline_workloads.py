"""Workloads for matching in the pipeline: a data set shaped like an archive, and plans for it.

One data set serves both kinds of plans. Its events have the fields of W1 (`area`, `rate`) and of
W2 (`type`, `level`, `text`, `zones`, sometimes `urgent`), with the distributions that
`match_workloads` has; one event in twenty lacks a field. The columns are made by numpy and Arrow,
because ten million events one by one would take longer than everything that is measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from tidings.bench.match_workloads import AREAS, DOMAIN, KINDS, SYLLABLES, WORKLOADS, ZONES
from tidings.filters.constraint import accepted_constraint
from tidings.filters.plan import PlanChange, ProxyRule, Rule, Side
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.columns import EVENTS, schema_of

# Without their annotations, which cannot tell what an array holds.
pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

Mask: TypeAlias = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.int64]
Array: TypeAlias = Any
Present: TypeAlias = tuple[str, Array, Mask]
"""A field: its name, its values, and which rows have it."""

ORIGIN: Final = "0b" * 16
"""The origin of all events and plans."""

NAMES: Final = {
    "data_int": ("area",),
    "data_double": ("rate", "level"),
    "data_string": ("type", "text"),
    "data_bool": ("urgent",),
    "data_ints": ("zones",),
}
"""Which fields are in which columns, as the manifest of an archive lists them."""

_CHANNEL: Final = "bench"
_FIRST_US: Final = 1_704_067_200_000_000
_STEP_US: Final = 100
_FILE_ROWS: Final = 500_000
_GROUP_ROWS: Final = 128_000
_LACKING: Final = 0.05
_URGENT: Final = 0.2
_WORDS: Final = 6
_LACKED: Final = ("area", "rate", "type", "level", "text", "zones")


def plans(
    kind: Literal["equality", "W2", "W3"], subscriptions: int, seed: int = 1
) -> list[PlanRow]:
    """A plan of so many consumers, each with one constraint; equality stands for W1."""
    workload = WORKLOADS["W1" if kind == "equality" else kind]
    texts = workload.constraints(subscriptions, seed)
    rules = {
        proxy: ProxyRule(Side.CONSUMER, proxy, 0, Rule(filters=((accepted_constraint(text, ()),),)))
        for proxy, text in enumerate(texts, 1)
    }
    change = PlanChange(1, whole=True, proxies=rules)
    return [PlanRow(ORIGIN, _CHANNEL, 1, True, json.dumps(change_to_plain(change)), 0, 0)]


def write_events(folder: Path, events: int, seed: int = 1) -> list[Path]:
    """Writes a data set of events into `folder`; the paths of its files.

    The files stand in `events/date=…/hour=…` as an archive's do; there is no manifest.
    """
    random = np.random.default_rng(seed)
    written = []
    for number, first in enumerate(range(0, events, _FILE_ROWS), 1):
        rows = min(_FILE_ROWS, events - first)
        path = folder / _place(_FIRST_US + first * _STEP_US) / f"{number:012}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        table = _events(random, first, rows)
        pq.write_table(table, path, compression="zstd", row_group_size=_GROUP_ROWS)
        written.append(path)
    return written


def _place(time_us: int) -> str:
    moment = datetime.fromtimestamp(time_us // 1_000_000, UTC)
    return f"events/date={moment:%Y-%m-%d}/hour={moment:%H}"


def _events(random: np.random.Generator, first: int, rows: int) -> Array:
    lacks = np.where(random.random(rows) < _LACKING, random.integers(0, len(_LACKED), rows), -1)
    has = {name: lacks != place for place, name in enumerate(_LACKED)}
    has["urgent"] = random.random(rows) < _URGENT
    seqs = np.arange(first + 1, first + rows + 1)
    values: dict[str, Array] = {
        "area": pa.array(random.integers(0, AREAS, rows)),
        "rate": pa.array(random.uniform(0, DOMAIN, rows)),
        "type": pa.array([f"kind-{number}" for number in range(KINDS)]).take(
            pa.array(random.integers(0, KINDS, rows))
        ),
        "level": pa.array(random.uniform(0, DOMAIN, rows)),
        "text": _texts(random, rows),
        "urgent": pa.array(np.ones(rows, dtype=bool)),
    }
    zones = np.argpartition(random.random((rows, ZONES)), 3, axis=1)[:, :3].astype(np.int64)
    fields = {**values, "zones": _lists(zones)}
    filled: dict[str, Array] = {
        **_constants(rows),
        "seq": pa.array(seqs),
        "arrival_us": pa.array(_FIRST_US + (seqs - 1) * _STEP_US),
        "position": pa.array(seqs << 8),
        **{
            column: _map(rows, [(name, fields[name], has[name]) for name in names])
            for column, names in NAMES.items()
        },
        "raw": _raw(values, zones, has),
    }
    return _conformed(filled, rows)


def _constants(rows: int) -> dict[str, Array]:
    alike = {"origin": ORIGIN, "channel": _CHANNEL, "domain": "Telecom", "type": "Alarm"}
    made = {name: pa.repeat(pa.scalar(text), rows) for name, text in alike.items()}
    made["name"] = pa.repeat(pa.scalar("probe"), rows)
    made["plan"] = pa.repeat(pa.scalar(1, pa.int64()), rows)
    made["priority"] = pa.repeat(pa.scalar(0, pa.int16()), rows)
    made["carried"] = pa.repeat(pa.scalar(False), rows)
    return made


def _conformed(filled: Mapping[str, Array], rows: int) -> Array:
    """All columns of the archive: those not filled are null, or empty where there is no null."""
    schema = schema_of(EVENTS)
    columns = []
    for field in schema:
        column = filled.get(field.name)
        if column is None:
            column = pa.nulls(rows, field.type) if field.nullable else _empty(field.type, rows)
        columns.append(column.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _empty(type_: Array, rows: int) -> Array:
    offsets = pa.array([0] * (rows + 1), pa.int32())
    if pa.types.is_map(type_):
        keys, items = pa.array([], type_.key_type), pa.array([], type_.item_type)
        return pa.MapArray.from_arrays(offsets, keys, items)
    return pa.ListArray.from_arrays(offsets, pa.array([], type_.value_type))


def _texts(random: np.random.Generator, rows: int) -> Array:
    """Six words each, of two or three syllables."""
    words = [pa.array(["".join(w) for w in product(SYLLABLES, repeat=n)]) for n in (2, 3)]
    both = pa.concat_arrays(words)
    short, long = len(words[0]), len(words[1])
    drawn = []
    for _ in range(_WORDS):
        is_long = random.random(rows) < 0.5
        of_long = short + random.integers(0, long, rows)
        drawn.append(
            both.take(pa.array(np.where(is_long, of_long, random.integers(0, short, rows))))
        )
    return pc.binary_join_element_wise(*drawn, " ")


def _lists(elements: Integers) -> Array:
    rows, each = elements.shape
    offsets = np.arange(0, rows * each + 1, each, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(elements.reshape(-1)))


def _map(rows: int, fields: Sequence[Present]) -> Array:
    """A map of the fields that each row has."""
    present = np.stack([mask for _, _, mask in fields], axis=1)
    offsets = np.concatenate(([0], np.cumsum(present.sum(axis=1)))).astype(np.int32)
    # Row by row, field by field: where each entry is among the fields' values in a row.
    row_of, field_of = np.nonzero(present)
    names = pa.array([name for name, _, _ in fields]).take(pa.array(field_of))
    values = pa.concat_arrays([value for _, value, _ in fields])
    return pa.MapArray.from_arrays(
        pa.array(offsets), names, values.take(pa.array(field_of * rows + row_of))
    )


def _raw(
    values: Mapping[str, Array],
    zones: Integers,
    has: Mapping[str, Mask],
) -> Array:
    """The events in typed JSON."""
    columns = [pa.array(zones[:, place]).cast(pa.string()) for place in range(zones.shape[1])]
    listed = pc.binary_join_element_wise("[", pc.binary_join_element_wise(*columns, ","), "]", "")
    shown = {
        name: value.cast(pa.string())
        for name, value in values.items()
        if not pa.types.is_string(value.type)
    }
    for name in ("type", "text"):
        shown[name] = pc.binary_join_element_wise('"', values[name], '"', "")
    members = [
        pc.if_else(pa.array(has[name]), pc.binary_join_element_wise(f'"{name}":', text, ""), None)
        for name, text in {**shown, "zones": listed}.items()
    ]
    joined = pc.binary_join_element_wise(*members, ",", null_handling="skip")
    head = '{"domain":"Telecom","type":"Alarm","name":"probe","data":{'
    return pc.binary_join_element_wise(head, joined, "}}", "").cast(pa.binary())
