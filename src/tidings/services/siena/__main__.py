"""`python -m tidings.services.siena`: a SIENA server as a process."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
from pathlib import Path

from tidings.errors import TidingsError
from tidings.services.siena.service import SienaService, SienaSettings


async def serve(settings: SienaSettings, port_file: Path | None = None) -> None:
    """Run a server until SIGTERM or SIGINT; its address goes to the port file, as JSON."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    service = SienaService(settings)
    await service.start()
    try:
        if port_file is not None:
            _announce(port_file, service.url)
        await ended.wait()
    finally:
        await service.stop()


def _announce(port_file: Path, url: str) -> None:
    """Write the address; whoever sees the file sees all of it."""
    part = port_file.with_name(f"{port_file.name}.part")
    part.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    part.replace(port_file)


def main() -> None:
    """Read the command line, and serve."""
    parser = argparse.ArgumentParser("python -m tidings.services.siena", description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:6000", metavar="HOST:PORT")
    parser.add_argument("--master", default="", metavar="URL", help="the server above this one")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="URL",
        help="a server beside this one; name it on one side only",
    )  # fmt: skip
    parser.add_argument("--name", default="", help="unique in the network; drawn if missing")
    parser.add_argument(
        "--advertised", action="store_true",
        help="send filters only to peers that advertise what they select; clients must advertise",
    )  # fmt: skip
    parser.add_argument("--port-file", type=Path, metavar="FILE", help="gets the address, as JSON")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    settings = SienaSettings(
        given.listen, given.master, tuple(given.peer), given.name, given.advertised
    )
    try:
        asyncio.run(serve(settings, given.port_file))
    except TidingsError as error:
        parser.error(str(error))
    finally:
        if given.port_file is not None:
            given.port_file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
