"""What CORBA has no words for, of what every transport offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from tidings.channel.settings import Settings
from tidings.channel.views import Advertisement, DeadLetterInfo, FilterInfo, MappingInfo
from tidings.client.transport import HistoryPage
from tidings.client.transports.iiop_patience import CLOSED
from tidings.client.transports.iiop_values import beyond
from tidings.errors import Stopping


class Untold:
    """The part of the transport that refuses."""

    def __init__(self) -> None:
        self._closed = False

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping(CLOSED)

    async def rules(self) -> Settings:
        """The settings of the service that decide what is allowed: not told."""
        self._refuse("the rules of a service")

    async def advertisement(self, channel: int) -> Advertisement:
        """What is offered and wanted in a channel, and by whom: not told."""
        self._refuse("lists of who offers and wants what", "use on_wanted and on_offers")

    async def filters(self, after: int, most: int) -> Sequence[FilterInfo | MappingInfo]:
        """All filters: not told."""
        self._refuse("a list of all filters")

    async def highest_number(self, channel: int, producer: str) -> int | None:
        """The highest number a producer's accepted events had: not told."""
        self._refuse("producers with a name", "leave the name out")

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Past events of a channel: not told."""
        self._refuse("past events")

    async def dead_letters(
        self, channel: int | None, proxy: int | None, after: int, most: int
    ) -> Sequence[DeadLetterInfo]:
        """Dead letters: not told."""
        self._refuse("dead letters")

    async def redrive(self, id: int) -> None:
        """Delivers a dead letter again: cannot be asked for."""
        self._refuse("dead letters")

    async def drop_dead_letter(self, id: int) -> None:
        """Forgets a dead letter: cannot be asked for."""
        self._refuse("dead letters")

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        self._check_open()
        raise beyond(what, instead)
