"""Distribution lists: which event services a request is for (`ES1, road-*, ES?`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tidings.errors import InvalidUsage

MOST_NAMES: Final = 256
"""Names of one list."""
MAX_NAME: Final = 128
"""Characters of a service's name, and of a gateway's, an adapter's, a system's."""
_NAME: Final = re.compile(r"[A-Za-z0-9_.:@+-]+")
_PATTERN: Final = re.compile(r"[A-Za-z0-9_.:@+*?-]+")


def checked_name(what: str, name: str) -> str:
    """Return a name of the federation; InvalidUsage says what is wrong with it."""
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise InvalidUsage(
            f"{what}: a name has 1 to {MAX_NAME} letters, digits and the characters _ . : @ + -; "
            f"not {name!r:.60}"
        )
    return name


@lru_cache(1024)
def distribution(text: str) -> Distribution:
    """Read a distribution list; InvalidUsage names the part that is wrong."""
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if len(names) > MOST_NAMES:
        raise InvalidUsage(f"a distribution list has at most {MOST_NAMES} names, not {len(names)}")
    for name in names:
        if len(name) > MAX_NAME or not _PATTERN.fullmatch(name):
            raise InvalidUsage(
                f"distribution list {text!r:.80}: {name!r:.60} names no event service; it takes "
                "names, * for any characters and ? for one, with commas between them"
            )
    return Distribution(names)


class Distribution:
    """Patterns of event services; empty for none."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        parts = (re.escape(name).replace(r"\*", ".*").replace(r"\?", ".") for name in names)
        self._test = re.compile("|".join(parts)).fullmatch if names else None

    def __contains__(self, service: object) -> bool:
        return self._test is not None and self._test(str(service)) is not None

    def __str__(self) -> str:
        return ", ".join(self.names)
