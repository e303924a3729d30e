"""`tidings call`: any operation of the service by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidings.cli import render
from tidings.cli.connection import channel_key, service_command
from tidings.cli.options import Json, examples
from tidings.cli.pairs import pairs
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.channel.catalogue import Operation
    from tidings.client.client import Client


def _operations() -> dict[str, Operation]:
    from tidings.channel.catalogue import CATALOGUE

    return {row.name: row for row in CATALOGUE if row.http}


async def call(
    client: Client,
    operation: Annotated[
        str, typer.Argument(metavar="[OPERATION]", help="Its name; none lists them all.")
    ] = "",
    fields: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE]...", help="Its fields; FIELD:=JSON for lists."),
    ] = None,
    json: Json = False,
) -> None:
    """Call any operation of the service; the answer is JSON.

    docs/operations.md lists the operations with their fields. Channels and proxies go by id or
    name.
    """
    from tidings.api.operations import answer_json, request_from
    from tidings.channel.catalogue import Shown

    known = _operations()
    if not operation:
        render.table(("operation", "what it does"), [(n, r.summary) for n, r in known.items()])
        return
    row = known.get(operation)
    if row is None:
        raise InvalidUsage(
            f"no operation is named {operation!r:.60}; `tidings call` lists all of them"
        )
    given = await _with_ids(client, row, pairs(fields or ()))
    request = request_from(row, given)
    transport = client.transport
    answer: Any = await (transport.request(request) if row.is_question else transport.ask(request))
    if isinstance(row.answer, Shown):
        if not row.answer.part:
            render.as_json({"id": answer})
    elif row.answer is not None:
        render.as_json(answer_json(row, answer))


async def _with_ids(client: Client, row: Operation, given: dict[str, object]) -> dict[str, object]:
    """Replace the names of the channel and the proxy by ids."""
    from tidings.channel.questions import SeeChannel, SeeProxy

    found = dict(given)
    channel, proxy = found.get("channel"), found.get("proxy")
    if isinstance(channel, str):
        info = await client.transport.request(SeeChannel(channel_key(channel)))
        found["channel"] = info.id
    if isinstance(proxy, str) and isinstance(found.get("channel"), int):
        asked = SeeProxy(found["channel"], channel_key(proxy))  # type: ignore[arg-type]
        found["proxy"] = (await client.transport.request(asked)).id
    return found


def add_to(app: typer.Typer) -> None:
    """Add the command to the command tree."""
    service_command(
        app,
        epilog=examples(
            "tidings call see_channel channel=roads",
            "tidings call set_qos channel=roads proxy=billing Priority=3",
            "tidings call create_filter constraints:='[\"$rate > 50\"]'",
        ),
    )(call)
