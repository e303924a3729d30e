"""The words of the core: sides, styles and forms of proxies, and the places of objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

from tidings.events.anyvalue import Any
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Operator as Operator  # noqa: PLC0414 -- of these words, too
from tidings.filters.plan import Side as Side  # noqa: PLC0414

Item: TypeAlias = StructuredEvent | Any
"""What a supplier pushes: a structured event, or any value at all."""


class Style(Enum):
    """Who begins: a push client is called or calls with events, a pull client asks for them."""

    PUSH = "push"
    PULL = "pull"


class Form(IntEnum):
    """In which form a client sends or takes events; numbered as the standard's ClientType."""

    ANY = 0
    STRUCTURED = 1
    SEQUENCE = 2


class InfoMode(IntEnum):
    """What obtain_offered_types and obtain_subscription_types return and switch (7)."""

    ALL_NOW_UPDATES_OFF = 0
    ALL_NOW_UPDATES_ON = 1
    NONE_NOW_UPDATES_OFF = 2
    NONE_NOW_UPDATES_ON = 3

    @property
    def all_now(self) -> bool:
        """Whether the types of now are returned."""
        return self in (InfoMode.ALL_NOW_UPDATES_OFF, InfoMode.ALL_NOW_UPDATES_ON)

    @property
    def updates_on(self) -> bool:
        """Whether the client is told of later changes."""
        return self in (InfoMode.ALL_NOW_UPDATES_ON, InfoMode.NONE_NOW_UPDATES_ON)


@dataclass(frozen=True, slots=True)
class Place:
    """An object that has quality of service and filters: a channel, or an admin or proxy of it."""

    channel: int
    side: Side | None = None
    admin: int | None = None
    proxy: int | None = None

    def __str__(self) -> str:
        if self.proxy is not None:
            return f"proxy {self.proxy} of channel {self.channel}"
        if self.admin is not None and self.side is not None:
            return f"{self.side.value} admin {self.admin} of channel {self.channel}"
        return f"channel {self.channel}"
