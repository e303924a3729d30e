"""`python -m tidings.services.siena`: a SIENA server as a process."""

from __future__ import annotations

import argparse
import asyncio
import logging
from pathlib import Path

from tidings.errors import TidingsError
from tidings.services.siena.service import SienaSettings, serve


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


if __name__ == "__main__":
    main()
