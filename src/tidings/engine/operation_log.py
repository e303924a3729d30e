"""Operations by caller and result: counts, and an audit log."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from tidings.channel.catalogue import CATALOGUE
from tidings.cores import OperationDone
from tidings.errors import TidingsError

_audit: Final = logging.getLogger("tidings.audit")
# As deep in the tree of objects as channels: see `log.level`.
_DEPTH: Final = {"depth": 2}
_DONE: Final = "done"
_NAMING: Final = ("place", "channel", "side", "admin", "proxy", "filter", "id", "name")

# The rest, with the events themselves, is counted by what becomes of events.
_COUNTED: Final = {row.request: row for row in CATALOGUE if row.is_change or row.is_question}


class OperationLog:
    """Counts operations, and logs those that change something.

    `counts` is by the name of the operation and ``done``, or the code of the error.
    """

    def __init__(
        self, channel_name: Callable[[int], str], tell: Callable[[OperationDone], None]
    ) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._channel_name = channel_name
        self._tell = tell

    def watch(self, request: object, principal: str, answer: asyncio.Future[Any]) -> None:
        """Count and log an operation when it is answered."""
        if request.__class__ not in _COUNTED:
            return
        channel = self.channel_of(request)  # which may be gone when it is answered

        def note(done: asyncio.Future[Any]) -> None:
            self.note(request, principal, channel, None if done.cancelled() else done.exception())

        answer.add_done_callback(note)

    def channel_of(self, request: object) -> str:
        """Return the name of a request's channel; empty for none."""
        about = getattr(request, "place", request)
        id = getattr(about, "channel", None)
        return self._channel_name(id) if isinstance(id, int) else ""

    def note(
        self, request: object, principal: str, channel: str, error: BaseException | None
    ) -> None:
        """Count an answered operation, and log it if it changes something."""
        row = _COUNTED.get(request.__class__)
        if row is None:
            return
        result = _DONE if error is None else getattr(error, "code", TidingsError.code)
        self.counts[row.name, result] += 1
        if row.is_change:
            about = _about(request)
            _audit.info("%s: %s (%s): %s", principal, row.name, about, result, extra=_DEPTH)
            self._tell(OperationDone(0, principal, row.name, about, channel, result))


def _about(request: object) -> str:
    """Name the objects of a request, as its user would."""
    found = [(name, getattr(request, name, None)) for name in _NAMING]
    return ", ".join(
        f"{name} {one.value if isinstance(one, Enum) else one}"
        for name, one in found
        # `admin` is an id in most requests, and admin properties in `CreateChannel`.
        if one not in (None, "") and not isinstance(one, Mapping)
    )
