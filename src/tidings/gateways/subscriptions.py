"""What is subscribed at a broker of topics: few patterns, of which each event fits exactly one.

A broker may hand over an event once for each pattern that it fits. Patterns that overlap are
therefore joined, which makes them wider; never narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from tidings.errors import InvalidUsage
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.topics import PARTS, Template, TopicSyntax
from tidings.filters.dialects.translation import Translation

_JOINED: Final = "also: what other filters want, whose topics overlap with these"


def template_of(text: str, syntax: TopicSyntax, where: str) -> Template:
    """Read a parameter that says what topics are; InvalidUsage names what is wrong."""
    try:
        template = Template(text, syntax)
    except InvalidUsage as error:
        raise InvalidUsage(f"{where}: {error}") from error
    for level in template.levels:
        if level not in PARTS and ("{" in level or "}" in level):
            raise InvalidUsage(f"{where}: {level!r:.60} is none of {', '.join(PARTS)}")
    return template


class Subscriptions(NamedTuple):
    """What is to be subscribed.

    Attributes:
        patterns: The patterns; no topic fits two of them.
        placed: How each filter stands there.
    """

    patterns: frozenset[str]
    placed: Sequence[Translation]


def subscriptions(
    template: Template, filters: Sequence[Constraint], most: int | None = None
) -> Subscriptions:
    """Return the patterns for filters: at most so many."""
    written = [template.write(one) for one in filters]
    patterns = disjoint({one for each in written for one in each.patterns}, template.syntax, most)
    placed = []
    for one in written:
        at = sorted({_where(own, patterns, template.syntax) for own in one.patterns})
        same = set(at) <= set(one.patterns)
        surplus = "; ".join(part for part in (one.surplus, "" if same else _JOINED) if part)
        placed.append(Translation(" ".join(at) or "(nothing)", one.exact and same, surplus))
    return Subscriptions(frozenset(patterns), placed)


def _where(own: str, patterns: set[str], syntax: TopicSyntax) -> str:
    """Return the one of the patterns that covers this one."""
    if own in patterns:
        return own
    levels = _levels(own, syntax)
    return next(one for one in patterns if _covers(_levels(one, syntax), levels, syntax.one))


def disjoint(patterns: Iterable[str], syntax: TopicSyntax, most: int | None = None) -> set[str]:
    """Join patterns of equally many levels until no topic fits two, and there are at most so many.

    Patterns whose wildcards are at the same places are equal or overlap nowhere, so only groups of
    different places are compared.
    """
    found = {_levels(one, syntax) for one in patterns}
    while clash := _clash(found, syntax.one):
        wide = _joined(clash, syntax.one)
        found = {levels for levels in found if not _covers(wide, levels, syntax.one)} | {wide}
    if most is not None and len(found) > most:
        found = {_joined(found, syntax.one)}
    return {syntax.separator.join(levels) for levels in found}


_Levels = tuple[str, ...]


def _clash(found: set[_Levels], one: str) -> tuple[_Levels, _Levels] | None:
    """Two patterns that a topic may fit both."""
    groups: dict[_Levels, set[_Levels]] = {}
    for levels in found:
        shape = tuple(one if level == one else "" for level in levels)
        groups.setdefault(shape, set()).add(levels)
    for left, right in combinations(sorted(groups), 2):
        at = [place for place, pair in enumerate(zip(left, right, strict=True)) if one not in pair]
        keyed = {tuple(levels[place] for place in at): levels for levels in groups[left]}
        for levels in groups[right]:
            other = keyed.get(tuple(levels[place] for place in at))
            if other is not None:
                return other, levels
    return None


def _joined(patterns: Iterable[_Levels], one: str) -> _Levels:
    return tuple(
        level.pop() if len(level) == 1 else one for level in map(set, zip(*patterns, strict=True))
    )


def _levels(pattern: str, syntax: TopicSyntax) -> _Levels:
    return tuple(pattern.split(syntax.separator))


def _covers(wide: _Levels, narrow: _Levels, one: str) -> bool:
    return all(outer in (one, inner) for outer, inner in zip(wide, narrow, strict=True))
