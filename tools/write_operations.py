"""Writes docs/operations.md from the operation catalogue; a test compares the two."""

from __future__ import annotations

import re
from pathlib import Path

from tidings.api.operations import body_fields
from tidings.channel.catalogue import CATALOGUE, Named, Operation, Shown, described

PAGE = Path(__file__).parent.parent / "docs" / "operations.md"

_HEAD = """\
# Operations

<!-- Written by tools/write_operations.py from the operation catalogue. Change the catalogue. -->

Every operation of the service, the same through every door.

- Over HTTP, paths begin with `/v1`; `/v1/openapi.json` has the schemas ([HTTP](api.md)).
- On the command line, `tidings call OPERATION FIELD=VALUE …` calls any of them ([CLI](cli.md)).
- In Python, the client has methods for them ([client](client.md)).
- Events flow over connections of their own, and are not on this page: publish, subscribe, pull,
  tail and history.

*Repeatable* says whether a client may send the request again when it does not know whether the
first one was carried out. *Durable* says that the effect is on the disk before the answer.
"""
_GROUPS = {
    "channels": "Channels",
    "admins": "Admins",
    "proxies": "Proxies",
    "": "Channels, admins and proxies alike",
    "filters": "Filters",
    "dead letters": "Dead letters",
    "overview": "The service",
    "access": "Access",
    "jobs": "Jobs over the archive",
    "trader": "The trader",
    "service changes": "Changes of services",
    "interfaces": "Interfaces",
    "live": "Live objects",
    "events": "Events",
}
_PLACE = "- `channel`, and `side` with `admin`, or `proxy`: the object.\n"
_FIELDS = {
    "admin": "The admin's id; 0 is the default one.",
    "attachment": "The attachment's id.",
    "channel": "The channel, by id or name.",
    "filter": "The filter's id.",
    "id": "The dead letter's id.",
    "job": "The job's id.",
    "properties": "Values by name, such as `Priority`.",
    "proxy": "The proxy, by id or name.",
    "iterator": "The iterator's id.",
    "link": "The link's name.",
    "object": "The object's tag, such as `flight/DLH4AB`.",
    "offer": "The offer's id, such as `Office::Printer/7`.",
    "type": "The service type's name.",
    "side": "`supplier` or `consumer`.",
}


def page() -> str:
    """The whole page."""
    rows = [row for row in CATALOGUE if row.http]
    groups = [
        f"\n## {title}\n{''.join(_section(row) for row in rows if row.tag == tag)}"
        for tag, title in _GROUPS.items()
    ]
    return _HEAD + "".join(groups)


def _section(row: Operation) -> str:
    lines = [f"\n### {row.name}\n\n{row.text}\n\n", f"- HTTP: `{row.http}`\n"]
    if row.corba:
        lines.append(f"- CORBA: `{row.corba}`\n")
    lines.append(f"- Needs the right to {row.right.value}.\n".replace("to nobody", "of nobody"))
    repeatable = "yes" if row.safe else "no"
    lines.append(f"- Repeatable: {repeatable}. Durable: {'yes' if row.lasts else 'no'}.\n")
    answer = row.answer_text or _answer(row)
    if answer:
        lines.append(f"- Answer: {answer}\n")
    return "".join(lines) + _fields(row)


def _answer(row: Operation) -> str:
    if isinstance(row.answer, Named):
        return f"`{row.answer.name}`."
    if isinstance(row.answer, Shown):
        return f"{row.answer.part} as it is now." if row.answer.part else ""
    return ""


def _fields(row: Operation) -> str:
    told = described(row.request)[1]
    lines = [_PLACE] if "place" in row.fields else []
    in_path = re.findall(r"{(\w+)}", row.path)
    for name in row.fields:
        if name in body_fields(row) or name in in_path:
            text = told.get(name) or _FIELDS.get(name, "")
            lines.append(f"- `{row.renamed.get(name, name)}`{f': {text}' if text else ''}\n")
    return f"\nFields:\n\n{''.join(lines)}" if lines else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE} written")
