"""Types in typed JSON: a text where one will do, an object for types that have a name.

docs/events.md has the table. An empty `id` or `name` and a `bound` of 0 are left out.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import lru_cache

import msgspec

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.texts import shortened
from tidings.events.typecode import Kind, Label, TypeCode
from tidings.events.typetext import read_type, type_text

# Larger descriptions are read and written anew each time: a cache of them could fill the memory.
_CACHED_OCTETS = 4_096
_CACHED_TYPES = 256


def near_miss(name: str, known: list[str]) -> str:
    """A suggestion for a wrong name, as the end of a message."""
    return meant(name, known) or f"known are {', '.join(known)}"


def meant(name: str, known: list[str]) -> str:
    """Ask whether a close name was meant; empty if none is close."""
    folded = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name[:80].lower(), folded, 1)
    return f"did you mean {folded[close[0]]!r}?" if close else ""


def type_to_plain(type_: TypeCode) -> str | dict[str, object]:
    """A type as plain data."""
    text = type_text(type_)
    if text is not None:
        return text
    plain: dict[str, object] = {"kind": _word(type_.kind)}
    plain.update((key, text) for key, text in (("id", type_.id), ("name", type_.name)) if text)
    kind = type_.kind
    if kind in (Kind.STRUCT, Kind.EXCEPT):
        plain["members"] = [[m.name, type_to_plain(m.type)] for m in type_.members]
    elif kind is Kind.UNION and type_.discriminator is not None:
        plain["discriminator"] = type_to_plain(type_.discriminator)
        plain["branches"] = [[m.label, m.name, type_to_plain(m.type)] for m in type_.members]
    elif kind is Kind.ENUM:
        plain["labels"] = list(type_.labels)
    elif kind in (Kind.ALIAS, Kind.SEQUENCE, Kind.ARRAY):
        plain["of"] = type_to_plain(type_.element_type)
        if kind is Kind.ARRAY or type_.bound:
            plain["length" if kind is Kind.ARRAY else "bound"] = type_.bound
    return plain


def _word(kind: Kind) -> str:
    return "exception" if kind is Kind.EXCEPT else kind.name.lower()


_forms: dict[TypeCode, msgspec.Raw] = {}


def type_form(type_: TypeCode) -> str | msgspec.Raw:
    """A type, ready to be encoded: a text, or the octets of the object."""
    text = type_text(type_)
    if text is not None:
        return text
    form = _forms.get(type_)
    if form is None:
        octets = msgspec.json.encode(type_to_plain(type_))
        form = msgspec.Raw(octets)
        if len(octets) <= _CACHED_OCTETS:
            if len(_forms) >= _CACHED_TYPES:
                _forms.clear()
            _forms[type_] = form
    return form


def type_from_plain(plain: object) -> TypeCode:
    """The type in plain data."""
    if type(plain) is str:
        return _cached_text(plain)
    try:
        octets = msgspec.json.encode(plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidTypeCode(f"{shortened(plain)} describes no type") from error
    return _cached_object(octets) if len(octets) <= _CACHED_OCTETS else _object(octets)


_cached_text = lru_cache(_CACHED_TYPES)(read_type)


def _object(octets: bytes) -> TypeCode:
    try:
        return _read(msgspec.json.decode(octets), "", 0)
    except RecursionError as error:
        raise InvalidTypeCode(f"types nest deeper than {tc.MAX_TYPE_DEPTH}") from error


_cached_object = lru_cache(_CACHED_TYPES)(_object)


def _read(plain: object, where: str, depth: int) -> TypeCode:
    if depth > tc.MAX_TYPE_DEPTH:
        raise InvalidTypeCode(f"types nest deeper than {tc.MAX_TYPE_DEPTH}")
    try:
        if isinstance(plain, str):
            return read_type(plain)
        if not isinstance(plain, dict):
            raise InvalidTypeCode(f"{shortened(plain)} is not a type; use a text or an object")
        return _reader(plain)(_Parts(plain, where, depth))
    except InvalidTypeCode as error:
        # The constructors of types do not know where they are.
        if not where or str(error).startswith(where):
            raise
        raise _wrong(where, str(error)) from error


def _wrong(where: str, problem: str) -> InvalidTypeCode:
    return InvalidTypeCode(f"{where}: {problem}" if where else problem)


def _reader(plain: dict[str, object]) -> Callable[[_Parts], TypeCode]:
    word = plain.get("kind")
    if not isinstance(word, str) or word not in _READERS:
        hint = near_miss(word if isinstance(word, str) else "", list(_READERS))
        raise InvalidTypeCode(f"no kind {shortened(word)}; {hint}")
    known, read = _READERS[word]
    unknown = next((key for key in plain if key not in known), None)
    if unknown is not None:
        hint = near_miss(unknown, known)
        raise InvalidTypeCode(f"{shortened(unknown)} is not part of the type '{word}'; {hint}")
    return read


class _Parts:
    """The parts of one described type, checked when read."""

    def __init__(self, plain: dict[str, object], where: str, depth: int) -> None:
        self._plain = plain
        self._where = where
        self._depth = depth

    def place(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def text(self, key: str) -> str:
        return self.as_text(self._plain.get(key, ""), self.place(key))

    def named(self) -> tuple[str, str]:
        return self.text("id"), self.text("name")

    def number(self, key: str, default: int | None = None) -> int:
        number = self._plain.get(key, default)
        if type(number) is not int:
            raise _wrong(self.place(key), f"{shortened(number)} is not a valid integer")
        return number

    def type(self, key: str) -> TypeCode:
        return self.as_type(self._plain.get(key), self.place(key))

    def rows(self, key: str, width: int) -> list[tuple[str, list[object]]]:
        """A list of lists, each with its place."""
        found = self.items(key)
        for where, row in found:
            if not isinstance(row, list) or len(row) != width:
                raise _wrong(where, f"{shortened(row)} is not a valid list of {width}")
        return [(where, row) for where, row in found if isinstance(row, list)]

    def items(self, key: str) -> list[tuple[str, object]]:
        items = self._plain.get(key)
        if not isinstance(items, list):
            raise _wrong(self.place(key), f"{shortened(items)} is not a valid list")
        return [(f"{self.place(key)}[{i}]", item) for i, item in enumerate(items)]

    def as_type(self, plain: object, where: str) -> TypeCode:
        return _read(plain, where, self._depth + 1)

    @staticmethod
    def as_text(plain: object, where: str) -> str:
        if not isinstance(plain, str):
            raise _wrong(where, f"{shortened(plain)} is not a valid text")
        return plain

    def members(self) -> list[tuple[str, TypeCode]]:
        found = []
        # A loop, and not a comprehension, which would take a frame per level of nesting.
        for where, (name, plain) in self.rows("members", 2):
            found.append((self.as_text(name, where), _read(plain, where, self._depth + 1)))
        return found


def _union(parts: _Parts) -> TypeCode:
    branches: list[tuple[Label | None, str, TypeCode]] = []
    for where, (label, name, plain) in parts.rows("branches", 3):
        if label is not None and not isinstance(label, Label):
            raise _wrong(where, f"{shortened(label)} is not a valid label")
        branches.append((label, parts.as_text(name, where), parts.as_type(plain, where)))
    return tc.union(*parts.named(), parts.type("discriminator"), branches)


def _enum(parts: _Parts) -> TypeCode:
    labels = [parts.as_text(label, where) for where, label in parts.items("labels")]
    return tc.enum(*parts.named(), labels)


_NAMED = ["kind", "id", "name"]
_READERS: dict[str, tuple[list[str], Callable[[_Parts], TypeCode]]] = {
    "struct": ([*_NAMED, "members"], lambda parts: tc.struct(*parts.named(), parts.members())),
    "exception": (
        [*_NAMED, "members"],
        lambda parts: tc.exception(*parts.named(), parts.members()),
    ),
    "union": ([*_NAMED, "discriminator", "branches"], _union),
    "enum": ([*_NAMED, "labels"], _enum),
    "alias": ([*_NAMED, "of"], lambda parts: tc.alias(*parts.named(), parts.type("of"))),
    "objref": (_NAMED, lambda parts: tc.objref(*parts.named())),
    "recursive": (["kind", "id"], lambda parts: tc.recursive(parts.text("id"))),
    "sequence": (
        ["kind", "of", "bound"],
        lambda parts: tc.sequence(parts.type("of"), parts.number("bound", 0)),
    ),
    "array": (
        ["kind", "of", "length"],
        lambda parts: tc.array(parts.type("of"), parts.number("length")),
    ),
}
