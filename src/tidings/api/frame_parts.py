"""What frames of both directions are made of: their base, and the types of their members."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

# What one frame may make the service do before others get a turn.
MAX_FRAME_EVENTS: Final = 1_000
MAX_WINDOW: Final = 100_000
MAX_REASON: Final = 4_096

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Reason: TypeAlias = Annotated[str, Meta(max_length=MAX_REASON)]
Seqs: TypeAlias = Annotated[list[Id], Meta(max_length=MAX_WINDOW)]
Events: TypeAlias = Annotated[list[Any], Meta(max_length=MAX_FRAME_EVENTS)]
Problem: TypeAlias = dict[str, Any]


class Frame(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="op"
):
    """A frame; its class says the `op`."""
