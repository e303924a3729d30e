"""What generated code is made of: operations, interfaces, and the two ends of a call.

A generated module has an `Interface` per IDL interface, a subclass of `Stub` for callers and one
of `Servant` for implementations. All marshalling goes through the functions of an `Operation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

if TYPE_CHECKING:
    from tidings.errors import TidingsError
    from tidings.events.reference import Reference
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.exceptions import UserException

OBJECT_ID: Final = "IDL:omg.org/CORBA/Object:1.0"


@dataclass(slots=True, eq=False)
class Operation:
    """One operation of an interface; an attribute is one or two of them.

    A result is None, the one value, or a tuple: the return value first unless it is void, then
    the inout and out arguments in the order of their declaration.
    """

    name: str
    """On the wire: `push`, `_get_MyID`, `_set_x`."""
    method: str
    """Of servants and stubs: `push`, `get_MyID`, `set_x`."""
    write_arguments: Callable[[Writer, tuple[Any, ...]], None]
    read_arguments: Callable[[Reader], tuple[Any, ...]]
    write_result: Callable[[Writer, Any], None]
    read_result: Callable[[Reader], Any]
    exceptions: tuple[type[UserException], ...] = ()
    oneway: bool = False
    contexts: tuple[tuple[int, bytes], ...] = ()
    """Service contexts that travel with each request, to peers that speak GIOP 1.2."""

    def replace(self, **changes: Any) -> Operation:  # noqa: ANN401 - as various as the attributes
        """A copy with other attributes."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, eq=False)
class Interface:
    """An IDL interface, with its own and inherited operations by their names on the wire."""

    id: str
    name: str
    bases: tuple[Interface, ...]
    operations: Mapping[str, Operation]
    ids: frozenset[str] = field(init=False)
    """All repository ids an object of this interface answers to: `_is_a`."""

    def __post_init__(self) -> None:
        ids = frozenset({self.id, OBJECT_ID}).union(*(base.ids for base in self.bases))
        object.__setattr__(self, "ids", ids)

    def with_operations(self, changed: Mapping[str, Operation]) -> Interface:
        """A copy with other operations under these names."""
        return Interface(self.id, self.name, self.bases, {**self.operations, **changed})


class Caller(Protocol):
    """Who makes calls: an ORB."""

    async def call(
        self,
        reference: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        timeout: float | None = None,  # noqa: ASYNC109 - of all attempts together
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Call an operation of an object, and return its result."""


class Stub:
    """The caller's end of an object. Generated subclasses have a method per operation.

    Its own names start with an underscore, which no name of IDL does.
    """

    INTERFACE: ClassVar[Interface]

    __slots__ = ("_orb", "_reference", "_timeout")

    def __init__(self, orb: Caller, reference: Reference, timeout: float | None = None) -> None:
        self._orb = orb
        self._reference = reference
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._reference!r})"

    async def _call(self, name: str, *arguments: Any) -> Any:  # noqa: ANN401 - of any operation
        operation = self.INTERFACE.operations[name]
        return await self._orb.call(self._reference, operation, arguments, self._timeout)


class Servant:
    """The end of an object that does the work.

    Methods are named as `Operation.method` says, plain or `async def`. Its own names start with an
    underscore, as those of stubs.
    """

    INTERFACE: ClassVar[Interface]

    def _translate(
        self, error: TidingsError, declared: tuple[type[UserException], ...]
    ) -> TidingsError:
        """What to raise for an error, in an operation that declares these exceptions."""
        return error
