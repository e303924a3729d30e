"""`tidings trader …`: service types, offers and queries of the service's trader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import commands, group, option
from tidings.cli.pairs import pairs
from tidings.cli.reading import opened, shown_name
from tidings.errors import InvalidEvent, InvalidUsage, ServiceTypeExists
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.codecs.json_values import TYPE, value_from_plain
from tidings.events.typetext import describe
from tidings.terminal import render
from tidings.trader import requests as r
from tidings.trader.model import PropertyDef, PropertyMode
from tidings.trader.text import property_of, read_service_types

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
trader = group(app, "trader", "What services are offered, and who offers what somebody needs.")

TypeName = Annotated[str, option("<TYPE>", "The service type, such as Office::Printer.")]
OfferName = Annotated[str, option("<OFFER>", "The offer's id, such as Office::Printer/7.")]
Properties = Annotated[
    list[str] | None,
    option("<[NAME=VALUE]...>", "Properties of the offer; NAME:=JSON for lists and others."),
]

File = Annotated[str, option("<FILE>", "Service types as text; - reads standard input.")]

_MODES: Final = ("mandatory", "readonly")
_PAGE: Final = 1_000
_MOST_TEXT: Final = 16 * 1024 * 1024


def _property_text(one: PropertyDef) -> str:
    modes = [word for word in _MODES if one.mode & PropertyMode[word.upper()]]
    return " ".join((*modes, describe(one.value_type), one.name))


@service_command(
    trader,
    "tidings trader add Office::Printer --interface IDL:office/Printer:1.0 "
    "--property 'mandatory double cost' --property 'sequence<string> features'",
)
async def add(
    client: Client,
    name: TypeName,
    interface: str = "",
    properties: list[str] | None = None,
    super_types: list[str] | None = None,
) -> None:
    """Add a service type.

    Options:
        interface ID: The interface of the offered objects.
        properties --property '[mandatory] [readonly] TYPE NAME': A property that it declares.
            Repeatable.
        super_types --super TYPE: A service type that it is derived from. Repeatable.
    """
    declared = tuple(map(property_of, properties or ()))
    asked = r.AddServiceType(name, interface, declared, tuple(super_types or ()))
    incarnation = await client.transport.ask(asked)
    render.result({"incarnation": incarnation}, f"service type {name} added")


@service_command(trader, "tidings trader load office.types")
async def load(client: Client, file: File) -> None:
    """Add the service types of a file, one after the other; docs/trader.md has the form.

    Types that are there already are left as they are.
    """
    added = []
    for asked in read_service_types(_text_of(file)):
        try:
            await client.transport.ask(asked)
        except ServiceTypeExists as error:
            render.note(str(error))
        else:
            added.append(asked.name)
    render.result({"added": added}, f"added: {', '.join(added) or 'nothing'}")


def _text_of(source: str) -> str:
    with opened(source) as stream:
        octets = stream.read(_MOST_TEXT)
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        raise InvalidUsage(f"{shown_name(source)}: it is not text in UTF-8") from error


@service_command(trader, "tidings trader types")
async def types(client: Client) -> None:
    """List the service types with their properties."""
    found = await client.transport.request(r.SeeServiceTypes())
    rows = [
        (
            one.name,
            ", ".join(one.super_types),
            "; ".join(map(_property_text, one.properties)),
            "masked" if one.masked else "",
        )
        for one in found
    ]
    headings = ("type", "derived from", "properties", "")
    none = "there are no service types; `tidings trader add` makes one"
    render.listing(headings, rows, (), map(showing.as_data, found), none)


@service_command(
    trader, "tidings trader export Office::Printer corbaloc::10.0.0.9:2809/printer-7 cost=12.5"
)
async def export(
    client: Client, type: TypeName, reference: str, properties: Properties = None
) -> None:
    """Export an offer; numbers get the types that the service type declares.

    Options:
        reference <REFERENCE>: The offered object: IOR:…, corbaloc:… or another URI.
    """
    full = await client.transport.request(r.SeeFullServiceType(type))
    declared = {one.name: one for one in full.properties}
    given = {
        name: _typed(name, declared.get(name), value)
        for name, value in pairs(properties or ()).items()
    }
    id = await client.transport.ask(r.ExportOffer(type, reference, given))
    render.result({"offer": id}, f"offer {id} exported")


def _typed(name: str, declared: PropertyDef | None, value: object) -> Any:  # noqa: ANN401
    """Return a value of the declared type, unless it says its own."""
    is_marked = isinstance(value, Mapping) and TYPE in value
    try:
        if declared is None or is_marked:
            return value_from_plain(value)
        return AnyValue(declared.value_type, value_from_plain(value))
    except InvalidEvent as error:
        raise error.inside(name) from error.__cause__


@service_command(trader, "tidings trader withdraw Office::Printer/7")
async def withdraw(client: Client, offer: OfferName) -> None:
    """Withdraw an offer."""
    await client.transport.ask(r.WithdrawOffer(offer))
    render.result({"withdrawn": offer}, f"offer {offer} withdrawn")


@service_command(trader, "tidings trader offers")
async def offers(client: Client) -> None:
    """List all offers, in the order of their export."""
    found: list[r.OfferInfo] = []
    while True:
        last = int(found[-1].id.rpartition("/")[2]) if found else 0
        page = await client.transport.request(r.SeeOffers(last, _PAGE))
        found += page
        if len(page) < _PAGE:
            break
    _list(found, "there are no offers; `tidings trader export` makes one")


@service_command(
    trader, "tidings trader query Office::Printer \"cost < 20 and 'duplex' in features\""
)
async def query(
    client: Client, type: TypeName, constraint: str = "", prefer: str = "", most: int = 100
) -> None:
    """Find offers of a service type and its subtypes.

    Options:
        constraint <[CONSTRAINT]>: What they must match; none for all.
        prefer PREFERENCE: Which come first: 'max EXPRESSION', 'min EXPRESSION',
            'with CONSTRAINT', random, or first.
        most N: At most so many.
    """
    asked = r.QueryOffers(type, constraint, prefer, {"return_card": most}, None, most)
    answer = await client.transport.request(asked)
    found, after = list(answer.offers), 0
    while answer.iterator is not None and len(found) < len(answer.offers) + answer.left:
        page = await client.transport.request(r.SeeFoundOffers(answer.iterator, after, _PAGE))
        found += page.offers
        after = page.next
        if not page.left:
            await client.transport.ask(r.EndIterator(answer.iterator))
            break
    _list(found, "no offer matches")
    for one in (*answer.notes, *(f"cut off by {limit}" for limit in answer.limits)):
        render.note(one)


def _list(found: list[r.OfferInfo], none: str) -> None:
    data = [showing.as_data(one) for one in found]
    rows = [
        (
            one.id or f"(link {one.link})",
            one.reference,
            " ".join(f"{name}={_shown(value)}" for name, value in plain["properties"].items()),
        )
        for one, plain in zip(found, data, strict=True)
    ]
    render.listing(("offer", "reference", "properties"), rows, (), data, none)


def _shown(plain: Any) -> str:  # noqa: ANN401 -- JSON
    if isinstance(plain, dict) and TYPE in plain:
        plain = plain["value"]
    return ",".join(map(str, plain)) if isinstance(plain, list) else str(plain)
