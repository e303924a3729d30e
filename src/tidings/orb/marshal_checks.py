"""Checks and errors of compiled marshalling functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from tidings.events.texts import shortened
from tidings.orb.exceptions import BAD_PARAM, MARSHAL, NO_IMPLEMENT, OMG, SystemException

if TYPE_CHECKING:
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer


_Sized = TypeVar("_Sized", str, bytes)

_SEQUENCES: Final = (tuple, list)

# Names are added up to this length: a value may contain itself many times.
_LONGEST_WHY: Final = 300

UNPACKING_FAULTS: Final = (TypeError, ValueError)
LOOKUP_FAULTS: Final = (KeyError, TypeError)


def counted(w: Writer, value: object, bound: int, what: str) -> Collection[Any]:
    """Write the count of a sequence, and return its elements; bound 0 means unbounded."""
    if not isinstance(value, _SEQUENCES):
        raise BAD_PARAM(why=f"{what}: {shortened(value)} is not a tuple or list")
    if bound and len(value) > bound:
        raise BAD_PARAM(why=f"{what}: {len(value)} elements are more than {bound}")
    w.length(len(value))
    return value


def exactly(value: object, length: int, what: str) -> Collection[Any]:
    """The elements of an array."""
    if not isinstance(value, _SEQUENCES) or len(value) != length:
        why = f"{what}: {shortened(value)} is not a tuple or list of {length} elements"
        raise BAD_PARAM(why=why)
    return value


def at_most(value: _Sized, bound: int, what: str) -> _Sized:
    """A bounded text, or bounded octets, to write."""
    try:
        size = len(value)
    except TypeError as error:
        raise BAD_PARAM(why=f"{what}: {shortened(value)} has no length") from error
    if size > bound:
        raise BAD_PARAM(why=f"{what}: {size} are more than {bound}")
    return value


def read_at_most(r: Reader, value: _Sized, bound: int, what: str) -> _Sized:
    """A bounded text, or bounded octets, that was read."""
    if len(value) > bound:
        raise r.bad(f"{what}: {len(value)} are more than {bound}")
    return value


def read_count(r: Reader, smallest: int, bound: int, what: str) -> int:
    """The count of a bounded sequence."""
    count = r.length(smallest)
    if count > bound:
        raise r.bad(f"{what}: {count} elements are more than {bound}")
    return count


def no_member(what: str, names: Sequence[str], value: object) -> BAD_PARAM:
    """A value that does not have so many members."""
    wanted = f"expected {', '.join(names)}" if names else "expected nothing"
    return BAD_PARAM(why=f"{what}: {wanted}; got {shortened(value)}")


def name_member(fault: SystemException, starts: Sequence[tuple[int, str]]) -> SystemException:
    """A copy of an error that names the member it is in; `starts` has the first line of each."""
    # The line tells which member it was; a counter would slow down every call.
    line = fault.__traceback__.tb_lineno if fault.__traceback__ is not None else 0
    name = next((name for start, name in reversed(starts) if start <= line), "")
    why = f"{name}: {fault.why}" if len(fault.why) <= _LONGEST_WHY else fault.why
    return type(fault)(fault.minor, fault.completed, why)


def no_label(what: str, value: object) -> BAD_PARAM:
    """A value that is not a label of an enum."""
    return BAD_PARAM(OMG | 25, why=f"{shortened(value)} is not a label of {what}")


def no_ordinal(r: Reader, what: str, ordinal: int) -> MARSHAL:
    """A number that no label of an enum has."""
    return r.bad(f"{what} has no label with the number {ordinal}")


def no_union(what: str, value: object) -> BAD_PARAM:
    """A value that is not a union, or has a value where no branch is selected."""
    return BAD_PARAM(why=f"{shortened(value)} is not a valid {what}; use UnionValue")


def empty_count(r: Reader, count: int) -> int:
    """The length of an array whose elements have no octets; nothing else bounds them."""
    r.charge_empty(count)
    return count


def too_deep(what: str) -> BAD_PARAM:
    """A value to write that contains itself too often."""
    return BAD_PARAM(why=f"{what} is nested too deep")


def read_too_deep(r: Reader, what: str) -> MARSHAL:
    """A value to read that contains itself too often."""
    return r.bad(f"{what} is nested too deep")


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
