"""A service with publishers and consumers, each a process of its own, which can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

import tidings
from tests.patience import PATIENCE
from tests.real.e2e.served import Served
from tests.real.faults.fault import PROJECT
from tests.real.faults.service.judge import Events, judged, judged_journal
from tests.real.faults.service.ledgers import Consumed, Published
from tests.real.faults.service.programs import CHANNEL
from tidings import connect

__all__ = ["Program", "Scene"]


class Program:
    """A publisher or a consumer, over all its processes.

    Args:
        command: Without the interpreter.
        ledger: Its file.
        env: Of its processes.

    Attributes:
        ledger: Its file.
        log: What its processes have written is in this file.
    """

    def __init__(self, command: Sequence[str], ledger: Path, env: dict[str, str]) -> None:
        self.ledger = ledger
        self.log = ledger.with_suffix(".log")
        self._command = [sys.executable, "-B", "-m", *command]
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    def start(self, *options: str) -> None:
        """Starts a process; the one before has ended."""
        self._starts += 1
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, *options], cwd=PROJECT, env=self._env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    @property
    def octets(self) -> int:
        """How long its ledger is."""
        return self.ledger.stat().st_size if self.ledger.exists() else 0

    @property
    def alive(self) -> bool:
        """Whether a process runs."""
        return self._process is not None and self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the process, if one runs."""
        if self.alive and self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """Ends the process at once."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def finish(self, seconds: float) -> str | None:
        """Asks the process to end in order; what is wrong if it does not."""
        self.signal(signal.SIGTERM)
        if self._process is None:
            return None
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return f"stuck: {self.ledger.stem} does not come to an end"
        return self.fault(code)

    def has_all(self, answered: Events) -> bool:
        """Whether a consumer's latest process has begun, and all is in its ledger."""
        ledger = Consumed(self.ledger)
        return self.alive and ledger.sessions == self._starts and answered.keys() <= ledger.seqs

    def revive(self) -> None:
        """Starts another process if the last one was killed."""
        if self._process is not None and self._process.poll() == -signal.SIGKILL:
            self.start()

    def fault(self, code: int | None = None) -> str | None:
        """Whether its processes have met a fault of their own."""
        told = self.log.read_text()
        if code or "Traceback" in told:
            return f"fault: {self.ledger.stem} ended with {code}: {told[-2_000:]}"
        return None


class Scene:
    """A service under load.

    Args:
        folder: For all files.
        package: The folder of another copy of the package; None for the real one.
        settings: Environment variables of the service.

    Attributes:
        publishers: By name.
        consumers: By name.
        plain: Names of consumers that use nothing but HTTP.
    """

    def __init__(
        self, folder: Path, package: Path | None = None, settings: dict[str, str] | None = None
    ) -> None:
        self._folder = folder
        sources = package or Path(tidings.__file__).parents[1]
        self._path = {"PYTHONPATH": os.pathsep.join([str(sources), str(PROJECT)])}
        self._settings = {**self._path, **(settings or {})}
        self._served = self._new_service("0")
        self.url = self._served.ready().url
        self.publishers: dict[str, Program] = {}
        self.consumers: dict[str, Program] = {}
        self.plain: list[str] = []
        asyncio.run(self._make_channel())

    async def _make_channel(self) -> None:
        async with await connect(self.url) as client:
            await client.create_channel(CHANNEL, qos={"OrderPolicy": 1}, persistent=True)

    def _new_service(self, port: str) -> Served:
        return Served(self._folder / "service", "--port", port, env=self._settings)

    # The service.

    @property
    def port(self) -> int:
        """Where the service listens, in all its lives."""
        return int(self.url.rpartition(":")[2])

    def kill_service(self) -> None:
        """Ends the service at once."""
        self._served.process.kill()
        self._served.process.wait()

    def start_service(self) -> None:
        """Starts it again, where it was."""
        self._served = self._new_service(str(self.port))

    def await_service(self) -> None:
        """Waits until it is ready."""
        self._served.ready()

    # The programs.

    def publisher(self, name: str, kind: str = "client", *options: str) -> Program:
        """A publisher that begins to publish."""
        program = self._program("publisher", name, kind, options)
        self.publishers[name] = program
        program.start()
        return program

    def consumer(
        self,
        name: str,
        kind: str = "batches",
        *options: str,
        url: str = "",
        first: Sequence[str] = (),
    ) -> Program:
        """A consumer that is connected.

        Args:
            name: Of its subscription.
            kind: How it takes events.
            options: Of all its processes.
            url: Where it finds the service.
            first: More options of its first process only.
        """
        if kind == "pull":
            self.plain.append(name)
            asyncio.run(self._make_puller(name))
        program = self._program("consumer", name, kind, options, url)
        self.consumers[name] = program
        program.start(*first)
        self.wait(lambda: program.octets > 0, PATIENCE, f"{name} does not begin")
        return program

    async def _make_puller(self, name: str) -> None:
        async with await connect(self.url) as client:
            await client.puller(CHANNEL, name=name)

    def _program(
        self, module: str, name: str, kind: str, options: Sequence[str], url: str = ""
    ) -> Program:
        ledger = self._folder / f"{name}.ledger"
        command = [f"tests.real.faults.service.{module}", url or self.url, str(ledger), name,
                   "--kind", kind, *options]  # fmt: skip
        return Program(command, ledger, {**os.environ, **self._path})

    @property
    def programs(self) -> dict[str, Program]:
        """All publishers and consumers."""
        return {**self.publishers, **self.consumers}

    def wait(self, happens: Callable[[], object], seconds: float, what: str) -> None:
        """Waits until something is so; whoever was killed meanwhile is started again.

        Raises:
            TimeoutError: It does not become so.
        """
        until = time.monotonic() + seconds
        while not happens():
            if time.monotonic() > until:
                raise TimeoutError(f"{what}: {self._logs()}")
            for program in self.programs.values():
                program.revive()
            time.sleep(0.002)

    def _logs(self) -> str:
        return "\n".join(program.log.read_text()[-1_000:] for program in self.programs.values())

    # The end.

    @property
    def published(self) -> dict[str, Published]:
        """The ledgers of the publishers as they are now."""
        return {name: Published(program.ledger) for name, program in self.publishers.items()}

    @property
    def consumed(self) -> dict[str, Consumed]:
        """The ledgers of the consumers as they are now."""
        return {name: Consumed(program.ledger) for name, program in self.consumers.items()}

    def finish(self, patience: float) -> list[str]:
        """Has the publishers end and the consumers take the rest; what is wrong then."""
        wrong = [publisher.finish(patience) for publisher in self.publishers.values()]
        published = self.published
        answered = {
            seq: (name, number)
            for name, ledger in published.items()
            for number, seq in ledger.answers.items()
        }
        try:
            for name, program in self.consumers.items():
                self.wait(partial(program.has_all, answered), patience, name)
                self.wait(partial(self._has_acknowledged, name), patience, name)
        except TimeoutError as error:
            wrong.append(f"stuck: {error}")
        wrong += [consumer.finish(patience) for consumer in self.consumers.values()]
        findings = [one for one in wrong if one is not None]
        findings += judged(published, self.consumed, self.plain)
        return findings + self._judged_service(answered)

    def _has_acknowledged(self, name: str) -> bool:
        """Whether nothing waits for a subscription, and nothing can come again."""
        found = httpx2.get(f"{self.url}/v1/channels/{CHANNEL}/proxies/{name}").json()
        return (found["waiting"], found["in_flight"]) == (0, 0)

    def _judged_service(self, answered: Events) -> list[str]:
        findings = judged_journal(self.kept_events(), answered)
        code = self._served.end()
        log = self._served.log.read_text()
        if code or "Traceback" in log:
            findings.append(f"fault: the service ended with {code}: {log[-3_000:]}")
        return findings

    def kept_events(self) -> list[tuple[int, str, int]]:
        """What the journal has: sequence number, producer, its number."""
        kept: list[tuple[int, str, int]] = []
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=PATIENCE) as http:
            page: dict[str, Any] = {"next": 0, "end": False}
            while not page["end"]:
                asked = {"after": page["next"], "most": 1_000}
                page = http.get(f"/v1/channels/{CHANNEL}/events", params=asked).json()
                for one in page["events"]:
                    data = one["event"]["data"]
                    kept.append((one["seq"], data["producer"], data["number"]))
        return kept

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for program in self.programs.values():
            program.kill()
        if self._served.process.poll() is None:
            self.kill_service()
