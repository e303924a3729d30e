"""The types and operations of a generated module, with the functions that marshal them.

The functions are compiled on first use: most programs need few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tidings.events.typecode import Kind, TypeCode
from tidings.orb.marshal_checks import read_nothing, read_void, write_nothing, write_void
from tidings.orb.marshal_source import MarshalSource, TypeEntry, Way
from tidings.orb.stubs import Interface, Operation

if TYPE_CHECKING:
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.exceptions import UserException

_Function: TypeAlias = Callable[..., Any]

_SUFFIX: Final = "_TYPE"
_NAMED: Final = frozenset({Kind.STRUCT, Kind.UNION, Kind.ENUM, Kind.EXCEPT})


def _lazy(
    make: Callable[[], _Function], keep: Callable[[_Function], None] | None = None
) -> _Function:
    """A function that is compiled on its first call; `keep` stores the compiled one."""
    made: _Function | None = None

    def first(*given: Any) -> Any:  # noqa: ANN401 - as various as functions
        nonlocal made
        if made is None:
            made = make()
            if keep is not None:
                keep(made)
        return made(*given)

    return first


class Types:
    """The types of a generated module, where the TypeCode `X_TYPE` belongs to the class `X`.

    The module gets the functions `read_X` and `write_X` when somebody asks for them.
    """

    def __init__(self, module: MutableMapping[str, Any], *imported: Types) -> None:
        self._module = module
        module["__getattr__"] = self._function
        self._imported = imported
        self._by_id: dict[str, TypeEntry] = {}
        self.functions: dict[tuple[Way, TypeCode], _Function] = {}

    def find(self, type_: TypeCode) -> TypeEntry | None:
        """Look up a struct, union, enum or exception by its repository id."""
        if not self._by_id:
            self._by_id = {
                one.id: TypeEntry(self, one, self._module[name.removesuffix(_SUFFIX)])
                for name, one in self._module.items()
                if name.endswith(_SUFFIX) and isinstance(one, TypeCode) and one.kind in _NAMED
            }
        entry = self._by_id.get(type_.id)
        if entry is not None:
            return entry
        return next(filter(None, (types.find(type_) for types in self._imported)), None)

    def _function(self, name: str) -> _Function:
        way, _, of = name.partition("_")
        type_ = self._module.get(f"{of}{_SUFFIX}") if way in ("read", "write") else None
        if not isinstance(type_, TypeCode):
            raise AttributeError(
                f"module {self._module.get('__name__')!r} has no attribute {name!r}"
            )
        made = self.reads(type_) if way == "read" else self.writes(type_)
        self._module[name] = made
        return made

    def reads(self, type_: TypeCode) -> Callable[[Reader], Any]:
        """A function that reads values of a type."""
        return _lazy(lambda: MarshalSource(self).function("read", type_))

    def writes(self, type_: TypeCode) -> Callable[[Writer, Any], None]:
        """A function that writes values of a type."""
        return _lazy(lambda: MarshalSource(self).function("write", type_))

    def operation(
        self,
        name: str,
        takes: Mapping[str, TypeCode] = {},
        gives: Mapping[str, TypeCode] = {},
        raises: tuple[type[UserException], ...] = (),
        *,
        method: str = "",
        oneway: bool = False,
    ) -> Operation:
        """Describe an operation of an interface.

        `takes` has the in and inout arguments; `gives` the result, under an empty name, and the
        inout
        and out arguments; `method` is the name of the Python method, if it differs.
        """
        nothing = (write_nothing, read_nothing, write_void, read_void)
        made = Operation(name, method or name, *nothing, raises, oneway)

        def later(attribute: str, make: Callable[[MarshalSource], _Function]) -> None:
            keep = partial(setattr, made, attribute)
            setattr(made, attribute, _lazy(lambda: make(MarshalSource(self)), keep))

        if takes:
            given, what = list(takes.items()), f"the arguments of {name}"
            later("write_arguments", lambda source: source.write_all(what, given))
            later("read_arguments", lambda source: source.read_all(given))
        if len(gives) == 1:
            (only,) = gives.values()
            later("write_result", lambda source: source.write_one(only))
            later("read_result", lambda source: source.read_one(only))
        elif gives:
            named = [(each or "result", type_) for each, type_ in gives.items()]
            later("write_result", lambda source: source.write_all(f"the result of {name}", named))
            later("read_result", lambda source: source.read_all(named))
        return made

    def interface(
        self, type_: TypeCode, name: str, bases: tuple[Interface, ...], *own: Operation
    ) -> Interface:
        """Describe an interface with its own operations and those of its bases."""
        operations: dict[str, Operation] = {}
        for base in bases:
            operations.update(base.operations)
        operations.update({one.name: one for one in own})
        return Interface(type_.id, name, bases, operations)
