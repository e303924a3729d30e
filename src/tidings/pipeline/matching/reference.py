"""Matching by the reference in Arrow batches, for units and events that the table cannot hold.

Executors receive the rules as plain data. Each process indexes the constraints, so that many units
cost little more than those an event matches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import pyarrow as pa

from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import Fields, fields_for
from tidings.filters.constraint import Constraint
from tidings.filters.index import MatchIndex
from tidings.filters.plan import Operator, PlanChange, Rule
from tidings.filters.plan_form import SharedConstraints, change_from_plain, change_to_plain
from tidings.pipeline.matching.book import ACCEPTED, Span, Unit

_Batches: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
_Types: TypeAlias = tuple[Any, ...]

MATCHED: Final = pa.schema(
    [  # type: ignore[arg-type]
        pa.field("origin", pa.string(), nullable=False),
        pa.field("seq", pa.int64(), nullable=False),
        pa.field("proxy", pa.int32(), nullable=False),
        pa.field("position", pa.int64(), nullable=False),
    ]
)
"""Schema of the results."""


def judge_batches(always: Iterable[Unit], odd: Iterable[Unit]) -> _Batches:
    """Return a function for `mapInArrow` that yields the consumers of events.

    It maps batches with the columns `raw`, `odd`, `origin`, `seq`, `plan`, `arrival_us` and
    `position` to batches of `MATCHED`. Units of `odd` apply only to events whose column `odd` is
    true.
    """
    texts = [json.dumps([_unit_to_plain(unit) for unit in units]) for units in (always, odd)]

    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        asked, asked_if_odd = map(_judge, texts)
        for batch in batches:
            found: list[dict[str, object]] = []
            for row in batch.to_pylist():
                fields = fields_for(decode_event(row["raw"]), row["arrival_us"])
                for judge in (asked, asked_if_odd) if row["odd"] else (asked,):
                    kept = {name: row[name] for name in ("origin", "seq", "position")}
                    found += [
                        {**kept, "proxy": unit.proxy}
                        for unit in judge.passing(fields, row["origin"], row["plan"])
                    ]
            yield pa.RecordBatch.from_pylist(found, schema=MATCHED)

    return judge


def _unit_to_plain(unit: Unit) -> list[object]:
    admin, proxy = unit.admin, unit.rule
    admins, proxies = {(admin.side, admin.admin): admin}, {proxy.proxy: proxy}
    change = PlanChange(unit.span.start, True, unit.options, admins, proxies)
    return [unit.origin, unit.span.end, change_to_plain(change)]


class _Judged(NamedTuple):
    proxy: int
    span: Span
    types: tuple[_Types, ...]
    needs: tuple[int, ...]  # numbers of groups, all of which must match


@lru_cache(maxsize=8)
def _judge(text: str) -> _Judge:
    shared = SharedConstraints()
    judge = _Judge()
    for origin, end, plain in json.loads(text):
        change = change_from_plain(plain, ACCEPTED, shared)
        (admin,) = change.admins.values()
        (proxy,) = change.proxies.values()
        assert admin is not None
        assert proxy is not None
        assert change.options is not None
        judge.add(Unit(0, origin, Span(change.version, end), admin, proxy, change.options))
    return judge


class _Judge:
    """Units indexed by their constraints."""

    def __init__(self) -> None:
        self._index: MatchIndex[int] = MatchIndex()
        self._groups: dict[tuple[Constraint, ...], int] = {}
        self._always: dict[str, list[_Judged]] = {}
        self._by_group: dict[int, dict[str, list[_Judged]]] = {}

    def add(self, unit: Unit) -> None:
        lists = tuple(rule.types for rule in (unit.admin.rule, unit.rule.rule) if rule.types)
        fence = (self._number(unit.rule.fence),) if unit.rule.fence else ()
        for way in self._ways(unit):
            needs = (*fence, *way)
            made = _Judged(unit.proxy, unit.span, lists, needs)
            home = self._by_group.setdefault(needs[-1], {}) if needs else self._always
            home.setdefault(unit.origin, []).append(made)

    def _ways(self, unit: Unit) -> list[tuple[int, ...]]:
        """Return alternatives, each a list of groups of constraints that must all match."""
        rules = (unit.admin.rule, unit.rule.rule)
        either = unit.admin.operator is Operator.OR
        shared, own = (self._group(rule, unit) for rule in rules)
        has_none = not all(rule.filters for rule in rules)
        if has_none and either and not unit.options.empty_group_is_neutral:
            return [()]
        if either and not has_none:
            return [()] if shared is None or own is None else [(shared,), (own,)]
        return [tuple(group for group in (shared, own) if group is not None)]

    def _group(self, rule: Rule, unit: Unit) -> int | None:
        """Return the number of a rule's group of filters; None if everything passes."""
        empty = unit.options.empty_filter_passes and not all(rule.filters)
        if not rule.filters or empty:
            return None
        return self._number(one for filter_ in rule.filters for one in filter_)

    def _number(self, constraints: Iterable[Constraint]) -> int:
        """Return the number of a group of constraints of which one must match."""
        asked = tuple(dict.fromkeys(constraints))
        number = self._groups.get(asked)
        if number is None:
            number = self._groups[asked] = len(self._groups)
            if asked:  # an empty group never matches
                self._index.add(number, asked)
        return number

    def passing(self, fields: Fields, origin: str, version: int) -> Iterator[_Judged]:
        """Yield the units that an event passes, each once."""
        domain, type_ = fields.event_type
        matched = set(self._index.match(fields))
        found: dict[int, _Judged] = {}
        homes = [self._always, *(self._by_group.get(number, {}) for number in matched)]
        for home in homes:
            for unit in home.get(origin, ()):
                if (
                    version in unit.span
                    and matched.issuperset(unit.needs)
                    and all(any(p.matches(domain, type_) for p in one) for one in unit.types)
                ):
                    found[unit.proxy] = unit
        yield from found.values()
