"""The API's document as a page for people."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any, Final

from starlette.responses import HTMLResponse

from tidings.web.pages import page, row, table

# Members of members are shown so deep; what lies below is in the OpenAPI document.
_DEPTH: Final = 2


def docs_page(document: dict[str, Any]) -> HTMLResponse:
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
    nav, main = "\n".join(contents), "\n".join(parts)
    return page(title, f'<div class="sides"><nav>{nav}</nav>\n<main>{main}</main></div>')


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
    parts = [
        f'<section id="{escape(operation["operationId"])}">',
        f"<h3>{_badge(method)} <code>{escape(path)}</code></h3>",
        f"<p><strong>{escape(operation.get('summary', ''))}</strong></p>",
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
