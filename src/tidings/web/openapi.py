"""The API's own document: OpenAPI for programs, and a page for people."""

from __future__ import annotations

import asyncio
import json
import re
from html import escape
from importlib.metadata import version
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse, JSONResponse, Response

from tidings.api.problems import MEDIA_TYPE
from tidings.errors import CursorNotFound
from tidings.web.console_files import PAGE_HEADERS
from tidings.web.pages import HTML_ANSWER, page, row, table

router = APIRouter(tags=["overview"])

_DESCRIPTION: Final = """\
Channels take events in and hand them to everybody whose filter they match.

* Bodies and answers are JSON in UTF-8. What is unknown, of the wrong type or there twice is \
refused, and nothing is changed.
* Every error is a problem document (RFC 9457, `application/problem+json`); its `code` is stable.
* Channels and proxies go by their id, or by their name, percent-encoded.
* Ids are numbers. Times are microseconds since 1970 unless something else is said.
* On a loopback address no token is needed, but `Host` must name the loopback. Elsewhere every \
request but those for the health needs `Authorization: Bearer <token>`.
* `/v1/ws` and `/v1/channels/{channel}/subscribe` are WebSockets (subprotocol `tidings.v1`), which \
OpenAPI cannot describe.
"""

_STATUSES: Final[dict[str, str]] = {
    "400": "The request is malformed, or says what cannot be done.",
    "401": "The token is missing or wrong.",
    "403": "Whoever asks may not, or `Host` or `Origin` is not one of ours.",
    "404": "An id or name stands for nothing.",
    "408": "The body did not come in time.",
    "409": "The object is not in the state for this, or a limit of the channel is reached.",
    "410": "The journal does not reach back so far any more.",
    "413": "It is longer than the service takes.",
    "415": "The body is of another media type than the ones taken.",
    "422": "The request is well-formed, but what it says is outside the rules.",
    "429": "Too many, or too fast: try again later.",
    "431": "The path and the query, or the headers, are too long.",
    "500": "A fault of the service; its log has more.",
    "503": "The service is stopping, or the disk does not do what it is asked.",
    "507": "The disk is full: try again when there is room.",
}
# What is read from the journal may be gone from it.
_FROM_JOURNAL: Final = ("/events", "/tail")
_RETRY: Final = frozenset({"429", "503", "507"})

_PROBLEM: Final[dict[str, Any]] = {
    "title": "Problem",
    "description": "What went wrong (RFC 9457). Errors of some kinds have more to tell.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "`urn:tidings:error:` and the code."},
        "title": {"type": "string", "description": "The kind of the error."},
        "status": {"type": "integer", "description": "The status of the answer."},
        "detail": {"type": "string", "description": "What is wrong, and what would be right."},
        "code": {"type": "string", "description": "The kind of the error; never changes."},
        "where": {"type": "string", "description": "The place inside an event."},
        "line": {"type": "integer", "description": "The line of a fault in a constraint."},
        "column": {"type": "integer", "description": "The column of a fault in a constraint."},
        "errors": {
            "type": "array",
            "description": "Every property that cannot be set so.",
            "items": {"type": "object"},
        },
        "faults": {
            "type": "array",
            "description": "Every place of a request that does not fit, and why.",
            "items": {"type": "object"},
        },
    },
    "examples": [
        {
            "type": "urn:tidings:error:channel_not_found",
            "title": "ChannelNotFound",
            "status": 404,
            "detail": "there is no channel named 'auctoins'",
            "code": "channel_not_found",
        }
    ],
}


def describe(app: FastAPI) -> None:
    """Has the application describe itself, with every answer that it can give."""

    def document() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


async def _written(app: FastAPI) -> tuple[bytes, bytes]:
    """The document as it is sent, to programs and to people; made once."""

    def make() -> tuple[bytes, bytes]:
        document = app.openapi()
        return bytes(JSONResponse(document).body), docs_page(document).encode()

    if not hasattr(app.state, "document"):
        # Making it takes so long that the loop must not wait for it.
        app.state.document = await asyncio.to_thread(make)
    found: tuple[bytes, bytes] = app.state.document
    return found


@router.get("/v1/openapi.json", summary="This API for programs", response_model=dict[str, Any])
async def openapi(request: Request) -> Response:
    """The OpenAPI document of this API."""
    octets, _ = await _written(request.app)
    return Response(octets, media_type="application/json")


@router.get(
    "/docs/api", summary="This API for people", response_class=HTMLResponse, responses=HTML_ANSWER
)
async def docs(request: Request) -> HTMLResponse:
    """The same document as a page, from which requests can be sent."""
    _, octets = await _written(request.app)
    return HTMLResponse(octets, headers=PAGE_HEADERS)


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="Tidings", version=version("tidings"), description=_DESCRIPTION, routes=app.routes
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    components["responses"] = {f"Problem{status}": _problem(status) for status in _STATUSES}
    token = app.state.web.options.token is not None
    if token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _add_problems(path, method, operation)
            if token and path.startswith("/health/"):
                operation["security"] = []
    return document


def _problem(status: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    answer: dict[str, Any] = {
        "description": _STATUSES[status],
        "content": {MEDIA_TYPE: {"schema": schema}},
    }
    names = ["Retry-After"] if status in _RETRY else ["WWW-Authenticate"] * (status == "401")
    if names:
        answer["headers"] = {name: {"schema": {"type": "string"}} for name in names}
    return answer


def _add_problems(path: str, method: str, operation: dict[str, Any]) -> None:
    """Declares the errors an operation may answer with, beside those it declares itself."""
    answers = operation.setdefault("responses", {})
    if "HTTPValidationError" in str(answers.get("422")):
        del answers["422"]
    # What a route declared without saying what it looks like.
    bare = {one for one in answers if one in _STATUSES and not answers[one].get("content")}
    for status in _possible(path, method, operation) | bare:
        answers[status] = {"$ref": f"#/components/responses/Problem{status}"}


def _possible(path: str, method: str, operation: dict[str, Any]) -> set[str]:
    if path.startswith("/health/"):
        return {"500"}
    found = {"401", "403", "500"}
    if not path.startswith("/v1/") or path == "/v1/openapi.json":
        return found
    found.add("503")
    if operation.get("parameters"):
        found |= {"400", "404", "422", "431"}
    if operation.get("requestBody"):
        found |= {"400", "404", "408", "413", "415", "422"}
    if method == "get" and path.endswith(_FROM_JOURNAL):
        found.add(str(CursorNotFound.http_status))
    if method != "get":
        found |= {"400", "404", "409", "429", "507"}
    return found - {s for s in operation["responses"] if operation["responses"][s].get("content")}


# Members of members are shown so deep; what lies below is in the OpenAPI document.
_DEPTH: Final = 2


def docs_page(document: dict[str, Any]) -> str:
    """A page that shows an OpenAPI document: every operation, with examples and answers."""
    by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).append((path, method, operation))
    contents, parts = [], [_text(document["info"].get("description", ""))]
    for tag, found in by_tag.items():
        head = f"<h2>{escape(tag.capitalize())}</h2>"
        items = "".join(_item(method, operation) for _, method, operation in found)
        contents.append(f"{head}<ul>{items}</ul>")
        parts.append(head)
        parts += [_operation(document, *one) for one in found]
    title = f"{document['info']['title']} {document['info']['version']}: API"
    return page(title, "\n".join(contents), "\n".join(parts))


def _text(text: str) -> str:
    """Text with lists and code marked as in Markdown, as HTML."""
    parts = []
    for block in text.strip().split("\n\n"):
        shown = _inline(block)
        if shown.startswith("* "):
            items = shown.removeprefix("* ").split("\n* ")
            parts.append("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>")
        elif shown:
            parts.append(f"<p>{shown}</p>")
    return "\n".join(parts)


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _badge(method: str) -> str:
    return f'<span class="method {escape(method)}">{escape(method.upper())}</span>'


def _item(method: str, operation: dict[str, Any]) -> str:
    anchor = escape(operation["operationId"])
    summary = escape(operation.get("summary") or operation["operationId"])
    return f'<li>{_badge(method)}<a href="#{anchor}">{summary}</a></li>'


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> str:
    summary = escape(operation.get("summary") or operation["operationId"])
    parts = [
        f'<section id="{escape(operation["operationId"])}">',
        f"<header><h3>{summary}</h3><p>{_badge(method)} <code>{escape(path)}</code></p></header>",
        _text(operation.get("description", "")),
        _parameters(document, operation.get("parameters", [])),
    ]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<h4>Body: <code>{escape(media)}</code></h4>{_content(document, content)}")
    parts.append(_answers(document, operation["responses"]))
    parts.append("</section>")
    return "".join(parts)


def _parameters(document: dict[str, Any], given: list[dict[str, Any]]) -> str:
    if not given:
        return ""
    rows = [
        _described(one["name"], f"{one['in']}, {_kind(document, one.get('schema', {}))}", one)
        for one in given
    ]
    return f"<h4>Parameters</h4>{table(('Name', 'Where and what', ''), rows)}"


def _described(name: str, kind: str, part: dict[str, Any]) -> str:
    told = _inline(part.get("description", ""))
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(kind)}</td><td>{told}</td></tr>"


def _answers(document: dict[str, Any], answers: dict[str, Any]) -> str:
    good, bad = [], []
    for status, answer in sorted(answers.items()):
        shown = _resolved(document, answer)
        told = shown.get("description", "")
        if status >= "400":
            bad.append(row(status, told))
            continue
        media = "".join(f" <code>{escape(one)}</code>" for one in shown.get("content", {}))
        good.append(f"<h4>Answer {escape(status)}:{media}</h4><p>{_inline(told)}</p>")
        good += [_content(document, one) for one in shown.get("content", {}).values()]
    found = table(("Status", "Meaning"), bad)
    errors = f"<details><summary>Errors</summary>{found}</details>" if bad else ""
    return "".join(good) + errors


def _content(document: dict[str, Any], content: dict[str, Any]) -> str:
    """What a body or an answer holds: its members, and examples where there are some."""
    rows = _members(document, content.get("schema", {}), "", _DEPTH)
    shown = table(("Member", "What", ""), rows) if rows else ""
    return shown + _example(document, content)


def _members(document: dict[str, Any], schema: dict[str, Any], above: str, depth: int) -> list[str]:
    """The rows of an object's members, and of the objects in them."""
    found = _resolved(document, schema)
    if not depth:
        return []
    if found.get("type") == "array":
        return _members(document, found.get("items", {}), f"{above}[]", depth)
    rows = []
    required = found.get("required", ())
    for name, part in found.get("properties", {}).items():
        path = f"{above}.{name}" if above else name
        kind = _kind(document, part) + (", required" if name in required else "")
        rows.append(_described(path, kind, {**_resolved(document, part), **part}))
        rows += _members(document, part, path, depth - 1)
    return rows


def _kind(document: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a value is, in a few words."""
    found = _resolved(document, schema)
    several = found.get("anyOf") or found.get("oneOf")
    if several:
        return " or ".join(dict.fromkeys(_kind(document, one) for one in several))
    if "enum" in found:
        return " or ".join(json.dumps(one, ensure_ascii=False) for one in found["enum"])
    if "const" in found:
        return json.dumps(found["const"], ensure_ascii=False)
    if found.get("type") == "array":
        return f"list of {_kind(document, found.get('items', {}))}"
    kind = found.get("type", "any value")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _example(document: dict[str, Any], content: dict[str, Any]) -> str:
    """Examples of a body or answer; empty if there are none."""
    schema = _resolved(document, content.get("schema", {}))
    several = [one.get("value") for one in content.get("examples", {}).values()]
    single = [content["example"]] if "example" in content else []
    found = several or single or schema.get("examples", [])
    shown = [
        one if isinstance(one, str) else json.dumps(one, indent=2, ensure_ascii=False)
        for one in found
    ]
    return "".join(f"<pre>{escape(text)}</pre>" for text in shown)


def _resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What a reference inside the document stands for."""
    if "$ref" not in part:
        return part
    found: Any = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    resolved: dict[str, Any] = found
    return resolved
