"""Faults in the queue of a consumer, and the check that must catch each.

``python -m tests.faults.queue_faults <package folder>`` runs the check on the package in a
folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import tidings
from tests.faults.fault import Fault

CAUGHT = "caught:"
QUEUES = "channel/queues.py"
LINES = "channel/lines.py"
RUNS = "channel/sorted_runs.py"

QUEUE_FAULTS = [
    Fault(
        "an entry outlives its time by one",
        QUEUES,
        "run.take_below((now + 1,))",
        "run.take_below((now,))",
    ),
    Fault(
        "what expired is delivered",
        QUEUES,
        "            expired += self.expire(now)\n",
        "            len(expired)\n",
    ),
    Fault(
        "an index misses what comes after it was made",
        QUEUES,
        "self._by_arrival.add(entry)",
        "self._by_arrival.first()",
    ),
    Fault(
        "an index keeps what was taken",
        QUEUES,
        "            for entry in entries:\n                if entry.expiry != NEVER:\n",
        "            for entry in entries:\n                if entry.expiry == 0:\n",
    ),
    Fault(
        "the octets of what is put back do not count",
        QUEUES,
        "self.octets += sum(map(_OCTETS, entries))",
        "self.octets += 0",
    ),
    Fault(
        "the newest goes instead of the oldest",
        QUEUES,
        "else self._arrivals().first()",
        "else self._arrivals().last()",
    ),
    Fault(
        "all expiries move with the clock",
        QUEUES,
        "if not entry.flags & ABSOLUTE or entry.expiry == NEVER:",
        "if entry.expiry == NEVER:",
    ),
    Fault(
        "what is put back is turned round",
        LINES,
        "self._entries.extendleft(reversed(back))",
        "self._entries.extendleft(back)",
    ),
    Fault(
        "what is put back comes behind its equals",
        LINES,
        "self._entries.extendleft(reversed(back))",
        "self._entries.extend(back)",
    ),
    Fault(
        "an entry that comes again is taken for the one that left",
        LINES,
        "if self._marked is not None and entry in self._marked:",
        "if self._marked is None:",
    ),
    Fault(
        "the end of a line is an entry that left",
        LINES,
        "        while marked and entries[-1] in marked:\n"
        "            marked.remove(entries.pop())\n",
        "",
    ),
    Fault(
        "the least urgent come first",
        LINES,
        "for level in reversed(levels) for entry in level",
        "for level in levels for entry in level",
    ),
    Fault(
        "an empty level is taken for the lowest",
        LINES,
        "            if level:\n                return level.first()\n",
        "            return level.first()\n",
    ),
    Fault(
        "the bound of a bucket stays when a higher one is appended",
        RUNS,
        "            self._bounds[-1] = self._rank(last[-1])\n",
        "",
    ),
    Fault(
        "half a bucket has the wrong bound",
        RUNS,
        "bounds.insert(at, self._rank(bucket[half - 1]))",
        "bounds.insert(at, self._rank(bucket[half]))",
    ),
]


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    try:
        # Here, because a fault may show as early as on import.
        from tests.property.queue_worlds import ORDERS, World, random_steps, small_bounds

        for seed in range(300):
            with small_bounds():
                World(ORDERS[seed % 3], Counter()).run(random_steps(seed, 60))
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        sys.stdout.write(f"{CAUGHT} {error!r}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
