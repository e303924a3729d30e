"""What principals may do, found out once and remembered until that changes.

A check costs the same with ten thousand grants as with ten: the first one on a channel looks at the
grants that name the channel or a pattern, and those after it at what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias, TypeVar

from tidings.filters.constraint import Constraint, wildcard_match
from tidings.grants.model import Grant, Verb

_K = TypeVar("_K")

MOST_REMEMBERED: Final = 20_000
"""Pairs of principal and channel; some 20 MB."""


class Anywhere(Enum):
    """Stands for a channel: is something allowed on any at all?"""

    ANYWHERE = "anywhere"


Where: TypeAlias = str | Anywhere | None
"""The name of a channel; None for the service."""


@dataclass(frozen=True, slots=True)
class Permission:
    """What a principal may do with a verb on a channel.

    Attributes:
        fence: Events must match one of these; empty for all events.
    """

    fence: tuple[Constraint, ...] = ()


@dataclass(slots=True)
class Decision:
    """What one principal may do on one channel.

    Attributes:
        permissions: What each verb allows; verbs that allow nothing are missing.
        allowed_by: The grants that say so.
        until: When the first of the grants that were looked at ends; None for never.
        noted: When the use of those grants was noted last.
    """

    permissions: dict[Verb, Permission] = field(default_factory=dict)
    allowed_by: dict[Verb, tuple[int, ...]] = field(default_factory=dict)
    until: int | None = None
    noted: dict[Verb, int] = field(default_factory=dict)


def decide(grants: Iterable[Grant], fences: Mapping[int, Constraint | None]) -> Decision:
    """Return what grants allow together: one without a fence lifts those of the others."""
    made = Decision()
    for grant in sorted(grants, key=lambda one: one.id):
        end = grant.expires_at
        if end is not None and (made.until is None or end < made.until):
            made.until = end
        fence = fences[grant.id]
        for verb in grant.verbs:
            before = made.permissions.get(verb)
            if before is not None and not before.fence:
                continue
            if fence is None:
                made.permissions[verb] = Permission()
                made.allowed_by[verb] = (grant.id,)
            else:
                told = () if before is None else before.fence
                made.permissions[verb] = Permission((*told, fence))
                made.allowed_by[verb] = (*made.allowed_by.get(verb, ()), grant.id)
    return made


class Decisions:
    """Remembers decisions, at most `MOST_REMEMBERED`."""

    def __init__(self, found_out: Callable[[str, Where, int], Decision]) -> None:
        self._found_out = found_out
        self._kept: dict[tuple[str, Where], Decision] = {}

    def of(self, principal: str, where: Where, now: int) -> Decision:
        """Return what a principal may do somewhere."""
        key = (principal, where)
        found = self._kept.get(key)
        if found is None or (found.until is not None and now >= found.until):
            if len(self._kept) >= MOST_REMEMBERED:
                self._kept.clear()
            found = self._kept[key] = self._found_out(principal, where, now)
        return found

    def forget(self) -> None:
        """Forget everything: something was granted, or taken back."""
        self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


class GrantIndex:
    """The numbers of grants, by whom they are to and the channels they name."""

    def __init__(self) -> None:
        self._to: dict[str, set[int]] = {}
        self._named: dict[tuple[str, str], set[int]] = {}
        self._others: dict[str, dict[int, tuple[str, ...]]] = {}  # on patterns, or the service

    def to(self, whom: str) -> list[int]:
        """Return all grants to a principal or role, in order."""
        return sorted(self._to.get(whom, ()))

    def on(self, whom: str, where: Where) -> Iterator[int]:
        """Yield the grants to a principal or role that are about a channel, or the service."""
        if where is Anywhere.ANYWHERE:
            yield from self._to.get(whom, ())
            return
        for id, patterns in self._others.get(whom, {}).items():
            if not patterns or (
                where is not None and any(wildcard_match(one, where) for one in patterns)
            ):
                yield id
        if where is not None:
            yield from self._named.get((whom, where), ())

    def add(self, grant: Grant) -> None:
        """Add a grant."""
        self._to.setdefault(grant.to, set()).add(grant.id)
        if _is_named(grant):
            for name in grant.channels:
                self._named.setdefault((grant.to, name), set()).add(grant.id)
        else:
            self._others.setdefault(grant.to, {})[grant.id] = grant.channels

    def remove(self, grant: Grant) -> None:
        """Remove a grant."""
        _discard(self._to, grant.to, grant.id)
        if not _is_named(grant):
            others = self._others[grant.to]
            del others[grant.id]
            if not others:
                del self._others[grant.to]
            return
        for name in set(grant.channels):
            _discard(self._named, (grant.to, name), grant.id)


def _is_named(grant: Grant) -> bool:
    return bool(grant.channels) and not any("*" in one for one in grant.channels)


def _discard(table: dict[_K, set[int]], key: _K, id: int) -> None:
    table[key].discard(id)
    if not table[key]:
        del table[key]
