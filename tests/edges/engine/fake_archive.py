"""A child that archives nothing: it does as its orders say and writes down what it was told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tidings.engine.archiving import ArchivePlan, Command

# What a child does, in a language of its own: see `orders`.
CHILD = """
import json, os, signal, sys, time
told, orders = sys.argv[1:]
def say(**words):
    print(json.dumps(words), flush=True)
heard = open(told, "a", buffering=1)
heard.write("start\\n")
seal = 0
for order in orders.split(","):
    if order == "hello":
        say(sealed=0, cursor=None, rows=0)
    elif order == "nonsense":
        print("{", flush=True)
        say(idle=7)
        print("warning words", file=sys.stderr, flush=True)
        print("x" * 3_000_000, flush=True)
    elif order == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif order.startswith("fail "):
        say(error=order[5:])
        sys.exit(1)
    elif order == "deaf":
        time.sleep(60)
    elif order in ("seal", "idle", "one"):
        for line in sys.stdin:
            heard.write(line)
            if line.startswith("upto"):
                place = [int(word) for word in line.split()[1:]]
                if order == "idle":
                    say(idle=place)
                else:
                    seal += 1
                    say(sealed=seal, cursor=place, rows=10)
                    if order == "one":
                        break
        else:
            heard.write("end\\n")
"""


class FakeArchive:
    """Makes children, each by the next orders, the last ones again and again.

    Args:
        folder: Where what they hear is written down.
        orders: For each child, words separated by commas: hello, seal (every place it is told
            of), idle (says that there is nothing to seal), one (seals once), nonsense, die, deaf,
            fail and a reason.
    """

    def __init__(self, folder: Path, *orders: str) -> None:
        self._told = folder / "told"
        self._told.touch()
        self._orders = list(orders)
        self.plans: list[ArchivePlan] = []

    @property
    def command(self) -> Command:
        """For `Archiving`."""

        def made(plan: ArchivePlan, journal: Path) -> Sequence[str]:
            assert journal.is_dir()
            self.plans.append(plan)
            orders = self._orders.pop(0) if len(self._orders) > 1 else self._orders[0]
            return [sys.executable, "-S", "-c", CHILD, str(self._told), orders]

        return made

    def told(self) -> list[str]:
        """What the children have heard so far."""
        return self._told.read_text().splitlines()

    def count(self, line: str) -> int:
        """How often they have heard a line."""
        return self.told().count(line)
