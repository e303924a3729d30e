"""What consumers that pull ask and answer on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Self, TypeAlias

from pydantic import FailFast, Field

from tidings.api.frame_parts import MAX_REASON, MAX_WINDOW
from tidings.api.model import Asked, Id, examples
from tidings.channel.commands import Ack, Failed, Reject

_SECOND: Final = 1_000_000
# A year: a longer wait or lease is a slip of the pen.
_LONGEST: Final = 366 * 86_400.0

Seqs: TypeAlias = Annotated[list[Id], FailFast(), Field(max_length=MAX_WINDOW)]
"""Numbers of events."""

_Seconds: TypeAlias = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False)]


class AckForm(Asked):
    """Events that the consumer has taken; unknown numbers are ignored."""

    model_config = examples({"seqs": [1041, 1042]})
    MOST_ITEMS = MAX_WINDOW

    seqs: Seqs

    def to_command(self, channel: int, proxy: int) -> Ack:
        """What is asked of the core."""
        return Ack(channel, proxy, self.seqs)


class ReasonForm(Asked):
    """Events that the consumer has not taken, and why; unknown numbers are ignored."""

    model_config = examples({"seqs": [1041], "reason": "the order is unknown"})
    MOST_ITEMS = MAX_WINDOW

    seqs: Seqs
    reason: str = Field(default="", max_length=MAX_REASON)

    @classmethod
    def of(cls, seqs: Sequence[int], reason: object) -> Self:
        """The request; the reason is cut and brought to a form that can be sent."""
        text = reason if isinstance(reason, str) else repr(reason)
        sendable = text[:MAX_REASON].encode("utf-8", "backslashreplace").decode()
        return cls(seqs=list(seqs), reason=sendable[:MAX_REASON])

    def to_retry(self, channel: int, proxy: int) -> Failed:
        """What is asked of the core if they are to come again."""
        return Failed(channel, proxy, self.seqs, self.reason)

    def to_reject(self, channel: int, proxy: int) -> Reject:
        """What is asked of the core if they are never to come again."""
        return Reject(channel, proxy, self.seqs, self.reason)


class PullForm(Asked):
    """A consumer asks for events."""

    model_config = examples({"most": 100, "wait": 20, "lease": 30})

    most: int = Field(default=1, ge=1, le=1_000, description="At most so many.")
    wait: _Seconds | None = Field(
        default=0,
        description="How long for the first, in seconds; null for as long as the service lets.",
    )
    lease: _Seconds | None = Field(
        default=30,
        description="How long the consumer has to acknowledge, in seconds, until they come "
        "again; null if what it is given counts as delivered.",
    )

    @classmethod
    def of(cls, most: int, wait: int | None, lease: int | None) -> Self:
        """The request for a pull, its times in microseconds."""
        return cls(
            most=most,
            wait=None if wait is None else wait / _SECOND,
            lease=None if lease is None else lease / _SECOND,
        )

    def wait_at_most(self, seconds: float) -> int:
        """How long to wait, in microseconds, where the service lets nobody wait longer."""
        return round(min(seconds, seconds if self.wait is None else self.wait) * _SECOND)

    @property
    def lease_microseconds(self) -> int | None:
        """How long the consumer has to acknowledge, in microseconds; None if it need not."""
        return None if self.lease is None else round(self.lease * _SECOND)
