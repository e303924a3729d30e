"""Suggestions for unknown properties and invalid values."""

from __future__ import annotations

import difflib

from tidings.api.properties import enumerations
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import TIME_T, from_words
from tidings.channel.qos import QOS_PROPERTIES


def property_hint(name: str, value: object) -> str:
    """Suggest a similar name or the allowed values; empty if there is nothing to suggest."""
    known = {one.lower(): one for one in (*QOS_PROPERTIES, *ADMIN_PROPERTIES)}
    if known.get(name.lower()) != name:
        near = difflib.get_close_matches(name.lower(), known, 1)
        return f"did you mean {known[near[0]]}?" if near else ""
    words = enumerations().get(name, {})
    is_text = isinstance(value, str)
    if is_text and name in QOS_PROPERTIES and QOS_PROPERTIES[name].type is TIME_T:
        return "" if from_words(TIME_T, value) != value else "write a duration such as 5s or 2h"
    return f"write {' or '.join(words)}" if is_text and words else ""
