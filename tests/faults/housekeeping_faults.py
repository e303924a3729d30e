"""Faults in what the engine does in the background, and the unit tests that must catch each.

``python -m tests.faults.housekeeping_faults <package folder>`` runs those tests on the package in
a folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import inspect
import logging
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tidings
from tests.faults.fault import Fault
from tests.unit.engine import test_carrying, test_housekeeping, test_ledger
from tidings.engine.ledger import Ledger
from tidings.stores.catalog import Catalog

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 8

LEDGER, CARRYING, CHECKPOINT = "engine/ledger.py", "engine/carrying.py", "engine/checkpoint.py"
HOUSEKEEPING, SWAPPING = "engine/housekeeping.py", "engine/swapping.py"

HOUSEKEEPING_FAULTS = [
    Fault(
        "what was done with while others were asked is carried",
        LEDGER,
        "(seq for seq in seqs if seq not in done)",
        "(seqs)",
    ),
    Fault(
        "what is acknowledged meanwhile is carried",
        LEDGER,
        "waiting.difference_update(seqs)",
        "waiting.difference(seqs)",
    ),
    Fault(
        "an acknowledgement counts before it is written",
        LEDGER,
        "self._add(record.channel, proxy, seqs)",
        "self._add(record.channel, proxy, ())",
    ),
    Fault("what waits on the disk is forgotten", LEDGER, "or proxy in spilled", "or False"),
    Fault(
        "a carried event names those who have it",
        LEDGER,
        "durable=left,",
        "durable=stored.durable,",
    ),
    Fault(
        "a letter delivered again hides who waited all along",
        "engine/recovery.py",
        "return (*others, *stored.durable), views",
        "return stored.durable, views",
    ),
    Fault(
        "where a carried event is now is not noted",
        CARRYING,
        "bodies.moved(ids[origin], seq, place)",
        "bodies.holds(ids[origin], seq)",
    ),
    Fault(
        "entries on the disk keep their old places",
        CARRYING,
        "self._store.catalog.replace_octets(channel, places)",
        "places.clear()",
    ),
    Fault(
        "numbers are used again",
        "channel/channel.py",
        "max(self.seq, self.seq_reserved)",
        "self.seq_reserved",
    ),
    Fault(
        "a mark is remembered before its event",
        CHECKPOINT,
        "marks.forget(mark)",
        "marks.seen(mark)",
    ),
    Fault("objects are lost", CHECKPOINT, "if proxy.durable:", "if proxy.bare:"),
    Fault("a quota binds nobody", HOUSEKEEPING, "octets > quota:", "octets < 0:"),
    Fault(
        "an error is told again and again",
        HOUSEKEEPING,
        "if text != self._told:",
        "if text:",
    ),
    Fault(
        "who took something just now goes first",
        SWAPPING,
        "key=lambda one: one[:2])",
        "key=lambda one: one[:2], reverse=True)",
    ),
]


def checks() -> Iterator[Callable[[], None]]:
    """The tests that take a few moments at most, quick ones first."""
    for module in (test_ledger, test_carrying, test_housekeeping):
        for name, test in vars(module).items():
            wanted = inspect.signature(test).parameters if name.startswith("test_") else {"caplog"}
            if "caplog" not in wanted and not hasattr(test, "pytestmark"):
                yield lambda test=test, wanted=list(wanted): _called(test, wanted)  # type: ignore[misc]


def _called(test: Callable[..., None], wanted: list[str]) -> None:
    """Calls a test with what it asks for."""
    with tempfile.TemporaryDirectory() as folder, Catalog.open(None, bytes(16)) as catalog:
        taken: set[tuple[int, int, int]] = set()
        given: dict[str, Any] = {
            "tmp_path": Path(folder),
            "catalog": catalog,
            "taken": taken,
            "ledger": Ledger({test_ledger.ORIGIN: 1}, catalog, taken),
        }
        test(**{name: given[name] for name in wanted})


def _lost_patience(*_: object) -> None:
    raise TimeoutError("somebody waits for ever")


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    signal.signal(signal.SIGALRM, _lost_patience)
    for check in checks():
        signal.alarm(PATIENCE)
        try:
            check()
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever it is
            sys.stdout.write(f"{CAUGHT} {error!r}\n")
            return 1
        finally:
            signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
