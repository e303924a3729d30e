from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from tests.unit.engine.hosts import run
from tests.unit.web.doors import web_door
from tidings.web.paths import PathParts, part

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def _seen(raw: bytes | None, path: str = "") -> str:
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["path"])

    async def work() -> None:
        scope: Scope = {"type": "http", "path": path or (raw or b"").decode()}
        if raw is not None:
            scope["raw_path"] = raw
        await PathParts(app)(scope, None, None)  # type: ignore[arg-type]

    run(work())
    return str(seen[0])


@given(st.lists(_NAMES, min_size=1, max_size=3))
def test_each_part_is_read_as_it_was_meant(names: list[str]) -> None:
    raw = "/" + "/".join(quote(name, safe="") for name in names)
    found = _seen(raw.encode()).split("/")[1:]
    assert [part(one) for one in found] == [n.replace("\ufffd", "\ufffe") for n in names]


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"/v1/channels", "/v1/channels"),
        (b"/v1/%63hannels", "/v1/channels"),
        (b"/v1/a%2Fb", "/v1/a%2Fb"),
        (b"/v1/a%252Fb", "/v1/a%252Fb"),
        (b"/v1/%FF", "/v1/\ufffe"),
        (b"/v1/%zz", "/v1/%25zz"),
        (b"/v1/%C3%A9?x=%2F", "/v1/é"),
        (b"/v1/%2e%2e/x", "/v1/../x"),
    ],
)
def test_a_slash_inside_a_part_stays_there(raw: bytes, path: str) -> None:
    assert _seen(raw) == path


def test_a_server_that_tells_no_raw_path_is_taken_at_its_word() -> None:
    assert part(_seen(None, "/v1/50%25 off")) == "/v1/50%25 off"


def test_a_name_that_looks_like_a_path_goes_nowhere_else() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "a"}, 201)
            await door.refused("GET", "/v1/channels/a%2Fadmins", None, 404, "channel_not_found")
            await door.refused("GET", "/v1/channels/x%2F..%2Fa", None, 404, "channel_not_found")
            await door.ask("GET", "/v1/channels/a/admins")
            await door.ask("POST", "/v1/channels", {"name": "a/admins"}, 201)
            assert (await door.ask("GET", "/v1/channels/a%2Fadmins"))["id"] == 2

    run(work())


@pytest.mark.parametrize(
    "name", ["%", "%2F", "a b", "é", "..", "a?b", "a#b", "100%25", "\u2028", "日本", "a" * 256]
)
def test_any_name_can_stand_in_a_path(name: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": name}, 201)
            path = quote(name, safe="").replace(".", "%2E")
            assert (await door.ask("GET", f"/v1/channels/{path}"))["name"] == name

    run(work())


@pytest.mark.parametrize(
    "path",
    ["%00", "%FF", "%0A", "%EF%BF%BF", "%ED%A0%80", "a" * 257, "a" * 9_000, "9" * 17, "9" * 9_000,
     "-1", "+1", "1.0", "0x1", "%D9%A3", "%20"],
)  # fmt: skip
def test_what_no_channel_can_be_called_is_not_found(path: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            for method in ("GET", "DELETE"):
                problem = await door.ask(method, f"/v1/channels/{path}", status=404)
                assert len(problem["detail"]) < 400

    run(work())


def test_a_name_of_digits_is_taken_for_an_id() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.refused("POST", "/v1/channels", {"name": "2"}, 400, "invalid_usage")
            await door.ask("POST", "/v1/channels", {"name": "roads"}, 201)
            door.host.factory.channels[1].name = "2"  # made by an older version
            await door.refused("GET", "/v1/channels/2", None, 404, "channel_not_found")
            assert (await door.ask("GET", "/v1/channels/1"))["name"] == "2"
            assert (await door.ask("GET", "/v1/channels/01"))["name"] == "2"

    run(work())
