"""Tags name live objects; a pattern is the beginning of tags."""

from __future__ import annotations

import re
from typing import Final

from tidings.errors import BadTag
from tidings.events.texts import shortened

MAX_TAG: Final = 256
_LEAST: Final = 5

_LENIENT: Final = re.compile(r"[A-Za-z0-9/_.-][\x21-\x7e]*")
_STRICT: Final = re.compile(r"[A-Za-z0-9][\x21-\x7e]*")


def checked_tag(text: str, *, strict: bool = False, what: str = "tag") -> str:
    """Return a tag, or a pattern, which is written alike; raise BadTag.

    The rule of the standard is strict; its own example begins with `/`, so that `/ _ . -` may
    begin a tag unless the service is told to be strict.
    """
    form = _STRICT if strict else _LENIENT
    if not _LEAST <= len(text) <= MAX_TAG or form.fullmatch(text) is None:
        first = "a letter or digit" if strict else "a letter, a digit or one of / _ . -"
        raise BadTag(
            f"{shortened(text)} is not a {what}: it has {_LEAST} to {MAX_TAG} printable ASCII "
            f"characters without blanks, and begins with {first}"
        )
    return text


def checked_pattern(text: str, *, strict: bool = False) -> str:
    """Return a pattern, or raise BadTag; the empty one, which the standard lacks, is all tags."""
    return checked_tag(text, strict=strict, what="tag pattern") if text else text
