"""The ORB on asyncio: the only part of `tidings.orb` that opens sockets and waits."""

from tidings.orb.aio.options import Address, Bidirectional, Options
from tidings.orb.aio.orb import Orb
from tidings.orb.aio.targets import Targets

__all__ = ["Address", "Bidirectional", "Options", "Orb", "Targets"]
