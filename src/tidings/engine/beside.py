"""Runs long, stateless work off the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

_T = TypeVar("_T")

# Texts of so many octets are compiled in about a millisecond.
_AT_ONCE: Final = 500
# One thread for all, so that it competes with the loop no more than a single caller would.
_thread: Final = ThreadPoolExecutor(1, thread_name_prefix="beside")


async def beside(make: Callable[[], _T]) -> _T:
    """Run a function in a thread, and return or raise what it does."""
    return await asyncio.get_running_loop().run_in_executor(_thread, make)


async def compiled(octets: int, make: Callable[[], _T]) -> _T:
    """Run a function that compiles constraints; off the loop if their texts are long in all."""
    return make() if octets <= _AT_ONCE else await beside(make)
