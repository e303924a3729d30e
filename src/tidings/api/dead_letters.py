"""Dead letters on the wire."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field

from tidings.api.model import Answer, Asked, Id, examples
from tidings.api.plain import plain_item
from tidings.channel.effects import Cause
from tidings.channel.views import DeadLetterInfo
from tidings.events.codecs.json_codec import event_from_plain
from tidings.filters.constraint import Constraint, constraint


class CauseForm(Answer):
    """Why a delivery failed, and when (microseconds since 1970)."""

    at: int
    reason: str


class DeadLetter(Answer):
    """An event that could not be delivered to a consumer."""

    model_config = examples(
        {
            "id": 12,
            "channel": 1,
            "proxy": 7,
            "seq": 1041,
            "arrival": 1760000000000000,
            "at": 1760000060000000,
            "causes": [{"at": 1760000060000000, "reason": "the order is unknown"}],
            "event": {"domain": "Auction", "type": "books", "data": {"price": 12.5}},
        }
    )

    id: int = Field(description="Names it when it is delivered again or dropped.")
    channel: int = Field(description="Its channel.")
    proxy: int = Field(description="Whose consumer it was for.")
    seq: int = Field(description="The event's number.")
    arrival: int = Field(description="When it was accepted, microseconds since 1970.")
    at: int = Field(description="When it was given up, microseconds since 1970.")
    causes: list[CauseForm] = Field(description="Why, the first cause first.")
    event: dict[str, Any] = Field(description="The event, unchanged, in typed JSON.")

    @classmethod
    def of(cls, info: DeadLetterInfo) -> Self:
        """The answer that shows a dead letter."""
        return cls(
            id=info.id,
            channel=info.channel,
            proxy=info.proxy,
            seq=info.seq,
            arrival=info.arrival,
            at=info.at,
            causes=[CauseForm(at=cause.at, reason=cause.reason) for cause in info.causes],
            event=plain_item(info.event),
        )

    def info(self) -> DeadLetterInfo:
        """The dead letter that was shown."""
        return DeadLetterInfo(
            self.id,
            self.channel,
            self.proxy,
            self.seq,
            self.arrival,
            self.at,
            tuple(Cause(cause.at, cause.reason) for cause in self.causes),
            event_from_plain(self.event),
        )


class DeadLetters(Answer):
    """Dead letters in the order they came."""

    dead_letters: list[DeadLetter]


class RedriveForm(Asked):
    """Which dead letters are to be delivered again."""

    model_config = examples({"channel": 1, "filter": "$price > 100", "most": 500})

    channel: Id | str | None = Field(
        default=None, description="Of one channel, by id or name; null: all."
    )
    filter: str = Field(
        default="", description="A constraint their events match; blank text is TRUE."
    )
    most: int = Field(default=1_000, ge=1, le=100_000, description="At most so many.")

    def to_constraint(self) -> Constraint:
        """What their events match.

        Raises:
            InvalidConstraint: The text is none; the error has the place.
        """
        return constraint(self.filter)


class Redriven(Answer):
    """How many dead letters are delivered again."""

    model_config = examples({"redriven": 42})

    redriven: int
