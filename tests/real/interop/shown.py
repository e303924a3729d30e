"""How values are shown, in the same words as in `cpp/shown.h`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any as Anything

from tidings.events.anyvalue import Any, UnionValue
from tidings.events.reference import Reference
from tidings.events.typecode import Kind

NAMES = {Kind.SHORT: "short", Kind.LONG: "long", Kind.LONGLONG: "longlong", Kind.DOUBLE: "double"}


def node(value: tuple[Anything, ...]) -> str:
    number, kids = value
    return f"({' '.join([str(number), *map(node, kids)])})"


def choice(value: UnionValue) -> str:
    inner: Anything = value.value
    shown = f"{inner:g}" if isinstance(inner, float) else str(inner)
    return f"{value.discriminator}={shown}"


def record(value: tuple[Anything, ...]) -> str:
    a, b, u = value
    return f"{{{a} {b:g} {choice(u)}}}"


def wide(text: str) -> str:
    return "".join(f".{ord(c):x}" for c in text)


def octets(value: bytes) -> str:
    total = 0
    for octet in value:
        total = (total * 31 + octet) & 0xFFFFFFFF
    return f"{len(value)}:{total}"


def any_value(value: Anything) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"string {value}"
    if isinstance(value, Reference):
        return "object live" if value.profiles else "object nil"
    if isinstance(value, int):
        return f"long {value}" if abs(value) < 2**31 else f"longlong {value}"
    assert isinstance(value, Any)
    return _boxed(value)


def _boxed(box: Any) -> str:
    kind = box.type.unaliased.kind
    inner: Anything = box.value
    if kind in NAMES:
        return f"{NAMES[kind]} {inner}"
    if isinstance(inner, UnionValue):
        return f"U {choice(inner)}"
    if kind is Kind.ENUM:
        return f"Color {inner}"
    if kind is Kind.ANY:
        return f"any {any_value(inner)}"
    if kind is Kind.OBJREF:
        return any_value(inner)
    assert isinstance(inner, tuple)
    return f"S{record(inner)}" if box.type.name == "S" else f"Node{node(inner)}"


def money(value: Decimal) -> str:
    return str(value.normalize())
