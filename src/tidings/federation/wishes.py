"""The filters of requests: text in the FES language or a constraint, as constraints."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tidings.events.paths import Path
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.shape import shape_of

_WORD: Final = re.compile(r"[A-Za-z_][\w:.-]*")
_SUBJECT: Final = re.compile(
    r"\s*subject\s*=\s*(?:'([^']*)'|([\w:.-]+))\s*(?:and\b(.*))?", re.DOTALL
)
_NAMES: Final = re.compile(r"'[^']*'|\b(?:and|or|not|TRUE|FALSE)\b|[A-Za-z_]\w*|(?<![<>=!])=(?!=)")


@lru_cache(65_536)
def filter_of(text: str) -> Constraint:
    """Read a request's filter.

    Raises:
        InvalidConstraint: It is neither.
    """
    if _WORD.fullmatch(text.strip()):
        return constraint(f"$event_name == '{text.strip()}'")
    found = _SUBJECT.fullmatch(text)
    if found is None:
        return constraint(text)
    quoted, word, rest = found.groups()
    subject = f"$event_name == '{word if quoted is None else quoted}'"
    return constraint(f"{subject} and {_rest(rest)}" if rest and rest.strip() else subject)


def _rest(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        token = found[0]
        if token == "=":
            return "=="
        return f"${token}" if token[0].isalpha() and token not in _KEPT else token

    return _NAMES.sub(one, text.strip())


_OF_KIND: Final = frozenset(("domain_name", "type_name", "event_name"))


def reads_kind_only(wanted: Constraint) -> bool:
    """Whether a filter has one answer for all events of one domain, type and name."""
    paths: list[Path] = []
    shape_of(wanted.tree, [], paths)
    return all(path.root in _OF_KIND and not path.steps for path in paths)


_KEPT: Final = ("and", "or", "not", "TRUE", "FALSE")
