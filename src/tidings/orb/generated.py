"""Everything that generated modules use, in one namespace: IDL may declare names such as `Any`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias, dataclass_transform

from tidings.events.anyvalue import UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb import exceptions, stubs
from tidings.orb.marshal import Types, not_done
from tidings.orb.stubs import Interface, Operation

__all__ = [
    "Decimal",
    "Final",
    "NamedTuple",
    "Reference",
    "Sequence",
    "Servant",
    "StrEnum",
    "Stub",
    "TypeAlias",
    "TypeCode",
    "Types",
    "UnionValue",
    "UserException",
    "Value",
]

_Method: TypeAlias = Callable[..., Any]


@dataclass_transform()
class UserException(exceptions.UserException):
    """Base of generated exceptions, which declare their members as a dataclass does."""

    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls, types: Types | None = None, type: TypeCode | None = None) -> None:
        """Derive everything but the members from the TypeCode."""
        super().__init_subclass__()
        if types is None or type is None:
            return
        cls.TYPE, cls.ID, cls.corba_id = type, type.id, type.id
        cls.read = staticmethod(types.reads(type))
        cls.write = staticmethod(types.writes(type))
        cls.__match_args__ = tuple(inspect.get_annotations(cls))  # type: ignore[misc]

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as various as members
        names = self.__match_args__
        members = dict(zip(names, given, strict=False), **named)
        twice = named.keys() & set(names[: len(given)])
        if twice or len(given) > len(names) or members.keys() != set(names):
            raise TypeError(f"{type(self).__name__} takes {', '.join(names) or 'no arguments'}")
        super().__init__(*(members[name] for name in names))
        self.__dict__.update(members)


def _implement(
    cls: type[stubs.Stub | stubs.Servant],
    interface: Interface,
    implement: Callable[[Operation, _Method], _Method],
) -> None:
    """Give a generated class the methods that its first base declares."""
    cls.INTERFACE = interface
    for operation in interface.operations.values():
        declared = vars(cls.__bases__[0]).get(operation.method)
        if declared is not None:
            setattr(cls, operation.method, wraps(declared)(implement(operation, declared)))


class Stub(stubs.Stub):
    """Base of generated stubs: each method calls the operation `of` the interface."""

    def __init_subclass__(cls, of: Interface | None = None) -> None:
        """Make the methods of a generated class."""
        super().__init_subclass__()
        if of is not None:
            _implement(cls, of, _calling)


def _calling(operation: Operation, declared: _Method) -> _Method:
    async def call(self: Stub, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - of any operation
        if named:
            given = inspect.signature(declared).bind(self, *given, **named).args[1:]
        return await self._call(operation.name, *given)

    return call


class Servant(stubs.Servant):
    """Base of generated servants: each method refuses, until a subclass implements it."""

    def __init_subclass__(cls, of: Interface | None = None) -> None:
        """Make the methods of a generated class."""
        super().__init_subclass__()
        if of is not None:
            _implement(cls, of, _refusing)


def _refusing(operation: Operation, _declared: _Method) -> _Method:
    async def refuse(self: Servant, *_given: Any) -> None:  # noqa: ANN401 - of any operation
        not_done(self, operation.method)

    return refuse
