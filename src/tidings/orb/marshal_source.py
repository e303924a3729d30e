"""Compile TypeCodes into straight-line Python functions that read and write values.

Structs, unions, enums and exceptions get one function for each direction; all other types are
read and written in place. Only TypeCodes of generated modules are compiled. Those of anys are
not: a peer could send any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import EnumType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from tidings.events.boxes import UnionValue
from tidings.events.typecode import Kind, Label, TypeCode
from tidings.events.typetext import describe
from tidings.orb import marshal_checks
from tidings.orb.cdr_shapes import RUNS, shape_of
from tidings.orb.exceptions import SystemException

if TYPE_CHECKING:
    from tidings.orb.marshal_types import Types

Way: TypeAlias = Literal["read", "write"]
Members: TypeAlias = Sequence[tuple[str, TypeCode]]
_Function: TypeAlias = Callable[..., Any]

_INDENT: Final = "    "
# Python allows 20 nested blocks; sequences nested deeper get a function of their own.
_DEEPEST: Final = 8
_METHODS: Final = {
    Kind.SHORT: "short",
    Kind.LONG: "long",
    Kind.USHORT: "ushort",
    Kind.ULONG: "ulong",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.BOOLEAN: "boolean",
    Kind.CHAR: "char",
    Kind.OCTET: "octet",
    Kind.ANY: "any",
    Kind.TYPECODE: "typecode",
    Kind.OBJREF: "reference",
    Kind.LONGLONG: "longlong",
    Kind.ULONGLONG: "ulonglong",
    Kind.LONGDOUBLE: "longdouble",
    Kind.WCHAR: "wchar",
    Kind.STRING: "string",
    Kind.WSTRING: "wstring",
}
_NAMED: Final = frozenset({Kind.STRUCT, Kind.UNION, Kind.ENUM, Kind.EXCEPT, Kind.RECURSIVE})
# Names that the compiled functions use.
_SCOPE: Final = {
    **{name: one for name, one in vars(marshal_checks).items() if not name.startswith("_")},
    "SystemException": SystemException,
    "UnionValue": UnionValue,
    "new": tuple.__new__,  # takes half as long as calling a NamedTuple
}


class TypeEntry(NamedTuple):
    """A type of a generated module: its module, complete TypeCode, and class of values."""

    home: Types
    type: TypeCode
    values: Any


class MarshalSource:
    """Compiles one function, together with all functions it calls."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._scope: dict[str, Any] = dict(_SCOPE)
        self._names: dict[tuple[Way, TypeCode], str] = {}
        self._new: list[tuple[Types, tuple[Way, TypeCode], str]] = []
        self._least: dict[TypeCode, int] = {}

    def function(self, way: Way, type_: TypeCode) -> _Function:
        """Compile the function that reads or writes values of a type."""
        name = self._call(way, type_.unaliased)
        return self._publish(name)

    def read_all(self, members: Members) -> _Function:
        """Compile a function that reads a tuple of values."""
        self._define("read", "r", [f"return {self._read_tuple(members)}"])
        return self._publish("read")

    def read_one(self, type_: TypeCode) -> _Function:
        """Compile a function that reads a single result."""
        self._define("read", "r", [f"return {self.read_expression(type_)}"])
        return self._publish("read")

    def write_all(self, what: str, members: Members) -> _Function:
        """Compile a function that writes a tuple of values."""
        self._define("write", "w, v", self._write_members(what, members))
        return self._publish("write")

    def write_one(self, type_: TypeCode) -> _Function:
        """Compile a function that writes a single result."""
        self._define("write", "w, v", self.write_lines(type_, "v"))
        return self._publish("write")

    def _publish(self, name: str) -> _Function:
        """Publish all new functions, and return one.

        Another thread may compile at the same time, and must not find a function whose callees
        are still missing.
        """
        for home, key, new in self._new:
            home.functions[key] = self._scope[new]
        function: _Function = self._scope[name]
        return function

    # ------------------------------------------------------------ functions

    def _define(self, name: str, parameters: str, body: Iterable[str]) -> None:
        text = "".join([f"def {name}({parameters}):\n", *(f"{_INDENT}{line}\n" for line in body)])
        exec(compile(text, "<compiled TypeCodes>", "exec"), self._scope)

    def _bind(self, value: object, word: str) -> str:
        """Give the text a name for an object."""
        name = f"{word}_{len(self._scope)}"
        self._scope[name] = value
        return name

    def _call(self, way: Way, type_: TypeCode) -> str:
        """The name of the function for a type; compile it if it is missing."""
        entry = self._types.find(type_) if type_.kind in _NAMED else None
        home, type_ = (entry.home, entry.type) if entry is not None else (self._types, type_)
        key = (way, type_)
        if key not in self._names:
            name = self._names[key] = self._bind(home.functions.get(key), way)
            if self._scope[name] is None:
                body = self._read_body if way == "read" else self._write_body
                lines = list(body(type_, entry.values if entry is not None else None))
                self._define(name, "r" if way == "read" else "w, v", lines)
                self._new.append((home, key, name))
        return self._names[key]

    # ------------------------------------------------------------ reading

    def read_expression(self, type_: TypeCode, level: int = 0) -> str:
        """An expression that reads a value from `r`, inside `level` loops."""
        type_ = type_.unaliased
        kind = type_.kind
        if kind is Kind.FIXED:
            return f"r.fixed({type_.digits}, {type_.scale})"
        if kind in _METHODS:
            read = f"r.{_METHODS[kind]}()"
            return f"read_at_most(r, {read}, {_limit(type_)})" if type_.bound else read
        if kind in _NAMED or level >= _DEEPEST:
            return f"{self._call('read', type_)}(r)"
        return self._read_elements(type_, level)

    def _read_elements(self, type_: TypeCode, level: int) -> str:
        element, is_array = type_.element_type.unaliased, type_.kind is Kind.ARRAY
        if element.kind is Kind.OCTET:
            if is_array:
                return f"r.take({type_.bound})"
            return f"read_at_most(r, r.octets(), {_limit(type_)})" if type_.bound else "r.octets()"
        least = self.least_octets(element)
        if is_array:
            count = str(type_.bound) if least else f"empty_count(r, {type_.bound})"
        else:
            count = f"r.length({least})"
            if type_.bound:
                count = f"read_count(r, {least}, {_limit(type_)})"
        if element.kind in RUNS:
            code, size = RUNS[element.kind]
            return f"r.numbers({code!r}, {size}, {count})"
        if element.kind is Kind.CHAR:
            return f"r.chars({count})"
        return f"tuple([{self.read_expression(element, level + 1)} for _ in range({count})])"

    def _read_tuple(self, members: Members) -> str:
        return f"({''.join(f'{self.read_expression(type_)}, ' for _, type_ in members)})"

    def _read_body(self, type_: TypeCode, class_: object) -> Iterable[str]:
        kind, what = type_.kind, describe(type_)
        if kind is Kind.ENUM:
            assert isinstance(class_, EnumType)
            labels = self._bind(tuple(class_), "labels")
            yield "ordinal = r.ulong()"
            yield f"if ordinal >= {len(type_.labels)}:"
            yield f"{_INDENT}raise no_ordinal(r, {what!r}, ordinal)"
            yield f"return {labels}[ordinal]"
            return
        deep = _contains_itself(type_)
        if deep:
            yield "r.depth += 1"
            yield "if r.depth > r.limits.value_depth:"
            yield f"{_INDENT}raise read_too_deep(r, {what!r})"
        if kind is Kind.UNION:
            yield from self._read_union(type_)
        elif kind in (Kind.STRUCT, Kind.EXCEPT):
            maker = self._bind(class_, "class")
            values = self._read_tuple([(one.name, one.type) for one in type_.members])
            made = f"new({maker}, {values})" if kind is Kind.STRUCT else f"{maker}(*{values})"
            yield f"made = {made}"
        else:
            yield f"made = {self.read_expression(type_)}"
        if deep:
            yield "r.depth -= 1"
        yield "return made"

    def _read_union(self, type_: TypeCode) -> Iterable[str]:
        assert type_.discriminator is not None
        plain = ".value" if type_.discriminator.unaliased.kind is Kind.ENUM else ""
        yield f"d = {self.read_expression(type_.discriminator)}{plain}"
        for test, branch in _branches(type_):
            yield test
            value = "None" if branch is None else self.read_expression(branch)
            yield f"{_INDENT}made = UnionValue(d, {value})"

    # ------------------------------------------------------------ writing

    def write_lines(self, type_: TypeCode, value: str, level: int = 0) -> list[str]:
        """Statements that write the value of an expression to `w`, inside `level` loops."""
        type_ = type_.unaliased
        kind = type_.kind
        if kind is Kind.FIXED:
            return [f"w.fixed({value}, {type_.digits}, {type_.scale})"]
        if kind in _METHODS:
            if type_.bound:
                value = f"at_most({value}, {_limit(type_)})"
            return [f"w.{_METHODS[kind]}({value})"]
        if kind in _NAMED or level >= _DEEPEST:
            return [f"{self._call('write', type_)}(w, {value})"]
        return self._write_elements(type_, value, level)

    def _write_elements(self, type_: TypeCode, value: str, level: int) -> list[str]:
        element, is_array = type_.element_type.unaliased, type_.kind is Kind.ARRAY
        if element.kind is Kind.OCTET:
            if is_array:
                return [f"w.octet_array({value}, {type_.bound})"]
            return [f"w.octets({f'at_most({value}, {_limit(type_)})' if type_.bound else value})"]
        counted = "exactly(" if is_array else "counted(w, "
        elements = f"{counted}{value}, {_limit(type_)})"
        if element.kind in RUNS:
            code, size = RUNS[element.kind]
            return [f"w.numbers({code!r}, {size}, {elements}, {describe(element)!r})"]
        one = f"x{level}"
        inner = self.write_lines(element, one, level + 1)
        return [f"for {one} in {elements}:", *(f"{_INDENT}{line}" for line in inner)]

    def _write_body(self, type_: TypeCode, class_: object) -> Iterable[str]:
        kind, what = type_.kind, describe(type_)
        if kind is Kind.ENUM:
            assert isinstance(class_, EnumType)
            # Members of the class are found by identity, which is fast; plain labels are equal.
            ordinals: dict[object, int] = dict(
                zip(tuple(class_), range(len(type_.labels)), strict=True)
            )
            yield "try:"
            yield f"{_INDENT}w.ulong({self._bind(ordinals, 'ordinals')}[v])"
            yield "except LOOKUP_FAULTS:"
            yield f"{_INDENT}raise no_label({what!r}, v) from None"
            return
        deep = _contains_itself(type_)
        before: list[str] = []
        if deep:
            before += ["w.depth += 1", "if w.depth > w.limits.value_depth:"]
            before.append(f"{_INDENT}raise too_deep({what!r})")
        if kind in (Kind.STRUCT, Kind.EXCEPT):
            value = "v"
            if kind is Kind.EXCEPT:
                attributes: Sequence[str] = getattr(class_, "__match_args__", ())
                value = f"({''.join(f'v.{name}, ' for name in attributes)})"
            members = [(one.name, one.type) for one in type_.members]
            yield from self._write_members(what, members, value, before)
        else:
            yield from before
            yield from (
                self._write_union(type_) if kind is Kind.UNION else self.write_lines(type_, "v")
            )
        if deep:
            yield "w.depth -= 1"

    def _write_members(
        self, what: str, members: Members, value: str = "v", before: Sequence[str] = ()
    ) -> list[str]:
        """Statements that write several values; a fault names the value that caused it."""
        names = tuple(name for name, _ in members)
        places = [f"a{at}" for at in range(len(members))]
        head = [
            *before,
            "try:",
            f"{_INDENT}({''.join(f'{place}, ' for place in places)}) = {value}",
            "except UNPACKING_FAULTS:",
            f"{_INDENT}raise no_member({what!r}, {names!r}, {value}) from None",
        ]
        if not members:
            return head
        body: list[str] = []
        starts: list[tuple[int, str]] = []
        for place, (name, type_) in zip(places, members, strict=True):
            # The line of its code in the function, counting "def" and "try".
            starts.append((len(head) + 3 + len(body), name))
            body += self.write_lines(type_, place)
        return [
            *head,
            "try:",
            *(f"{_INDENT}{line}" for line in body),
            "except SystemException as fault:",
            f"{_INDENT}raise name_member(fault, {tuple(starts)!r}) from fault.__cause__",
        ]

    def _write_union(self, type_: TypeCode) -> Iterable[str]:
        assert type_.discriminator is not None
        what = describe(type_)
        yield "if not isinstance(v, UnionValue):"
        yield f"{_INDENT}raise no_union({what!r}, v)"
        yield "d, x = v.discriminator, v.value"
        yield from self.write_lines(type_.discriminator, "d")
        for test, branch in _branches(type_):
            yield test
            lines = [f"if x is not None: raise no_union({what!r}, v)"]
            if branch is not None:
                lines = self.write_lines(branch, "x")
            yield from (f"{_INDENT}{line}" for line in lines)

    # ------------------------------------------------------------ measures

    def least_octets(self, type_: TypeCode) -> int:
        """The fewest octets of a value, without padding.

        `shape_of` gives the same, but visits a type once for each place that uses it.
        """
        type_ = type_.unaliased
        kind = type_.kind
        if kind in (Kind.SEQUENCE, Kind.ENUM):
            return 4
        if kind is Kind.ARRAY:
            return type_.bound * self.least_octets(type_.element_type)
        if kind is Kind.UNION and type_.discriminator is not None:
            return self.least_octets(type_.discriminator)
        if kind is Kind.RECURSIVE:
            entry = self._types.find(type_)
            assert entry is not None
            return self.least_octets(entry.type)
        if kind is not Kind.STRUCT:
            return shape_of(type_).least
        if type_ not in self._least:
            self._least[type_] = sum(self.least_octets(one.type) for one in type_.members)
        return self._least[type_]


def _contains_itself(type_: TypeCode) -> bool:
    return any(type_.id in member.type.open_ids for member in type_.members)


def _limit(type_: TypeCode) -> str:
    """The bound of a type and its name for messages, as arguments."""
    return f"{type_.bound}, {describe(type_)!r}"


def _branches(type_: TypeCode) -> Iterable[tuple[str, TypeCode | None]]:
    """The condition and type of each branch of a union; the last one has the default."""
    labels: dict[str, list[Label]] = {}
    types: dict[str, TypeCode] = {}
    default: TypeCode | None = None
    for one in type_.members:
        if one.label is None:
            default = one.type
        else:
            labels.setdefault(one.name, []).append(one.label)
            types[one.name] = one.type
    word = "if"
    for name, values in labels.items():
        yield f"{word} d in ({''.join(f'{value!r}, ' for value in values)}):", types[name]
        word = "elif"
    yield ("else:" if labels else "if True:"), default
