"""A disk that fails or a process that is killed at a chosen call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

CALLS = ("fsync", "rename", "write", "unlink", "ftruncate", "mkdir")


class Killed(BaseException):
    """The process is gone: nothing it would still do is done."""


@contextmanager
def failing_at(
    at: int, error: Callable[[], BaseException], calls: tuple[str, ...] = CALLS
) -> Iterator[list[str]]:
    """Lets the at-th call (from 1) that changes the disk fail, before it has done anything.

    Yields:
        The names of the calls made.
    """
    made: list[str] = []

    def counting(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:
            made.append(name)
            if len(made) == at:
                raise error()
            # Nobody pulls the plug here, and real syncs would take most of the time.
            return None if name == "fsync" else real(*arguments, **named)

        return call

    replaced = {name: counting(name) for name in calls}
    with ExitStack() as stack:
        for name, call in replaced.items():
            stack.enter_context(mock.patch.object(os, name, call))
        yield made


def counted_calls(act: Callable[[], object]) -> int:
    """How many calls that change the disk something makes."""
    with failing_at(0, Killed) as made:
        act()
    return len(made)
