"""What a core is: a part that decides, and that a host runs, journals and brings back.

A core is a function of (state, command, now) to answers and effects, and does no I/O. The host
routes each request to the core that lists its class, writes what the core wants kept with the
same sync as everything else, and restores it after a stop. The channels are the first core.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from tidings.errors import TidingsError

T_co = TypeVar("T_co", covariant=True)

Most: TypeAlias = Annotated[int, "most"]
"""How many objects an answer may have, 1 to 1000."""

State: TypeAlias = Mapping[str, Any]
"""Plain data of an object: texts, numbers, truth values, None, lists and dictionaries of them."""

Handled: TypeAlias = tuple[list[Any], list[Any]]
"""For each command its answer, or the error that refused it; then the effects, in order."""


class Request:
    """A command of a core beside the channels; its docstring says what the answer is."""

    __slots__ = ()


class Question(Request, Generic[T_co]):
    """A request that changes nothing, with an answer of a type."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class OperationDone(Request):
    """An operation that changes something was answered, or one was refused.

    The fields are as in `audit.Change`. The host sends it to the core that lists it.
    """

    at: int
    principal: str
    operation: str
    about: str
    channel: str
    result: str
    credential: int | None = None
    door: str = ""
    peer: str = ""
    refused: bool = False
    count: int = 1


class Keep(NamedTuple):
    """Write down an object of a core; of several states under one key the last one counts.

    `state` is None if the object is gone. With `waits` the commands of its batch are answered only
    when it is on the disk; otherwise it goes with the next write, a tenth of a second later at
    most.
    """

    core: str
    key: str
    state: State | None
    waits: bool = True


class Core(Protocol):
    """What a host asks of a core."""

    @property
    def name(self) -> str:
        """The name under which its objects are in the journal; it must never change."""
        ...

    @property
    def requests(self) -> Collection[type]:
        """The classes of the requests it handles; no other core has them."""
        ...

    @property
    def wake_at(self) -> int | None:
        """When it wants to be called though no command has come, host time; None for never."""
        ...

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands in order; without any, time has passed.

        Effects are `Keep`, requests of other cores, which handle them in the same batch, and any
        others that somebody has asked the host for (`Host.on_effect`). None of these is carried
        out before what is kept is on the disk.
        """
        ...

    def snapshot(self) -> Iterable[tuple[Any, State]]:
        """The key and state of each object; while this goes on, objects may change, come and go."""
        ...

    def restore(self, states: Mapping[Any, State]) -> Sequence[str]:
        """Make its objects again, from the last state of each; what was passed over, and why.

        StoreError means that a newer version has written them.
        """
        ...


def answer_each(
    handlers: Mapping[type, Callable[[Any, int], Any]], commands: Sequence[Any], now: int
) -> list[Any]:
    """Run each command by the function for its class; return answers, or errors."""
    answers: list[Any] = []
    for command in commands:
        try:
            answers.append(handlers[type(command)](command, now))
        except TidingsError as error:
            answers.append(error)
        except Exception as fault:  # noqa: BLE001 -- a fault of ours, or the caller's: not of others
            answer = TidingsError(f"{type(command).__name__} could not be carried out: {fault!r}")
            answer.__cause__ = fault
            answers.append(answer)
    return answers
