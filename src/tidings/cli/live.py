"""`tidings live …`: objects whose newest state counts, and views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from tidings.api.live_frames import RATE
from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import commands, group, option
from tidings.cli.pairs import pairs
from tidings.errors import InvalidUsage
from tidings.events.codecs.json_values import value_from_plain, value_to_plain
from tidings.live import requests as r
from tidings.live.area import Area
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
live = group(app, "live", "Live objects: set them, and see them as they are now.")

Tag = Annotated[str, option("<TAG>", "The object's tag, such as flight/DLH4AB.")]
Pattern = Annotated[str, option("<[PATTERN]>", "The beginning of the tags; none for all.")]
Attributes = Annotated[
    list[str] | None,
    option("<[NAME=VALUE]...>", "Attributes; NAME:=JSON for lists and others."),
]

_PAGE = 1_000


@service_command(live, "tidings live set flight/DLH4AB latitude=47.1 longitude=15.4 height=3200")
async def set(client: Client, tag: Tag, attributes: Attributes = None) -> None:  # noqa: A001 -- its name on the command line
    """Set attributes of an object; one that does not exist yet is made."""
    given = {name: value_from_plain(value) for name, value in pairs(attributes or ()).items()}
    await client.set_objects({tag: given})
    render.result({"set": tag}, f"{tag} set")


@service_command(live, "tidings live show flight/ --filter '$height > 3000' --area 46,14,48,17")
async def show(
    client: Client,
    pattern: Pattern = "",
    filter: str = "",
    area: str = "",
    attributes: list[str] | None = None,
) -> None:
    """Show objects as they are now.

    Options:
        filter CONSTRAINT: What is true of them; $tag is the tag.
        area SOUTH,WEST,NORTH,EAST: Where they are, in degrees.
        attributes --attribute NAME: Only this attribute. Repeatable.
    """
    found: list[Any] = []
    while not found or len(found) % _PAGE == 0:
        after = found[-1].number if found else 0
        asked = r.SeeLiveObjects(pattern, _area(area), filter, attributes, after, _PAGE)
        page = await client.transport.request(asked)
        found += page
        if not page:
            break
    rows = [(one.tag, showing.values_text(one.attributes)) for one in found]
    data = map(showing.as_data, found)
    render.listing(("object", "attributes"), rows, (), data, "there is no such object")


@service_command(live, "tidings live watch flight/ --attribute height --most 10")
async def watch(
    client: Client,
    pattern: Pattern = "",
    filter: str = "",
    area: str = "",
    attributes: list[str] | None = None,
    rate: float = RATE,
    most: int | None = None,
) -> None:
    """Show objects as they are, and again when they change, until Ctrl-C.

    Options:
        filter CONSTRAINT: What is true of them; $tag is the tag.
        area SOUTH,WEST,NORTH,EAST: Where they are, in degrees.
        attributes --attribute NAME: Only this attribute. Repeatable.
        rate N: How often something is shown, times a second at most.
        most N: End after so many lines.
    """
    shown, left = _area(area), most
    looking = client.look(pattern, area=shown, filter=filter, attributes=attributes, rate=rate)
    async with looking as view:
        async for seen in view:
            lines = [("-", tag) for tag in seen.left]
            lines += [("+", tag) for tag in seen.entered] + [("*", tag) for tag in seen.changed]
            for sign, tag in sorted(lines, key=lambda line: line[1])[:left]:
                values = view.objects.get(tag, {})
                plain = {name: value_to_plain(value) for name, value in values.items()}
                data = {"change": _WORDS[sign], "tag": tag, "attributes": plain}
                render.result(data, f"{sign} {tag} {showing.values_text(values)}".rstrip())
            if left is not None and (left := left - len(lines)) <= 0:
                return


_WORDS = {"+": "entered", "*": "changed", "-": "left"}


@service_command(live, "tidings live delete flight/DLH4AB", "tidings live delete flight/ --all")
async def delete(client: Client, tag: Tag, every: bool = False) -> None:
    """Delete an object, or all whose tags begin so.

    Options:
        every --all: Delete all whose tags begin with TAG.
    """
    if every:
        count = await client.transport.request(r.DeleteObjects(tag))
        render.result({"deleted": count}, f"{count} object{'' if count == 1 else 's'} deleted")
    else:
        await client.transport.ask(r.DeleteObject(tag))
        render.result({"deleted": 1}, f"{tag} deleted")


def _area(text: str) -> Area | None:
    if not text:
        return None
    try:
        south, west, north, east = map(float, text.split(","))
    except ValueError:
        raise InvalidUsage(
            f"--area {text}: it is SOUTH,WEST,NORTH,EAST in degrees, such as 46,14,48,17"
        ) from None
    return Area(south, west, north, east)
