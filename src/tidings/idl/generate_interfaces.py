"""The parts of generated modules for exceptions and interfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tidings.idl.model import ExceptionDef, InterfaceDef, ParameterDef, Type
from tidings.idl.names import Names, exception_member, plain_name
from tidings.idl.python_types import annotation
from tidings.idl.source_lines import INDENT, filled, joined


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
        """What travels to the object."""
        return [one for one in self.parameters if one.direction != "out"]

    @property
    def returned(self) -> list[tuple[str, Type]]:
        """What travels back, by name; that of the result is empty."""
        outs = [(one.name, one.type) for one in self.parameters if one.direction != "in"]
        return outs if self.result is None else [("", self.result), *outs]


def _calls(one: InterfaceDef, taken: set[str]) -> list[_Call]:
    """The own operations; the names of their methods differ from all that are taken."""
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
        """The operations an interface adds to what it inherits."""
        if one not in self._own:
            taken = {call.method for call in self.inherited(one)}
            self._own[one] = _calls(one, taken | {"INTERFACE"})
        return self._own[one]

    def inherited(self, one: InterfaceDef) -> list[_Call]:
        """The operations of all ancestors."""
        return [call for base in one.ancestors for call in self.own(base)]

    def order(self, one: InterfaceDef) -> list[InterfaceDef] | None:
        """The order in which Python looks methods up, or None if it finds none."""
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
    """The description, the stub and the servant of an interface.

    Args:
        one: The interface.
        names: The names of definitions.
        calls: The operations of interfaces.
        code_of: An expression for the TypeCode of a type.
    """
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
    """The bases without those that others of them inherit from: Python wants no others."""
    return [base for base in one.bases if not any(base in other.ancestors for other in one.bases)]


def _row(call: _Call, names: Names, code_of: Callable[[Type], str]) -> str:
    """The row of an operation in its interface."""
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
    """The parameters of a method and its result."""
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
