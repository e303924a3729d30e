"""Faults in the parts of the engine, and the unit tests that must catch each.

``python -m tests.faults.engine_parts_faults <package folder>`` runs those tests on the package in
a folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tidings
from tests.faults.fault import Fault
from tests.unit.engine import (
    test_access,
    test_bodies,
    test_disk,
    test_endpoints,
    test_handlers,
    test_steady,
    test_timers,
    test_watchdog,
)

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 3

DISK, BODIES, TIMERS = "engine/disk.py", "engine/bodies.py", "engine/timers.py"
ACCESS, ENDPOINTS = "engine/access.py", "engine/endpoints.py"
STEADY, WATCHDOG = "engine/steady.py", "engine/watchdog.py"

ENGINE_PARTS_FAULTS = [
    Fault(
        "the last job is done first",
        DISK,
        "from queue import SimpleQueue",
        "from queue import LifoQueue as SimpleQueue",
    ),
    Fault("the loop is told of each result", DISK, "if not self._told:", "if True:"),
    Fault(
        "the loop is told once and never again",
        DISK,
        "        self._told = False\n        results",
        "        results",
    ),
    Fault(
        "a result nobody waits for is a fault",
        DISK,
        "    if future.done():\n        return\n",
        "",
    ),
    Fault(
        "the cache does not see what is used",
        BODIES,
        "self._cache.move_to_end((channel, seq))",
        "self._cache.get((channel, seq))",
    ),
    Fault(
        "an event kept twice counts twice",
        BODIES,
        "            self.octets -= before.octets\n        held[seq] = message",
        "        held[seq] = message",
    ),
    Fault(
        "what was forgotten is cached again",
        BODIES,
        "if not isinstance(self._held.get(channel, {}).get(seq), int):",
        "if channel < 0:",
    ),
    Fault("a wake-up that is early counts", TIMERS, "if self._now() < at:", "if at < 0:"),
    Fault("an earlier time waits", TIMERS, "at >= self._wakes", "at >= 0"),
    Fault(
        "a clock that is set back is not seen",
        STEADY,
        "abs(found - self.offset)",
        "(found - self.offset)",
    ),
    Fault("one block counts twice", WATCHDOG, " - self._counted\n", "\n"),
    Fault(
        "half of the check is enough",
        ACCESS,
        "mac, self._mac(body)\n",
        "mac[:8], self._mac(body)[:8]\n",
    ),
    Fault("a scope binds nobody", ACCESS, "target.channel not in scope", "not scope"),
    Fault(
        "anyone may use any proxy",
        ACCESS,
        "Verb.USE: (True, True, False, False)",
        "Verb.USE: (True, True, True, True)",
    ),
    Fault(
        "what waits overtakes what failed",
        ENDPOINTS,
        "            seqs += _seqs(waiting)\n        self._queue.clear()\n",
        "            _seqs(waiting)\n",
    ),
    Fault(
        "a consumer that is gone is tried again",
        ENDPOINTS,
        "isinstance(error, Disconnected)",
        "isinstance(error, Disconnected) and False",
    ),
    Fault(
        "a second call begins before the first ends",
        ENDPOINTS,
        "        if not self._busy:\n",
        "        if True:\n",
    ),
    Fault(
        "who waits does not hear of the end",
        ENDPOINTS,
        "            self._again.clear()\n            self._wake()\n",
        "            self._again.clear()\n",
    ),
    Fault(
        "what comes again is not marked",
        ENDPOINTS,
        "self._again.update(batch.again)",
        "self._again.difference_update(batch.again)",
    ),
]


def checks() -> Iterator[Callable[[], None]]:
    """The tests that need nothing handed in, and one case of some that do."""
    modules = (
        test_access,
        test_bodies,
        test_disk,
        test_endpoints,
        test_handlers,
        test_steady,
        test_timers,
        test_watchdog,
    )
    for module in modules:
        for name, test in vars(module).items():
            marks = [mark.name for mark in getattr(test, "pytestmark", ())]
            drawn = hasattr(test, "hypothesis") or "real_loop" in name
            if name.startswith("test_") and "parametrize" not in marks and not drawn:
                yield test
    for kind in ("plain", "waiting"):
        yield lambda kind=kind: test_handlers.test_what_fails_takes_everything_behind_it_along(kind)  # type: ignore[misc]
        yield lambda kind=kind: test_handlers.test_a_consumer_that_says_disconnected_is_gone(kind)  # type: ignore[misc]
    yield lambda: test_access.test_the_table(
        test_access.BOB, "ann", test_access.OFFERED, test_access.PROXY
    )
    yield lambda: test_steady.test_setting_the_wall_clock_moves_the_offset_and_nothing_else(
        -(10**9)
    )


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
            sys.stdout.write(f"{CAUGHT} {check.__name__}: {error!r}\n")
            return 1
        finally:
            signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
