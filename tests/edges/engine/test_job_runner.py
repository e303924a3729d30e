"""The processes of jobs: what they are told, how they end, and what becomes of the service."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest

from tests.edges.engine.fake_job import FakeJob, job_host, over, seen
from tests.edges.engine.hosts import until
from tidings.engine import job_runner
from tidings.engine.door import LocalDoor
from tidings.engine.job_runner import JobPlan, problem_of
from tidings.errors import NotFound, TooManyObjects, WrongState
from tidings.filters.constraint import constraint
from tidings.java import find_java
from tidings.jobs import (
    CancelJob,
    DeleteJob,
    JobLimits,
    JobState,
    SeeJob,
    SeeJobResult,
    SeeJobs,
    StartAudit,
    StartBacktest,
    StartReport,
)
from tidings.stores import files


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def test_a_job_runs_and_its_result_can_be_seen(tmp_path: Path) -> None:
    async with job_host(tmp_path, FakeJob(["say 40", "hold gate", "done"])) as host:
        door = LocalDoor(host)
        text = "$name == '--master' and '$(reboot)' ~ $x"
        asked = StartBacktest(constraint(text, ["Traffic::*"]), ("--channel", "roads"), "2h")
        job = await door.ask(asked)
        found = await seen(host, job, lambda one: one.percent == 40)
        assert (found.state, found.step, found.by) == (JobState.RUNNING, "counting <b>", "owner")
        with pytest.raises(WrongState, match="it is running"):
            await door.request(SeeJobResult(job))
        given = (tmp_path / "data" / "jobs" / str(job) / "request.json").read_text("utf-8")
        assert "$(reboot)" in given
        assert "Traffic::*" in given
        (tmp_path / "data" / "gate").touch()
        found = await over(host, job)
        assert (found.state, found.percent) == (JobState.DONE, 100)
        assert found.counts == {"events": 10, "matched": 4, "faults": 0}
        result = await door.request(SeeJobResult(job))
        assert result.tables[0].rows == (("<i>Traffic::Speed", "4"),)
        assert b"The page" in await door.job_page(job)
        await door.ask(DeleteJob(job))
        await until(lambda: not (tmp_path / "data" / "jobs" / str(job)).exists())
        with pytest.raises(NotFound):
            await door.request(SeeJob(job))


@pytest.mark.parametrize(
    ("orders", "cause"),
    [
        (["die"], "its process was killed; if the machine ran out of memory, set jobs.memory"),
        (["exit 3"], "its process ended with code 3: last words"),
        (["fail no archive is at /srv"], "no archive is at /srv"),
        (["garbage", "exit 1"], "its process ended with code 1: last words"),
        ([], "result.json of the job is missing"),
        (["leave {}"], "its result cannot be read: Object missing required field `figures`"),
        (["leave [[["], "its result cannot be read: "),
        (["done", "unlink"], "its process has ended without a page"),
    ],
)
async def test_why_a_job_has_failed_is_said(tmp_path: Path, orders: list[str], cause: str) -> None:
    async with job_host(tmp_path, FakeJob(orders, ["done"])) as host:
        job = await host.ask(StartReport())
        found = await over(host, job)
        assert found.state is JobState.FAILED
        assert found.cause.startswith(cause), found.cause
        assert not (tmp_path / "data" / "jobs" / str(job)).exists()
        assert (await over(host, await host.ask(StartReport()))).state is JobState.DONE


async def test_a_result_that_is_too_large_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "_MOST_PAGE", 20)
    async with job_host(tmp_path, FakeJob(["done"])) as host:
        found = await over(host, await host.ask(StartReport()))
        assert found.cause.startswith("its page is larger than")


async def test_a_full_disk_fails_the_job_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, octets: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with job_host(tmp_path, FakeJob(["done"])) as host:
        with monkeypatch.context() as patched:
            patched.setattr(files, "write_all", full)
            found = await over(host, await host.ask(StartReport()))
        assert found.state is JobState.FAILED
        assert found.cause.endswith("cannot be written: No space left on device")
        assert (await over(host, await host.ask(StartReport()))).state is JobState.DONE


async def test_a_job_that_never_ends_is_ended(tmp_path: Path) -> None:
    async with job_host(tmp_path, FakeJob(["family", "wait"]), patience=1.0) as host:
        found = await over(host, await host.ask(StartReport()))
        assert found.state is JobState.FAILED
        assert found.cause == "it took longer than 1 s (jobs.patience)"


async def test_cancelling_ends_the_whole_process_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "_GRACE", 0.2)
    async with job_host(tmp_path, FakeJob(["family", "deaf"], ["done"])) as host:
        job = await host.ask(StartReport())
        await seen(host, job, lambda one: one.step == "deaf")
        parent, child, nice = map(int, (tmp_path / "data" / "pids").read_text().split())
        assert nice >= 10
        assert _is_alive(parent)
        assert _is_alive(child)
        after = await host.ask(StartReport())
        await host.ask(CancelJob(job))
        assert (await host.ask(SeeJob(job))).state is JobState.CANCELLED
        # One at a time: the next one begins when the process is really gone.
        assert (await host.ask(SeeJob(after))).state is JobState.QUEUED
        assert (await over(host, after)).state is JobState.DONE
        await until(lambda: not (_is_alive(parent) or _is_alive(child)))
        assert (await host.ask(SeeJob(job))).state is JobState.CANCELLED


async def test_the_end_of_the_service_ends_its_jobs_which_are_told_as_such(tmp_path: Path) -> None:
    fake = FakeJob(["done"], ["family", "wait"])
    async with job_host(tmp_path, fake) as host:
        done = await host.ask(StartReport())
        await over(host, done)
        running, queued = await host.ask(StartReport()), await host.ask(StartAudit())
        await until((tmp_path / "data" / "pids").exists)
    parent, child, _ = map(int, (tmp_path / "data" / "pids").read_text().split())
    assert not _is_alive(parent)
    assert not _is_alive(child)
    (tmp_path / "data" / "jobs" / str(running)).mkdir(exist_ok=True)  # as a killed service leaves
    async with job_host(tmp_path, FakeJob(["done"])) as host:
        found = await host.ask(SeeJob(running))
        assert found.state is JobState.INTERRUPTED
        assert found.cause == "the service ended while the job ran: start it again"
        assert (await over(host, queued)).state is JobState.DONE
        assert (await LocalDoor(host).request(SeeJobResult(done))).counts["events"] == 10
        assert not (tmp_path / "data" / "jobs" / str(running)).exists()


async def test_results_are_kept_up_to_the_limits(tmp_path: Path) -> None:
    limits = JobLimits(waiting=2, keep=2)
    async with job_host(tmp_path, FakeJob(["hold gate", "done"]), limits) as host:
        jobs = [await host.ask(StartReport()) for _ in range(3)]
        with pytest.raises(TooManyObjects, match=r"2 jobs wait already \(jobs.waiting\)"):
            await host.ask(StartReport())
        (tmp_path / "data" / "gate").touch()
        await over(host, jobs[-1])
        left = [one.id for one in (await host.ask(SeeJobs())).jobs]
        assert left == [jobs[2], jobs[1]]
        folders = tmp_path / "data" / "jobs"
        await until(lambda: {path.name for path in folders.iterdir()} == set(map(str, left)))


async def test_what_is_missing_is_said_until_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "_LOOK_AGAIN", 0.0)
    told = ["Spark needs Java 17 or newer: install openjdk"]
    given = job_host(tmp_path, FakeJob(["done"]), missing=lambda _: "".join(told))
    async with given as host:
        with pytest.raises(WrongState, match="install openjdk"):
            await host.ask(StartReport())
        told.clear()
        while (await host.ask(SeeJobs())).problem:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.002)
        assert (await over(host, await host.ask(StartReport()))).state is JobState.DONE


def test_each_missing_part_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "set archive.dir in tidings.toml" in problem_of(JobPlan(tmp_path, None))
    plan = JobPlan(tmp_path, tmp_path)
    assert problem_of(plan) == ""
    monkeypatch.setattr(find_java, "__defaults__", ({"PATH": ""}, ()))
    assert "openjdk-17-jre-headless" in problem_of(plan)
    monkeypatch.setattr(job_runner, "find_spec", lambda name: None if name == "pyspark" else 1)
    assert problem_of(plan) == (
        "pyspark, which jobs need, is not installed with Tidings here: pip install tidings[spark]"
    )
