"""The types and operations of a generated module, with the functions that marshal them.

The functions are made on first use: most programs need few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from tidings.events.typecode import Kind, TypeCode
from tidings.orb import cdr_reader, cdr_writer
from tidings.orb.cdr_input import Input
from tidings.orb.cdr_plans import NamedType
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import NO_IMPLEMENT, UserException
from tidings.orb.stubs import Interface, Operation

_Function: TypeAlias = Callable[..., Any]

_SUFFIX: Final = "_TYPE"
_NAMED: Final = frozenset({Kind.STRUCT, Kind.UNION, Kind.ENUM, Kind.EXCEPT})


def _lazy(
    make: Callable[[], _Function], keep: Callable[[_Function], None] | None = None
) -> _Function:
    """A function that is made on its first call; `keep` stores the made one."""
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
        self._by_id: dict[str, NamedType] = {}
        # Octets as they come: a type must not depend on the value.
        octets = {Kind.LONGDOUBLE: Input.longdouble}
        self._readers = cdr_reader.PLANS.of_module(self.find, octets)
        self._writers = cdr_writer.PLANS.of_module(self.find)

    def find(self, type_: TypeCode) -> NamedType | None:
        """Look up a struct, union, enum or exception by its repository id."""
        if not self._by_id:
            self._by_id = {
                one.id: NamedType(one, self._module[name.removesuffix(_SUFFIX)])
                for name, one in self._module.items()
                if name.endswith(_SUFFIX) and isinstance(one, TypeCode) and one.kind in _NAMED
            }
        named = self._by_id.get(type_.id)
        if named is not None:
            return named
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
        return _lazy(lambda: self._readers.make(type_))

    def writes(self, type_: TypeCode) -> Callable[[Writer, Any], None]:
        """A function that writes values of a type."""
        return _lazy(lambda: self._writers.make(type_))

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
        inout and out arguments; `method` is the name of the Python method, if it differs.
        """
        nothing = (write_nothing, read_nothing, write_void, read_void)
        made = Operation(name, method or name, *nothing, raises, oneway)

        def later(attribute: str, make: Callable[[], _Function]) -> None:
            setattr(made, attribute, _lazy(make, partial(setattr, made, attribute)))

        if takes:
            what = f"the arguments of {name}"
            later("write_arguments", lambda: self._write_all(what, takes))
            later("read_arguments", lambda: self._read_all(takes))
        if len(gives) == 1:
            (only,) = gives.values()
            later("write_result", lambda: self._writers.make(only))
            later("read_result", lambda: self._readers.make(only))
        elif gives:
            named = {each or "result": type_ for each, type_ in gives.items()}
            later("write_result", lambda: self._write_all(f"the result of {name}", named))
            later("read_result", lambda: self._read_all(named))
        return made

    def _read_all(self, members: Mapping[str, TypeCode]) -> _Function:
        reads = [self._readers.make(type_) for type_ in members.values()]
        return lambda reader: tuple([read(reader) for read in reads])

    def _write_all(self, what: str, members: Mapping[str, TypeCode]) -> _Function:
        writes = [self._writers.make(type_) for type_ in members.values()]
        return cdr_writer.write_members(what, list(members), writes)

    def interface(
        self, type_: TypeCode, name: str, bases: tuple[Interface, ...], *own: Operation
    ) -> Interface:
        """Describe an interface with its own operations and those of its bases."""
        inherited = {key: one for base in bases for key, one in base.operations.items()}
        return Interface(type_.id, name, bases, inherited | {one.name: one for one in own})


def not_done(servant: object, method: str) -> NoReturn:
    """Refuse an operation that a servant does not have."""
    raise NO_IMPLEMENT(why=f"{type(servant).__name__} has no {method}")


def write_nothing(w: Writer, arguments: tuple[Any, ...]) -> None:
    """Writes the arguments of an operation that has none."""


def read_nothing(r: Reader) -> tuple[Any, ...]:
    """Reads the arguments of an operation that has none."""
    return ()


def write_void(w: Writer, result: object) -> None:
    """Writes the result of an operation that has none."""


def read_void(r: Reader) -> None:
    """Reads the result of an operation that has none."""
