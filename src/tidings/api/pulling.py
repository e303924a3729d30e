"""What consumers that pull ask and answer on the wire."""

from __future__ import annotations

from typing import Annotated, Final, Self, TypeAlias

from pydantic import Field

from tidings.api.call import BASE, Call
from tidings.api.model import Asked, examples

_SECOND: Final = 1_000_000
# A year: a longer wait or lease is a slip of the pen.
_LONGEST: Final = 366 * 86_400.0

_Seconds: TypeAlias = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False)]


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


def pull(channel: int, proxy: int, form: PullForm) -> Call:
    """The request of a pull consumer; what is read is the answer as it was parsed."""
    path = f"{BASE}/channels/{channel}/proxies/{proxy}/pull"
    return Call("POST", path, form.model_dump(mode="json"), lambda plain: plain)
