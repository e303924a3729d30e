"""Model to Python: the module that stands for an IDL file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tidings.events.typecode import TypeCode
from tidings.idl.faults import Source
from tidings.idl.generate_interfaces import Calls, exception_lines, interface_lines
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.marshal import INDENT, read_expression, write_lines
from tidings.idl.model import (
    AliasDef,
    BranchDef,
    ConstDef,
    EnumDef,
    ExceptionDef,
    InterfaceDef,
    Model,
    NamedDef,
    StructDef,
    UnionDef,
    unaliased,
)
from tidings.idl.names import Homes, Names, label_name, plain_name
from tidings.idl.python_types import annotation, contains_itself
from tidings.idl.typecode_source import typecode_source
from tidings.idl.typecodes import TypeCodes

__all__ = ["all_here", "generate"]

_HEAD: Final = '''"""What {file} declares. Generated from it; changes belong there."""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from decimal import Decimal as _Decimal
from enum import StrEnum as _StrEnum
from typing import Any as _Any
from typing import Final as _Final
from typing import NamedTuple as _NamedTuple
from typing import TypeAlias as _TypeAlias

from tidings.events import typecode as _tc
from tidings.events.boxes import UnionValue as _UnionValue
from tidings.events.boxes import Value as _Value
from tidings.events.reference import Reference as _Reference
from tidings.orb import generated as _g
from tidings.orb.cdr_reader import Reader as _Reader
from tidings.orb.cdr_writer import Writer as _Writer
from tidings.orb.exceptions import UserException as _UserException
from tidings.orb.stubs import Interface as _Interface
from tidings.orb.stubs import Operation as _Operation
from tidings.orb.stubs import Servant as _Servant
from tidings.orb.stubs import Stub as _Stub
'''


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
        InvalidIdl: A type nests too deep.
    """
    names = Names(model, homes)
    return "".join(f"{line}\n" for line in _Module(model, names, TypeCodes(limits)).lines())


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
        for alias, module in sorted(self.names.imports.items()):
            package, _, name = module.rpartition(".")
            yield (
                f"from {package} import {name} as {alias}"
                if package
                else (f"import {name} as {alias}")
            )
        yield from self._all_names()
        yield from self._typecodes()
        for definition in self.own:
            yield ""
            yield from self._definition(definition)

    def _all_names(self) -> Iterator[str]:
        yield ""
        yield "__all__ = ["
        exported: list[str] = []
        for one in self.own:
            bare = self.names.bare(one)
            exported.append(bare)
            if not isinstance(one, ConstDef):
                exported.append(f"{bare}_TYPE")
            if isinstance(one, InterfaceDef):
                exported += [f"{bare}_INTERFACE", f"{bare}Servant"]
            elif not isinstance(one, ConstDef):
                exported += [f"read_{bare}", f"write_{bare}"]
        yield from (f'{INDENT}"{name}",' for name in sorted(exported))
        yield "]"

    # ------------------------------------------------------------ TypeCodes

    def _typecodes(self) -> Iterator[str]:
        waiting: dict[TypeCode, str] = {}
        for one in self.model.definitions:
            if isinstance(one, ConstDef):
                continue
            assert isinstance(
                one, StructDef | UnionDef | EnumDef | AliasDef | InterfaceDef | ExceptionDef
            )
            code = self.codes.of(one)
            if self.names.is_here(one):
                waiting[code] = self.names.of(one, after="_TYPE")
            else:
                self.type_names.setdefault(code, self.names.of(one, after="_TYPE"))
        yield ""
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
            yield f"{name}: _Final = {typecode_source(code, self.type_names)}"
            self.type_names[code] = name

    # ------------------------------------------------------------ definitions

    def _definition(self, one: NamedDef) -> Iterator[str]:
        if isinstance(one, StructDef):
            yield from self._struct(one)
        elif isinstance(one, UnionDef):
            yield from self._union(one)
        elif isinstance(one, EnumDef):
            yield from self._enum(one)
        elif isinstance(one, AliasDef):
            yield from self._alias(one)
        elif isinstance(one, ConstDef):
            yield f"{self.names.bare(one)}: _Final = {self._constant(one)}"
        elif isinstance(one, ExceptionDef):
            yield from exception_lines(one, self.names)
        else:
            assert isinstance(one, InterfaceDef)
            yield from interface_lines(one, self.names, self.calls)

    def _constant(self, one: ConstDef) -> str:
        type_ = unaliased(one.type)
        if isinstance(type_, EnumDef):
            return f"{self.names.of(type_)}.{label_name(str(one.value))}"
        return repr(one.value).replace("Decimal(", "_Decimal(")

    def _struct(self, one: StructDef) -> Iterator[str]:
        name = self.names.bare(one)
        members = [annotation(member.type, self.names) for member in one.members]
        yield f"class {name}(_NamedTuple):"
        yield f'{INDENT}"""struct {one.scoped}"""'
        for member, type_ in zip(one.members, members, strict=True):
            yield f"{INDENT}{plain_name(member.name)}: {type_}"
        places = [f"a{i}" for i in range(len(one.members))]
        body = [
            "try:",
            f"{INDENT}({''.join(f'{place}, ' for place in places)}) = v",
            "except _g.UNPACKING_FAULTS:",
            f'{INDENT}raise _g.no_member("{one.scoped}", {len(places)}, v) from None',
        ]
        for place, member in zip(places, one.members, strict=True):
            body += write_lines(member.type, place, self.names)
        deep = contains_itself(one)
        yield from self._writer(name, name, self._guarded(body, one, "w") if deep else body)
        reads = [f"{INDENT}{read_expression(m.type, self.names)}," for m in one.members]
        read = [f"made = {name}(", *reads, ")"] if reads else [f"made = {name}()"]
        yield from self._reader(name, name, self._guarded(read, one, "r") if deep else read)

    def _guarded(self, body: list[str], one: NamedDef, stream: str) -> list[str]:
        """The body of a function that calls itself: only so deep."""
        raised = f'_g.too_deep("{one.scoped}")'
        if stream == "r":
            raised = f'_g.read_too_deep(r, "{one.scoped}")'
        return [
            f"{stream}.depth += 1",
            f"if {stream}.depth > {stream}.limits.value_depth:",
            f"{INDENT}raise {raised}",
            *body,
            f"{stream}.depth -= 1",
        ]

    def _writer(self, name: str, type_: str, body: list[str]) -> Iterator[str]:
        yield ""
        yield f"def write_{name}(w: _Writer, v: {type_}) -> None:"
        yield from (f"{INDENT}{line}" for line in body)

    def _reader(self, name: str, type_: str, body: list[str]) -> Iterator[str]:
        yield ""
        yield f"def read_{name}(r: _Reader) -> {type_}:"
        yield from (f"{INDENT}{line}" for line in body)
        yield f"{INDENT}return made"

    def _enum(self, one: EnumDef) -> Iterator[str]:
        name = self.names.bare(one)
        yield f"class {name}(_StrEnum):"
        yield f'{INDENT}"""enum {one.scoped}"""'
        for label in one.labels:
            yield f'{INDENT}{label_name(label)} = "{label}"'
        yield ""
        yield f"_labels_{name}: _Final = tuple({name})"
        yield f"_ordinals_{name}: _Final = dict(zip(_labels_{name}, range({len(one.labels)})))"
        body = [
            "try:",
            f"{INDENT}w.ulong(_ordinals_{name}[v])",
            "except _g.LOOKUP_FAULTS:",
            f'{INDENT}raise _g.no_label("{one.scoped}", v) from None',
        ]
        yield from self._writer(name, name, body)
        read = [
            "ordinal = r.ulong()",
            f"if ordinal >= {len(one.labels)}:",
            f'{INDENT}raise _g.no_ordinal(r, "{one.scoped}", ordinal)',
            f"made = _labels_{name}[ordinal]",
        ]
        yield from self._reader(name, name, read)

    def _alias(self, one: AliasDef) -> Iterator[str]:
        name = self.names.bare(one)
        yield f'{name}: _TypeAlias = "{annotation(one.type, self.names)}"'
        yield from self._writer(name, name, write_lines(one.type, "v", self.names))
        yield from self._reader(name, name, [f"made = {read_expression(one.type, self.names)}"])

    # ------------------------------------------------------------ unions

    def _union(self, one: UnionDef) -> Iterator[str]:
        name = self.names.bare(one)
        yield f"{name} = _UnionValue"
        body = [
            "if not isinstance(v, _UnionValue):",
            f'{INDENT}raise _g.no_union("{one.scoped}", v)',
            "d: _Any = v.discriminator",
            "x: _Any = v.value",
            *write_lines(one.switch, "d", self.names),
            *self._branches(one, write=True),
        ]
        deep = contains_itself(one)
        yield from self._writer(
            name, "_UnionValue", self._guarded(body, one, "w") if deep else body
        )
        label = "d = " + read_expression(one.switch, self.names)
        if isinstance(unaliased(one.switch), EnumDef):
            label = f"d = {read_expression(one.switch, self.names)}.value"
        read = [label, *self._branches(one, write=False)]
        yield from self._reader(
            name, "_UnionValue", self._guarded(read, one, "r") if deep else read
        )

    def _branches(self, one: UnionDef, *, write: bool) -> Iterator[str]:
        default: BranchDef | None = None
        word = "if"
        for branch in one.branches:
            if None in branch.labels:
                default = branch
                continue
            labels = ", ".join(repr(label) for label in branch.labels)
            test = f"d == {labels}" if len(branch.labels) == 1 else f"d in ({labels})"
            yield f"{word} {test}:"
            yield from self._branch(branch, write=write)
            word = "elif"
        if default is not None:
            if word == "if":
                yield "if True:"
            else:
                yield "else:"
            yield from self._branch(default, write=write)
        elif write:
            yield f"{'el' if word == 'elif' else ''}if x is not None:"
            yield f'{INDENT}raise _g.no_union("{one.scoped}", v)'
        else:
            yield "else:"
            yield f"{INDENT}made = _UnionValue(d, None)"

    def _branch(self, branch: BranchDef, *, write: bool) -> Iterator[str]:
        if write:
            lines = write_lines(branch.type, "x", self.names)
        else:
            read: str = read_expression(branch.type, self.names)
            lines = [f"made = _UnionValue(d, {read})"]
        yield from (f"{INDENT}{line}" for line in lines)
