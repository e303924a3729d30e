"""The process that holds the demo's service: it is started and killed by `tidings demo`.

It runs a service on a folder, with the houses and bidders of an evening beside it, and tells what
happens as lines of JSON on its standard output.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any, Self

import msgspec

from tidings.apps.auction_alert.evening import Evening
from tidings.apps.auction_alert.scene import Scene
from tidings.clock import SystemClock
from tidings.errors import StoreError
from tidings.server.embedded import embedded

__all__ = ["AuctionProcess", "Happening", "Job", "main"]

# A process that is at it for longer is stuck.
MOST_SECONDS = 20.0


class Job(msgspec.Struct, frozen=True):
    """What the process is to do.

    Attributes:
        folder: For everything; the service's data is in `data`, the ledgers are in `ledgers`.
        seed: The scene's.
        begins: The scene's.
        pause: Seconds between two offers of a house.
        life: The first or the second.
    """

    folder: str
    seed: int
    begins: int
    pause: float
    life: int

    @property
    def scene(self) -> Scene:
        """The scene that is played."""
        return Scene(self.seed, self.begins)

    @property
    def ledgers(self) -> Path:
        """Where houses and bidders write down what happens to them."""
        return Path(self.folder) / "ledgers"


class Happening(msgspec.Struct, frozen=True):
    """Something that happened: a word, and what belongs to it."""

    word: str
    about: dict[str, Any]


class AuctionProcess:
    """The other side: a process with a job, to be listened to and killed.

    Leaving the context ends the process, whatever happened.
    """

    def __init__(self, job: Job) -> None:
        self._errors = Path(job.folder) / f"errors-{job.life}.txt"
        self._killed = False
        command = [sys.executable, "-m", "tidings.cli.auction_process"]
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*command, msgspec.json.encode(job).decode()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is for whoever watches; they end the process
            )
        self._watchdog = Timer(MOST_SECONDS, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def happenings(self) -> Iterator[Happening]:
        """What happens, until the process ends, with what was still on its way when killed.

        Raises:
            StoreError: It ended without having been killed, and not well.
        """
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith(b"\n"):
                yield msgspec.json.decode(line, type=Happening)
        code = self._process.wait()
        if code and not self._killed:
            last = self._errors.read_text(errors="replace").strip().rpartition("\n")[2]
            raise StoreError(f"the service's process ended by itself, code {code}: {last}")

    def kill(self) -> None:
        """SIGKILL: no last word, no clean-up, nothing flushed."""
        self._killed = True
        self._process.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watchdog.cancel()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


async def _play(job: Job) -> None:
    async with (
        await embedded(Path(job.folder) / "data") as client,
        Evening(client, job.scene, job.ledgers, _tell, SystemClock(), job.pause) as evening,
    ):
        if job.life == 1:
            await evening.first_life()
            # The kill comes; if whoever would do it is gone, so is the other end of this.
            await asyncio.to_thread(sys.stdin.buffer.read)
        else:
            await evening.second_life()


def _tell(word: str, about: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(Happening(word, about)) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    """Does the job that the command line says."""
    asyncio.run(_play(msgspec.json.decode(sys.argv[1], type=Job)))


if __name__ == "__main__":
    main()
