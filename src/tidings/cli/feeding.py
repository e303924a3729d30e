"""Reads lines of files in a thread and passes them to the event loop in batches."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import BinaryIO, Final, TypeAlias

from tidings.cli.reading import STDIN, Line, lines_in, opened

# Most lines per batch; a batch does not wait to fill up.
_AT_ONCE: Final = 500
# Seconds between checks whether anybody still wants the lines.
_LOOK_SECONDS: Final = 0.1

_Numbered: TypeAlias = tuple[int, Line]


async def batches_of_lines(sources: Sequence[str]) -> AsyncIterator[list[_Numbered]]:
    """Yield available lines, numbered across all sources, until one is unreadable."""
    reader = _Reader(sources)
    reader.start()
    try:
        while batch := await reader.taken():
            yield batch
        reader.check()
    finally:
        reader.stopped = True


class _Reader(threading.Thread):
    """A background reader; a daemon, so that waiting for a terminal does not block the exit."""

    def __init__(self, sources: Sequence[str]) -> None:
        super().__init__(name="tidings-lines", daemon=True)
        self.stopped = False
        self._sources = sources
        self._loop = asyncio.get_running_loop()
        self._lines: queue.Queue[_Numbered] = queue.Queue(2 * _AT_ONCE)
        self._woken = asyncio.Event()
        self._waited_for = False
        self._ended = False
        self._error: Exception | None = None

    def run(self) -> None:
        """Read to the end, or until nobody wants more."""
        try:
            for numbered in enumerate(self._read(), 1):
                if not self._put(numbered):
                    return
        except Exception as error:  # noqa: BLE001 -- raised again in the waiting task
            self._error = error
        self._ended = True
        self._wake()

    def _read(self) -> Iterator[Line]:
        for source in self._sources:
            if source == STDIN and (own := _own_stdin()) is not None:
                yield from lines_in(own, source)
                continue
            with opened(source) as stream:
                yield from lines_in(stream, source)

    def _put(self, numbered: _Numbered) -> bool:
        while not self.stopped:
            try:
                self._lines.put(numbered, timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            self._wake()
            return True
        return False

    def _wake(self) -> None:
        if self._waited_for:
            self._waited_for = False
            self._loop.call_soon_threadsafe(self._woken.set)

    async def taken(self) -> list[_Numbered]:
        """Wait for lines and return the available ones; empty at the end."""
        while True:
            ended = self._ended  # read first: nothing is added after it
            batch: list[_Numbered] = []
            try:
                while len(batch) < _AT_ONCE:
                    batch.append(self._lines.get_nowait())
            except queue.Empty:
                pass
            if batch or ended:
                return batch
            self._woken.clear()
            self._waited_for = True
            # Recheck: lines may have been added before the reader saw the waiter.
            if self._lines.empty() and not self._ended:
                await self._woken.wait()
            self._waited_for = False

    def check(self) -> None:
        """Raise the error that stopped the thread."""
        if self._error is not None:
            raise self._error


def _own_stdin() -> BinaryIO | None:
    """Open standard input apart from Python's own object; None if it is not a file.

    A daemon thread waiting in Python's own object makes the interpreter abort at exit.
    """
    try:
        return os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    except (AttributeError, OSError, io.UnsupportedOperation):
        return None
