from __future__ import annotations

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import WebDoor, web_door

SHORT = {"$type": "short", "value": 5}


async def _filter(door: WebDoor) -> str:
    made = await door.client.post("/v1/filters", json={"constraints": ["$a > 1", "$b"]})
    assert made.status_code == 201
    assert made.headers["location"] == f"/v1/filters/{made.json()['id']}"
    return str(made.headers["location"])


async def _mapping(door: WebDoor) -> str:
    body = {"default": {"$type": "short", "value": 0}, "mapped": [{"text": "$a", "value": SHORT}]}
    made = await door.client.post("/v1/mapping-filters", json=body)
    assert made.status_code == 201
    assert made.json()["constraints"] == [1]
    return str(made.headers["location"])


def test_a_filter_is_made_seen_and_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _filter(door)
            seen = await door.ask("GET", path)
            assert (seen["kind"], seen["holders"], seen["private"]) == ("filter", 0, False)
            assert {id: one["text"] for id, one in seen["constraints"].items()} == {
                "1": "$a > 1",
                "2": "$b",
            }
            await door.ask("DELETE", path, status=204)
            await door.refused("GET", path, None, 404, "filter_not_found")

    run(work())


def test_constraints_are_added_changed_and_cleared() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = f"{await _filter(door)}/constraints"
            added = {"constraints": [{"text": "$c", "types": ["A::B"]}]}
            assert await door.ask("POST", path, added, 201) == {"constraints": [3]}
            await door.ask("PATCH", path, {"delete": [1], "replace": {"2": "$z"}}, 204)
            seen = (await door.ask("GET", "/v1/filters/1"))["constraints"]
            assert {id: one["text"] for id, one in seen.items()} == {"2": "$z", "3": "$c"}
            await door.ask("DELETE", path, status=204)
            assert (await door.ask("GET", "/v1/filters/1"))["constraints"] == {}

    run(work())


def test_a_mapping_filter_is_made_changed_and_seen() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _mapping(door)
            seen = await door.ask("GET", path)
            assert (seen["kind"], seen["mapped"]["1"]["value"]) == ("mapping", SHORT)
            mapped = {"mapped": [{"text": "$b", "value": SHORT}]}
            assert await door.ask("POST", f"{path}/mapped", mapped, 201) == {"constraints": [2]}
            changed = {"delete": [1], "replace": {"2": {"text": "$c", "value": SHORT}}}
            await door.ask("PATCH", f"{path}/mapped", changed, 204)
            seen = (await door.ask("GET", path))["mapped"]
            assert {id: one["text"] for id, one in seen.items()} == {"2": "$c"}

    run(work())


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("filters", {"constraints": ["$a >"]}, 422, "invalid_constraint"),
        ("filters", {"constraints": "$a"}, 422, "bad_input"),
        ("filters", {"grammar": "PROLOG"}, 400, "invalid_grammar"),
        ("filters", {"constraints": [{"txt": "$a"}]}, 422, "bad_input"),
        ("mapping-filters", {}, 422, "bad_input"),
        ("mapping-filters", {"default": {"$type": "nonsense", "value": 1}}, 422, "invalid_event"),
        (
            "mapping-filters",
            {"default": SHORT, "mapped": [{"text": "$a", "value": "text"}]},
            422,
            "invalid_mapping_value",
        ),
    ],
)
def test_a_bad_filter_is_refused(path: str, body: object, status: int, code: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.refused("POST", f"/v1/{path}", body, status, code)
            await door.refused("GET", "/v1/filters/1", None, 404, "filter_not_found")

    run(work())


def test_a_bad_constraint_is_shown_with_its_place() -> None:
    async def work() -> None:
        async with web_door() as door:
            problem = await door.ask("POST", "/v1/filters", {"constraints": ["$a ==\n  == 3"]}, 422)
            assert (problem["line"], problem["text"]) == (2, "$a ==\n  == 3")

    run(work())


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "constraints", {"constraints": ["$a", "$b >"]}, 422),
        ("PATCH", "constraints", {"delete": [1, 9]}, 404),
        ("PATCH", "constraints", {"replace": {"1": "$x", "9": "$y"}}, 404),
        ("PATCH", "constraints", {"replace": {"one": "$x"}}, 422),
        ("POST", "mapped", {"mapped": [{"text": "$a", "value": SHORT}]}, 400),
        ("PATCH", "mapped", {"delete": [1]}, 400),
    ],
)
def test_a_bad_change_leaves_a_filter_as_it_was(
    method: str, path: str, body: object, status: int
) -> None:
    async def work() -> None:
        async with web_door() as door:
            where = await _filter(door)
            before = await door.ask("GET", where)
            await door.ask(method, f"{where}/{path}", body, status)
            assert await door.ask("GET", where) == before

    run(work())


@pytest.mark.parametrize(
    ("id", "status"), [("9", 404), ("0", 404), ("-1", 422), ("x", 422), ("9" * 5_000, 422)]
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_filter_that_cannot_be_is_refused(method: str, id: str, status: int) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask(method, f"/v1/filters/{id}", status=status)

    run(work())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/filters", {"constraints": ["$a == 1"] * 1_001}),
        ("/v1/filters", {"constraints": [{"text": 7}] * 1_001}),
        ("/v1/filters", {"constraints": [{"types": [7] * 1_001}]}),
        ("/v1/filters", {"constraints": ["'a' ~ $b or 'c' ~ $b"] * 11}),
        ("/v1/filters", {"constraints": ["$a" * 30_000] * 3}),
        ("/v1/mapping-filters", {"default": SHORT, "mapped": [{"text": "$a"}] * 1_001}),
        ("/v1/channels/1/proxies", {"constraints": ["'a' ~ $b or 'c' ~ $b"] * 11}),
        ("/v1/channels/1/proxies", {"types": [7] * 1_001}),
        ("/v1/dead-letters/redrive", {"filter": "'a' ~ $b or " * 20 + "'a' ~ $b"}),
    ],
)
def test_constraints_are_counted_before_one_is_compiled(
    path: str, body: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(*_: object) -> None:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("tidings.api.filters.constraint", compiled)
    monkeypatch.setattr("tidings.api.dead_letters.constraint", compiled)

    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "x"}, status=201)
            await door.refused("POST", path, body, 413, "limit_exceeded")

    run(work())


def test_of_very_many_faults_the_first_are_told() -> None:
    async def work() -> None:
        async with web_door() as door:
            answer = await door.client.post("/v1/filters", json={"constraints": [7] * 900})
            problem = answer.json()
            assert problem["status"] == 422
            assert len(problem["faults"]) == 20
            assert problem["detail"].splitlines()[-1].startswith("… and ")

    run(work())
