"""Dry runs and decision trails on the wire."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from tidings.api.items import item_from_plain
from tidings.api.model import Answer, Asked, Id, examples
from tidings.api.plain import plain_item
from tidings.channel.commands import DryRun
from tidings.channel.trail import Step, Trail


class StepForm(Answer):
    """One decision."""

    stage: Literal["supplier", "header", "channel", "consumer"] = Field(description="Where.")
    proxy: int | None = Field(description="Whose, if it is about a proxy.")
    passed: bool = Field(description="Whether the event goes on from here.")
    reason: str = Field(description="Why.")
    priority: int | None = Field(
        default=None,
        description="At a consumer that gets it, or as the header says: which priority.",
    )
    expiry: int | None = Field(
        default=None,
        description="Likewise until when, microseconds since 1970; null for ever.",
    )
    start: int | None = Field(
        default=None,
        description="Likewise not before, microseconds since 1970; null for at once.",
    )


class TrailForm(Answer):
    """All decisions on one event."""

    model_config = examples(
        {
            "plan": 5,
            "now": 1760000000000000,
            "accepted": True,
            "recipients": [7],
            "steps": [
                {"stage": "channel", "proxy": None, "passed": True, "reason": "there is room"},
                {
                    "stage": "consumer",
                    "proxy": 7,
                    "passed": True,
                    "reason": "passed",
                    "priority": 0,
                    "expiry": None,
                    "start": None,
                },
            ],
        }
    )

    plan: int = Field(description="Version of the rules.")
    now: int = Field(description="When it was judged, microseconds since 1970.")
    accepted: bool = Field(description="Whether the channel takes it.")
    recipients: list[int] = Field(description="Ids of the consumers' proxies that get it.")
    steps: list[StepForm] = Field(description="The decisions in order.")

    @classmethod
    def of(cls, trail: Trail) -> Self:
        """The answer that shows a trail."""
        return cls(
            plan=trail.plan,
            now=trail.now,
            accepted=trail.accepted,
            recipients=list(trail.recipients),
            steps=[_step_form(step) for step in trail.steps],
        )

    def info(self) -> Trail:
        """The trail that was shown."""
        steps = tuple(
            Step(s.stage, s.proxy, s.passed, s.reason, s.priority, s.expiry, s.start)
            for s in self.steps
        )
        return Trail(self.plan, self.now, self.accepted, tuple(self.recipients), steps)


def _step_form(step: Step) -> StepForm:
    return StepForm(
        stage=step.stage,  # type: ignore[arg-type]
        proxy=step.proxy,
        passed=step.passed,
        reason=step.reason,
        priority=step.priority,
        expiry=step.expiry,
        start=step.start,
    )


class DryRunForm(Asked):
    """An event whose way is to be told; nothing is changed."""

    model_config = examples(
        {"event": {"domain": "Auction", "type": "books", "data": {"price": 12.5}}}
    )

    event: dict[str, Any] = Field(description='An event in typed JSON, or `{"any": value}`.')
    publisher: Id | None = Field(
        default=None, description="Through which proxy; null for one without filters."
    )

    @classmethod
    def of(cls, command: DryRun) -> Self:
        """The request for a command."""
        return cls(event=plain_item(command.item), publisher=command.proxy)

    def to_command(self, channel: int) -> DryRun:
        """What is asked of the core.

        Raises:
            InvalidEvent: It is no event; the message says what is wrong and where.
        """
        return DryRun(channel, item_from_plain(self.event), self.publisher)
