"""Scopes, and how names are found in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tidings.idl.faults import InvalidIdl, Place
from tidings.idl.model import EnumDef, InterfaceDef, NamedDef, StructDef, UnionDef
from tidings.idl.tree import ScopedName


@dataclass(frozen=True, slots=True)
class EnumLabel:
    """A label of an enum, which is a name in the scope around the enum."""

    enum: EnumDef
    label: str


@dataclass(frozen=True, slots=True)
class Other:
    """A name that is neither a type nor a value: a member, an operation."""

    what: str


Symbol: TypeAlias = "Scope | NamedDef | EnumLabel | Other"


class Scope:
    """The scope of a file, a module, an interface, a struct or a union."""

    def __init__(
        self, name: str = "", parent: Scope | None = None, owner: NamedDef | None = None
    ) -> None:
        self.name = name
        self.parent = parent
        self.owner = owner
        self.path: tuple[str, ...] = (*parent.path, name) if parent is not None else ()
        self.ancestors: list[Scope] = []  # of an interface
        # By names in lower case: names that differ only in case are one.
        self._entries: dict[str, tuple[str, Symbol, Place]] = {}
        self.inner: dict[NamedDef, Scope] = {}

    def own(self, name: str, place: Place) -> Symbol | None:
        """What the name means in this very scope, or None; refuses other capitals."""
        entry = self._entries.get(name.lower())
        if entry is None:
            return None
        if entry[0] != name:
            raise InvalidIdl(
                f"{name!r} differs from {entry[0]!r} of {entry[2]} only in case",
                place,
                f"write {entry[0]} if that is meant, or choose another name",
            )
        return entry[1]

    def add(self, name: str, symbol: Symbol, place: Place) -> None:
        """Declare a name; refuse one that is declared already."""
        if self.own(name, place) is not None:
            before = self._entries[name.lower()][2]
            raise InvalidIdl(f"{name!r} is already declared at {before}", place)
        self._entries[name.lower()] = (name, symbol, place)

    def replace(self, name: str, symbol: Symbol, place: Place) -> None:
        """Define a name that was only declared."""
        self._entries[name.lower()] = (name, symbol, place)

    def find(self, name: ScopedName) -> Symbol:
        """What a name means, seen from here."""
        first, *rest = name.parts
        found = None
        for scope in [self._outermost()] if name.absolute else self._outwards():
            found = scope._here(first, name.place)
            if found is not None:
                break
        if found is None:
            raise InvalidIdl(
                f"{first!r} is not declared", name.place, "declare or include it before its use"
            )
        seen = first
        for part in rest:
            inside = found if isinstance(found, Scope) else self._scope_of(found)
            if inside is None:
                raise InvalidIdl(f"{seen!r} has nothing inside", name.place)
            found = inside._here(part, name.place)
            if found is None:
                raise InvalidIdl(f"{seen!r} has no {part!r}", name.place)
            seen = f"{seen}::{part}"
        return found

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def _outermost(self) -> Scope:
        return list(self._outwards())[-1]

    def _scope_of(self, symbol: Symbol) -> Scope | None:
        if not isinstance(symbol, InterfaceDef | StructDef | UnionDef):
            return None
        return self._outermost().inner.get(symbol)

    def open(self, definition: NamedDef) -> Scope:
        """Make the scope inside an interface, struct or union of this one."""
        made = Scope(definition.name, self, definition)
        self._outermost().inner[definition] = made
        return made

    def inside(self, definition: NamedDef) -> Scope:
        """The scope inside a definition that was opened before."""
        return self._outermost().inner[definition]

    def _here(self, name: str, place: Place) -> Symbol | None:
        """What the name means in this scope or, for an interface, in its ancestors."""
        own = self._seen(name, place)
        if own is not None:
            return own
        found = [one for one in self.ancestors if one._seen(name, place) is not None]
        # What an ancestor declares anew hides what it inherits itself.
        hidden = {id(scope) for one in found for scope in one.ancestors}
        seen = [one for one in found if id(one) not in hidden]
        if len(seen) > 1:
            raise InvalidIdl(
                f"{name!r} is inherited from {' and '.join(one.name for one in seen)}",
                place,
                "write the interface before it, as in Base::name",
            )
        return seen[0]._seen(name, place) if seen else None

    def _seen(self, name: str, place: Place) -> Symbol | None:
        """What a name that is used means here; `Color color;` does not hide the type."""
        entry = self._entries.get(name.lower())
        if entry is not None and entry[0] != name and isinstance(entry[1], Other):
            return None
        return self.own(name, place)
