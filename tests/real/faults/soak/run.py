"""Faults at random, for as long as you like: ``python -m tests.real.faults.soak.run --minutes 60``.

A run is a number of acts. Each begins with an empty folder, does faults to a service under load,
lets it come to rest, and judges: the ledgers of publishers and consumers, the history, and the
audit on Spark. The seed is printed; with the same seed the same faults are drawn.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, Final, TypeAlias

from tests.real.e2e.processes import TIDINGS, environment
from tests.real.faults.soak.injected import FAULTS, Injector
from tests.real.faults.soak.judge import Books, judged_audit, judged_history, judged_ledgers
from tests.real.faults.soak.world import World

__all__ = ["Audit", "Outcome", "Plan", "play"]

Audit: TypeAlias = Callable[[Path], Mapping[str, Any]]

# An act is short enough to be judged in memory, and long enough for faults to meet each other.
_ACT_SECONDS: Final = 240.0


@dataclass(frozen=True)
class Plan:
    """What happens.

    Attributes:
        seed: Decides all.
        seconds: How long faults are done.
        faults: Which ones.
        pause: Seconds between two faults, at most.
    """

    seed: int
    seconds: float
    faults: Sequence[str] = tuple(FAULTS)
    pause: float = 2.0


@dataclass
class Outcome:
    """What came of it.

    Attributes:
        done: How often each fault was done.
        counts: Events, copies and the like.
        findings: What is wrong; none if all is well.
    """

    done: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Adds what came of another act."""
        self.done += other.done
        self.counts += other.counts
        self.findings += other.findings

    def table(self) -> str:
        """All of it, in lines."""
        lines = [f"{n:>10,}  {what}" for what, n in [*self.done.items(), *self.counts.items()]]
        found = Counter(one.partition(":")[0] for one in self.findings)
        lines += [f"{found[word]:>10,}  findings: {word}" for word in _WORDS]
        return "\n".join([*lines, *self.findings])


_WORDS: Final = (
    *("lost", "twice", "order", "otherwise", "history"),
    *("audit", "silent", "stuck", "fault"),
)


def play(
    folder: Path, plan: Plan, audit: Audit | None = None, package: Path | None = None
) -> Outcome:
    """Plays one act.

    Args:
        folder: An empty one.
        plan: What happens.
        audit: What audits the archive at the end; None for no audit.
        package: The folder of another copy of the package; None for the real one.
    """
    found, random = Outcome(), Random(plan.seed)
    with World(folder, package) as world:
        injector = Injector(world, random)
        try:
            world.await_progress()
            until = time.monotonic() + plan.seconds
            # Every kind comes once before one comes again.
            bag: list[str] = []
            while time.monotonic() < until:
                bag = bag or random.sample(plan.faults, len(plan.faults))
                injector.inject(bag.pop())
                time.sleep(random.uniform(0, plan.pause))
            world.control.step_clock(0)
            found.findings += world.drain()
            _judge(world, injector, audit, found)
        except (TimeoutError, AssertionError, OSError) as error:
            found.findings.append(f"stuck: {error!r}")
        found.findings += injector.findings
        found.done += injector.done
    return found


def _judge(world: World, injector: Injector, audit: Audit | None, found: Outcome) -> None:
    books = Books(world.published, world.consumed, injector.damaged)
    found.findings += judged_ledgers(books)
    for channel in books.channels:
        found.findings += judged_history(books, channel, world.kept_events(channel))
        found.counts["events answered"] += len(books.answered(channel))
    for ledger in books.consumed.values():
        found.counts["copies taken"] += len(ledger.seqs)
        found.counts["copies that came again, marked"] += len(ledger.again)
    found.counts["events refused for a while"] += sum(
        len(ledger.refused) for ledger in books.published.values()
    )
    found.counts["records damaged and reported"] += injector.damaged.records
    world.stop_service(signal.SIGTERM)
    if audit is not None:
        found.findings += judged_audit(books, audit(world.archive))
        found.counts["audits on Spark"] += 1


def audited(archive: Path) -> Mapping[str, Any]:
    """What `tidings pipeline audit` says of an archive."""
    command = [*TIDINGS, "pipeline", "audit", "--archive", str(archive), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode not in (0, 1):
        raise OSError(f"the audit ended with {done.returncode}: {done.stderr[-1_000:]}")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Does what the command line says; 1 if something is wrong."""
    parser = ArgumentParser(description="faults at random")
    # Taken out: a service refuses settings that it does not know.
    minutes = float(os.environ.pop("TIDINGS_SOAK_MINUTES", "60"))
    seed = int(os.environ.pop("TIDINGS_SOAK_SEED", "0")) or Random().randrange(1, 10**6)
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--faults", default=",".join(FAULTS), help="kinds, with commas between")
    parser.add_argument("--no-audit", action="store_true", help="without Spark")
    options = parser.parse_args()
    audit = None if options.no_audit else audited
    folder = Path(mkdtemp(prefix="tidings-soak-"))
    _say(f"seed {options.seed}, {options.minutes:g} minutes, {options.faults}, in {folder}")
    until, acts, all_found = time.monotonic() + options.minutes * 60, 0, Outcome()
    while (left := until - time.monotonic()) > 0:
        plan = Plan(options.seed + acts, min(left, _ACT_SECONDS), options.faults.split(","))
        place = folder / str(acts)
        found = play(place, plan, audit)
        _say(f"act {acts}, seed {plan.seed}:\n{found.table()}")
        if not found.findings:
            shutil.rmtree(place)
        all_found.add(found)
        acts += 1
    _say(f"{acts} acts together, seed {options.seed}:\n{all_found.table()}")
    return 1 if all_found.findings else 0


if __name__ == "__main__":
    sys.exit(main())
