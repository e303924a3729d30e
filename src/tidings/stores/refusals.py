"""How payloads are refused: on the way in as bad input, on the way out as an error of the store."""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from tidings.errors import BadInput, StoreError

# The first octet of every payload.
FORMAT: Final = 1

# What coders raise for values or octets they cannot use.
UNFIT: Final = (
    struct.error,
    msgspec.MsgspecError,
    ValueError,
    TypeError,
    OverflowError,
    RecursionError,
)


def unfit(what: str, error: Exception) -> BadInput:
    """Something that cannot be written."""
    return BadInput(f"{what} does not fit a journal record: {error}")


def undecodable(what: str, error: Exception) -> StoreError:
    """A payload that cannot be read."""
    return StoreError(f"the payload of {what} in the journal cannot be read: {error}")


def unknown_format(what: str, payload: bytes, newest: int = FORMAT) -> StoreError:
    """A payload of another format than this version knows."""
    known = str(newest) if newest == FORMAT else f"{FORMAT} to {newest}"
    return StoreError(
        f"the payload of {what} in the journal has format {payload[0]}; "
        f"this version of Tidings knows {known}"
    )


def wrong_length(what: str, found: int, told: int) -> StoreError:
    """A payload whose parts are not as long as its head tells."""
    return StoreError(
        f"the payload of {what} in the journal has {found} octets of content; "
        f"its head tells of {told}"
    )
