"""Calls of other traders by a service without CORBA: the ORB is made when one is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidings.events.anyvalue import Value
    from tidings.orb.aio import Orb
    from tidings.servants.linked_traders import LinkedTraders
    from tidings.server.settings import IiopSection
    from tidings.server.tls import Tls
    from tidings.trader.outside import Answered, Evaluation, Failed, Follow


class LateOthers:
    """Other traders, and objects that evaluate dynamic properties."""

    def __init__(self, iiop: IiopSection, tls: Tls | None) -> None:
        self._given = (iiop, tls)
        self._made: LinkedTraders | None = None
        self._orb: Orb | None = None

    def _others(self) -> LinkedTraders:
        from tidings.orb.aio import Orb  # these take a while, and few want them
        from tidings.servants.linked_traders import LinkedTraders
        from tidings.server.corba import calling_options

        if self._made is None:
            options = calling_options(*self._given)
            self._orb = Orb(options)
            self._made = LinkedTraders(self._orb, options)
        return self._made

    async def evaluate(self, asked: Evaluation, seconds: int) -> Value | Failed:
        """Return the value of a dynamic property."""
        return await self._others().evaluate(asked, seconds)

    async def query(self, asked: Follow) -> Answered:
        """Return the offers of another trader."""
        return await self._others().query(asked)

    async def close(self) -> None:
        """End all calls."""
        if self._made is not None and self._orb is not None:
            await self._made.close()
            await self._orb.close()
