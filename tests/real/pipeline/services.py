"""A real service for what publishes from Spark, and what its channels then hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tidings
from tests.real.e2e.served import Served, served
from tidings.channel.effects import Message
from tidings.client.sync import SyncClient


class Service:
    """A running service and somebody who asks it."""

    def __init__(self, process: Served, client: SyncClient) -> None:
        self.process = process
        self.client = client
        self.url = process.url

    def channel(self, name: str) -> str:
        """Makes a channel that keeps what it is sent."""
        self.client.create_channel(name, persistent=True)
        return name

    def events(self, channel: str) -> list[Message]:
        """All that a channel was sent, in order."""
        return list(self.client.history(channel))

    def names(self, channel: str) -> list[str]:
        """The names of these events."""
        return [message.event.name for message in self.events(channel)]


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """A service that is gone afterwards."""
    with served(folder) as process, tidings.connect_sync(process.url) as client:
        yield Service(process, client)
