"""The process of a job that asks no Spark: it does as its orders say; and a host that runs it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.edges.engine.hosts import soon
from tidings.engine.host import Host
from tidings.engine.job_runner import FOLDER, JobPlan
from tidings.jobs import JobInfo, JobLimits, JobState, SeeJob, SeeJobs
from tidings.server.cores import service_cores

# What a process does, one order after the other; a text behind an order's first word is its own.
CHILD = """
import json, os, signal, subprocess, sys, time
folder, page, orders = sys.argv[1:]
def say(**words):
    print(json.dumps(words), flush=True)
def leave(name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
def beside(name):
    return os.path.join(folder, "..", "..", name)
for order in json.loads(orders):
    word, _, rest = order.partition(" ")
    if word == "say":
        say(percent=int(rest), step="counting <b>")
    elif word == "hold":
        while not os.path.exists(beside(rest)):
            time.sleep(0.005)
    elif word == "wait":
        sys.stdin.read()
    elif word == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(percent=50, step="deaf")
        while True:
            time.sleep(60)
    elif word == "family":
        made = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
        with open(beside("pids.new"), "w") as file:
            file.write(f"{os.getpid()} {made.pid} {os.getpriority(os.PRIO_PROCESS, 0)}")
        os.rename(beside("pids.new"), beside("pids"))
    elif word == "garbage":
        for line in (b"{", b"[" * 60_000, b'{"percent": []}', b'{"step": 1}', b"null",
                     b"\\xff\\xfe", b'{"percent": 1e400, "step": ""}',
                     b"x" * 3_000_000, b"\\n" * 100_000):
            os.write(1, line + b"\\n")
            os.write(2, line + b"\\n")
    elif word == "fail":
        say(error=rest)
        sys.exit(2)
    elif word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "exit":
        print("last words", file=sys.stderr, flush=True)
        sys.exit(int(rest))
    elif word == "unlink":
        os.unlink(os.path.join(folder, "page.html"))
    elif word == "leave":
        leave("result.json", rest)
    elif word == "done":
        figure = {"title": "Events asked", "value": "10", "note": ""}
        table = {"title": "Matches by type", "text": "", "headings": ["type", "matched"],
                 "numbers": [1], "rows": [["<i>Traffic::Speed", "4"]], "more": 0}
        result = {"figures": [figure], "tables": [table], "problems": [],
                  "counts": {"events": 10, "matched": 4, "faults": 0}}
        leave("page.html", page)
        leave("result.json", json.dumps(result))
"""
PAGE = "<!doctype html><html><body><h1>The page</h1></body></html>"


class FakeJob:
    """What the processes of jobs do: the orders of the first, of the second, …

    Attributes:
        commands: The command lines so far.
    """

    def __init__(self, *orders: list[str], page: str = PAGE) -> None:
        self.commands: list[list[str]] = []
        self._orders = list(orders)
        self._page = page

    def command(self, plan: JobPlan, folder: Path) -> list[str]:
        """The command line of the next process; the last orders are for all that follow."""
        orders = self._orders.pop(0) if len(self._orders) > 1 else self._orders[0]
        arguments = [str(folder), self._page, json.dumps(orders)]
        self.commands.append([sys.executable, "-I", "-S", "-c", CHILD, *arguments])
        return self.commands[-1]


@asynccontextmanager
async def job_host(
    folder: Path,
    fake: FakeJob,
    limits: JobLimits | None = None,
    missing: Callable[[JobPlan], str] = lambda _: "",
    **plan: Any,
) -> AsyncIterator[Host]:
    """A host that runs such processes, once it knows whether it can."""
    host = await Host.open(folder / "data", cores=service_cores(limits))
    given = JobPlan(folder / "data" / FOLDER, folder / "archive", **plan)
    runner = host.new_jobs(given, fake.command, missing)
    runner.start()
    try:
        while runner._tasks and (await host.ask(SeeJobs())).problem:
            await soon(next(iter(runner._tasks)))
        yield host
    finally:
        await runner.stop()
        await host.close(0.05)


async def over(host: Host, job: int) -> JobInfo:
    """A job once it has ended and is no more running."""
    return await seen(host, job, lambda one: one.state not in (JobState.QUEUED, JobState.RUNNING))


async def seen(host: Host, job: int, wanted: Callable[[JobInfo], object]) -> JobInfo:
    """A job once it is as wanted."""

    async def look() -> JobInfo:
        while True:
            found: JobInfo = await host.ask(SeeJob(job))
            if wanted(found):
                return found
            await asyncio.sleep(0.002)

    return await soon(look())
