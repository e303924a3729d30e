"""The cores of a host: which one handles which request, and their durable objects.

A core asks another one for something by an effect that is a request of the other: it is handled in
the same batch, so that what follows from it is written with what it follows from.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, TypeAlias

from tidings.channel.wellformed import check_command, is_checked
from tidings.cores import Core, Handled, State
from tidings.errors import InvalidUsage, TidingsError

log = logging.getLogger(__name__)

Kept: TypeAlias = tuple[str, Any, State]
"""Core, key and state of an object."""


class Cores:
    """Several cores as one; `first`, the channels, has every request no other core lists."""

    def __init__(self, first: Core, others: Iterable[Core] = ()) -> None:
        self._first = first
        self.others = list(others)
        self._routes: dict[type, Core] = {}
        self.only_first = True  # whether the latest commands were all for the channels
        self.offset = 0
        """What host time lacks to the machine's clock, by which all cores but the channels go."""
        names = {first.name}
        for core in self.others:
            if core.name in names:
                raise InvalidUsage(f"two cores are named {core.name}")
            names.add(core.name)
            for kind in core.requests:
                if kind in first.requests or kind in self._routes:
                    raise InvalidUsage(f"{kind.__name__} is a request of two cores")
                self._routes[kind] = core
        self._requests = frozenset((*first.requests, *self._routes))

    def routes(self, kind: type) -> bool:
        """Return whether a core beside the channels handles a request class."""
        return kind in self._routes

    @property
    def wake_at(self) -> int | None:
        """Return when the first of them wants to be called, host time; None for never."""
        first = self._first.wake_at
        for core in self.others:  # after every batch: nothing is built for it
            at = core.wake_at
            if at is not None and (first is None or at - self.offset < first):
                first = at - self.offset
        return first

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands in order, each in its core."""
        self.only_first = self._routes.keys().isdisjoint(map(type, commands))
        if self.only_first:
            answers, effects = self._first.handle_many(commands, now)
        else:
            answers, effects = [], []
            for core, some in groupby(commands, self._core_of):
                found = self._handled(core, list(some), now)
                answers += found[0]
                effects += found[1]
        for core in self.others:
            at = core.wake_at
            if at is not None and at <= now + self.offset:
                effects += core.handle_many((), now + self.offset)[1]
        return answers, self._handed_on(effects, now)

    def _handed_on(self, effects: list[Any], now: int) -> list[Any]:
        """Have effects that are requests handled; return what the outside must do, in order."""
        while not self._requests.isdisjoint(map(type, effects)):
            left: list[Any] = []
            for asked, some in groupby(effects, lambda one: type(one) in self._requests):
                for core, requests in groupby(some, self._core_of) if asked else ():
                    answers, more = self._handled(core, list(requests), now)
                    for refused in filter(_is_error, answers):
                        log.error("what a core asked of %s was refused: %s", core.name, refused)
                    left += more
                left += () if asked else some
            effects = left
        return effects

    def _handled(self, core: Core, commands: list[Any], now: int) -> Handled:
        """Run commands of one core; the channels check theirs themselves."""
        if core is self._first:
            return core.handle_many(commands, now)
        problems = [_problem(command) for command in commands]
        good = [one for one, problem in zip(commands, problems, strict=True) if problem is None]
        answers, effects = core.handle_many(good, now + self.offset)
        told = iter(answers)
        return [next(told) if problem is None else problem for problem in problems], effects

    def _core_of(self, command: object) -> Core:
        return self._routes.get(type(command), self._first)

    def snapshot(self) -> Iterator[Kept]:
        """Iterate over all durable objects, each in its state when it is reached."""
        for core in (self._first, *self.others):
            for key, state in core.snapshot():
                yield core.name, key, state

    def restore(self, states: Mapping[str, Mapping[str, State]]) -> list[str]:
        """Restore all cores but the channels; return what was skipped, and why.

        Objects of a core that this host lacks are kept until it is back.
        """
        known = {core.name: core for core in self.others}
        passed_over = [core.restore(states.get(name, {})) for name, core in known.items()]
        self.others += [
            _AbsentCore(name, found) for name, found in states.items() if name not in known
        ]
        return list(chain.from_iterable(passed_over))


def _is_error(answer: object) -> bool:
    return isinstance(answer, TidingsError)


def _problem(command: object) -> InvalidUsage | None:
    try:
        if is_checked(type(command)):
            check_command(command)
    except InvalidUsage as error:
        return error
    return None


class _AbsentCore:
    """Keeps the objects of a core that this host does not have."""

    requests: tuple[type, ...] = ()
    wake_at: int | None = None

    def __init__(self, name: str, states: Mapping[str, State]) -> None:
        self.name = name
        self._states = states

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Do nothing: no request reaches it."""
        return [], []

    def snapshot(self) -> Iterable[tuple[str, State]]:
        return self._states.items()

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Do nothing: it has its objects from the beginning."""
        return ()
