"""Messages captured on the wire between programs on omniORB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).parents[2] / "vectors" / "giop.json"


class Capture(NamedTuple):
    """A captured entry: one message, or several back to back."""

    label: str
    octets: bytes


def captures() -> list[Capture]:
    """All captures, in the order in which they were sent."""
    listed = json.loads(_FILE.read_text(encoding="utf-8"))["messages"]
    return [Capture(entry["label"], bytes.fromhex(entry["hex"])) for entry in listed]
