"""CosTrading's iterators: the rest of what a query has found, and of a list of all offers.

What a query has found is with the trader; here is how far each client has read. A list of ids is
read on demand, so that nobody can tell how many are left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from tidings.cos import CosTrading_auto as wire
from tidings.cos.trading import offer_out
from tidings.engine.access import ObjectKey
from tidings.engine.turns import Turns
from tidings.errors import NotFound, UnknownMaxLeft
from tidings.names import new_handle
from tidings.servants.service import NIL, CorbaService, ObjectServant
from tidings.trader import requests as r
from tidings.trader.core import MOST_IN_LIST, MOST_ITERATORS

if TYPE_CHECKING:
    from tidings.engine.door import LocalDoor
    from tidings.events.reference import Reference
    from tidings.orb.stubs import Interface, Servant
    from tidings.servants.door import GatheringDoor

OFFERS: Final = "offer iterator"
IDS: Final = "offer id iterator"


async def offers_out(found: Sequence[r.OfferInfo]) -> tuple[wire.Offer, ...]:
    """Convert offers in turns; there may be a thousand."""
    turns, offers = Turns(), []
    for one in found:
        offers.append(offer_out(one))
        await turns.give()
    return tuple(offers)


class _List:
    """One list: where it continues.

    Attributes:
        iterator: The trader's, for the offers that a query has found.
        after: The place up to which the client has read.
    """

    __slots__ = ("after", "iterator")

    def __init__(self, iterator: int, after: int) -> None:
        self.iterator = iterator
        self.after = after


class OfferLists:
    """The lists that clients read; of too many the one that was not used for longest ends."""

    def __init__(self) -> None:
        self._lists: OrderedDict[int, _List] = OrderedDict()

    def offers(self, holder: ObjectServant, iterator: int | None) -> Reference:
        """Return the iterator over the rest of a query; nil for none."""
        if iterator is None:
            return NIL
        return self._keep(holder, OFFERS, _List(iterator, 0), wire.OfferIterator_INTERFACE)

    def ids(self, holder: ObjectServant, after: int | None) -> Reference:
        """Return the iterator over the ids behind a place; nil for none."""
        if after is None:
            return NIL
        return self._keep(holder, IDS, _List(0, after), wire.OfferIdIterator_INTERFACE)

    def _keep(
        self, holder: ObjectServant, kind: str, made: _List, interface: Interface
    ) -> Reference:
        handle = new_handle()  # random, so that references from before a restart fail
        self._lists[handle] = made
        if len(self._lists) > MOST_ITERATORS:
            self._lists.popitem(last=False)
        return holder.reference(kind, (handle,), interface)

    def find(self, handle: int) -> _List | None:
        """Return a list that somebody uses."""
        found = self._lists.get(handle)
        if found is not None:
            self._lists.move_to_end(handle)
        return found

    def end(self, handle: int) -> None:
        """Forget a list."""
        self._lists.pop(handle, None)

    @staticmethod
    async def page(door: LocalDoor, after: int, how_many: int) -> tuple[Sequence[str], int | None]:
        """Return the ids behind a place, and where they continue; None at the end."""
        most = min(how_many, MOST_IN_LIST - 1)
        found = [one.id for one in await door.request(r.SeeOffers(after, most + 1))]
        more = len(found) > most
        del found[most:]
        last = int(found[-1].rpartition("/")[2]) if found else after
        return tuple(found), last if more else None

    def maker(
        self, made: Callable[..., Servant]
    ) -> Callable[[CorbaService, GatheringDoor, ObjectKey], Servant | None]:
        """Return the maker of the servants of one kind."""

        def make(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
            found = self.find(key.ids[0])
            return None if found is None else made(self, found, service, door, key)

        return make


class _ListServant(ObjectServant):
    """The servant of a list."""

    def __init__(
        self,
        lists: OfferLists,
        read: _List,
        service: CorbaService,
        door: GatheringDoor,
        key: ObjectKey,
    ) -> None:
        super().__init__(service, door, key)
        self._lists = lists
        self._read = read


class OfferIteratorObject(_ListServant, wire.OfferIteratorServant):
    """CosTrading::OfferIterator."""

    async def _page(self, most: int) -> r.OfferPage:
        try:
            asked = r.SeeFoundOffers(self._read.iterator, self._read.after, most)
            return await self.door.request(asked)
        except NotFound:
            self._lists.end(self.key.ids[0])
            raise

    async def max_left(self) -> int:
        """Return how many offers are left."""
        return (await self._page(0)).left

    async def next_n(self, n: int) -> tuple[bool, Sequence[wire.Offer]]:
        """Return the next offers, and whether there are more."""
        page = await self._page(n)
        self._read.after = page.next
        return page.left > 0, await offers_out(page.offers)

    async def destroy(self) -> None:
        """End the iterator."""
        await self.door.ask(r.EndIterator(self._read.iterator))
        self._lists.end(self.key.ids[0])


class OfferIdIteratorObject(_ListServant, wire.OfferIdIteratorServant):
    """CosTrading::OfferIdIterator."""

    async def max_left(self) -> int:
        """Refuse: offers come and go while they are read."""
        raise UnknownMaxLeft("offers come and go while their ids are read: nobody can tell")

    async def next_n(self, n: int) -> tuple[bool, Sequence[str]]:
        """Return the next ids, and whether there are more."""
        ids, rest = await self._lists.page(self.door, self._read.after, n)
        if ids:
            self._read.after = int(ids[-1].rpartition("/")[2])
        return rest is not None, ids

    async def destroy(self) -> None:
        """End the iterator."""
        self._lists.end(self.key.ids[0])
