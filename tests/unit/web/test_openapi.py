from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import web_door
from tidings.web.options import WebOptions

_TYPES = {"string": str, "integer": int, "array": list}


def _document(options: WebOptions | None = None) -> dict[str, Any]:
    async def work() -> dict[str, Any]:
        headers = {"Authorization": "Bearer t"}
        async with web_door(options, headers=headers) as door:
            first: dict[str, Any] = await door.ask("GET", "/v1/openapi.json")
            assert await door.ask("GET", "/v1/openapi.json") == first
            return first

    return run(work())


def _operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


def test_every_operation_is_described() -> None:
    for path, method, operation in _operations(_document()):
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["description"], where
        assert operation["tags"], where
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (where, parameter["name"])


def test_every_error_an_operation_may_answer_with_is_a_problem() -> None:
    document = _document()
    for path, method, operation in _operations(document):
        answers = operation["responses"]
        assert "500" in answers, path
        if path.startswith("/health/"):
            continue
        assert {"401", "403"} <= set(answers), path
        if operation.get("requestBody"):
            assert {"400", "413", "415", "422"} <= set(answers), path
        if method != "get":
            assert {"409", "429", "503", "507"} <= set(answers), path
        if "{" in path:
            assert {"404", "422"} <= set(answers), path
        for status, answer in answers.items():
            if status >= "400":
                assert answer == {"$ref": f"#/components/responses/Problem{status}"}
                found = document["components"]["responses"][f"Problem{status}"]
                assert list(found["content"]) == ["application/problem+json"]


def test_problems_fit_their_description() -> None:
    document = _document()

    async def work() -> None:
        async with web_door() as door:
            for method, path, body, status in (
                ("GET", "/v1/channels/9", None, 404),
                ("POST", "/v1/channels", {"x": 1}, 422),
                ("POST", "/v1/channels", {"qos": {"x": 1}}, 422),
                ("POST", "/v1/filters", {"constraints": ["$a >"]}, 422),
            ):
                problem = await door.ask(method, path, body, status)
                described = document["components"]["schemas"]["Problem"]
                assert set(described["required"]) <= set(problem)
                for name, schema in described["properties"].items():
                    if name in problem:
                        assert isinstance(problem[name], _TYPES[schema["type"]]), name

    run(work())


def test_there_is_nothing_of_the_frameworks_own_errors() -> None:
    assert "ValidationError" not in str(_document())


def test_references_lead_somewhere() -> None:
    document = _document()

    def check(part: object) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                found: Any = document
                for name in part["$ref"].removeprefix("#/").split("/"):
                    found = found[name]
            for inner in part.values():
                check(inner)
        elif isinstance(part, list):
            for inner in part:
                check(inner)

    check(document)


@pytest.mark.parametrize("token", [None, "t"])
def test_the_token_is_asked_for_where_it_is_needed(token: str | None) -> None:
    document = _document(WebOptions(token=token))
    assert document.get("security") == (None if token is None else [{"token": []}])
    assert document["paths"]["/health/live"]["get"].get("security") == (
        None if token is None else []
    )


def test_the_page_for_people_has_every_operation_and_loads_nothing() -> None:
    document = _document()

    async def work() -> str:
        async with web_door() as door:
            return str((await door.client.get("/docs/api")).text)

    page = run(work())
    for path, method, operation in _operations(document):
        assert f'{method}">{method.upper()}</span> <code>{path}</code>' in page
        assert f'id="{operation["operationId"]}"' in page
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!/|#|data:,")', page)
