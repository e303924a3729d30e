"""The API's document as a page for people."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from starlette.responses import HTMLResponse

from tidings.web.pages import page, row, table

__all__ = ["docs_page"]


def docs_page(document: dict[str, Any]) -> HTMLResponse:
    """A page that shows an OpenAPI document: every operation, with examples and answers."""
    parts = [_text(document["info"].get("description", "")), _contents(document)]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts.append(_operation(document, path, method, operation))
    title = f"{document['info']['title']} {document['info']['version']}: API"
    return page(title, "\n".join(parts))


def _text(text: str) -> str:
    """Text with lists and code marked as in Markdown, as HTML."""
    parts = []
    for block in text.strip().split("\n\n"):
        shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(block))
        if shown.startswith("* "):
            items = shown.removeprefix("* ").split("\n* ")
            parts.append("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>")
        else:
            parts.append(f"<p>{shown}</p>")
    return "\n".join(parts)


def _contents(document: dict[str, Any]) -> str:
    by_tag: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            anchor = escape(operation["operationId"])
            told = f"<code>{method.upper()} {escape(path)}</code>"
            summary = escape(operation.get("summary", ""))
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).append(f'<li><a href="#{anchor}">{told}</a> {summary}</li>')
    return "".join(
        f"<h2>{escape(tag.capitalize())}</h2><ul>{''.join(items)}</ul>"
        for tag, items in by_tag.items()
    )


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> str:
    parts = [
        f'<section id="{escape(operation["operationId"])}">',
        f"<h3><code>{method.upper()} {escape(path)}</code></h3>",
        f"<p><strong>{escape(operation.get('summary', ''))}</strong></p>",
        _text(operation.get("description", "")),
    ]
    given = operation.get("parameters")
    if given:
        rows = [row(one["name"], one["in"], one.get("description", "")) for one in given]
        parts.append(table(("Parameter", "In", ""), rows))
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<p>Body: <code>{escape(media)}</code></p>{_example(document, content)}")
    parts.append(_answers(document, operation["responses"]))
    parts.append("</section>")
    return "".join(parts)


def _answers(document: dict[str, Any], answers: dict[str, Any]) -> str:
    rows, examples = [], []
    for status, answer in sorted(answers.items()):
        shown = _resolved(document, answer)
        media = ", ".join(shown.get("content", {}))
        rows.append(row(status, shown.get("description", ""), media))
        if status < "300":
            examples += [_example(document, one) for one in shown.get("content", {}).values()]
    return table(("Answer", "", ""), rows) + "".join(examples)


def _example(document: dict[str, Any], content: dict[str, Any]) -> str:
    """An example of a body or answer; empty if there is none."""
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
