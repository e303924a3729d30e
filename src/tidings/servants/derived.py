"""Servant operations derived from the catalogue of commands.

A servant's own methods take precedence. For each operation that is left to the generated base class
and is a command of the catalogue, a method is added when the servant class is created: it fills the
command's fields from the arguments and the object key, and converts the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tidings import errors
from tidings.channel.management import Connect
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.cos.mapping import pattern_in
from tidings.cos.operations import Bound, answer_out, bound_to, request_of
from tidings.servants.faults import TypedErrors

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.stubs import Interface
    from tidings.servants.proxy_parts import ProxyPart
    from tidings.servants.service import ObjectServant


class DerivedOperations(TypedErrors):
    """Base of servants that adds the operations they do not define."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Add the operations of a class that has an interface."""
        interface: Interface | None = getattr(cls, "INTERFACE", None)
        for name, bound in bound_to(interface).items() if interface is not None else ():
            method = interface.operations[name].method if interface is not None else ""
            row = bound.row
            if (row.request is Connect or (row.http and not row.is_question)) and _is_generated(
                cls, method
            ):
                setattr(cls, method, _connect if row.request is Connect else _derived(bound))
        super().__init_subclass__()

    @property
    def target(self) -> Mapping[str, Any]:
        """Return the command fields that follow from the object key."""
        raise NotImplementedError


def _is_generated(cls: type, method: str) -> bool:
    owner = next(one for one in cls.__mro__ if method in vars(one))
    return owner.__module__.endswith("_auto")


async def _connect(servant: ProxyPart, client: Reference) -> None:
    await servant.connect_client(client)


def _derived(bound: Bound) -> Callable[..., Any]:
    async def run(servant: ObjectServant, *arguments: Any) -> Any:  # noqa: ANN401 -- of any operation
        known = servant.target
        target = {name: known[name] for name in bound.row.fields if name in known}
        try:
            command = request_of(bound, target, arguments)
            answer = await servant.door.ask(command)
        except errors.InvalidEventType as error:
            for one in _refused(arguments):
                raise InvalidEventType(one) from error
            raise
        return answer_out(bound.row, answer)

    return run


def _refused(arguments: tuple[Any, ...]) -> Iterator[EventType]:
    """Yield the invalid event types among the arguments."""
    for one in (type_ for listed in arguments for type_ in listed):
        try:
            pattern_in(one)
        except errors.InvalidEventType:
            yield one
