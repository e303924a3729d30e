"""`python -m tidings.stores.archive JOURNAL ARCHIVE OPTIONS`: the process that writes the archive.

The service starts it and exchanges lines with it over standard input and output::

    input     upto SEGMENT OFFSET    the journal is durable so far: read it
              seal                   seal all rows read
              options {...}          new options, in the form of OPTIONS
    output    {"sealed": 12, "cursor": [3, 4096], "rows": 800, "manifest": 9000}
              {"idle": [3, 5000]}    nothing before this position waits to be sealed
              {"error": "..."}       the reason for exiting

It first reports how far the archive goes, as a seal without rows. When its input ends, it seals and
exits, so it does not outlive the service for long.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidings.errors import TidingsError
from tidings.stores.segments import Cursor

if TYPE_CHECKING:
    from tidings.stores.archive.archiver import Archiver, Sealed

log = logging.getLogger(__name__)

# Deliveries have priority.
_NICER: Final = 5
# Seconds between checks whether rows are old enough to be sealed.
_LOOK: Final = 1.0
_AT_ONCE: Final = 65_536


class _ServiceGone(Exception):
    """The service is gone: unsealed rows are left for the next archiver."""


def main() -> int:
    """Archive until standard input ends; return the exit code."""
    # Signals reach the whole process group; the service tells us when to end.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICER)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    return work(sys.argv[1:])


def work(arguments: Sequence[str], told: int = 0, tells: int = 1) -> int:
    """Obey the descriptor `told` and answer on `tells`; return the exit code."""
    try:
        journal, folder, options = arguments
        _Worker(Path(journal), Path(folder), options, told, tells).run()
    except _ServiceGone:
        return 0
    except ModuleNotFoundError as error:
        _say(tells, error=f"{error.name} is not installed: pip install tidings[arrow]")
    except (TidingsError, OSError, ValueError) as error:
        _say(tells, error=str(error))
    except Exception as fault:
        log.exception("a fault of the archive")
        _say(tells, error=repr(fault))
    else:
        return 0
    return 1


class _Worker:
    def __init__(self, journal: Path, folder: Path, options: str, told: int, tells: int) -> None:
        self._journal = journal
        self._folder = folder
        self._told = told
        self._tells = tells
        self._parent = os.getppid()
        self._upto: Cursor | None = None
        self._idle: Cursor | None = None
        self._waiting = 0
        self._archiver = self._opened(options)
        _say(tells, sealed=0, cursor=self._archiver.cursor, rows=0)

    def _opened(self, options: str) -> Archiver:
        from tidings.stores.archive.archiver import ArchiveOptions, Archiver

        read = ArchiveOptions(**json.loads(options))
        return Archiver(self._journal, self._folder, read, on_seal=self._has_sealed)

    def run(self) -> None:
        try:
            unfinished, goes_on = b"", True
            while goes_on:
                seal = False
                timeout = _LOOK if self._waiting else None
                if select.select([self._told], [], [], timeout)[0]:
                    octets = os.read(self._told, _AT_ONCE)
                    *lines, unfinished = (unfinished + octets).split(b"\n")
                    goes_on = bool(octets)
                    seal = self._obey(lines) or not goes_on
                self._advance(seal=seal)
        finally:
            self._archiver.close()

    def _obey(self, lines: Sequence[bytes]) -> bool:
        """Process the commands; return whether to seal."""
        seal = False
        for line in lines:
            word, _, rest = line.decode().partition(" ")
            if word == "upto":
                segment, offset = rest.split()
                self._upto = Cursor(int(segment), int(offset))
            elif word == "seal":
                seal = True
            elif word == "options":
                self._advance(seal=True)
                self._archiver.close()
                self._archiver = self._opened(rest)
            else:
                raise ValueError(f"the archive's process was told {line[:80]!r}: it knows no such")
        return seal

    def _advance(self, *, seal: bool) -> None:
        if self._upto is None:
            return
        progress = self._archiver.advance(self._upto, seal=seal)
        self._waiting = progress.rows
        if not progress.rows and progress.read != self._idle:
            self._idle = progress.read
            _say(self._tells, idle=progress.read)

    def _has_sealed(self, sealed: Sealed) -> None:
        octets = self._archiver.manifest_octets
        _say(self._tells, sealed=sealed.number, cursor=sealed.cursor, rows=sealed.rows,
             manifest=octets)  # fmt: skip
        if os.getppid() != self._parent:
            raise _ServiceGone


def _say(tells: int, **words: object) -> None:
    line = json.dumps(words) + "\n"
    with suppress(BrokenPipeError):  # the service is gone; the input ends, too
        os.write(tells, line.encode())


if __name__ == "__main__":
    sys.exit(main())
