"""The event services that adapters are tried with: a module each, with a `Rig`."""

from __future__ import annotations

import abc
import json
import pkgutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, ClassVar

from tidings.events.build import event
from tidings.events.structured import StructuredEvent


class Native(abc.ABC):
    """A client of the event service itself, as any other program would be one: not our adapter."""

    @abc.abstractmethod
    async def publish(self, sent: StructuredEvent) -> None:
        """Publish what stands for the event in the service's own form."""

    @abc.abstractmethod
    def received(self) -> AsyncIterator[StructuredEvent]:
        """What the client gets of all events `Speed`, as events again; it listens already."""


class Rig(abc.ABC):
    """One running event service.

    Attributes:
        part: Its name and version, for the list of real parts; None if it is ours.
        can_go: Whether it can be killed and started again, keeping its address.
        adapter: The adapter's kind, if the module has another name.
        port: Where it listens, if a proxy may stand between; 0 if there is no connection, or if the
            service tells its clients where else to connect.
        front: Where it tells its clients to connect, if a proxy listens there; 0 for nowhere else.
    """

    part: tuple[str, str] | None = None
    can_go: ClassVar[bool] = True
    adapter: ClassVar[str] = ""
    port: int = 0
    front: int = 0

    @abc.abstractmethod
    def start(self) -> None:
        """Start it, on this machine, with a free port and a folder of its own."""

    @abc.abstractmethod
    def stop(self) -> None:
        """End it, and leave nothing."""

    @abc.abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What an adapter needs to know; another destination for every test, where it can be."""

    @abc.abstractmethod
    def native(self, parameters: dict[str, Any]) -> AbstractAsyncContextManager[Native]:
        """A client of its own, at the destination that the parameters name."""

    def kill(self) -> None:
        """Let it go at once, as a crash would."""
        raise NotImplementedError

    def restart(self) -> None:
        """Start it again at the same address; return when it can be reached."""
        raise NotImplementedError

    def through(self, parameters: dict[str, Any], port: int) -> dict[str, Any]:
        """The same parameters for somebody who connects to another port, where a proxy listens."""
        here, there = f"127.0.0.1:{self.port}", f"127.0.0.1:{port}"
        moved = json.loads(json.dumps(parameters).replace(here, there))
        return {**moved, "port": port} if "port" in parameters else moved

    def sample(self, number: int) -> StructuredEvent:
        """An event that every service can carry: seven letters, and a whole number up to 255."""
        return event(
            "", "", "Speed", {"license_no": f"CAR{number:04}", "rate": float(number % 200)}
        )

    def unmappable(self) -> StructuredEvent | None:
        """An event that the service cannot carry; None if it can carry everything."""
        return None


KINDS = sorted(module.name for module in pkgutil.iter_modules(__path__))


def new_rig(kind: str) -> Rig:
    """The rig of an adapter."""
    found = import_module(f"{__name__}.{kind}").Rig()
    assert isinstance(found, Rig)
    return found
