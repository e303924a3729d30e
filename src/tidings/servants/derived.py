"""Operations that servants need not write: the catalogue says which command each of them is.

A servant's own method comes first. What is left to the generated base class, and is a command of
the catalogue, is made here when the class of the servant is: the arguments become the command's
fields, the key of the object tells the others, and the answer becomes the result.
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
    """A base of servants: it gives them the operations that they do not write."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Adds the operations of a class that has an interface."""
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
        """The fields of commands that the called object tells."""
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
    """The event types among arguments that are outside the rules."""
    for one in (type_ for listed in arguments for type_ in listed):
        try:
            pattern_in(one)
        except errors.InvalidEventType:
            yield one
