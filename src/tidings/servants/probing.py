"""Health checks: probe clients that were silent for long.

A client that reports it no longer exists loses its proxy. An unreachable one counts as a failed
delivery. A connection that is not durable is dropped after as many consecutive failures as the
settings allow; a durable one of a supplier after `unused_proxy_lifetime`; one of a consumer, whose
events are retained, never. A client that sends or requests events is alive, reachable or not.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from tidings.channel.consumer import ConsumerProxy
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Side
from tidings.errors import NotFound, TidingsError
from tidings.orb.exceptions import COMM_FAILURE, OBJECT_NOT_EXIST, TIMEOUT, TRANSIENT
from tidings.orb.pseudo import NON_EXISTENT
from tidings.servants.endpoints import Calls, ClientEndpoint

if TYPE_CHECKING:
    from tidings.engine.host import Host

_log: Final = logging.getLogger(__name__)

_UNREACHABLE: Final = (COMM_FAILURE, TIMEOUT, TRANSIENT)
# Rounds per allowed silence: a probe is late by at most one round.
_ROUNDS: Final = 4
_MICRO: Final = 1e-6

Key = tuple[int, int]


class Probing:
    """The background task that probes clients not `heard` of (loop times) for long."""

    def __init__(self, host: Host, calls: Calls, heard: dict[Key, float]) -> None:
        self._host = host
        self._calls = calls
        self._heard = heard
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the task unless it is running."""
        if self._task is None:
            self._task = self._calls.start(self._run())

    async def _run(self) -> None:
        seconds = self._calls.options.probe_seconds
        while True:
            await asyncio.sleep(seconds / _ROUNDS)
            try:
                await self._round(asyncio.get_running_loop().time() - seconds)
            except Exception:  # noqa: BLE001 -- a bug of ours must not end the health checks
                _log.exception("a round of health checks could not be finished")

    async def _round(self, since: float) -> None:
        endpoints, heard = self._host.endpoints(), self._heard
        for key in heard.keys() - endpoints.keys():
            del heard[key]
        silent = [
            (key, endpoint)
            for key, endpoint in endpoints.items()
            if isinstance(endpoint, ClientEndpoint) and self._is_silent(key, endpoint, since)
        ]
        most = self._calls.options.probes_at_once
        for at in range(0, len(silent), most):
            now = [one for one in silent[at : at + most] if self._is_silent(*one, since)]
            await asyncio.gather(*(self._probe(*one) for one in now))

    def _is_silent(self, key: Key, endpoint: ClientEndpoint, since: float) -> bool:
        return not endpoint.busy and self._heard_at(key, endpoint) <= since

    def _heard_at(self, key: Key, endpoint: ClientEndpoint) -> float:
        return max(endpoint.heard_at, self._heard.get(key, 0.0))

    def _is_current(self, key: Key, endpoint: ClientEndpoint) -> bool:
        return self._host.endpoint(*key) is endpoint

    async def _probe(self, key: Key, endpoint: ClientEndpoint) -> None:
        seconds = self._calls.options.check_seconds
        try:
            gone = await self._calls.orb.call(endpoint.client, NON_EXISTENT, (), seconds)
        except OBJECT_NOT_EXIST:
            gone = True
        except _UNREACHABLE as error:
            self._missed(key, endpoint, error)
            return
        except TidingsError:
            gone = False  # any answer shows that it exists
        if not self._is_current(key, endpoint):
            return
        endpoint.missed = 0
        endpoint.heard_at = asyncio.get_running_loop().time()
        if gone and endpoint.ends_with_client():
            endpoint.close()  # no client is left to notify
            self._host.tell(Disconnect(*key, given_up="its client does not exist any more"))

    def _missed(self, key: Key, endpoint: ClientEndpoint, error: TidingsError) -> None:
        channel, id = key
        try:
            proxy = self._host.channels.find(channel).proxy(id)
        except NotFound:
            return
        consumer = proxy.consumer if isinstance(proxy, ConsumerProxy) else None
        waits = consumer is not None and bool(consumer.pulls)
        if waits or not self._is_current(key, endpoint):
            return
        if self._heard_at(key, endpoint) > endpoint.missed_at:
            endpoint.missed = 0
        endpoint.missed_at = asyncio.get_running_loop().time()
        endpoint.missed += 1
        settings = self._host.settings
        if proxy.durable:
            silent = endpoint.missed_at - self._heard_at(key, endpoint)
            given_up = (
                proxy.side is Side.SUPPLIER and silent > settings.unused_proxy_lifetime * _MICRO
            )
        else:
            given_up = endpoint.missed >= settings.retry_limit
        if given_up:
            why = f"its client did not answer {endpoint.missed} times in a row; the last: {error}"
            self._host.tell(Disconnect(channel, id, given_up=why))
