"""Model to Python: the module that stands for an IDL file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tidings.events.typecode import TypeCode
from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.generate_interfaces import Calls, exception_lines, interface_lines
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.model import (
    AliasDef,
    ConstDef,
    EnumDef,
    ExceptionDef,
    InterfaceDef,
    Model,
    NamedDef,
    StructDef,
    Type,
    UnionDef,
    unaliased,
)
from tidings.idl.names import Homes, Names, label_name, plain_name
from tidings.idl.python_types import annotation
from tidings.idl.source_lines import INDENT
from tidings.idl.typecode_source import typecode_source
from tidings.idl.typecodes import TypeCodes

_HEAD: Final = '''"""What {file} declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g'''


def all_here(_source: Source) -> str | None:
    """Every definition is in the module that is generated."""
    return None


def generate(model: Model, homes: Homes = all_here, limits: Limits = DEFAULT_LIMITS) -> str:
    """The Python module of a compiled file.

    Args:
        model: What the file means.
        homes: Which Python module holds what an included file defines; None for this one.
        limits: How large TypeCodes may get.

    Raises:
        InvalidIdl: A type nests too deep, or two types have the same repository id.
    """
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
    """The last part of a file's name, without what could end the text it is put into."""
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
        """An expression for the TypeCode of a type."""
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
