"""People: passwords, login sessions and their cookies, whose page asks, and who guesses."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from tests.edges.web.doors import check_problem
from tests.edges.web.served import ServedDoor, served
from tidings.channel import management as m
from tidings.clock import ManualClock
from tidings.engine import callers
from tidings.engine.access import OWNER, Caller
from tidings.engine.callers import MOST_WAITING, MOST_WAITING_OF_ONE, Callers
from tidings.engine.door import LocalDoor
from tidings.engine.steady import SteadyClock
from tidings.errors import Forbidden, InvalidUsage, TooManyAttempts, Unauthenticated
from tidings.grants import requests as g
from tidings.grants.core import AccessChanged, Grants
from tidings.grants.model import Credential, CredentialKind, Verb
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.web.options import WebOptions
from tidings.web.routes.logins import MOST_OCTETS
from tidings.web.sessions import MOST_OF_ONE, Sessions

PASSWORD, OTHER = "correct horse battery", "a better one than this"
WRONG = {"name": "ann", "password": "incorrect horse"}
RIGHT = {"name": "ann", "password": PASSWORD}
SECOND = 1_000_000


class Scene:
    """A service with an administrator, and Ann, who has a password."""

    def __init__(self, door: ServedDoor, owner: LocalDoor) -> None:
        self.door = door
        self.owner = owner
        self.http = door.client
        self.origin = {"Origin": f"http://127.0.0.1:{door.port}"}

    async def log_in(self) -> httpx2.Response:
        answer = await self.http.post("/v1/login", json=RIGHT)
        assert answer.status_code == 200, answer.text
        return answer

    async def is_in(self) -> bool:
        return (await self.http.get("/v1/whoami")).status_code == 200


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    async with served(cores=service_cores()) as door:
        owner = LocalDoor(door.host, OWNER)
        await owner.ask(m.CreateChannel(new_origin(), name="roads"))
        for command in (
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.CreatePrincipal("ann"),
            g.CreateGrant("ann", (Verb.PUBLISH, Verb.SUBSCRIBE), ("roads",)),
        ):
            await owner.ask(command)
        await owner.request(g.CreateToken("root"))
        await owner.request(g.SetPassword("ann", PASSWORD))
        yield Scene(door, owner)


async def test_a_session_is_a_cookie_that_no_script_and_no_other_site_gets() -> None:
    async with scene() as here:
        assert not await here.is_in()
        answer = await here.log_in()
        assert answer.json() == {
            "principal": "ann", "token": None, "credential": None, "expires_at": None
        }  # fmt: skip
        name, *attributes = answer.headers["set-cookie"].split("; ")
        assert name.startswith("tidings=")
        assert {one.lower() for one in attributes} == {"httponly", "path=/", "samesite=strict"}
        myself = (await here.http.get("/v1/whoami")).json()
        assert (myself["principal"], myself["kind"]) == ("ann", "password")
        assert [one["verbs"] for one in myself["grants"]] == [["publish", "subscribe"]]
        out = await here.http.post("/v1/logout", headers=here.origin)
        assert out.status_code == 204
        assert "Max-Age=0" in out.headers["set-cookie"]
        here.http.cookies.set("tidings", name.removeprefix("tidings="))
        assert not await here.is_in()


async def test_over_tls_the_cookie_belongs_to_this_host_alone() -> None:
    async with scene() as here:
        transport = httpx2.ASGITransport(app=here.door.app)
        async with httpx2.AsyncClient(transport=transport, base_url="https://desk") as client:
            answer = await client.post("/v1/login", json=RIGHT)
            name, *attributes = answer.headers["set-cookie"].split("; ")
            assert name.startswith("__Host-tidings=")
            assert "Secure" in attributes
            assert "Path=/" in attributes
            assert not any(one.lower().startswith("domain") for one in attributes)
            assert (await client.get("/v1/whoami")).status_code == 200
            plain = {"Origin": "http://desk"}  # somebody between could have written that page
            assert (await client.post("/v1/logout", headers=plain)).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "{own}", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "{own}"}, 201),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": "{own}", "Sec-Fetch-Site": "same-origin"}, 201),
    ],
)
async def test_a_cookie_changes_something_from_our_own_page_only(
    headers: dict[str, str], status: int
) -> None:
    async with scene() as here:
        await here.log_in()
        given = {name: text.format(own=here.origin["Origin"]) for name, text in headers.items()}
        asked: Any = {"json": {"side": "consumer"}, "headers": given}
        answer = await here.http.post("/v1/channels/roads/proxies", **asked)
        assert answer.status_code == status, answer.text
        assert (await here.http.get("/v1/channels", headers=given)).status_code == 200
        wanted: Any = {"additional_headers": {**given, "Cookie": cookies(here)}, "origin": None}
        if status == 403:
            check_problem(answer, 403)
            with pytest.raises(InvalidStatus):
                async with here.door.wire(**wanted):
                    raise AssertionError("a WebSocket of another page is open")
        else:
            async with here.door.wire(**wanted):
                pass


def cookies(here: Scene) -> str:
    return "; ".join(f"{name}={value}" for name, value in here.http.cookies.items())


async def _log_out(here: Scene) -> None:
    assert (await here.http.post("/v1/logout", headers=here.origin)).status_code == 204


async def _new_password(here: Scene) -> None:
    await here.owner.request(g.SetPassword("ann", OTHER))


async def _own_new_password(here: Scene) -> None:
    body = {"password": OTHER, "old": PASSWORD}
    path = "/v1/principals/ann/password"
    answer = await here.http.put(path, json=body, headers=here.origin)
    assert answer.status_code == 204  # it is answered, though its own session ends


async def _revoke(here: Scene) -> None:
    await here.owner.ask(g.RevokeCredential(2))


async def _disable(here: Scene) -> None:
    await here.owner.ask(g.ChangePrincipal("ann", disabled=True))
    await here.owner.ask(g.ChangePrincipal("ann", disabled=False))  # it stays out


@pytest.mark.parametrize(
    "end",
    [_log_out, _new_password, _own_new_password, _revoke, _disable],
    ids=lambda one: one.__name__,
)
async def test_a_session_ends_at_once_with_what_it_opened(end: Callable[[Scene], Any]) -> None:
    async with scene() as here:
        await here.log_in()
        given = {"Cookie": cookies(here), **here.origin}
        async with here.door.wire(additional_headers=given) as wire:
            await end(here)
            assert (await wire.closed())[0] == 4401
        here.http.cookies.clear()
        found = await here.http.get("/v1/whoami", headers=given)
        assert found.status_code == 401


async def test_a_token_for_a_password_ends_with_the_login() -> None:
    async with scene() as here:
        asked = {**RIGHT, "token": True}
        made, other = [(await here.http.post("/v1/login", json=asked)).json() for _ in range(2)]
        assert not here.http.cookies
        bearer = {"Authorization": f"Bearer {made['token']}"}
        myself = (await here.http.get("/v1/whoami", headers=bearer)).json()
        assert myself["kind"] == "login"
        assert myself["expires_at"] == made["expires_at"]
        assert (await here.http.post("/v1/logout", headers=bearer)).status_code == 204
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 401
        bearer = {"Authorization": f"Bearer {other['token']}"}
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 200
        await _new_password(here)
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 401


async def test_a_password_is_no_token() -> None:
    async with scene() as here:
        await here.owner.request(g.SetPassword("ann", "x" * 32))
        [shown] = await here.owner.request(g.SeeCredentials("ann"))
        bearer = {"Authorization": f"Bearer tdg_{shown.id}_{'x' * 32}"}
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 401


async def test_other_tokens_are_not_revoked_by_logging_out() -> None:
    async with scene() as here:
        made = await here.owner.request(g.CreateToken("ann"))
        bearer = {"Authorization": f"Bearer {made.token}"}
        assert (await here.http.post("/v1/logout", headers=bearer)).status_code == 204
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 200


async def test_everybody_sets_its_own_password_who_knows_the_old_one() -> None:
    async with scene() as here:
        ann = LocalDoor(here.door.host, Caller("ann"))
        with pytest.raises(Unauthenticated, match="wrong"):
            await ann.request(g.SetPassword("ann", OTHER, "incorrect horse"))
        with pytest.raises(Forbidden, match="its own password only"):
            await ann.request(g.SetPassword("root", OTHER, PASSWORD))
        with pytest.raises(InvalidUsage, match="control characters"):
            await ann.request(g.SetPassword("ann", "x" * 12 + "\n", PASSWORD))
        await ann.request(g.SetPassword("ann", OTHER, PASSWORD))
        with pytest.raises(Forbidden, match="has no password yet"):
            await LocalDoor(here.door.host, Caller("eve")).request(g.SetPassword("eve", OTHER))
        assert (await here.http.post("/v1/login", json=RIGHT)).status_code == 401


async def test_a_wrong_name_is_as_a_wrong_password_and_both_are_slowed() -> None:
    async with scene() as here:
        told = set()
        for number in range(5):
            nobody = {"name": f"nobody-{number}\x07", "password": PASSWORD}
            for body in (WRONG, nobody)[number % 2 :][:1]:
                answer = await here.http.post("/v1/login", json=body)
                assert answer.status_code == 401
                told.add(answer.text)
        assert len(told) == 1
        answer = await here.http.post("/v1/login", json=RIGHT)
        assert answer.status_code == 429
        assert "try again in" in answer.json()["detail"]
        assert "retry-after" in answer.headers


async def test_nobody_can_fill_the_memory_before_logging_in() -> None:
    async with scene() as here:
        body = {"name": "ann", "password": "x" * MOST_OCTETS}
        answer = await here.http.post("/v1/login", json=body, headers=here.origin)
        assert answer.status_code == 413
        headers = {"Authorization": "Bearer " + "x" * 1_000_000}
        with pytest.raises((httpx2.HTTPError, AssertionError)):  # refused, or cut in the middle
            assert (await here.http.get("/v1/channels", headers=headers)).status_code == 200


async def test_no_other_page_logs_somebody_in() -> None:
    async with scene() as here:
        for told in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = await here.http.post("/v1/login", json=RIGHT, headers=told)
            assert answer.status_code == 403
            assert not here.http.cookies
        answer = await here.http.post("/v1/login", json=RIGHT, headers=here.origin)
        assert answer.status_code == 200


async def test_a_person_is_led_to_a_login_and_back_to_the_page_of_the_api() -> None:
    async with scene() as here:
        page = {"Accept": "text/html"}
        assert (await here.http.get("/docs/api")).status_code == 401  # a program
        wrong = {**page, "Authorization": "Bearer wrong"}
        assert (await here.http.get("/docs/api", headers=wrong)).status_code == 401
        led = await here.http.get("/docs/api", headers=page)
        assert (led.status_code, led.headers["location"]) == (303, "/console/api.html")
        assert (await here.http.get("/console/api.html", headers=page)).status_code == 200
        await here.log_in()
        assert (await here.http.get("/docs/api", headers=page)).status_code == 200
        assert (await here.http.get("/v1/overview")).status_code == 403  # Ann may not inspect it
        assert (await here.http.get("/v1/outline")).json()["channels"]["name"] == ["roads"]
        assert (await here.http.post("/v1/logout", headers=here.origin)).status_code == 204
        assert (await here.http.get("/docs/api", headers=page)).status_code == 303


async def test_the_files_of_the_console_leave_no_line_in_the_trail() -> None:
    async with scene() as here:
        before = dict(here.door.host.operations.refusals)
        for path in ("/", "/console/app.js", "/console/nothing.js"):
            await here.http.get(path)
        assert here.door.host.operations.refusals == before
        await here.http.get("/v1/whoami")
        assert here.door.host.operations.refusals != before


# Sessions by themselves.


class Table:
    """Sessions of Ann, and a clock to turn."""

    def __init__(self, now: Callable[[], int] | None = None) -> None:
        self.clock = ManualClock(0)
        self.grants = Grants()
        add = g.AddCredential("ann", CredentialKind.PASSWORD, "x")
        self.grants.handle_many([g.CreatePrincipal("ann"), add], 0)
        options = WebOptions(session_idle=10, session_life=60)
        self.sessions = Sessions(self.grants, options, now or self.clock.now)

    def begin(self) -> str:
        password = self.grants.password("ann", 0)
        assert isinstance(password, Credential)
        return self.sessions.begin(password)


def test_a_session_ends_when_it_is_idle_and_at_last_in_any_case() -> None:
    table = Table()
    idle, busy = table.begin(), table.begin()
    for _ in range(6):
        assert table.sessions.find(busy) is not None
        table.clock.advance(9 * SECOND)
    assert table.sessions.find(idle) is None
    found = table.sessions.find(busy)
    assert found is not None
    cut: list[str] = []
    found.open.add(lambda: cut.append("cut"))
    table.clock.advance(6 * SECOND)
    assert table.sessions.find(busy) is None
    assert cut == ["cut"]
    assert len(table.sessions) == 0


def test_a_session_with_an_open_connection_is_not_idle() -> None:
    table = Table()
    text, cut = table.begin(), lambda: None
    found = table.sessions.find(text)
    assert found is not None
    found.open.add(cut)
    table.clock.advance(30 * SECOND)
    assert table.sessions.find(text) is found
    table.sessions.let_go(found, cut)
    table.clock.advance(10 * SECOND)
    assert table.sessions.find(text) is None


def test_there_are_only_so_many_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    first, *others = [table.begin() for _ in range(MOST_OF_ONE + 1)]
    assert table.sessions.find(first) is None
    assert all(map(table.sessions.find, others))
    monkeypatch.setattr("tidings.web.sessions.MOST_SESSIONS", 2)
    monkeypatch.setattr("tidings.web.sessions.MOST_OF_ONE", 99)
    begun = len(table.sessions)
    table.begin()
    assert len(table.sessions) == begun
    assert table.sessions.find("x" * 1_000_000) is None


def test_a_clock_that_is_set_ends_no_session_and_lets_nobody_guess() -> None:
    wall, real = ManualClock(0), ManualClock(0)
    clock = SteadyClock(wall, real.now)
    table = Table(clock.now)
    text = table.begin()
    wall.advance(365 * 24 * 3600 * SECOND)
    clock.check()
    assert table.sessions.find(text) is not None
    real.advance(10 * SECOND)
    assert table.sessions.find(text) is None


def test_what_concerns_others_ends_no_session() -> None:
    table = Table()
    text = table.begin()
    for changed in (AccessChanged(None), AccessChanged(frozenset({"ann"}))):
        table.sessions.end_forbidden(changed)  # she may do less, and her password is good
    assert table.sessions.find(text) is not None


# Who guesses.


class Slow:
    """Stands in for the digest: as long as it is held, no secret is checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = threading.Semaphore(0)
        self.asked: list[str] = []
        self.at_once = self.most = 0
        monkeypatch.setattr(callers, "fits", self)

    def __call__(self, secret: str, kept: str) -> bool:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.asked.append(secret)
        self.free.acquire()
        self.at_once -= 1
        return secret == PASSWORD


async def test_a_crowd_of_guessers_is_bounded_and_keeps_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow, grants = Slow(monkeypatch), Grants()
    add = g.AddCredential("ann", CredentialKind.PASSWORD, "x")
    grants.handle_many([g.CreatePrincipal("ann"), add], 0)
    found = Callers(grants, ManualClock(0).now, ManualClock(0).now)
    slow.free.release()
    await found.by_password("ann", PASSWORD, "10.0.0.1")
    crowd = [
        asyncio.create_task(found.by_password("ann", f"guess {n}", f"10.1.{n // 250}.{n % 250}"))
        for n in range(10 * MOST_WAITING)
    ]
    while sum(task.done() for task in crowd) < 9 * MOST_WAITING - 1:  # noqa: ASYNC110
        await asyncio.sleep(0)
    refused = [task for task in crowd if task.done()]
    assert all(isinstance(task.exception(), TooManyAttempts) for task in refused)
    ann = asyncio.create_task(found.by_password("ann", PASSWORD, "10.0.0.1"))
    gone = next(task for task in reversed(crowd) if not task.done())
    await asyncio.sleep(0)
    gone.cancel()  # whoever goes away leaves the others their turn
    for _ in range(2 * MOST_WAITING):
        slow.free.release()
    assert (await ann).principal == "ann"
    assert slow.asked[2] == PASSWORD  # before all strangers but the one that had its turn
    await asyncio.gather(*crowd, return_exceptions=True)
    assert slow.most == 1
    assert (await found.by_password("ann", PASSWORD, "10.0.0.1")).principal == "ann"


async def test_one_address_does_not_take_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, found = Slow(monkeypatch), Callers(Grants(), ManualClock(0).now, ManualClock(0).now)
    greedy = [
        asyncio.create_task(found.by_password(f"name-{n}", "guess", "10.0.0.1")) for n in range(9)
    ]
    await asyncio.sleep(0)
    assert sum(task.done() for task in greedy) == 9 - 1 - MOST_WAITING_OF_ONE
    slow.free.release(9)
    await asyncio.gather(*greedy, return_exceptions=True)


async def test_whoever_goes_away_while_its_secret_is_checked_frees_nothing_too_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow, found = Slow(monkeypatch), Callers(Grants(), ManualClock(0).now, ManualClock(0).now)
    first, second = [
        asyncio.create_task(found.by_password("ann", "guess", f"10.0.0.{n}")) for n in range(2)
    ]
    while not slow.asked:  # noqa: ASYNC110
        await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await asyncio.sleep(0)
    assert len(slow.asked) == 1
    slow.free.release(2)
    with pytest.raises(Unauthenticated):
        await second
    assert slow.most == 1
