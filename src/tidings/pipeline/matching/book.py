"""All plans of an archive, as units: one consumer's rules over a range of versions.

An event is judged by the version of the plan it carries. Few consumers change from one version to
the next, so a book holds each consumer's rules once per range of versions in which they stayed the
same, not one plan per version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from tidings.errors import TidingsError
from tidings.filters.limits import ConstraintLimits
from tidings.filters.plan import AdminRule, Plan, PlanChange, PlanOptions, ProxyRule, Side
from tidings.filters.plan_form import SharedConstraints, change_from_plain

ACCEPTED: Final = ConstraintLimits(octets=2**31, depth=300, steps=10_000, nodes=2**31)
"""Archived plans were accepted under limits that may have been wider than the usual ones."""
_Content: TypeAlias = tuple[AdminRule, ProxyRule, PlanOptions]


class PlanRow(NamedTuple):
    """An archived change of a channel's plan."""

    origin: str
    channel: str
    version: int
    whole: bool
    change: str
    at_us: int
    position: int


@dataclass(frozen=True, slots=True)
class Span:
    """A range of versions without `end`; open if `end` is None."""

    start: int
    end: int | None = None

    def __contains__(self, version: object) -> bool:
        return (
            isinstance(version, int)
            and version >= self.start
            and (self.end is None or version < self.end)
        )


@dataclass(frozen=True, slots=True)
class Unit:
    """One consumer's rules over a range of versions."""

    id: int  # number in the book
    origin: str
    span: Span
    admin: AdminRule
    rule: ProxyRule
    options: PlanOptions  # interpretation of the standard

    @property
    def proxy(self) -> int:
        """The consumer's id."""
        return self.rule.proxy


@dataclass(frozen=True, slots=True)
class PlanBook:
    """The units of all channels."""

    units: tuple[Unit, ...]
    # Versions with a known plan, by origin. An event with another version matches nothing.
    known: Mapping[str, tuple[Span, ...]]
    problems: tuple[str, ...] = ()  # why some versions are unknown, one line each

    @classmethod
    def from_rows(cls, rows: Iterable[PlanRow]) -> PlanBook:
        """Build a book from archived plan rows, in any order.

        Changes that are unreadable or follow no known version are reported in `problems`; versions
        are unknown from there up to the next whole plan.
        """
        shared = SharedConstraints()
        volumes: dict[str, _Volume] = {}
        for row in sorted(rows, key=lambda row: (row.origin, row.position, row.version)):
            volume = volumes.setdefault(row.origin, _Volume(row.origin))
            try:
                change = change_from_plain(json.loads(row.change), ACCEPTED, shared)
            except (TidingsError, ValueError) as error:
                volume.unknown_from(row.version, f"version {row.version} cannot be read: {error}")
                continue
            volume.take(change)
        units = (unit for volume in volumes.values() for unit in volume.units())
        return cls(
            tuple(Unit(number, *unit) for number, unit in enumerate(units)),
            {origin: tuple(volume.spans()) for origin, volume in volumes.items()},
            tuple(told for volume in volumes.values() for told in volume.problems),
        )

    def knows(self, origin: str, version: int) -> bool:
        """Whether the plan of a version is known."""
        return any(version in span for span in self.known.get(origin, ()))


_Made: TypeAlias = tuple[str, Span, AdminRule, ProxyRule, PlanOptions]


class _Volume:
    """The plans of one channel, version by version."""

    def __init__(self, origin: str) -> None:
        self.problems: list[str] = []
        self._origin = origin
        self._plan: Plan | None = Plan()
        self._since = 0  # first version of the current known range
        self._open: dict[int, tuple[int, _Content]] = {}
        self._closed: list[_Made] = []
        self._spans: list[Span] = []

    def take(self, change: PlanChange) -> None:
        before, version = self._plan, change.version
        if change.whole:
            if before is None:
                self._since = version
            elif version < before.version:
                return  # a rewritten copy of an older plan
            self._plan = Plan().apply(change)
            self._refresh(version, set(self._open) | set(self._plan.proxies))
            return
        if before is None or version <= before.version:
            return  # no known base version, or a rewritten copy
        if version != before.version + 1:
            first = before.version + 1
            self.unknown_from(first, f"versions {first} to {version - 1} are missing")
            return
        self._plan = before.apply(change)
        self._refresh(version, self._touched(change, self._plan))

    @staticmethod
    def _touched(change: PlanChange, plan: Plan) -> set[int]:
        if change.options is not None:
            return set(plan.proxies) | set(change.proxies)
        return set(change.proxies) | {
            proxy
            for proxy, rule in plan.proxies.items()
            if (rule.side, rule.admin) in change.admins
        }

    def _refresh(self, version: int, proxies: Iterable[int]) -> None:
        """Close the units that a version changes, and open new ones."""
        plan = self._plan
        assert plan is not None
        for proxy in proxies:
            rule = plan.proxies.get(proxy)
            content: _Content | None = None
            if rule is not None and rule.side is Side.CONSUMER:
                admin = plan.admins.get((rule.side, rule.admin))
                content = admin or AdminRule(rule.side, rule.admin), rule, plan.options
            current = self._open.get(proxy)
            if current is not None and current[1] == content:
                continue
            self._close(proxy, version)
            if content is not None:
                self._open[proxy] = version, content

    def _close(self, proxy: int, version: int) -> None:
        found = self._open.pop(proxy, None)
        if found is not None and found[0] < version:
            self._closed.append((self._origin, Span(found[0], version), *found[1]))

    def unknown_from(self, version: int, problem: str) -> None:
        """Mark versions as unknown up to the next whole plan."""
        self.problems.append(f"channel {self._origin}: {problem}")
        if self._plan is None:
            return
        for proxy in list(self._open):
            self._close(proxy, version)
        if self._since < version:
            self._spans.append(Span(self._since, version))
        self._plan = None

    def units(self) -> Iterator[_Made]:
        yield from self._closed
        for start, content in self._open.values():
            yield self._origin, Span(start), *content

    def spans(self) -> Iterator[Span]:
        yield from self._spans
        if self._plan is not None:
            yield Span(self._since)
