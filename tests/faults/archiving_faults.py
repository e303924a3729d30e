"""Faults in the service's side of the archive, and the unit tests that must catch each.

``python -m tests.faults.archiving_faults <package folder>`` runs those tests on the package in a
folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import inspect
import logging
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tidings
from tests.faults.fault import Fault
from tests.unit.engine import test_archiving, test_housekeeping, test_lagging
from tests.unit.stores import test_retention
from tests.unit.stores.archive import test_main
from tidings.engine import archiving

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 20

ARCHIVING, LAGGING = "engine/archiving.py", "engine/lagging.py"
CHILD, RETENTION = "stores/archive/__main__.py", "stores/retention.py"
HOUSEKEEPING = "engine/housekeeping.py"

ARCHIVING_FAULTS = [
    Fault(
        "what is not durable is told", ARCHIVING, "return journal.synced\n", "return journal.end\n"
    ),
    Fault(
        "the child is told again and again",
        ARCHIVING,
        "self._synced == self._told or",
        "self._synced is None or",
    ),
    Fault(
        "a new child is told only what is new",
        ARCHIVING,
        'self._complaint, self._told = "", None',
        'self._complaint = ""',
    ),
    Fault(
        "the end of the journal is not told",
        ARCHIVING,
        "        self._stop.set()\n        self._finish()\n",
        "        self._stop.set()\n        self._process and self._process.stdin.close()\n",
    ),
    Fault(
        "a child that died stays dead",
        ARCHIVING,
        '            self._failing(why, "a pause")\n',
        '            self._failing(why, "a pause")\n            return\n',
    ),
    Fault(
        "an error is told again and again",
        ARCHIVING,
        "        if why == self.error:\n            return\n",
        "",
    ),
    Fault(
        "pauses do not grow",
        ARCHIVING,
        "pause = min(2 * pause, _LONGEST_PAUSE)",
        "pause = min(pause, _LONGEST_PAUSE)",
    ),
    Fault(
        "a child that is stuck holds up the end",
        ARCHIVING,
        "                self._process.kill()\n            _, late",
        "                await self._process.wait()\n            _, late",
    ),
    Fault(
        "what needs no seal counts as archived",
        ARCHIVING,
        'self._reached(Cursor(*said["idle"]))',
        'self._has_sealed({"sealed": 0, "cursor": said["idle"], "rows": 0})',
    ),
    Fault("the lag never ends", LAGGING, "[0][0] <= place", "[0][0] < place"),
    Fault("the first moment is forgotten", LAGGING, "0, None, 2)", "1, None, 2)"),
    Fault(
        "what is not archived goes",
        RETENTION,
        "if held is not None and segment.number >= held:",
        "if held is not None and segment.number > held:",
    ),
    Fault("a slow archive keeps everything", RETENTION, "or octets > most:", "or octets < 0:"),
    Fault(
        "a slow archive fills the disk",
        HOUSEKEEPING,
        "hold if most is None else min(hold, most)",
        "hold",
    ),
    Fault(
        "at the end nothing is sealed",
        CHILD,
        "seal = self._obey(lines) or not goes_on",
        "seal = self._obey(lines)",
    ),
    Fault("what is old is not sealed", CHILD, "_LOOK if self._waiting else None", "None"),
    Fault("who is alone works on", CHILD, "            raise _Alone\n", "            return\n"),
    Fault("Ctrl-C ends it", CHILD, "(signal.SIGINT, signal.SIGTERM", "(signal.SIGTERM"),
]


def checks() -> Iterator[Callable[[], None]]:
    """The tests that need nothing but a folder and a monkeypatch, quick ones first."""
    yield test_retention.test_what_is_held_stays_whatever_its_age_and_length
    yield lambda: test_retention.test_what_stays_for_who_still_has_to_read(1, 60, 3)
    yield lambda: _called(
        lambda tmp_path: test_housekeeping.test_what_is_not_archived_stays_unless_it_is_too_much(
            tmp_path, 2 * test_housekeeping.SEGMENT
        ),
        ["tmp_path"],
    )
    for module in (test_lagging, test_archiving, test_main):
        for name, test in vars(module).items():
            wanted = inspect.signature(test).parameters if name.startswith("test_") else {"": ""}
            if set(wanted) <= {"tmp_path", "monkeypatch"} and not hasattr(test, "pytestmark"):
                yield lambda test=test, wanted=list(wanted): _called(test, wanted)  # type: ignore[misc]


def _called(test: Callable[..., None], wanted: list[str]) -> None:
    """Calls a test with what it asks for."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(archiving, "_TELL", 0.01)
        given: dict[str, Any] = {"tmp_path": Path(folder), "monkeypatch": patch}
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
            where = traceback.extract_tb(error.__traceback__)[-1]
            sys.stdout.write(f"{CAUGHT} {error!r} at {where.name}: {where.line}\n")
            return 1
        finally:
            signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
