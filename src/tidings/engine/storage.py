"""What keeps events: contents in memory, the journal on disk, and its writer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tidings.channel.effects import Message
from tidings.engine.bodies import Bodies
from tidings.engine.disk import DiskThread
from tidings.engine.recording import Recorder
from tidings.engine.store import Store
from tidings.engine.writing import Writer

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage that the parts of a host share; `store` is None if all is only in memory."""

    store: Store | None
    disk: DiskThread
    bodies: Bodies
    recorder: Recorder
    writer: Writer

    @property
    def journal(self) -> Store:
        """The store, which must exist."""
        assert self.store is not None
        return self.store

    def submit(self, job: Callable[[], _T]) -> asyncio.Future[_T]:
        """Run a job on the disk thread."""
        return self.disk.submit(job)

    def fetch(self, places: Sequence[int]) -> asyncio.Future[list[Message | None]]:
        """Read events on the disk thread; fails if they cannot be read now (`Store.fetch`)."""
        return self.disk.submit(partial(self.journal.fetch, places))
