"""The rules of a service on the wire: which of its settings decide what it allows."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from tidings.api.model import Answer, OperatorWord, examples
from tidings.channel.settings import Counted, Inheritance, Settings
from tidings.channel.vocabulary import Operator


class RulesForm(Answer):
    """Settings of a service that decide whether a change is allowed."""

    model_config = examples(
        {
            "narrowed": {"ConnectionReliability": [0, 0]},
            "default_operator": "and",
            "event_reliability_below": False,
            "inheritance": "copied",
            "counted": "obtained",
            "list_beside_filters": True,
            "partial_wildcards": True,
        }
    )

    narrowed: dict[str, list[int]] = Field(
        description="Properties of which less is supported than is legal: lowest and highest."
    )
    default_operator: OperatorWord = Field(
        description="How default admins join their filters with those of their proxies."
    )
    event_reliability_below: bool = Field(
        description="Whether EventReliability may be set at admins and proxies."
    )
    inheritance: Literal["copied", "followed"] = Field(
        description="Whether later changes at a parent reach what was never set at the child."
    )
    counted: Literal["obtained", "connected"] = Field(
        description="What MaxConsumers and MaxSuppliers count."
    )
    list_beside_filters: bool = Field(
        description="Whether event types can be listed while filters are attached."
    )
    partial_wildcards: bool = Field(
        description="Whether * inside an event-type name stands for any characters."
    )

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The answer that shows settings."""
        return cls(
            narrowed={name: list(values) for name, values in settings.narrowed.items()},
            default_operator=settings.default_operator.name.lower(),  # type: ignore[arg-type]
            event_reliability_below=settings.event_reliability_below,
            inheritance=settings.inheritance.value,
            counted=settings.counted.value,
            list_beside_filters=settings.list_beside_filters,
            partial_wildcards=settings.partial_wildcards,
        )

    def settings(self) -> Settings:
        """The settings that were shown; all others have their defaults."""
        return Settings(
            narrowed={name: (low, high) for name, (low, high) in self.narrowed.items()},
            default_operator=Operator[self.default_operator.upper()],
            event_reliability_below=self.event_reliability_below,
            inheritance=Inheritance(self.inheritance),
            counted=Counted(self.counted),
            list_beside_filters=self.list_beside_filters,
            partial_wildcards=self.partial_wildcards,
        )
