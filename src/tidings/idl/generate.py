"""Model to Python: the module generated from an IDL file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tidings.events.typecode import INTEGER_RANGES, KEYWORDS, Kind, TypeCode
from tidings.idl import model as m
from tidings.idl.faults import DEFAULT_LIMITS, IdlLimits, InvalidIdl, Source
from tidings.idl.names import Homes, Names, exception_member, label_name, plain_name
from tidings.idl.typecodes import TypeCodes

INDENT: Final = "    "
_WIDTH: Final = 120


def filled(parts: Iterable[str], used: int = 0) -> str:
    """Join parts with commas, on as few lines as possible; `used` characters precede them."""
    text = ""
    for part in parts:
        if text and used + len(part) > _WIDTH:
            text, used = f"{text},\n{INDENT * 2}", 0
        elif text:
            text += ", "
        text += part
        used += len(part) + 2
    return text


# What stands before a list is about as long again: a name and a repository id.
_SHORT: Final = 60
_UNNAMED: Final = {Kind.STRING, Kind.WSTRING, Kind.FIXED, Kind.SEQUENCE, Kind.ARRAY}
_CONSTANTS: Final = {kind: f"_tc.{kind.name}" for kind in KEYWORDS}


def _source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    return names.get(code) or typecode_source(code, names)


def typecode_source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    """A Python expression that makes the TypeCode; `names` names those inside it."""
    kind = code.kind
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    if kind in (Kind.STRING, Kind.WSTRING) and not code.bound:
        return f"_tc.{kind.name}"
    parts: list[str] = []
    if kind is Kind.RECURSIVE:
        parts = [_text(code.id)]
    elif kind not in _UNNAMED:
        parts = [_text(code.id), _text(code.name)]
    if code.labels:
        parts.append(_listed(map(_text, code.labels)))
    parts += [_source(one, names) for one in (code.content, code.discriminator) if one is not None]
    if kind in (Kind.STRUCT, Kind.EXCEPT, Kind.UNION):
        label = "{0.label!r}, " if kind is Kind.UNION else ""
        parts.append(
            _listed(
                f"({label.format(one)}{_text(one.name)}, {_source(one.type, names)})"
                for one in code.members
            )
        )
    if kind is Kind.FIXED:
        parts += [str(code.digits), str(code.scale)]
    elif code.bound:
        parts.append(str(code.bound))
    function = "exception" if kind is Kind.EXCEPT else kind.name.lower()
    return f"_tc.{function}({', '.join(parts)})"


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


def annotation(type_: m.Type, names: Names) -> str:
    """The Python annotation of an IDL type."""
    if isinstance(type_, m.Basic):
        return _BASIC[type_.kind]
    if isinstance(type_, m.TextOf):
        return "str"
    if isinstance(type_, m.FixedOf):
        return "_g.Decimal"
    if isinstance(type_, m.SequenceOf | m.ArrayOf):
        if m.unaliased(type_.element) == m.Basic(Kind.OCTET):
            return "bytes"
        return f"_g.Sequence[{annotation(type_.element, names)}]"
    if isinstance(type_, m.InterfaceDef):
        return "_g.Reference"
    if isinstance(type_, m.UnionDef):
        return "_g.UnionValue"
    return names.of(type_)


def _class_lines(head: str, body: Sequence[str]) -> list[str]:
    if not body:
        return [f"class {head}: ..."]
    return [f"class {head}:", *(f"{INDENT}{line}" for line in body)]


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class _Call(NamedTuple):
    """An operation, and its name in Python."""

    operation: m.OperationDef
    method: str


class Calls:
    """The operations of interfaces, made once for each."""

    def __init__(self) -> None:
        self._own: dict[m.InterfaceDef, list[_Call]] = {}
        self._classes: dict[m.InterfaceDef, type] = {}

    def own(self, one: m.InterfaceDef) -> list[_Call]:
        """The operations an interface adds to those it inherits."""
        if one not in self._own:
            taken = {call.method for call in self.inherited(one)} | {"INTERFACE"}
            self._own[one] = [
                _Call(operation, _free(plain_name(operation.name.removeprefix("_")), taken))
                for operation in one.operations
            ]
        return self._own[one]

    def inherited(self, one: m.InterfaceDef) -> list[_Call]:
        """The operations of all ancestors."""
        return [call for base in one.ancestors for call in self.own(base)]

    def is_flat(self, one: m.InterfaceDef) -> bool:
        """Whether Python has no order for the bases: the class then inherits from nothing."""
        return bool(one.bases) and self._class(one).__bases__ == (object,)

    def _class(self, one: m.InterfaceDef) -> type:
        if one not in self._classes:
            try:
                made = type(one.name, tuple(map(self._class, _python_bases(one))), {})
            except TypeError:
                made = type(one.name, (), {})
            self._classes[one] = made
        return self._classes[one]


def interface_lines(
    one: m.InterfaceDef, names: Names, calls: Calls, code_of: Callable[[m.Type], str]
) -> Iterator[str]:
    """The description, the methods, the stub and the servant of an interface."""
    name, described = names.bare(one), f"{names.bare(one)}_INTERFACE"
    own = calls.own(one)
    bases = "".join(f"{names.of(base, after='_INTERFACE')}, " for base in one.bases)
    head = f"{described}: _g.Final = _here.interface("
    rows = "".join(f",\n{INDENT}{_row(call, names, code_of)}" for call in own)
    yield f"{head}{filled([f'{name}_TYPE', _text(one.scoped), f'({bases})'], len(head))}{rows})"
    flat = calls.is_flat(one)
    methods = [*calls.inherited(one), *own] if flat else own
    signatures = [_signature(call, names) for call in methods]
    yield from _class_lines(f"_{name}_methods", signatures)
    for suffix, root in (("", "_g.Stub"), ("Servant", "_g.Servant")):
        parents = [names.of(base, after=suffix) for base in _python_bases(one)]
        inherits = ", ".join(parents) if parents and not flat else root
        yield f"class {name}{suffix}(_{name}_methods, {inherits}, of={described}): ..."


def _python_bases(one: m.InterfaceDef) -> list[m.InterfaceDef]:
    """The bases without those that other bases inherit from, which Python would refuse."""
    return [base for base in one.bases if not any(base in other.ancestors for other in one.bases)]


def _row(call: _Call, names: Names, code_of: Callable[[m.Type], str]) -> str:
    operation = call.operation
    takes = [f'"{one.name}": {code_of(one.type)}' for one in operation.given]
    gives = [f'"{name}": {code_of(type_)}' for name, type_ in operation.returned]
    parts = [f'"{operation.name}"']
    if takes:
        parts.append(f"takes={{{', '.join(takes)}}}")
    if gives:
        parts.append(f"gives={{{', '.join(gives)}}}")
    if operation.raises:
        parts.append(f"raises=({''.join(f'{names.of(one)}, ' for one in operation.raises)})")
    if call.method != operation.name:
        parts.append(f'method="{call.method}"')
    if operation.oneway:
        parts.append("oneway=True")
    return f"_here.operation({filled(parts)})"


def _signature(call: _Call, names: Names) -> str:
    parameters = "".join(
        f", {plain_name(one.name)}: {annotation(one.type, names)}" for one in call.operation.given
    )
    types = [annotation(type_, names) for _, type_ in call.operation.returned] or ["None"]
    result = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
    return f"async def {call.method}(self{parameters}) -> {result}: ..."


_HEAD: Final = '''"""What {file} declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g'''


def all_here(_source: Source) -> str | None:
    """A `Homes` that puts every definition into the generated module."""
    return None


def generate(model: m.Model, homes: Homes = all_here, limits: IdlLimits = DEFAULT_LIMITS) -> str:
    """The Python module of a compiled file; `homes` names the modules of included files."""
    _check_ids(model)
    names = Names(model, homes)
    return "".join(f"{line}\n" for line in _Module(model, names, TypeCodes(limits)).lines())


def _check_ids(model: m.Model) -> None:
    """Refuse two types with one repository id: marshalling looks types up by it."""
    seen: dict[str, m.NamedDef] = {}
    for one in model.definitions:
        if isinstance(one, m.ConstDef):
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
    def __init__(self, model: m.Model, names: Names, codes: TypeCodes) -> None:
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
        is_block = True
        for lines in map(self._definition, self.own):
            if is_block or len(lines) > 1:
                yield ""
            is_block = len(lines) > 1
            yield from lines

    # ------------------------------------------------------------ TypeCodes

    def _typecodes(self) -> Iterator[str]:
        waiting: dict[TypeCode, str] = {}
        for one in self.model.definitions:
            if isinstance(one, m.ConstDef):
                continue
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
        for one in code.inner():
            if one not in self.type_names:
                yield from self._typecode(one, waiting)
        if name is not None:
            yield f"{name}: _g.Final = {typecode_source(code, self.type_names)}"
            self.type_names[code] = name

    def _code_of(self, type_: m.Type) -> str:
        return _source(self.codes.of(type_), self.type_names)

    # ------------------------------------------------------------ definitions

    def _definition(self, one: m.NamedDef) -> list[str]:
        name, names = self.names.bare(one), self.names
        if isinstance(one, m.ConstDef):
            return [f"{name}: _g.Final = {self._constant(one)}"]
        if isinstance(one, m.UnionDef):
            return [f"{name} = _g.UnionValue"]
        if isinstance(one, m.AliasDef):
            return [f'{name}: _g.TypeAlias = "{annotation(one.type, names)}"']
        if isinstance(one, m.InterfaceDef):
            return list(interface_lines(one, names, self.calls, self._code_of))
        if isinstance(one, m.EnumDef):
            labels = [f'{label_name(label)} = "{label}"' for label in one.labels]
            return _class_lines(f"{name}(_g.StrEnum)", labels)
        assert isinstance(one, m.StructDef | m.ExceptionDef)
        base, member_name = "_g.NamedTuple", plain_name
        if isinstance(one, m.ExceptionDef):
            base, member_name = f"_g.UserException, types=_here, type={name}_TYPE", exception_member
        members = [f"{member_name(it.name)}: {annotation(it.type, names)}" for it in one.members]
        return _class_lines(f"{name}({base})", members)

    def _constant(self, one: m.ConstDef) -> str:
        type_ = m.unaliased(one.type)
        if isinstance(type_, m.EnumDef):
            return f"{self.names.of(type_)}.{label_name(str(one.value))}"
        return repr(one.value).replace("Decimal(", "_g.Decimal(")
