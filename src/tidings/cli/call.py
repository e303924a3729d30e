"""`tidings call`: any operation of the service by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidings.cli.connection import channel_key, service_command
from tidings.cli.options import commands
from tidings.cli.pairs import pairs
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()


@service_command(
    app,
    "tidings call see_channel channel=roads",
    "tidings call set_qos channel=roads proxy=billing Priority=3",
    "tidings call create_filter constraints:='[\"$rate > 50\"]'",
)
async def call(client: Client, operation: str = "", fields: list[str] | None = None) -> None:
    """Call any operation of the service; the answer is JSON.

    docs/operations.md lists the operations with their fields. Channels and proxies go by id or
    name.

    Options:
        operation <[OPERATION]>: Its name; none lists them all.
        fields <[FIELD=VALUE]...>: Its fields; FIELD:=JSON for lists.
    """
    from tidings.api.operations import answer_json, request_from
    from tidings.channel.catalogue import CATALOGUE, Shown

    known = {row.name: row for row in CATALOGUE if row.http}
    if not operation:
        render.table(("operation", "what it does"), [(n, r.summary) for n, r in known.items()])
        return
    row = known.get(operation)
    if row is None:
        raise InvalidUsage(
            f"no operation is named {operation!r:.60}; `tidings call` lists all of them"
        )
    request = request_from(row, await _with_ids(client, pairs(fields or ())))
    transport = client.transport
    answer: Any = await (transport.request(request) if row.is_question else transport.ask(request))
    if isinstance(row.answer, Shown):
        if not row.answer.part:
            render.as_json({"id": answer})
    elif row.answer is not None:
        render.as_json(answer_json(row, answer))


async def _with_ids(client: Client, given: dict[str, Any]) -> dict[str, Any]:
    """Replace the names of the channel and the proxy by ids."""
    from tidings.channel.questions import SeeChannel, SeeProxy

    found = dict(given)
    if isinstance(found.get("channel"), str):
        asked = SeeChannel(channel_key(found["channel"]))
        found["channel"] = (await client.transport.request(asked)).id
    if isinstance(found.get("proxy"), str) and isinstance(found.get("channel"), int):
        proxy = SeeProxy(found["channel"], channel_key(found["proxy"]))
        found["proxy"] = (await client.transport.request(proxy)).id
    return found
