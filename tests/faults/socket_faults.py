"""Faults of WebSockets and of the client that comes back, and whether the scenes catch them.

``python -m tests.faults.socket_faults <folder>`` plays the scenes of cuts with the package in a
folder; it ends with 1, and says which scene it was, if something is wrong.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

import tidings
from tests.doors.services import HttpService
from tests.faults.fault import Fault
from tests.faults.service.cut_scenes import SCENES, Scene
from tests.faults.service_faults import FORGETFUL

__all__ = ["CAUGHT", "SOCKET_FAULTS"]

CAUGHT: Final = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE: Final = 15

FRAMES = "api/frames.py"
LINES, PUSHES = "client/transports/http_lines.py", "client/transports/http_pushes.py"
SOCKET, WIRE = "client/transports/http_socket.py", "client/transports/http_wire.py"
REDELIVERY = "client/transports/http_redelivery.py"

SOCKET_FAULTS: Final = [
    FORGETFUL,
    Fault(
        "acknowledgements that were lost are not sent again",
        LINES,
        "        if found.acked:\n",
        "        if found.acked and found.messages is None:\n",
    ),
    Fault(
        "what waited at a cut is handed out, and again when it comes again",
        LINES,
        "self._waiting = deque(self._cut_off(self._waiting))",
        "self._cut_off(self._waiting)",
    ),
    Fault(
        "what nobody can have seen is marked",
        REDELIVERY,
        "            return seq in self._seen\n        return seq not in self._fresh\n",
        "            return seq in self._seen\n        return True\n",
    ),
    Fault(
        "what waited at a cut is taken for handed out",
        REDELIVERY,
        "self._held = (self._held | self._flight) - unseen",
        "self._held = self._held | self._flight",
    ),
    Fault(
        "lines are not connected again",
        SOCKET,
        "await self._recovery.reconnect(line, self._connect)",
        "await asyncio.sleep(0)",
    ),
    Fault(
        "what came while a proxy was gone is missed",
        "client/transports/http_recovery.py",
        "line.catch_up(missed.messages, ",
        "line.catch_up((), ",
    ),
    Fault(
        "a handshake that is cut is the end",
        SOCKET,
        "except (OSError, TimeoutError, TidingsError) as error:\n                    self._why",
        "except (TimeoutError, TidingsError) as error:\n                    self._why",
    ),
    Fault(
        "silence is not noticed",
        WIRE,
        "        if left <= 0:\n            self.abort()\n",
        "        if left <= 0:\n            pass\n",
    ),
    Fault(
        "pushes without an answer are not sent again",
        PUSHES,
        "            if frame.wanted:\n                self._send_frame(frame)\n",
        "            if frame.wanted:\n                pass\n",
    ),
    Fault(
        "pushes are sent without marks",
        FRAMES,
        """told = b'"producer":%b,"number":%d,' % (_encoder.encode(producer), number)""",
        'told = b""',
    ),
    Fault(
        "what is delivered again is not marked",
        "web/lines.py",
        "if message.seq in again] if again else ()",
        "if message.seq in again and False]",
    ),
    Fault(
        "the service does not let go of a line that is cut",
        "web/sockets.py",
        "                writing.cancel()\n                self.detach()\n",
        "                writing.cancel()\n",
    ),
    Fault(
        "the service forgets what was in flight on a line that is cut",
        "channel/delivery.py",
        "        back = list(delivery.flight.values())\n",
        "        back = list(delivery.flight.values())[:0]\n",
    ),
]


async def _played(scene: Scene, folder: Path) -> None:
    served = HttpService(folder / scene.__name__)
    try:
        async with asyncio.timeout(PATIENCE):
            await scene(served)
    finally:
        await served.close()


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    with tempfile.TemporaryDirectory() as folder:
        for scene in SCENES:
            try:
                asyncio.run(_played(scene, Path(folder)))
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever it is
                sys.stdout.write(f"{CAUGHT} {scene.__name__}: {error!r}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
