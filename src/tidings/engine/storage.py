"""What keeps events: contents in memory, the journal on the disk, and what writes to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tidings.engine.bodies import Bodies, Message
from tidings.engine.disk import DiskThread
from tidings.engine.recording import Recorder
from tidings.engine.store import Store
from tidings.engine.writing import Writer

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Storage:
    """What the parts of a host keep events with.

    Attributes:
        store: The disk; None if everything is in memory only.
        disk: The thread on which the store is used.
        bodies: Contents of events that wait.
        recorder: Makes records of effects.
        writer: Gathers records, and has them written.
    """

    store: Store | None
    disk: DiskThread
    bodies: Bodies
    recorder: Recorder
    writer: Writer

    @property
    def journal(self) -> Store:
        """The disk, for who needs one."""
        assert self.store is not None
        return self.store

    def submit(self, job: Callable[[], _T]) -> asyncio.Future[_T]:
        """Has the disk thread do something."""
        return self.disk.submit(job)

    def fetch(self, places: Sequence[int]) -> asyncio.Future[list[Message | None]]:
        """Has the disk thread read events; fails if they cannot be read now (`Store.fetch`)."""
        return self.disk.submit(partial(self.journal.fetch, places))
