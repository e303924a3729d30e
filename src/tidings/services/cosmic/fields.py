"""Events that fit one frame: which bits are which property.

Bits are numbered along the wire in a field whose order is `big` (0 is the highest bit of octet 0),
and by their weight in a `little` one (0 is the lowest bit of octet 0); whole octets have the same
numbers in both. Compiled once: an event costs one shift and one mask for each field.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage
from tidings.events.anyvalue import Value
from tidings.events.fields import plain
from tidings.events.structured import StructuredEvent
from tidings.services.cosmic.frames import MOST_OCTETS

_PLACE: Final = re.compile(r"([0-9]{1,2})(?:\.\.([0-9]{1,2}))?")
_FORMATS: Final = {32: ">f", 64: ">d"}
_LARGEST: Final = {32: 3.4028234663852886e38, 64: sys.float_info.max}
# Steps of a value must be so many times what a double can tell apart, to be read back exactly.
_TELLABLE: Final = 8


class Field(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a property is in the data, and what its number means: raw × scale + offset.

    Attributes:
        name: Of the property.
        type: What it is in events: string (Latin-1, padded with NUL), long, double or boolean.
        octets: Its place, such as `0..6` or `7`; or
        bits: its place, such as `12..19`.
        order: The order of its octets.
        signed: Whether the raw number is in two's complement.
        floating: Whether the raw number is an IEEE 754 one, of 32 or 64 bits.
        scale: What one step of the raw number is worth.
        offset: What the raw number 0 stands for.
        low: The lowest value that is right; None for what the bits can hold.
        high: The highest, likewise.
        choices: Raw numbers by the words that stand for them in events.
    """

    name: str
    type: Literal["string", "long", "double", "boolean"]
    octets: str = ""
    bits: str = ""
    order: Literal["little", "big"] = "little"
    signed: bool = False
    floating: bool = False
    scale: float = 1
    offset: float = 0
    low: float | None = None
    high: float | None = None
    choices: Mapping[str, int] = {}

    @property
    def place(self) -> str:
        """Its place for people."""
        if self.bits:
            return f"bits {self.bits}"
        return f"octets {self.octets}" if ".." in self.octets else f"octet {self.octets}"

    @property
    def span(self) -> range:
        """The numbers of its bits; InvalidUsage if its place is none."""
        found = _PLACE.fullmatch(self.octets or self.bits)
        if found is None or (self.octets and self.bits):
            raise InvalidUsage(
                f"field {self.name!r}: give it octets (such as 0..6) or bits (such as 12..19)"
            )
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise InvalidUsage(f"field {self.name!r}: {found[0]} goes backwards")
        return range(8 * first, 8 * last + 8) if self.octets else range(first, last + 1)

    def wires(self) -> set[tuple[int, int]]:
        """The bits it takes: octet, and weight within it."""
        flip = 7 if self.order == "big" else 0
        return {(bit // 8, bit % 8 ^ flip) for bit in self.span}


class FieldsCodec:
    """Translates the events of a channel by its fields."""

    whole = False

    def __init__(
        self, fields: Sequence[Field], octets: int, event: StructuredEvent, where: str
    ) -> None:
        """Check and compile.

        Args:
            fields: The fields.
            octets: The data of a frame.
            event: What events have beside their data: domain, type, name.
            where: For messages.

        Raises:
            InvalidUsage: Fields overlap or do not fit.
        """
        if not 0 <= octets <= MOST_OCTETS:
            raise InvalidUsage(f"{where}: a frame has 0 to {MOST_OCTETS} octets, not {octets}")
        self._octets = octets
        self._event = event
        self._fields: list[_Field] = []
        used: dict[tuple[int, int], str] = {}
        for field in fields:
            try:
                self._fields.append(_Field(field, octets))
            except InvalidUsage as error:
                raise InvalidUsage(f"{where}, {error}") from error
            for bit in field.wires():
                if bit in used:
                    raise InvalidUsage(
                        f"{where}, field {field.name!r}: {field.place} overlap with {used[bit]!r}"
                    )
                used[bit] = field.name
        if len({field.name for field in fields}) < len(self._fields):
            raise InvalidUsage(f"{where}: two fields have the same name")

    def encode(self, event: StructuredEvent) -> bytes:
        """Write the properties that have fields; the others stay behind."""
        little = big = 0
        for field in self._fields:
            if field.name not in event.data:
                raise InvalidEvent(f"is missing; {field.place} hold it", f"data.{field.name}")
            raw = field.raw(event.data[field.name]) << field.shift
            if field.big:
                big |= raw
            else:
                little |= raw
        size = self._octets
        return (little | int.from_bytes(big.to_bytes(size, "big"), "little")).to_bytes(
            size, "little"
        )

    def decode(self, octets: bytes) -> StructuredEvent:
        """Read all fields; octets behind them do not matter."""
        if len(octets) < self._octets:
            raise InvalidEvent(f"has {len(octets)} octets; {self._octets} are expected")
        octets = octets[: self._octets]
        little, big = int.from_bytes(octets, "little"), int.from_bytes(octets, "big")
        data = {field.name: field.value(big if field.big else little) for field in self._fields}
        return msgspec.structs.replace(self._event, data=data)


class _Field:
    """A field, compiled."""

    def __init__(self, field: Field, octets: int) -> None:
        self.field = field
        self.name = field.name
        self.place = field.place
        self.big = field.order == "big"
        span, room = field.span, 8 * octets
        self._length = len(span)
        if span.stop > room:
            raise self._unusable(f"{self.place} are not within {octets} octets")
        self.shift = room - span.stop if self.big else span.start
        self._mask = (1 << self._length) - 1
        self._words = {raw: word for word, raw in field.choices.items()}
        if field.choices and (field.floating or field.type not in ("long", "double")):
            raise self._unusable("only whole raw numbers have words (choices)")
        if field.type == "string":
            if span.start % 8 or span.stop % 8:
                raise self._unusable(f"a string takes whole octets, not {self.place}")
        elif field.floating:
            self._check_floating()
        else:
            self._check_number()

    def _check_floating(self) -> None:
        field = self.field
        if self._length not in _FORMATS or field.type != "double":
            raise self._unusable("a floating-point field is a double of 32 or 64 bits")
        if (field.scale, field.offset) != (1, 0):
            raise self._unusable("a floating-point field has no scale and no offset")
        self.low, self.high = -_LARGEST[self._length], _LARGEST[self._length]
        self._narrow()

    def _check_number(self) -> None:
        """Find the range; it must be readable without loss."""
        field = self.field
        if not (math.isfinite(field.scale) and math.isfinite(field.offset) and field.scale > 0):
            raise self._unusable("the scale is a number above 0, and the offset a number")
        scale, offset = field.scale, field.offset
        if field.type == "boolean" and (self._length, scale, offset) != (1, 1, 0):
            raise self._unusable("a boolean is one bit")
        if field.type == "long":
            if scale != int(scale) or offset != int(offset):
                raise self._unusable("a long has a whole scale and offset; use double")
            scale, offset = int(scale), int(offset)
        self._scale, self._offset = scale, offset
        self._lowest = -(1 << self._length - 1) if field.signed else 0
        self._highest = self._lowest + self._mask
        for word, raw in field.choices.items():
            if not self._lowest <= raw <= self._highest:
                raise self._unusable(f"{self.place} cannot hold {raw}, which stands for {word!r}")
        self.low = self._lowest * scale + offset
        self.high = self._highest * scale + offset
        widest = max(abs(self.low), abs(self.high), abs(offset))
        if field.type == "double" and scale < _TELLABLE * math.ulp(widest):
            raise self._unusable(
                f"steps of {scale} are too fine for a double of {widest}; use fewer bits, or long"
            )
        self._narrow()

    def _narrow(self) -> None:
        if self.field.low is not None:
            self.low = max(self.low, self.field.low)
        if self.field.high is not None:
            self.high = min(self.high, self.field.high)
        if self.low > self.high:
            raise self._unusable(f"no value is right: from {self.low} to {self.high}")

    def _unusable(self, why: str) -> InvalidUsage:
        return InvalidUsage(f"field {self.name!r}: {why}")

    def raw(self, value: Value) -> int:
        """The bits of a value; InvalidEvent if it does not fit."""
        given = plain(value)
        kind = self.field.type
        if isinstance(given, str) and given in self.field.choices:
            return self.field.choices[given] & self._mask
        if kind == "string":
            return self._raw_text(given)
        if kind == "boolean":
            if not isinstance(given, bool):
                raise self._wrong(given, "a boolean")
            return int(given)
        if isinstance(given, Decimal):
            given = float(given) if given.is_finite() else math.nan
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise self._wrong(given, "a number")
        if kind == "long" and given != given // 1:
            raise self._wrong(given, "a whole number")
        if not self.low <= given <= self.high:
            raise self._wrong(given, f"a number from {self.low} to {self.high}")
        return self._raw_number(given)

    def _raw_number(self, given: float) -> int:
        if self.field.floating:
            return int.from_bytes(struct.pack(_FORMATS[self._length], given), "big")
        if self.field.type == "long":
            raw, rest = divmod(int(given) - int(self._offset), int(self._scale))
            if rest:
                raise self._wrong(given, f"{self._offset} plus a multiple of {self._scale}")
        else:
            raw = round((given - self._offset) / self._scale)
        return max(self._lowest, min(self._highest, raw)) & self._mask

    def _raw_text(self, given: object) -> int:
        room = self._length // 8
        if not isinstance(given, str):
            raise self._wrong(given, "a text")
        try:
            octets = given.encode("latin-1")
        except UnicodeEncodeError:
            raise self._wrong(given, "a text in ISO Latin-1") from None
        if len(octets) > room or "\0" in given:
            raise self._wrong(given, f"a text of at most {room} characters without NUL")
        return int.from_bytes(octets.ljust(room, b"\0"), "big" if self.big else "little")

    def value(self, number: int) -> Value:
        """The value in the data."""
        field = self.field
        raw = number >> self.shift & self._mask
        if field.type == "string":
            octets = raw.to_bytes(self._length // 8, "big" if self.big else "little")
            text = octets.rstrip(b"\0").decode("latin-1")
            if "\0" in text:
                raise self._wrong(text, "a text without NUL")
            return text
        if field.floating:
            size = self._length
            found: float = struct.unpack(_FORMATS[size], raw.to_bytes(size // 8, "big"))[0]
            if not math.isfinite(found):
                raise self._wrong(found, "a number")
            return found
        if field.signed and raw > self._mask >> 1:
            raw -= self._mask + 1
        if raw in self._words:
            return self._words[raw]
        if field.type == "boolean":
            return bool(raw)
        value = raw * self._scale + self._offset
        # A limit between two steps is rounded to the next.
        if not self.low - self._scale / 2 <= value <= self.high + self._scale / 2:
            raise self._wrong(value, f"a number from {self.low} to {self.high}")
        return value if field.type == "long" else float(value)

    def _wrong(self, given: object, right: str) -> InvalidEvent:
        return InvalidEvent(
            f"{given!r:.60} does not fit {self.place}: {right} does", f"data.{self.name}"
        )
