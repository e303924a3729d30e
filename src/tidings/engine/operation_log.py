"""Operations by caller and result: counts, a log, and what goes into the audit trail.

The one place where changes and refusals are noticed. Doors add what the engine cannot know: the
door itself, the address, and callers that nobody knows (`refuse`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from tidings.channel.catalogue import CATALOGUE, OPERATIONS, Named, Operation
from tidings.channel.questions import SeeFilter
from tidings.cores import OperationDone
from tidings.engine.access import Access, Caller
from tidings.engine.refusals import Refusals
from tidings.errors import Forbidden, NotFound, TidingsError, TooManyAttempts, Unauthenticated

AUTHENTICATE: Final = "authenticate"
"""The operation of a caller that could not show who it is."""

_audit: Final = logging.getLogger("tidings.audit")
# As deep in the tree of objects as channels: see `log.level`.
_DEPTH: Final = {"depth": 2}
_DONE: Final = "done"
# What names objects. Nothing else of a request goes into logs and trail, so no secret does.
_NAMING: Final = (
    "place", "channel", "side", "admin", "proxy", "filter", "id", "name",
    "principal", "to", "grant", "credential", "job", "type", "offer", "link", "object", "pattern",
)  # fmt: skip
_LONGEST: Final = 200
"""Characters of a name, or of all names of a line, that the trail shows: callers choose them."""

# Clients ask this as they connect, to see whether they may: no filter has the id 0.
_PROBE: Final = SeeFilter(0)

# The rest, with the events themselves, is counted by what becomes of events.
_COUNTED: Final = {row.request: row for row in CATALOGUE if row.is_change or row.is_question}


class OperationLog:
    """Counts operations, logs those that change something, and tells the trail of both.

    Attributes:
        counts: By the name of the operation and ``done``, or the code of the error.
        refusals: By door and code.
        failed_logins: By door and code; they are refusals, too.
    """

    def __init__(
        self,
        access: Access,
        channel_name: Callable[[int], str],
        now: Callable[[], int],
        tell: Callable[[OperationDone], None],
    ) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.refusals: Counter[tuple[str, str]] = Counter()
        self.failed_logins: Counter[tuple[str, str]] = Counter()
        self._access = access
        self._channel_name = channel_name
        self._now = now
        self._tell = tell
        self._refusals = Refusals()

    def watch(self, request: object, caller: Caller, answer: asyncio.Future[Any]) -> None:
        """Count and log an operation when it is answered."""
        if request.__class__ not in _COUNTED:
            return
        channel = self.channel_of(request)  # which may be gone when it is answered

        def note(done: asyncio.Future[Any]) -> None:
            error = None if done.cancelled() else done.exception()
            answer = None if error or done.cancelled() else done.result()
            self.note(request, caller, channel, error, answer)

        if answer.done():  # refused: its caller does not wait for a turn of the loop, either
            note(answer)
        else:
            answer.add_done_callback(note)

    def channel_of(self, request: object) -> str:
        """Return the name of a request's channel; empty for none."""
        about = getattr(request, "place", request)
        id = getattr(about, "channel", None)
        return self._channel_name(id) if isinstance(id, int) else ""

    def note(
        self,
        request: object,
        caller: Caller,
        channel: str,
        error: BaseException | None,
        answer: object = None,
    ) -> None:
        """Count an answered operation; log it if it changes something or was refused."""
        row = _COUNTED.get(request.__class__)
        if row is None:
            return
        result = _DONE if error is None else getattr(error, "code", TidingsError.code)
        self.counts[row.name, result] += 1
        if request == _PROBE and isinstance(error, NotFound):
            return
        if error is not None and self._is_refusal(caller, error):
            self._refused(caller, row.name, _about(request), channel, result)
        elif row.is_change:
            about = _about(request, _made(row, answer))
            _audit.info("%s: %s (%s): %s", caller, row.name, about, result, extra=_DEPTH)
            self._tell(_line(caller, row.name, about, channel, result))

    def note_uncounted(self, request: object, caller: Caller, error: TidingsError) -> None:
        """Log the refusal of what `note` does not see, such as a push."""
        if request.__class__ not in _COUNTED:
            self.note_refused(request, caller, error)

    def note_refused(
        self, request: object, caller: Caller, error: TidingsError, operation: str = ""
    ) -> None:
        """Log the refusal of a request, if it is one; `operation` is what it was needed for."""
        if self._is_refusal(caller, error):
            row, channel = OPERATIONS.get(request.__class__), self.channel_of(request)
            name = request.__class__.__name__ if row is None else row.name
            self._refused(caller, operation or name, _about(request), channel, error.code)

    def refuse(
        self,
        caller: Caller,
        operation: str,
        error: TidingsError,
        about: str = "",
        channel: str = "",
    ) -> None:
        """Log the refusal of what has no row in the catalogue, if it is one."""
        if self._is_refusal(caller, error):
            self._refused(caller, operation, about, channel, error.code)

    def tell_counted(self, *, everything: bool = False) -> None:
        """Tell the trail what was only counted, when it is time to, or `everything`."""
        for line in self._refusals.due(self._now(), everything=everything):
            self._tell(line)

    def _is_refusal(self, caller: Caller, error: BaseException) -> bool:
        if isinstance(error, Forbidden | Unauthenticated | TooManyAttempts):
            return True
        # What such a caller may not know of is missing to it, and nobody can tell it apart.
        confined = not (caller.owns_service or self._access.grants.is_open)
        return confined and isinstance(error, NotFound)

    def _refused(self, caller: Caller, operation: str, about: str, channel: str, code: str) -> None:
        self.refusals[caller.door, code] += 1
        if operation == AUTHENTICATE:
            self.failed_logins[caller.door, code] += 1
        line = self._refusals.add(
            _line(caller, operation, about, channel, code, refused=True), self._now()
        )
        if line is not None:
            _audit.info("%s: %s (%s): %s", caller, operation, about, code, extra=_DEPTH)
            self._tell(line)


def _line(
    caller: Caller, operation: str, about: str, channel: str, result: str, *, refused: bool = False
) -> OperationDone:
    return OperationDone(
        0, _shown(caller.name), operation, _shown(about), _shown(channel), result,
        caller.credential, caller.door, _shown(caller.peer), refused,
    )  # fmt: skip


def _made(row: Operation, answer: object) -> tuple[tuple[str, object], ...]:
    """Return the id of what an operation has made, if it answers one, with its word."""
    is_named = row.created and isinstance(row.answer, Named) and row.answer.name in _NAMING
    return ((row.answer.name, answer),) if is_named and answer is not None else ()


def _about(request: object, made: tuple[tuple[str, object], ...] = ()) -> str:
    """Name the objects of a request, as its user would; first what it has `made`."""
    found = [*made, *((name, getattr(request, name, None)) for name in _NAMING)]
    return _shown(
        ", ".join(
            f"{name} {one.value if isinstance(one, Enum) else one}"
            for name, one in found
            # `admin` is an id in most requests, and admin properties in `CreateChannel`.
            if one not in (None, "") and not isinstance(one, Mapping)
        )
    )


def _shown(text: str) -> str:
    """Return a text that fits a line: no control characters, and not longer than others need."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}… ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode-escape", "surrogatepass").decode()
        for one in text
    )
