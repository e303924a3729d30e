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
    assert '<a href="#op">' in page
    assert '<section id="op">' in page


def test_members_are_listed_with_those_of_their_objects() -> None:
    inner = {"type": "object", "properties": {"b": {"enum": ["x", "y"]}}}
    outer = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "items": inner, "description": "All `of` <them>."},
            "n": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"const": 1},
        },
    }
    page = _page({"requestBody": {"content": {"application/json": {"schema": outer}}}})
    assert (
        "<td><code>a</code></td><td>list of object, required</td>"
        "<td>All <code>of</code> &lt;them&gt;.</td>" in page
    )
    assert "<td><code>a[].b</code></td><td>&quot;x&quot; or &quot;y&quot;</td>" in page
    assert "<td><code>n</code></td><td>integer or null</td>" in page
    assert "<td><code>c</code></td><td>1</td>" in page
