"""The parts of generated modules for exceptions and interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidings.idl.marshal import INDENT, read_expression, write_lines
from tidings.idl.model import ExceptionDef, InterfaceDef, ParameterDef, Type
from tidings.idl.names import Names, exception_member, plain_name
from tidings.idl.python_types import annotation

__all__ = ["Calls", "exception_lines", "interface_lines"]


def exception_lines(one: ExceptionDef, names: Names) -> Iterator[str]:
    """The class of an exception."""
    name = names.bare(one)
    members = [(exception_member(m.name), annotation(m.type, names)) for m in one.members]
    yield f"def write_{name}(w: _Writer, v: {name}) -> None:"
    for definition, (member, _) in zip(one.members, members, strict=True):
        lines = write_lines(definition.type, f"v.{member}", names)
        yield from (f"{INDENT}{line}" for line in lines)
    if not members:
        yield f"{INDENT}pass"
    yield ""
    yield f"def read_{name}(r: _Reader) -> {name}:"
    yield f"{INDENT}return {name}("
    yield from (f"{INDENT * 2}{read_expression(m.type, names)}," for m in one.members)
    yield f"{INDENT})"
    yield ""
    yield f"class {name}(_UserException):"
    yield f'{INDENT}"""exception {one.scoped}"""'
    yield ""
    yield f'{INDENT}ID = "{one.id}"'
    yield f"{INDENT}TYPE = {name}_TYPE"
    yield f'{INDENT}corba_id = "{one.id}"'
    yield f"{INDENT}write = staticmethod(write_{name})"
    yield f"{INDENT}read = staticmethod(read_{name})"
    yield ""
    parameters = "".join(f", {member}: {type_}" for member, type_ in members)
    yield f"{INDENT}def __init__(self{parameters}) -> None:"
    given = ", ".join(member for member, _ in members)
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
    def returned(self) -> list[Type]:
        """What travels back."""
        outs = [one.type for one in self.parameters if one.direction != "in"]
        return outs if self.result is None else [self.result, *outs]


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


def interface_lines(one: InterfaceDef, names: Names, calls: Calls) -> Iterator[str]:
    """The description, the stub and the servant of an interface."""
    name = names.bare(one)
    own = calls.own(one)
    operations = {call: names.private(f"_{name}_{call.method}") for call in own}
    for call in own:
        yield from _functions(call, operations[call], names)
    bases = "".join(f"{names.of(base, after='_INTERFACE')}, " for base in one.bases)
    yield f"{name}_INTERFACE: _Final = _Interface("
    yield f'{INDENT}"{one.id}",'
    yield f'{INDENT}"{one.scoped}",'
    yield f"{INDENT}({bases}),"
    yield f"{INDENT}{{"
    for base in one.bases:
        yield f"{INDENT * 2}**{names.of(base, after='_INTERFACE')}.operations,"
    for call in own:
        yield f'{INDENT * 2}"{call.name}": {operations[call]},'
    yield f"{INDENT}}},"
    yield ")"
    flat = calls.order(one) is None
    methods = [*calls.inherited(one), *own] if flat else own
    for suffix, root in (("", "_Stub"), ("Servant", "_Servant")):
        parents = [names.of(base, after=suffix) for base in _python_bases(one)]
        inherits = ", ".join(parents) if parents and not flat else root
        yield ""
        yield f"class {name}{suffix}({inherits}):"
        yield f'{INDENT}"""interface {one.scoped}"""'
        yield ""
        if not suffix:
            yield f"{INDENT}__slots__ = ()"
        yield f"{INDENT}INTERFACE = {name}_INTERFACE"
        for call in methods:
            yield ""
            if suffix:
                yield from _servant_method(call, names)
                continue
            operation = operations.get(call) or f'{name}_INTERFACE.operations["{call.name}"]'
            yield from _stub_method(call, operation, names)


def _python_bases(one: InterfaceDef) -> list[InterfaceDef]:
    """The bases without those that others of them inherit from: Python wants no others."""
    return [base for base in one.bases if not any(base in other.ancestors for other in one.bases)]


def _functions(call: _Call, base: str, names: Names) -> Iterator[str]:
    """What writes and reads arguments and results, and the operation made of it."""
    write_in, read_in = "_g.write_nothing", "_g.read_nothing"
    write_out, read_out = "_g.write_void", "_g.read_void"
    given = [one.type for one in call.given]
    if given:
        write_in, read_in = _private(names, base, "in")
        yield f"def {write_in}(w: _Writer, v: tuple[_Any, ...]) -> None:"
        yield from _write_all(given, f"the arguments of {call.name}", names)
        yield ""
        yield f"def {read_in}(r: _Reader) -> tuple[_Any, ...]:"
        yield from _read_all(given, names)
        yield ""
    if call.returned:
        write_out, read_out = _private(names, base, "out")
        yield f"def {write_out}(w: _Writer, v: _Any) -> None:"
        if len(call.returned) == 1:
            lines = write_lines(call.returned[0], "v", names)
            yield from (f"{INDENT}{line}" for line in lines)
        else:
            yield from _write_all(call.returned, f"the result of {call.name}", names)
        yield ""
        yield f"def {read_out}(r: _Reader) -> _Any:"
        if len(call.returned) == 1:
            yield f"{INDENT}return {read_expression(call.returned[0], names)}"
        else:
            yield from _read_all(call.returned, names)
        yield ""
    raises = "".join(f"{names.of(one)}, " for one in call.raises)
    yield f"{base}: _Final = _Operation("
    yield f'{INDENT}"{call.name}",'
    yield f'{INDENT}"{call.method}",'
    yield f"{INDENT}{write_in},"
    yield f"{INDENT}{read_in},"
    yield f"{INDENT}{write_out},"
    yield f"{INDENT}{read_out},"
    yield f"{INDENT}({raises}),"
    yield f"{INDENT}{call.oneway},"
    yield ")"
    yield ""


def _private(names: Names, base: str, what: str) -> tuple[str, str]:
    return names.private(f"{base}_write_{what}"), names.private(f"{base}_read_{what}")


def _write_all(types: Sequence[Type], what: str, names: Names) -> Iterator[str]:
    places = [f"a{i}" for i in range(len(types))]
    yield f"{INDENT}try:"
    yield f"{INDENT * 2}({''.join(f'{place}, ' for place in places)}) = v"
    yield f"{INDENT}except _g.UNPACKING_FAULTS:"
    yield f'{INDENT * 2}raise _g.no_member("{what}", {len(places)}, v) from None'
    for place, type_ in zip(places, types, strict=True):
        yield from (f"{INDENT}{line}" for line in write_lines(type_, place, names))


def _read_all(types: Sequence[Type], names: Names) -> Iterator[str]:
    yield f"{INDENT}return ("
    yield from (f"{INDENT * 2}{read_expression(type_, names)}," for type_ in types)
    yield f"{INDENT})"


def _signature(call: _Call, names: Names) -> tuple[str, str]:
    """The parameters of a method and its result."""
    parameters = "".join(
        f", {plain_name(one.name)}: {annotation(one.type, names)}" for one in call.given
    )
    types = [annotation(type_, names) for type_ in call.returned]
    if len(types) > 1:
        return parameters, f"tuple[{', '.join(types)}]"
    return parameters, types[0] if types else "None"


def _stub_method(call: _Call, operation: str, names: Names) -> Iterator[str]:
    parameters, result = _signature(call, names)
    given = "".join(f"{plain_name(one.name)}, " for one in call.given)
    yield f"{INDENT}async def {call.method}(self{parameters}) -> {result}:"
    made = f"await self._call({operation}, ({given}))"
    if result == "None":
        yield f"{INDENT * 2}{made}"
    else:
        yield f"{INDENT * 2}made: {result} = {made}"
        yield f"{INDENT * 2}return made"


def _servant_method(call: _Call, names: Names) -> Iterator[str]:
    parameters, result = _signature(call, names)
    yield f"{INDENT}async def {call.method}(self{parameters}) -> {result}:"
    yield f'{INDENT * 2}_g.not_done(self, "{call.method}")'
