"""Messages captured on the wire between programs on omniORB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from tidings.orb.giop import Framer, Message

_FILE = Path(__file__).parents[2] / "vectors" / "giop.json"


class Capture(NamedTuple):
    """A captured entry: one message, or several back to back."""

    label: str
    octets: bytes

    def messages(self) -> list[Message]:
        framer = Framer()
        found = list(framer.feed(self.octets))
        assert not framer.in_message
        return found


def captures(label: str = "") -> list[Capture]:
    """All captures, or those with a label, in the order in which they were sent."""
    listed = json.loads(_FILE.read_text(encoding="utf-8"))["messages"]
    found = [Capture(entry["label"], bytes.fromhex(entry["hex"])) for entry in listed]
    return [capture for capture in found if label in ("", capture.label)]
