"""How urgent an event is for one consumer, and until when it is worth something to it.

The event says both itself. A consumer's own settings of quality of service count where the event
and its supplier say nothing; a mapping filter that matches goes before all of them. This is
`channel/lifetimes.py view_of`, as SQL over the columns of the archive and as Python over an event.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

from tidings.clock import from_timebase
from tidings.events.anyvalue import Value
from tidings.events.fields import Fields, plain
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import MappingRule, PlanOptions
from tidings.filters.to_spark.columns import ARCHIVE
from tidings.filters.to_spark.event_types import type_expression
from tidings.filters.to_spark.translate import expressions_of
from tidings.pipeline.matching.book import Span, Unit
from tidings.pipeline.matching.events import ExtractedColumns

_NO_LIFETIME: Final = "CAST(NULL AS BIGINT)"


class ObjectRecord(Protocol):
    """A row of the archive's objects, as far as consumers' settings need it."""

    @property
    def origin(self) -> str:
        """The channel's."""

    @property
    def object(self) -> str:
        """What it is: `channel` or `proxy`."""

    @property
    def id(self) -> int:
        """Which one."""

    @property
    def state(self) -> str | None:
        """The JSON of its state; None if it is gone."""

    @property
    def position(self) -> int:
        """Where in the journal it stands."""


class Qos(NamedTuple):
    """Settings of a consumer that change what it sees."""

    priority: int = 0
    timeout: int = 0
    stops: bool = True


_USUAL: Final = Qos()

QosBook: TypeAlias = Mapping[tuple[str, int], Sequence[tuple[Span, Qos]]]
"""By origin and proxy: over which positions of the journal a proxy had which settings."""


def qos_book(rows: Iterable[ObjectRecord]) -> QosBook:
    """The settings of all proxies that differ from the usual ones at any time."""
    found: dict[tuple[str, int], list[tuple[int, Qos]]] = {}
    for row in sorted(rows, key=lambda row: row.position):
        if row.object != "proxy" or row.state is None:
            continue
        qos = json.loads(row.state).get("qos", {})
        said = Qos(
            qos.get("Priority", 0), qos.get("Timeout", 0), bool(qos.get("StopTimeSupported", True))
        )
        known = found.setdefault((row.origin, row.id), [])
        if not known or known[-1][1] != said:
            known.append((row.position if known else 0, said))
    return {
        key: [
            (Span(start, known[at + 1][0] if at + 1 < len(known) else None), qos)
            for at, (start, qos) in enumerate(known)
        ]
        for key, known in found.items()
        if any(qos != _USUAL for _, qos in known)
    }


@dataclass(frozen=True, slots=True)
class View:
    """What makes an event look different to a consumer."""

    priority: MappingRule | None = None
    lifetime: MappingRule | None = None
    default_always: bool = False
    qos: Qos = _USUAL

    def constraints(self) -> list[Constraint]:
        """The constraints of its mapping filters."""
        rules = (rule for rule in (self.priority, self.lifetime) if rule is not None)
        return [mapped.constraint for rule in rules for mapped in rule.best_first]

    def decide(
        self, event: StructuredEvent, fields: Fields, own: Mapping[str, int | None]
    ) -> tuple[int, int | None]:
        """Priority and deadline of an event that has `priority`, `expiry_us` and `arrival_us`."""
        options = PlanOptions(mapping_default_always=self.default_always)
        priority, arrival = own["priority"], own["arrival_us"]
        assert priority is not None
        assert arrival is not None
        own_priority = plain(event.header["Priority"]) if "Priority" in event.header else None
        says_priority = type(own_priority) is int and own_priority == priority
        if self.priority is not None:
            priority = self.priority.value(fields, priority if says_priority else None, options)
        elif not says_priority and not priority:
            priority = self.qos.priority
        return priority, self._deadline(event, fields, own["expiry_us"], arrival)

    @property
    def ends_otherwise(self) -> bool:
        """Whether the deadline can be another one than the event's own."""
        return self.lifetime is not None or self.qos.timeout != 0 or not self.qos.stops

    def _deadline(
        self, event: StructuredEvent, fields: Fields, expiry: int | None, arrival: int
    ) -> int | None:
        if not self.ends_otherwise:
            return expiry
        stop = _stop_time(event)
        if stop is not None and (expiry is None or expiry > stop):
            stop = None  # the supplier's proxy did not take it
        said = plain(event.header["Timeout"]) if "Timeout" in event.header else None
        own = said if type(said) is int and said >= 0 else None
        if self.lifetime is not None:
            options = PlanOptions(mapping_default_always=self.default_always)
            timeout = self.lifetime.value(fields, own, options)
        elif own is not None:
            timeout = own
        else:
            inherited = 0 if expiry is None or expiry == stop else (expiry - arrival) * 10
            timeout = inherited or self.qos.timeout
        ends = arrival + timeout // 10 if timeout else None
        if stop is not None and self.qos.stops and (ends is None or stop < ends):
            return stop
        return ends


def _stop_time(event: StructuredEvent) -> int | None:
    """When an event's StopTime ends it, microseconds since 1970."""
    value = event.header.get("StopTime")
    inside = getattr(value, "value", value)
    units = inside[0] if isinstance(inside, tuple) and inside else inside
    return from_timebase(units) if type(units) is int else None


OWN: Final = View()
"""The event as it is."""


def views_of(unit: Unit, qos: QosBook) -> list[tuple[Span | None, View]]:
    """How a unit sees events, over which positions of the journal; None for all."""
    priority, lifetime = _alike(unit.mapping("priority")), _alike(unit.mapping("lifetime"))
    mapped = priority is not None or lifetime is not None
    always = mapped and unit.options.mapping_default_always
    known = qos.get((unit.origin, unit.proxy))
    if known is None:
        return [(None, View(priority, lifetime, always))]
    if len(known) == 1:
        return [(None, View(priority, lifetime, always, known[0][1]))]
    return [(span, View(priority, lifetime, always, said)) for span, said in known]


def _alike(rule: MappingRule | None) -> MappingRule | None:
    """The rule with plain integers: rules that say the same are then equal, and one view."""
    if rule is None:
        return None
    mapped = (MappedConstraint(one.constraint, _integer(one.value)) for one in rule.best_first)
    return MappingRule(_integer(rule.default), tuple(mapped))


def _integer(value: Value) -> int:
    found = plain(value)
    assert isinstance(found, int)
    return found


def priority_sql(view: View, columns: ExtractedColumns) -> str:
    """The priority of an event in a view."""
    said = f"coalesce({_header(columns, 'Priority')} = e_priority, FALSE)"
    rule = view.priority
    if rule is None:
        if not view.qos.priority:
            return "e_priority"
        unsaid = f"NOT {said} AND e_priority = 0"
        return f"CASE WHEN {unsaid} THEN {view.qos.priority} ELSE e_priority END"
    default = str(plain(rule.default))
    if not view.default_always:
        default = f"CASE WHEN {said} THEN e_priority ELSE {default} END"
    return _mapped(rule, columns, str, default)


def deadline_sql(view: View, columns: ExtractedColumns) -> str:
    """The deadline of an event in a view; one with a StopTime only where that changes nothing."""
    said = _header(columns, "Timeout")
    rule = view.lifetime
    if rule is None:
        if not view.qos.timeout:
            return "e_expiry_us"
        usual = f"coalesce(e_expiry_us, e_arrival_us + {_lifetime(view.qos.timeout)})"
        return f"CASE WHEN {said} >= 0 THEN e_expiry_us ELSE {usual} END"
    default = _lifetime(plain(rule.default))
    if not view.default_always:
        own = f"CASE WHEN {said} = 0 THEN NULL ELSE {said} DIV 10 END"
        default = f"CASE WHEN {said} >= 0 THEN {own} ELSE {default} END"
    return f"e_arrival_us + ({_mapped(rule, columns, _lifetime, default)})"


def _header(columns: ExtractedColumns, name: str) -> str:
    if not columns.occurring.in_map("header_int", name):
        return "CAST(NULL AS BIGINT)"
    return columns.take(ARCHIVE.lookup("header_int", name))


def _lifetime(units: object) -> str:
    assert isinstance(units, int)
    return f"{units // 10}L" if units else _NO_LIFETIME


def _mapped(
    rule: MappingRule, columns: ExtractedColumns, shown: Callable[[object], str], default: str
) -> str:
    if not rule.best_first:
        return default
    parts = []
    for mapped in rule.best_first:
        tests = [expressions_of(mapped.constraint.tree, columns).native]
        of_type = type_expression(mapped.constraint.event_types, columns)
        if of_type is not None:
            tests.insert(0, of_type)
        parts.append(f"WHEN {' AND '.join(tests)} THEN {shown(plain(mapped.value))}")
    return f"CASE {' '.join(parts)} ELSE {default} END"
