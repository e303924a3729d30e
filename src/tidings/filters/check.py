"""Is this the constraint its author meant? Errors that forbid it, cautions that do not.

Beyond the parser's errors, a constant that is not a boolean is refused. Cautions point at what is
legal and hardly intended: the old forms of the 1999 draft, `not` binding tighter than a comparison,
an order between enum labels, a field nobody sends.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tidings.errors import InvalidConstraint, caret_report, line_and_column
from tidings.events.fields import RESERVED_NAMES
from tidings.events.paths import Name, Path
from tidings.events.schema import Catalogue, FieldSeen
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.parse import Kinds, Operand, parse_operand
from tidings.filters.rewrite import fold
from tidings.filters.scan import Token, scan
from tidings.filters.tree import COMPARISONS, Boolean, Node
from tidings.filters.truth import with_article

# A misspelt name is compared with all known ones, which takes long for many and long names.
_MOST_UNLIKE: Final = 20
_LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Caution:
    """Something legal that is hardly intended."""

    problem: str
    position: int
    hint: str = ""

    def report(self, text: str) -> str:
        """The message a person reads, with the line and a caret."""
        line, column = line_and_column(text, self.position)
        headline = f"line {line}, column {column}: warning: {self.problem}"
        return caret_report(headline, text, self.position, self.hint)


@dataclass(frozen=True, slots=True)
class Checked:
    """A valid constraint, and what seems odd about it."""

    text: str
    tree: Node
    cautions: tuple[Caution, ...]


def check(
    text: str,
    known: Mapping[str, Collection[str]] | None = None,
    limits: ConstraintLimits = DEFAULT_LIMITS,
) -> Checked:
    """Parse a constraint, with cautions.

    `known` has the kinds (`number`, `boolean`, `string`, `char`, `enum`, `sequence`, `composite`)
    of the properties that events have: misspelt names and wrong kinds are then found, too.
    """
    result = parse_operand(text, limits)
    if result.constant and not result.kinds & Kinds.BOOLEAN:
        raise InvalidConstraint(
            "the constraint is a constant that is neither TRUE nor FALSE", text, result.start
        )
    tokens = scan(text, limits)
    found = [*_odd_result(result, text), *_odd_operators(tokens), *_draft_names(tokens)]
    if known is not None:
        found += islice(_unlike_known(tokens, known), _MOST_UNLIKE)
    return Checked(text, result.node, tuple(sorted(found, key=lambda c: c.position)))


def _odd_result(result: Operand, text: str) -> Iterator[Caution]:
    if not result.kinds & Kinds.BOOLEAN:
        yield Caution("the result is never a boolean, so this never matches", result.start)
    folded = fold(result.node)
    if isinstance(folded, Boolean) and not isinstance(result.node, Boolean):
        yield Caution(f"this is always {str(folded.value).upper()}", result.start)


def _is_comparison(token: Token) -> bool:
    return token.kind == "symbol" and token.value in COMPARISONS


def _odd_operators(tokens: list[Token]) -> Iterator[Caution]:
    for before, token, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        negated = (before.kind, before.value, token.kind) == ("word", "not", "component")
        if negated and _is_comparison(behind):
            yield Caution(
                f"'not' binds tighter than {behind.value}, and {token.value} is then taken "
                "for a boolean",
                before.start,
                f"write not ({token.value} {behind.value} …)",
            )
        if not _is_comparison(token):
            continue
        if "name" in (before.kind, behind.kind) and token.value not in ("==", "!="):
            yield Caution("enum labels have no order, so this never matches", token.start)
        for side in (before, behind):
            if side.kind == "component" and side.value == "$curtime":
                yield Caution("a whole time compares with nothing", side.start, "$curtime.time")
        if (before.kind, before.value, behind.kind) == ("component", "$event_type", "text"):
            yield Caution(
                "$event_type is a struct of domain and type; no text equals it",
                before.start,
                "write $type_name",
            )


# Names in the 1999 draft, and what became of them.
_DRAFT_NAMES = {"domain_type": "domain_name", "eventheader": "header"}


def _components(tokens: list[Token]) -> Iterator[tuple[Token, Path]]:
    for token in tokens:
        if isinstance(token.value, Path):
            yield token, token.value


def _draft_names(tokens: list[Token]) -> Iterator[Caution]:
    for token, path in _components(tokens):
        for name in (path.root, *(s.name for s in path.steps if isinstance(s, Name))):
            final = _DRAFT_NAMES.get(name.lower()) if name else None
            if name and final:
                right = str(path).replace(name, final, 1)
                yield Caution(f"{name} is a draft's name; no event has it", token.start, right)


# Against a literal of this sort, a field must have one of these kinds.
_FITTING = {
    "integer": {"number", "boolean", "char"},
    "real": {"number", "boolean", "char"},
    "boolean": {"boolean", "number", "char"},
    "text": {"string", "char"},
    "name": {"enum"},
}


def _unlike_known(tokens: list[Token], known: Mapping[str, Collection[str]]) -> Iterator[Caution]:
    for token, path in _components(tokens):
        name = path.root
        if name is not None and name not in known and name not in RESERVED_NAMES:
            near = difflib.get_close_matches(*_comparable(name, [*known, *RESERVED_NAMES]), n=1)
            hint = f"did you mean ${near[0]}?" if near else f"there are: {_listed(known)}"
            yield Caution(f"no event has a field {name!r}", token.start, hint)
    for before, token, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if not _is_comparison(token):
            continue
        for field, literal in ((before, behind), (behind, before)):
            kinds = _known_kinds(field, known)
            fitting = _FITTING.get(literal.kind)
            if fitting is not None and kinds and not fitting & kinds:
                always = " or ".join(map(with_article, sorted(kinds)))
                problem = f"{field.value} is always {always}, which this cannot be compared with"
                yield Caution(problem, literal.start)


def _comparable(name: str, others: Iterable[str]) -> tuple[str, list[str]]:
    """Names that are not too long to compare; the work grows with the square of their length."""
    return name[:_LONGEST_NAME], [one for one in others if len(one) <= _LONGEST_NAME]


def _known_kinds(token: Token, known: Mapping[str, Collection[str]]) -> set[str]:
    path = token.value
    if not isinstance(path, Path) or path.steps or path.root is None:
        return set()
    return set(known.get(path.root, ()))


def _listed(known: Mapping[str, Collection[str]]) -> str:
    names = sorted(known)
    return ", ".join(f"${name}" for name in names[:8]) + (" …" if len(names) > 8 else "")


# Kinds that have another name in the catalogue than here.
_CHECKED_KIND: Final = {"character": "char", "null": "composite", "any": "composite"}


def known_properties(catalogue: Catalogue) -> dict[str, set[str]] | None:
    """Each property of the events that were seen, with its kinds; None if not all are noted."""
    if catalogue.other_events:
        return None
    known: dict[str, set[str]] = {}
    for noted in catalogue:
        if noted.other_fields:
            return None
        for fields in (noted.header, noted.data):
            for name, seen in fields.items():
                known.setdefault(name, set()).update(kinds_of(seen))
    return known


def kinds_of(seen: FieldSeen) -> set[str]:
    """A field's kinds as `check` knows them; empty if not all are noted."""
    if seen.other_types:
        return set()
    kinds = {type_.kind.partition(" ")[0] for type_ in seen.types.values()}
    return {_CHECKED_KIND.get(kind, kind) for kind in kinds}
