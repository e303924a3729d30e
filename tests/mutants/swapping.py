"""Whether two sources of a module differ in the bodies of functions only, and putting one in place.

Then no module needs to be imported again: the functions that exist get the other code.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

# What `__code__` cannot be exchanged with, or what somebody may have looked at on import.
_FACE = ("co_name", "co_qualname", "co_freevars", "co_argcount", "co_posonlyargcount")
_MORE_FACE = ("co_kwonlyargcount", "co_flags")
_BODY = ("co_code", "co_names", "co_varnames", "co_cellvars", "co_exceptiontable")


class Swap(NamedTuple):
    """A function's code as it is, told by its name and line, and as it shall be."""

    qualname: str
    line: int
    code: CodeType


def swaps(old: str, new: str, path: str) -> list[Swap] | None:
    """What makes the old module the new one; None if more than functions differ.

    Raises:
        SyntaxError: The new source cannot be read.
    """
    found = list(_differences(compile(old, path, "exec"), compile(new, path, "exec"), False))
    return None if None in found else [swap for swap in found if swap is not None]


def functions() -> dict[str, list[FunctionType]]:
    """All functions there are, closures included, by the file they are in."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            found[thing.__code__.co_filename].append(thing)
    return found


def swap(existing: Iterable[FunctionType], exchanged: Iterable[Swap]) -> None:
    """Exchanges the code of those functions of a file that differ."""
    codes = {(one.qualname, one.line): one.code for one in exchanged}
    for function in existing:
        code = function.__code__
        function.__code__ = codes.get((code.co_qualname, code.co_firstlineno), code)


def _differences(old: CodeType, new: CodeType, function: bool) -> Iterator[Swap | None]:
    """Functions that differ, the inner ones too; None for a difference that is none of theirs."""
    inner_old, inner_new = _inner(old), _inner(new)
    # A function makes the ones inside it anew; a module or a class has made them already.
    if not _same(old, new, deep=function):
        if not function or any(getattr(old, n) != getattr(new, n) for n in (*_FACE, *_MORE_FACE)):
            yield None
            return
        yield Swap(old.co_qualname, old.co_firstlineno, new)
        # Closures that were made before: found again only if all inner functions are the same ones.
        if [one.co_qualname for one in inner_old] != [one.co_qualname for one in inner_new]:
            return
    for one, other in zip(inner_old, inner_new, strict=True):
        is_function = bool(one.co_flags & 0x2)  # CO_NEWLOCALS: not the body of a class
        yield from _differences(one, other, is_function)


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _same(old: CodeType, new: CodeType, *, deep: bool) -> bool:
    """Whether two pieces of code do the same; if not deep, whatever the code inside them does."""
    return _key(old, deep) == _key(new, deep)


def _key(thing: Any, deep: bool, inside: bool = False) -> object:
    """Something to compare by; 1, 1.0 and True differ, and so do 0.0 and -0.0; lines do not."""
    if isinstance(thing, CodeType):
        if inside and not deep:
            return thing.co_qualname
        known = [getattr(thing, name) for name in (*_FACE, *_MORE_FACE, *_BODY)]
        return (*known, _key(thing.co_consts, deep))
    if isinstance(thing, tuple):
        return tuple(_key(one, deep, True) for one in thing)
    if isinstance(thing, frozenset):
        return frozenset(_key(one, deep, True) for one in thing)
    return (type(thing), repr(thing))
