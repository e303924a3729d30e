"""Which job runs when: what holds whatever is asked, and in whatever order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.cores import Keep
from tidings.errors import TidingsError
from tidings.filters.constraint import constraint
from tidings.jobs import (
    CancelJob,
    DeleteJob,
    End,
    Forget,
    JobEnded,
    JobInfo,
    JobLimits,
    JobProgress,
    Jobs,
    JobsReady,
    JobState,
    Launch,
    SeeJobs,
    StartAudit,
    StartBacktest,
    StartReport,
)

LIMITS = JobLimits(at_once=2, waiting=2, keep=3, keep_octets=100)
ids = st.integers(0, 9)
commands = st.one_of(
    st.sampled_from([StartReport(), StartAudit(("roads",), "1h"), StartReport(since="never")]),
    st.just(StartBacktest(constraint("$x > 1", ["Traffic::*"]), live=True)),
    st.builds(JobsReady, st.sampled_from(["", "", "no Java"])),
    st.builds(JobProgress, ids, st.integers(-5, 200), st.just("counting")),
    st.builds(JobEnded, ids, st.sampled_from(["", "killed"]), st.just({"events": 1}),
              st.integers(0, 80)),
    st.builds(CancelJob, ids),
    st.builds(DeleteJob, ids),
)  # fmt: skip


OFTEN = 8
"""Numbers below stand for one of the jobs there are; others are ids that nothing may have."""


def _nth(some: set[int], number: int) -> int:
    return sorted(some)[number % len(some)]


class World:
    """Jobs, and the processes and results that follow from their effects."""

    def __init__(self) -> None:
        self.core = Jobs(LIMITS)
        self.kept: dict[str, Any] = {}
        self.processes: set[int] = set()
        self.launched: list[int] = []
        self.run(JobsReady(""))

    def run(self, command: Any, now: int = 10_000_000_000) -> Any:
        """Run a command as the host and the runner would; its answer."""
        if isinstance(command, JobEnded):
            if not self.processes:
                return None
            command = replace(command, job=_nth(self.processes, command.job))
            self.processes.remove(command.job)
        elif isinstance(command, CancelJob | DeleteJob | JobProgress) and command.job < OFTEN:
            some = {int(key) for key in self.kept if key != "last"} or {99}
            command = replace(command, job=_nth(some, command.job))
        (answer,), effects = self.core.handle_many([command], now)
        for effect in effects:
            self._carry_out(effect)
        return answer

    def _carry_out(self, effect: object) -> None:
        match effect:
            case Keep(_, key, None):
                del self.kept[key]
            case Keep(_, key, state):
                self.kept[key] = state
            case Launch(job):
                assert job.id not in self.launched  # each runs once
                self.launched.append(job.id)
                self.processes.add(job.id)
            case End(job):
                assert job in self.processes
            case Forget(job):
                assert job not in self.processes
            case _:
                pass

    @property
    def jobs(self) -> tuple[JobInfo, ...]:
        """All jobs, the latest first."""
        found: tuple[JobInfo, ...] = self.run(SeeJobs()).jobs
        return found

    def check(self) -> None:
        """What always holds."""
        jobs = self.jobs
        states = [one.state for one in jobs]
        assert len(self.processes) <= LIMITS.at_once
        assert {one.id for one in jobs if one.state is JobState.RUNNING} <= self.processes
        assert states.count(JobState.QUEUED) <= LIMITS.waiting
        over = [one for one in jobs if one.ended is not None]
        free = [one for one in over if one.id not in self.processes]
        assert len(free) <= LIMITS.keep
        assert sum(one.octets for one in free[1:]) <= LIMITS.keep_octets
        assert self.launched == sorted(self.launched)  # who comes first runs first
        assert all(0 <= one.percent <= 100 for one in jobs)
        if not self.core.problem and JobState.QUEUED in states:
            assert len(self.processes) == LIMITS.at_once  # nobody waits for nothing


@settings(max_examples=150)
@given(st.lists(commands, max_size=40))
def test_jobs_are_bounded_begin_in_order_and_survive(given_: list[Any]) -> None:
    world, last = World(), 0
    for command in given_:
        answer = world.run(command)
        if isinstance(command, StartReport | StartAudit | StartBacktest):
            assert isinstance(answer, TidingsError) or answer > last
            last = answer if isinstance(answer, int) else last
        world.check()
    again = Jobs(LIMITS)
    again.restore(world.kept)
    (found,), _ = again.handle_many([SeeJobs()], 0)
    before = {one.id: one for one in world.jobs}
    assert [one.id for one in found.jobs] == list(before)
    for one in found.jobs:
        was = before[one.id]
        if was.state is JobState.RUNNING:
            assert one.state is JobState.INTERRUPTED
        else:
            assert one == was
    other = Jobs(LIMITS)
    other.restore(dict(world.core.snapshot()))
    assert other.handle_many([SeeJobs()], 0)[0][0].jobs == found.jobs
    again.handle_many([JobsReady("")], 0)
    (next_one,), _ = again.handle_many([StartReport()], 0)
    assert isinstance(next_one, TidingsError) or next_one == last + 1
