"""Steered pairs of constraint and event for Spark: rows as the archive has them, and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pyarrow as pa
from msgspec.structs import replace

from tests.laws.filter_events import (
    DATA,
    KIND_NAMES,
    NOW,
    PATHS,
    Scene,
    draw_event,
    kind_of,
)
from tests.laws.filter_trees import draw_tree
from tidings.events.build import event
from tidings.events.codecs.arrow_codec import BARE, PropertyColumns
from tidings.events.codecs.json_codec import encode_event
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.paths import Path
from tidings.events.structured import StructuredEvent
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.scan import scan
from tidings.filters.to_spark.columns import Occurring
from tidings.filters.to_spark.native import native_reason
from tidings.filters.tree import (
    INFIXES,
    And,
    Arithmetic,
    Boolean,
    Component,
    Exist,
    Greater,
    In,
    Integer,
    Node,
    Not,
    Or,
)

_SPELLINGS = """
$.filterable_data(rate) $.1(host) $filterable_data(tags) $filterable_data(open) $.1(sev)
$header.variable_header(up) $variable_header(Priority) $.0.1(up) $.filterable_data(price)
$.header.fixed_header.event_name $header.fixed_header.event_type.type_name $.0.0.0.0
$event_type.domain_name $fixed_header.1 $fixed_header $ $event_type $curtime.0 $curtime.tdf
$._repos_id $header._type_id $.header.nobody $curtime.nobody $.7
"""
SPELLINGS: tuple[Path, ...] = tuple(
    token.value for token in scan(_SPELLINGS, DEFAULT_LIMITS) if isinstance(token.value, Path)
)
NATIVE_PATHS = (
    *(path for path in PATHS if native_reason(Component(path)) is None),
    *SPELLINGS,
)


class NativeScene(Scene):
    """An event whose places are those that a column can show."""

    def __init__(self, event: StructuredEvent) -> None:
        super().__init__(event)
        for places in self.places.values():
            places.clear()
        for path in NATIVE_PATHS:
            self.places[kind_of(self.fields[path])].append(path)

    def place(self, rng: Random, kind: str) -> Path:
        """A path to a value of this kind, or to any if there is none."""
        return rng.choice(self.places[kind] or NATIVE_PATHS)


def draw_native_scene(rng: Random) -> NativeScene:
    """An event; in some, names of the data stand in the header too, with values of any kind."""
    drawn = draw_event(rng)
    if rng.random() < 0.4:
        extra = {
            name: rng.choice(tuple(DATA.values()))(rng) for name in rng.sample(sorted(DATA), 4)
        }
        drawn = replace(drawn, header={**drawn.header, **event("", "", "", extra).data})
    return NativeScene(drawn)


def draw_native_tree(rng: Random, scene: Scene) -> Node:
    """A tree that can be an expression."""
    while True:
        tree = draw_tree(rng, scene)
        if native_reason(tree) is None:
            return tree


def directed_trees(rng: Random, scenes: Sequence[Scene]) -> Iterator[Node]:
    """Every operator with every kind on either side, as the fields usually are."""

    def field(kind: str) -> Component:
        counts = Counter(path for scene in scenes for path in scene.places[kind])
        most = max(counts.values())
        return Component(rng.choice([path for path, count in counts.items() if 2 * count > most]))

    for at, kind in enumerate(KIND_NAMES):
        other = KIND_NAMES[(at + rng.randrange(3)) % len(KIND_NAMES)]
        for made in INFIXES:
            pair = made(field(kind), field(other)), made(field(other), field(kind))
            for tree in pair:
                yield Greater(tree, Integer(1)) if isinstance(tree, Arithmetic) else tree
        yield Not(field(kind))
        yield And((field(kind), Boolean(True)))
        yield Or((Boolean(False), field(kind)))
        yield Exist(field(kind).path)
        yield In(field(kind), field("sequence").path)
        yield In(field(kind), Path("tags"))
        yield In(Integer(7), field(kind).path)


def event_rows(events: Sequence[StructuredEvent], arrival: int = NOW) -> pa.Table:
    """Events as rows of the archive, with the columns that constraints are asked of."""
    header, data = PropertyColumns("header"), PropertyColumns("data")
    for one in events:
        header.add({} if is_any(one) else one.header)
        data.add({} if is_any(one) else one.data)
    return pa.table(
        {
            "seq": pa.array(range(len(events)), pa.int64()),
            "arrival_us": pa.array([arrival] * len(events), pa.int64()),
            "domain": pa.array([one.domain for one in events]),
            "type": pa.array([one.type for one in events]),
            "name": pa.array([one.name for one in events]),
            **header.arrays(),
            **data.arrays(),
            "raw": pa.array([encode_event(one) for one in events], pa.binary()),
        }
    )


def occurring_of(rows: pa.Table) -> Occurring:
    """What rows have, as the manifest of an archive tells it."""
    names: dict[str, set[str]] = {}
    for row in rows.to_pylist(maps_as_pydicts="strict"):
        for column, held in row.items():
            if column.startswith(("header_", "data_")) and held:
                names.setdefault(column, set()).update(held)
        if (row["domain"], row["type"]) == ANY_EVENT_TYPE:
            names.setdefault("data_other", set()).add(BARE)
    others = names.pop("header_other", set()) | names.pop("data_other", set())
    return Occurring(names, others)


def groups_of(items: Sequence[Node], size: int) -> Iterator[Sequence[Node]]:
    """Items a few at a time: one query with too many expressions takes very long to compile."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
