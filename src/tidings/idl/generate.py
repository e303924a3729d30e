"""Model to Python: the module generated from an IDL file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidings.events.typecode import INTEGER_RANGES, KEYWORDS, Kind, TypeCode
from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.model import (
    AliasDef,
    ArrayOf,
    Basic,
    ConstDef,
    EnumDef,
    ExceptionDef,
    FixedOf,
    InterfaceDef,
    Model,
    NamedDef,
    ParameterDef,
    SequenceOf,
    StructDef,
    TextOf,
    Type,
    UnionDef,
    unaliased,
)
from tidings.idl.names import Homes, Names, exception_member, label_name, plain_name
from tidings.idl.typecodes import TypeCodes

INDENT: Final = "    "
_WIDTH: Final = 120


def filled(parts: Iterable[str]) -> str:
    """Join parts with commas, on as few lines as possible."""
    text, used = "", 0
    for part in parts:
        if text and used + len(part) > _WIDTH:
            text, used = f"{text},\n{INDENT * 2}", 0
        elif text:
            text += ", "
        text += part
        used += len(part) + 2
    return text


def joined(head: str, body: str, indent: str = INDENT) -> list[str]:
    """A function with one statement, on one line or, if that is too long, on two."""
    whole = f"{indent}{head} {body}"
    return [whole] if len(whole) <= _WIDTH else [f"{indent}{head}", f"{indent}{INDENT}{body}"]


# What stands before a list is about as long again: a name and a repository id.
_SHORT: Final = 60
_CONSTANTS: Final = {kind: f"_tc.{kind.name}" for kind in KEYWORDS}


def _source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    return names.get(code) or typecode_source(code, names)


def typecode_source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    """A Python expression that makes the TypeCode; `names` names those inside it."""
    kind = code.kind
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    named = f"{_text(code.id)}, {_text(code.name)}"
    if kind in (Kind.STRING, Kind.WSTRING):
        return f"_tc.{kind.name.lower()}({code.bound})" if code.bound else f"_tc.{kind.name}"
    if kind is Kind.FIXED:
        return f"_tc.fixed({code.digits}, {code.scale})"
    if kind is Kind.OBJREF:
        return f"_tc.objref({named})"
    if kind is Kind.RECURSIVE:
        return f"_tc.recursive({_text(code.id)})"
    if kind is Kind.ENUM:
        return f"_tc.enum({named}, {_listed(map(_text, code.labels))})"
    if kind in (Kind.SEQUENCE, Kind.ARRAY):
        size = f", {code.bound}" if code.bound else ""
        return f"_tc.{kind.name.lower()}({_source(code.element_type, names)}{size})"
    if kind is Kind.ALIAS:
        return f"_tc.alias({named}, {_source(code.element_type, names)})"
    if kind is Kind.UNION:
        assert code.discriminator is not None
        switch = _source(code.discriminator, names)
        branches = [
            f"({one.label!r}, {_text(one.name)}, {_source(one.type, names)})"
            for one in code.members
        ]
        return f"_tc.union({named}, {switch}, {_listed(branches)})"
    function = "struct" if kind is Kind.STRUCT else "exception"
    members = [f"({_text(one.name)}, {_source(one.type, names)})" for one in code.members]
    return f"_tc.{function}({named}, {_listed(members)})"


def _listed(parts: Iterable[str]) -> str:
    text = filled(parts)
    return f"[{text}]" if len(text) <= _SHORT else f"[\n{INDENT}{text}]"


def _text(text: str) -> str:
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)


_BASIC: Final = {
    **dict.fromkeys(INTEGER_RANGES, "int"),
    Kind.FLOAT: "float",
    Kind.DOUBLE: "float",
    Kind.LONGDOUBLE: "bytes",
    Kind.BOOLEAN: "bool",
    Kind.CHAR: "str",
    Kind.WCHAR: "str",
    Kind.ANY: "_g.Value",
    Kind.TYPECODE: "_g.TypeCode",
    Kind.OBJREF: "_g.Reference",
}


def annotation(type_: Type, names: Names) -> str:
    """The Python annotation of an IDL type."""
    if isinstance(type_, Basic):
        return _BASIC[type_.kind]
    if isinstance(type_, TextOf):
        return "str"
    if isinstance(type_, FixedOf):
        return "_g.Decimal"
    if isinstance(type_, SequenceOf | ArrayOf):
        if unaliased(type_.element) == Basic(Kind.OCTET):
            return "bytes"
        return f"_g.Sequence[{annotation(type_.element, names)}]"
    if isinstance(type_, InterfaceDef):
        return "_g.Reference"
    if isinstance(type_, UnionDef):
        return "_g.UnionValue"
    return names.of(type_)


def exception_lines(one: ExceptionDef, names: Names) -> Iterator[str]:
    """The class of an exception."""
    name = names.bare(one)
    members = [(exception_member(m.name), annotation(m.type, names)) for m in one.members]
    yield f"class {name}(_g.UserException):"
    yield f'{INDENT}"""exception {one.scoped}"""'
    yield f"{INDENT}ID = corba_id = {name}_TYPE.id"
    yield f"{INDENT}TYPE = {name}_TYPE"
    yield f"{INDENT}read, write = staticmethod(read_{name}), staticmethod(write_{name})"
    if members:
        attributes = "".join(f'"{member}", ' for member, _ in members)
        yield f"{INDENT}__match_args__ = ({attributes})"
    parameters = "".join(f", {member}: {type_}" for member, type_ in members)
    given = ", ".join(member for member, _ in members)
    yield f"{INDENT}def __init__(self{parameters}) -> None:"
    yield f"{INDENT * 2}super().__init__({given})"
    yield from (f"{INDENT * 2}self.{member} = {member}" for member, _ in members)


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """An operation, or one half of an attribute."""

    name: str
    method: str
    result: Type | None
    parameters: Sequence[ParameterDef]
    raises: Sequence[ExceptionDef] = ()
    oneway: bool = False

    @property
    def given(self) -> list[ParameterDef]:
        """The parameters sent to the object."""
        return [one for one in self.parameters if one.direction != "out"]

    @property
    def returned(self) -> list[tuple[str, Type]]:
        """The results sent back, by name; that of the return value is empty."""
        outs = [(one.name, one.type) for one in self.parameters if one.direction != "in"]
        return outs if self.result is None else [("", self.result), *outs]


def _calls(one: InterfaceDef, taken: set[str]) -> list[_Call]:
    """The interface's own operations; the names of their methods are new."""
    calls: list[_Call] = []
    for operation in one.operations:
        method = _free(plain_name(operation.name), taken)
        parameters, raises = operation.parameters, operation.raises
        calls.append(
            _Call(operation.name, method, operation.result, parameters, raises, operation.oneway)
        )
    for attribute in one.attributes:
        get = _free(f"get_{attribute.name}", taken)
        calls.append(_Call(f"_get_{attribute.name}", get, attribute.type, ()))
        if not attribute.readonly:
            value = ParameterDef("in", "value", attribute.type)
            put = _free(f"set_{attribute.name}", taken)
            calls.append(_Call(f"_set_{attribute.name}", put, None, (value,)))
    return calls


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class Calls:
    """The operations of interfaces, made once for each."""

    def __init__(self) -> None:
        self._own: dict[InterfaceDef, list[_Call]] = {}
        self._orders: dict[InterfaceDef, list[InterfaceDef] | None] = {}

    def own(self, one: InterfaceDef) -> list[_Call]:
        """The operations an interface adds to those it inherits."""
        if one not in self._own:
            taken = {call.method for call in self.inherited(one)}
            self._own[one] = _calls(one, taken | {"INTERFACE"})
        return self._own[one]

    def inherited(self, one: InterfaceDef) -> list[_Call]:
        """The operations of all ancestors."""
        return [call for base in one.ancestors for call in self.own(base)]

    def order(self, one: InterfaceDef) -> list[InterfaceDef] | None:
        """Python's method resolution order, or None if there is none."""
        if one not in self._orders:
            self._orders[one] = self._merged(one)
        return self._orders[one]

    def _merged(self, one: InterfaceDef) -> list[InterfaceDef] | None:
        bases = _python_bases(one)
        # A class without an order of its own is flat, and inherits from nothing.
        lists = [self.order(base) or [base] for base in bases]
        lists.append(bases)
        merged = [one]
        while lists := [rest for rest in lists if rest]:
            heads = [rest[0] for rest in lists]
            head = next((h for h in heads if not any(h in rest[1:] for rest in lists)), None)
            if head is None:
                return None
            merged.append(head)
            lists = [rest[1:] if rest[0] is head else rest for rest in lists]
        return merged


def interface_lines(
    one: InterfaceDef, names: Names, calls: Calls, code_of: Callable[[Type], str]
) -> Iterator[str]:
    """The description, the stub and the servant of an interface."""
    name = names.bare(one)
    own = calls.own(one)
    bases = "".join(f"{names.of(base, after='_INTERFACE')}, " for base in one.bases)
    yield f"{name}_INTERFACE: _g.Final = _here.interface("
    head = [f"{name}_TYPE", f'"{one.scoped}"', f"({bases})"]
    yield f"{INDENT}{filled(head)},"
    yield from (f"{INDENT}{_row(call, names, code_of)}," for call in own)
    yield ")"
    flat = calls.order(one) is None
    methods = [*calls.inherited(one), *own] if flat else own
    for suffix, root in (("", "_g.Stub"), ("Servant", "_g.Servant")):
        parents = [names.of(base, after=suffix) for base in _python_bases(one)]
        inherits = ", ".join(parents) if parents and not flat else root
        yield ""
        yield f"class {name}{suffix}({inherits}):"
        yield f'{INDENT}"""interface {one.scoped}"""'
        if not suffix:
            yield f"{INDENT}__slots__ = ()"
        yield f"{INDENT}INTERFACE = {name}_INTERFACE"
        for call in methods:
            yield from _method(call, names, stub=not suffix)


def _python_bases(one: InterfaceDef) -> list[InterfaceDef]:
    """The bases without those that other bases inherit from, which Python would refuse."""
    return [base for base in one.bases if not any(base in other.ancestors for other in one.bases)]


def _row(call: _Call, names: Names, code_of: Callable[[Type], str]) -> str:
    takes = [f'"{one.name}": {code_of(one.type)}' for one in call.given]
    gives = [f'"{name}": {code_of(type_)}' for name, type_ in call.returned]
    parts = [f'"{call.name}"']
    if takes:
        parts.append(f"takes={{{', '.join(takes)}}}")
    if gives:
        parts.append(f"gives={{{', '.join(gives)}}}")
    if call.raises:
        parts.append(f"raises=({''.join(f'{names.of(one)}, ' for one in call.raises)})")
    if call.method != call.name:
        parts.append(f'method="{call.method}"')
    if call.oneway:
        parts.append("oneway=True")
    return f"_here.operation({filled(parts)})"


def _signature(call: _Call, names: Names) -> tuple[str, str]:
    parameters = "".join(
        f", {plain_name(one.name)}: {annotation(one.type, names)}" for one in call.given
    )
    types = [annotation(type_, names) for _, type_ in call.returned]
    if len(types) > 1:
        return parameters, f"tuple[{', '.join(types)}]"
    return parameters, types[0] if types else "None"


def _method(call: _Call, names: Names, *, stub: bool) -> list[str]:
    """A method of a stub, which makes the call, or of a servant, which refuses it."""
    parameters, result = _signature(call, names)
    body = f'_g.not_done(self, "{call.method}")'
    if stub:
        given = "".join(f", {plain_name(one.name)}" for one in call.given)
        returned = "" if result == "None" else "return "
        body = f'{returned}await self._call("{call.name}"{given})'
    return joined(f"async def {call.method}(self{parameters}) -> {result}:", body)


_HEAD: Final = '''"""What {file} declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g'''


def all_here(_source: Source) -> str | None:
    """A `Homes` that puts every definition into the generated module."""
    return None


def generate(model: Model, homes: Homes = all_here, limits: Limits = DEFAULT_LIMITS) -> str:
    """The Python module of a compiled file; `homes` names the modules of included files."""
    _check_ids(model)
    names = Names(model, homes)
    return "".join(f"{line}\n" for line in _Module(model, names, TypeCodes(limits)).lines())


def _check_ids(model: Model) -> None:
    """Refuse two types with one repository id: marshalling looks types up by it."""
    seen: dict[str, NamedDef] = {}
    for one in model.definitions:
        if isinstance(one, ConstDef):
            continue
        before = seen.setdefault(one.id, one)
        if before is not one:
            raise InvalidIdl(
                f"{one.scoped} has the repository id of {before.scoped}: {one.id}", one.place
            )


def _file_name(source: Source) -> str:
    """The last part of a file's name, without characters that could end the docstring."""
    return re.sub(r"[^\w.-]", "_", source.name.replace("\\", "/").rpartition("/")[2])


class _Module:
    def __init__(self, model: Model, names: Names, codes: TypeCodes) -> None:
        self.model = model
        self.names = names
        self.codes = codes
        self.calls = Calls()
        self.own = [one for one in model.definitions if names.is_here(one)]
        self.type_names: dict[TypeCode, str] = {}

    def lines(self) -> Iterator[str]:
        yield _HEAD.format(file=_file_name(self.model.main))
        imports = sorted(self.names.imports.items())
        for alias, module in imports:
            package, _, name = module.rpartition(".")
            lead = f"from {package} " if package else ""
            yield f"{lead}import {name} as {alias}"
        yield ""
        yield f"_here: _g.Final = _g.Types(globals(){''.join(f', {a}._here' for a, _ in imports)})"
        yield ""
        yield from self._typecodes()
        for definition in self.own:
            yield from self._definition(definition)

    # ------------------------------------------------------------ TypeCodes

    def _typecodes(self) -> Iterator[str]:
        waiting: dict[TypeCode, str] = {}
        for one in self.model.definitions:
            if isinstance(one, ConstDef):
                continue
            assert isinstance(
                one, StructDef | UnionDef | EnumDef | AliasDef | InterfaceDef | ExceptionDef
            )
            code, name = self.codes.of(one), self.names.of(one, after="_TYPE")
            if self.names.is_here(one):
                waiting[code] = name
            else:
                self.type_names.setdefault(code, name)
        for code in list(waiting):
            yield from self._typecode(code, waiting)

    def _typecode(self, code: TypeCode, waiting: dict[TypeCode, str]) -> Iterator[str]:
        """A TypeCode, and before it those inside it that have names."""
        name = waiting.pop(code, None)
        inner = [member.type for member in code.members]
        inner += [one for one in (code.content, code.discriminator) if one is not None]
        for one in inner:
            if one not in self.type_names:
                yield from self._typecode(one, waiting)
        if name is not None:
            yield f"{name}: _g.Final = {typecode_source(code, self.type_names)}"
            self.type_names[code] = name

    def _code_of(self, type_: Type) -> str:
        code = self.codes.of(type_)
        return self.type_names.get(code) or typecode_source(code, self.type_names)

    # ------------------------------------------------------------ definitions

    def _definition(self, one: NamedDef) -> Iterator[str]:
        name = self.names.bare(one)
        if isinstance(one, ConstDef):
            yield f"{name}: _g.Final = {self._constant(one)}"
            return
        yield ""
        if isinstance(one, InterfaceDef):
            yield from interface_lines(one, self.names, self.calls, self._code_of)
            return
        values = "_g.UnionValue" if isinstance(one, UnionDef) else name
        functions = [
            f"read_{name}: _g.Reads[{values}] = _here.reads({name}_TYPE)",
            f"write_{name}: _g.Writes[{values}] = _here.writes({name}_TYPE)",
        ]
        if isinstance(one, ExceptionDef):
            yield from functions
            yield from exception_lines(one, self.names)
            return
        yield from self._type(one)
        yield from functions

    def _type(self, one: NamedDef) -> Iterator[str]:
        name = self.names.bare(one)
        if isinstance(one, StructDef):
            yield f"class {name}(_g.NamedTuple):"
            yield f'{INDENT}"""struct {one.scoped}"""'
            for member in one.members:
                yield f"{INDENT}{plain_name(member.name)}: {annotation(member.type, self.names)}"
        elif isinstance(one, EnumDef):
            yield f"class {name}(_g.StrEnum):"
            yield f'{INDENT}"""enum {one.scoped}"""'
            for label in one.labels:
                yield f'{INDENT}{label_name(label)} = "{label}"'
        elif isinstance(one, UnionDef):
            yield f"{name} = _g.UnionValue"
        else:
            assert isinstance(one, AliasDef)
            yield f'{name}: _g.TypeAlias = "{annotation(one.type, self.names)}"'

    def _constant(self, one: ConstDef) -> str:
        type_ = unaliased(one.type)
        if isinstance(type_, EnumDef):
            return f"{self.names.of(type_)}.{label_name(str(one.value))}"
        return repr(one.value).replace("Decimal(", "_g.Decimal(")
