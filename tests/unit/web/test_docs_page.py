from __future__ import annotations

from typing import Any

from tidings.web.docs_page import docs_page


def _page(operation: dict[str, Any], description: str = "") -> str:
    document = {
        "info": {"title": "T", "version": "1", "description": description},
        "paths": {"/x": {"post": {"operationId": "op", "responses": {}, **operation}}},
        "components": {"schemas": {"S": {"examples": [{"a": "<1>"}]}}},
    }
    return bytes(docs_page(document).body).decode()


def test_lists_and_code_are_marked() -> None:
    page = _page({}, "Words with `code <x>`.\n\n* one\n* two")
    assert "<code>code &lt;x&gt;</code>" in page
    assert "<ul><li>one</li><li>two</li></ul>" in page


def test_examples_come_from_the_operation_or_its_schema() -> None:
    schema = {"$ref": "#/components/schemas/S"}
    for content, shown in (
        ({"schema": schema}, "&lt;1&gt;"),
        ({"schema": schema, "example": {"b": 2}}, "&quot;b&quot;: 2"),
        ({"schema": schema, "examples": {"one": {"value": "text <c>"}}}, "text &lt;c&gt;"),
    ):
        page = _page({"requestBody": {"content": {"application/json": content}}})
        assert shown in page
    assert "<pre>" not in _page({"responses": {"200": {"content": {"text/html": {}}}}})


def test_parameters_and_answers_are_listed() -> None:
    page = _page(
        {
            "tags": ["things"],
            "parameters": [{"name": "p", "in": "query", "description": "How <many>."}],
            "responses": {"404": {"description": "It is not there."}},
        }
    )
    assert "<h2>Things</h2>" in page
    assert "How &lt;many&gt;." in page
    assert "It is not there." in page
