"""TypeCodes of types."""

from __future__ import annotations

from typing import Final

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.typecode import Kind, TypeCode
from tidings.idl import model as m
from tidings.idl.faults import DEFAULT_LIMITS, IdlLimits, InvalidIdl

_OBJECT: Final = tc.objref()

# Where TypeCodes end; typedefs and types that contain each other may come in any number.
_DEEPEST: Final = tc.MAX_TYPE_DEPTH


class TypeCodes:
    """Makes TypeCodes, each once."""

    def __init__(self, limits: IdlLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._made: dict[m.NamedDef, TypeCode] = {}
        self._nodes = 0
        self._depth = 0

    def of(self, type_: m.Type | m.NamedDef) -> TypeCode:
        """The TypeCode of a type or exception."""
        try:
            return self._of(type_, frozenset())
        except InvalidTypeCode as error:
            assert isinstance(type_, m.NamedDef)
            raise InvalidIdl(f"{type_.scoped}: {error}", type_.place) from error

    def _of(self, type_: m.Type | m.NamedDef, open_: frozenset[str]) -> TypeCode:
        if isinstance(type_, m.Basic):
            return _OBJECT if type_.kind is Kind.OBJREF else tc.PRIMITIVES[type_.kind]
        if isinstance(type_, m.TextOf):
            return tc.wstring(type_.bound) if type_.wide else tc.string(type_.bound)
        if isinstance(type_, m.FixedOf):
            return tc.fixed(type_.digits, type_.scale)
        if isinstance(type_, m.SequenceOf):
            return tc.sequence(self._of(type_.element, open_), type_.bound)
        if isinstance(type_, m.ArrayOf):
            return tc.array(self._of(type_.element, open_), type_.length)
        return self._named(type_, open_)

    def _named(self, type_: m.NamedDef, open_: frozenset[str]) -> TypeCode:
        if type_.id in open_:
            return tc.recursive(type_.id)
        known = self._made.get(type_)
        # Inside another type, this one looks different if it contains that one.
        if known is not None and not (open_ and self._reaches(known, open_)):
            return known
        self._nodes += 1
        if self._nodes > self._limits.type_nodes:
            raise InvalidIdl(
                f"the TypeCodes have more than {self._limits.type_nodes} parts", type_.place
            )
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InvalidIdl(f"types nest deeper than {_DEEPEST}", type_.place)
        made = self._composed(type_, open_)
        self._depth -= 1
        if not made.open_ids:
            self._made[type_] = made
        return made

    def _composed(self, type_: m.NamedDef, open_: frozenset[str]) -> TypeCode:
        if isinstance(type_, m.InterfaceDef):
            return tc.objref(type_.id, type_.name)
        if isinstance(type_, m.EnumDef):
            return tc.enum(type_.id, type_.name, type_.labels)
        if isinstance(type_, m.AliasDef):
            return tc.alias(type_.id, type_.name, self._of(type_.type, open_))
        inside = open_ | {type_.id}
        if isinstance(type_, m.StructDef | m.ExceptionDef):
            make = tc.struct if isinstance(type_, m.StructDef) else tc.exception
            members = [(one.name, self._of(one.type, inside)) for one in type_.members]
            return make(type_.id, type_.name, members)
        assert isinstance(type_, m.UnionDef)
        branches = [
            (label, branch.name, code)
            for branch in type_.branches
            for code in [self._of(branch.type, inside)]
            for label in branch.labels
        ]
        return tc.union(type_.id, type_.name, self._of(type_.switch, open_), branches)

    def _reaches(self, code: TypeCode, ids: frozenset[str]) -> bool:
        """Whether one of these types is somewhere inside."""
        seen: set[int] = set()
        waiting = [code]
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if one.kind in _CONTAINERS and one.id in ids:
                return True
            waiting += one.inner()
        return False


_CONTAINERS: Final = frozenset({Kind.STRUCT, Kind.UNION, Kind.EXCEPT})
