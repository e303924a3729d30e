"""What the programs of a scene have in common."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from tests.real.faults.service.ledgers import Book

__all__ = ["CHANNEL", "LANES", "Doom", "Ending", "Taker", "options_of"]

CHANNEL: Final = "load"
# Every so many-th event is in the same lane: what a filter can ask for.
LANES: Final = 4


def options_of(description: str, kinds: tuple[str, ...]) -> Namespace:
    """The command line of a program.

    Args:
        description: What it does.
        kinds: The ways in which it does it; the first unless told otherwise.
    """
    parser = ArgumentParser(description=description)
    parser.add_argument("url", help="of the service")
    parser.add_argument("ledger", type=Path, help="its file")
    parser.add_argument("name", help="of the producer, or the subscription")
    parser.add_argument("--kind", choices=kinds, default=kinds[0])
    parser.add_argument("--channel", default=CHANNEL)
    parser.add_argument("--filter", default="", help="a constraint of a subscription")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between batches")
    parser.add_argument("--batch", type=int, default=10, help="events sent or asked for at once")
    parser.add_argument("--lease", type=float, default=1.0, help="of pulled events, in seconds")
    parser.add_argument("--events", type=int, default=0, help="ends after so many; 0 for never")
    noted = "dies when so many events are in the ledger and not acknowledged; 0 for never"
    parser.add_argument("--die-noted", type=int, default=0, help=noted)
    taken = "dies when so many events have come, the last not in the ledger; 0 for never"
    parser.add_argument("--die-taken", type=int, default=0, help=taken)
    return parser.parse_args()


class Ending:
    """Whether the program was asked to end, by SIGTERM."""

    def __init__(self) -> None:
        self.asked = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True

    @staticmethod
    def over() -> None:
        """All is done: who asks now, while the interpreter ends, is not to kill it."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class Doom:
    """Has the program die at the worst moment, if it was told to.

    Args:
        options: Of the command line.
    """

    def __init__(self, options: Namespace) -> None:
        self._noted: int = options.die_noted
        self._taken: int = options.die_taken
        self._count = 0

    def took(self, many: int) -> None:
        """Events have come, and are not in the ledger."""
        self._count += many
        if 0 < self._taken <= self._count:
            os.kill(os.getpid(), signal.SIGKILL)

    def noted(self) -> None:
        """They are in the ledger, and not acknowledged."""
        if 0 < self._noted <= self._count:
            os.kill(os.getpid(), signal.SIGKILL)


class Taker:
    """A consumer's dealings: each event it is handed goes into its ledger.

    Args:
        book: The ledger.
        known: What is there already.
        doom: When to die.
    """

    def __init__(self, book: Book, known: set[int], doom: Doom) -> None:
        self._book = book
        self._known = known
        self._doom = doom

    def take(self, events: list[tuple[int, str, int, bool]]) -> None:
        """Deals with events: number, producer, its number, and whether it is marked."""
        self._doom.took(len(events))
        lines = []
        for seq, producer, number, marked in events:
            word = "again" if marked and seq in self._known else "took"
            self._known.add(seq)
            lines.append(f"{word} {seq} {producer} {number}")
        self._book.write(*lines)
        self._doom.noted()
