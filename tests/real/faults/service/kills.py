"""Kills a service under load, and its publishers and consumers, round after round."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, Literal, NamedTuple

from tests.patience import PATIENCE
from tests.real.faults.service.scene import Program, Scene

__all__ = ["ALL", "Moment", "Part", "Round", "drawn", "play"]

Moment = Literal["any", "answered", "taken"]

# Whose processes can be killed.
PUBLISHERS: Final = ("client-publisher", "plain-publisher")
CONSUMERS: Final = ("batches", "each", "puller")


class Round(NamedTuple):
    """One kill of the service.

    Attributes:
        moment: "any" for some time after events flow; "answered" for right after a publisher
            has an answer, "taken" for right after a consumer has an event in its ledger.
        wait: How long after that moment, in seconds.
        victim: Whose process is killed, too; none if empty.
        late: Whether the victim is killed while the service is away, and not before.
        options: What the victim is started again with.
    """

    moment: Moment = "any"
    wait: float = 0.0
    victim: str = ""
    late: bool = False
    options: tuple[str, ...] = ()


def drawn(random: Random, rounds: int) -> Iterator[Round]:
    """Rounds of all kinds at random."""
    for _ in range(rounds):
        moments: tuple[Moment, ...] = ("any", "answered", "taken")
        moment = random.choice(moments)
        wait = random.uniform(0.0, 0.5) if moment == "any" else random.choice((0.0, 0.01))
        victim = random.choice(("", *PUBLISHERS, *CONSUMERS))
        options: tuple[str, ...] = ()
        if victim in CONSUMERS:
            doom = random.choice(("--die-noted", "--die-taken"))
            options = random.choice(((), (doom, str(random.randrange(1, 200)))))
        yield Round(moment, wait, victim, random.random() < 0.5, options)


class Part(NamedTuple):
    """A publisher or a consumer.

    Attributes:
        name: Its name.
        kind: How it publishes or takes events.
        options: Of all its processes.
        first: More options of its first process.
    """

    name: str
    kind: str
    options: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


# Publishers wait between two batches: consumers are to keep up.
ALL: Final = (
    Part("batches", "batches"),
    Part("each", "each"),
    Part("puller", "pull"),
    Part("client-publisher", "client", ("--pause", "0.01")),
    Part("plain-publisher", "plain", ("--pause", "0.01")),
)


def play(
    folder: Path,
    rounds: Iterable[Round],
    cast: Sequence[Part] = ALL,
    package: Path | None = None,
    *,
    patience: float = PATIENCE,
) -> list[str]:
    """Plays a scene to its end; what is wrong then.

    Args:
        folder: For all files.
        rounds: What happens.
        cast: Who plays; consumers first.
        package: The folder of another copy of the package; None for the real one.
        patience: How long nothing may happen, in seconds.
    """
    with Scene(folder, package) as scene:
        try:
            for part in cast:
                if part.name in PUBLISHERS:
                    scene.publisher(part.name, part.kind, *part.options)
                else:
                    scene.consumer(part.name, part.kind, *part.options, first=part.first)
            for one in rounds:
                _play_round(scene, one, patience)
            _await_moment(scene, "any", patience)
        except TimeoutError as error:
            return [f"stuck: {error}"]
        return scene.finish(patience)


def _play_round(scene: Scene, one: Round, patience: float) -> None:
    victim = scene.programs.get(one.victim)
    _await_moment(scene, one.moment, patience)
    time.sleep(one.wait)
    if victim is not None and not one.late:
        victim.kill()
    scene.kill_service()
    scene.start_service()
    if victim is not None:
        victim.kill()
        victim.start(*one.options)
    scene.await_service()


def _await_moment(scene: Scene, moment: Moment, patience: float) -> None:
    """Waits until all are at work again, and then for the moment."""
    programs = scene.programs
    for name, program in programs.items():
        scene.wait(partial(_has_grown, [program], program.octets), patience, name)
    watched = PUBLISHERS if moment == "answered" else CONSUMERS if moment == "taken" else ()
    if watched:
        files = [program for name, program in programs.items() if name in watched]
        before = sum(program.octets for program in files)
        scene.wait(partial(_has_grown, files, before), patience, moment)


def _has_grown(programs: Sequence[Program], octets: int) -> bool:
    return sum(program.octets for program in programs) > octets
