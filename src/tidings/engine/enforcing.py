"""Makes proxies follow what the grants of their owners say, when they are made and ever after.

A consumer's proxy is confined to the events that its owner may see. Whoever may no longer use a
proxy is cut off from it; events wait, behind the fence that it had last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tidings.channel import management as m
from tidings.channel.channel import Channels
from tidings.channel.commands import Bound, Command
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Place
from tidings.engine.access import Access, Caller
from tidings.engine.endpoints import Endpoint
from tidings.engine.limiting import Limiting
from tidings.errors import Disconnected
from tidings.filters.plan import Fence
from tidings.grants.core import AccessChanged, AccessWidened
from tidings.grants.model import Limits, Verb


class Enforcing:
    """Applies grants to proxies; `tell` runs commands of the service itself."""

    def __init__(
        self,
        access: Access,
        limiting: Limiting,
        channels: Channels,
        endpoint: Callable[[int, int], Endpoint | None],
        tell: Callable[[Command], Any],
    ) -> None:
        self._access = access
        self._limiting = limiting
        self._channels = channels
        self._endpoint = endpoint
        self._tell = tell

    def confined(self, command: m.ObtainProxy, limits: Limits) -> m.ObtainProxy:
        """Return the command for a proxy with its owner's fence and the caller's limits."""
        fence = self._access.fence(command.owner, command.channel)
        self._bound(command.owner)
        return replace(command, fence=fence or (), most_owned=limits.subscriptions)

    def access_changed(self, changed: AccessChanged) -> None:
        """Cut clients off from proxies that their owners may no longer use; confine the others."""
        for owner, proxies in self._owned(changed.concerns):
            for proxy in proxies:
                self._end_forbidden(owner, proxy)
            self._confine(owner, proxies)
            self._bound(owner)

    def access_widened(self, changed: AccessWidened) -> None:
        """Move fences."""
        for owner, proxies in self._owned(changed.concerns):
            self._confine(owner, proxies)

    def confine_all(self) -> None:
        """Put every fence where it belongs: grants may have ended while the service was down."""
        for owner, proxies in self._owned(lambda _: True):
            self._confine(owner, proxies)
            self._bound(owner)

    def _bound(self, owner: str) -> None:
        """Tell the core how much may wait for the consumers of a principal."""
        most = self._limiting.of(Caller(owner)).queued_octets if owner else None
        known = self._channels.core.budgets.get(owner)
        if most != (None if known is None else known.most):
            self._tell(Bound(owner, most))

    def _owned(self, concerns: Callable[[str], bool]) -> list[tuple[str, list[Proxy]]]:
        found = self._channels.owned.items()
        return [(owner, list(proxies)) for owner, proxies in found if concerns(owner)]

    def _end_forbidden(self, owner: str, proxy: Proxy) -> None:
        place = Place(proxy.channel.id, proxy.side, proxy=proxy.id)
        if not proxy.attached or self._access.may(Caller(owner), Verb.USE, place, owner):
            return
        endpoint = self._endpoint(proxy.channel.id, proxy.id)
        if endpoint is not None:
            endpoint.close(Disconnected(f"{owner} may not use {place} any more"))
        self._tell(m.Detach(proxy.channel.id, proxy.id))

    def _confine(self, owner: str, proxies: Iterable[Proxy]) -> None:
        by_channel: defaultdict[int, list[ConsumerProxy]] = defaultdict(list)
        for proxy in proxies:
            if isinstance(proxy, ConsumerProxy):
                by_channel[proxy.channel.id].append(proxy)
        for channel, consumers in by_channel.items():
            self._confine_on(channel, consumers, self._access.fence(owner, channel))

    def _confine_on(
        self, channel: int, consumers: Sequence[ConsumerProxy], fence: Fence | None
    ) -> None:
        if fence is None:  # it may see nothing now, and perhaps later what it could before
            return
        changed = [one.id for one in consumers if one.fence != fence]
        if changed:
            self._tell(m.Confine(channel, changed, fence))
