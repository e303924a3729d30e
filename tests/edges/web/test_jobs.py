"""Jobs over HTTP: who may ask for them, and how their pages come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.edges.engine.fake_job import FakeJob, job_host, over
from tests.edges.web.served import ServedDoor, served
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.errors import Forbidden
from tidings.grants.model import CredentialKind, Verb
from tidings.grants.requests import AddCredential, CreateGrant, CreatePrincipal, RevokeGrant
from tidings.jobs import (
    CancelJob,
    DeleteJob,
    SeeJob,
    SeeJobResult,
    SeeJobs,
    StartAudit,
    StartReport,
)
from tidings.server.cores import service_cores
from tidings.web.routes import jobs as routes
from tidings.web.routes.jobs import Links

HOSTILE = "<script>document.title = 'taken'; parent.document.title = 'taken'</script>"


@asynccontextmanager
async def scene(folder: Path, *orders: str, page: str = HOSTILE) -> AsyncIterator[ServedDoor]:
    """A service whose jobs do as ordered."""
    async with (
        job_host(folder, FakeJob(list(orders), page=page)) as host,
        served(host=host) as door,
    ):
        yield door


async def done(door: ServedDoor) -> int:
    """A job that has ended well."""
    job = (await door.ask("POST", "/v1/jobs/report", {}, 201))["id"]
    assert (await over(door.host, job)).octets > 0
    return int(job)


async def grants_decide(door: ServedDoor) -> None:
    """From now on; Ann may do nothing yet."""
    for command in (
        CreatePrincipal("root"),
        CreateGrant("root", (Verb.ADMINISTER,)),
        AddCredential("root", CredentialKind.TOKEN, "x"),
        CreatePrincipal("ann"),
    ):
        await door.host.ask(command)


async def test_only_whoever_may_administer_may_touch_jobs(tmp_path: Path) -> None:
    async with scene(tmp_path, "done") as door:
        job, ann = await done(door), LocalDoor(door.host, Caller("ann"))
        await grants_decide(door)
        everything = tuple(one for one in Verb if one is not Verb.ADMINISTER)
        await door.host.ask(CreateGrant("ann", everything))
        for request in (SeeJobs(), SeeJob(job), SeeJobResult(job)):
            with pytest.raises(Forbidden):
                await ann.request(request)
        for command in (StartReport(), StartAudit(), CancelJob(job), DeleteJob(job)):
            with pytest.raises(Forbidden):
                await ann.ask(command)
        with pytest.raises(Forbidden):
            await ann.job_page(job)
        await door.host.ask(CreateGrant("ann", (Verb.ADMINISTER,)))
        assert b"taken" in await ann.job_page(job)
        made = await ann.ask(StartReport())
        assert (await over(door.host, made)).by == "ann"


async def test_a_page_may_do_nothing_and_its_link_ends(tmp_path: Path) -> None:
    async with scene(tmp_path, "done") as door:
        job = await done(door)
        path = (await door.ask("POST", f"/v1/jobs/{job}/page-link"))["path"]
        for one in (path, f"/v1/jobs/{job}/page"):
            answer = await door.client.get(one)
            assert answer.text == HOSTILE
            policy = {part.strip() for part in answer.headers["content-security-policy"].split(";")}
            assert {"sandbox", "default-src 'none'", "frame-ancestors 'self'"} <= policy
            assert not [part for part in policy if "script" in part or "allow" in part]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["referrer-policy"] == "no-referrer"
        await door.refused("GET", "/console/reports/guessed", None, 404, "not_found")
        links = door.state.part(Links)
        links._now = lambda: 10**18  # a minute later
        await door.refused("GET", path, None, 404, "not_found")
        assert not links._links
        made = [links.make(job, Caller("ann")) for _ in range(routes._MOST + 1)]
        assert len(links._links) == routes._MOST
        assert made[0] not in links._links


async def test_a_link_has_the_rights_of_whoever_asked_for_it(tmp_path: Path) -> None:
    async with scene(tmp_path, "done") as door:
        job = await done(door)
        await grants_decide(door)
        grant = await door.host.ask(CreateGrant("ann", (Verb.ADMINISTER,)))
        links = door.state.part(Links)
        path = f"/console/reports/{links.make(job, Caller('ann'))}"
        assert (await door.client.get(path)).status_code == 200
        await door.host.ask(RevokeGrant(grant))
        assert not links._links  # and nobody else's lasts longer than the change
        path = f"/console/reports/{links.make(job, Caller('ann'))}"
        await door.refused("GET", path, None, 403, "forbidden")


WRONG: tuple[tuple[dict[str, object], int, str], ...] = (
    ({"constraint": "$rate >"}, 422, "the constraint ends too early"),
    ({"constraint": "TRUE", "since": "yesterday"}, 400, "'yesterday' is no time"),
    ({"constraint": "TRUE", "channels": ["a\u0000"]}, 400, "no channel can be named"),
    ({"constraint": "TRUE", "samples": 1_001}, 400, "samples is a number from 0 to 1000"),
    ({"constraint": "TRUE", "by": "root"}, 422, "body.by"),
    ({"constraint": {"types": [{"domain": "a::b", "type": "c"}]}}, 400, "colons"),
)


async def test_wrong_arguments_start_nothing(tmp_path: Path) -> None:
    async with scene(tmp_path, "done") as door:
        for body, status, words in WRONG:
            problem = await door.ask("POST", "/v1/jobs/backtest", body, status)
            assert words in problem["detail"]
        assert (await door.ask("GET", "/v1/jobs")) == {"problem": "", "jobs": []}


async def test_without_an_archive_it_is_said_how_to_get_one() -> None:
    async with served(cores=service_cores()) as door:
        problem = await door.refused("POST", "/v1/jobs/report", {}, 409, "wrong_state")
        assert "set archive.dir in tidings.toml" in problem["detail"]
        assert (await door.ask("GET", "/v1/jobs"))["problem"] == problem["detail"]
