"""`tidings demo changes --bounded`: a bank goes through all kinds of change, in every format."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from lxml import etree

from tidings.apps.demo_service import DemoService
from tidings.apps.subscriber_agent.bank import STORY, Bank, set_up
from tidings.changes.model import ChangeKind, Notice, TimeIndicator
from tidings.changes.notice_event import event_of, value_of
from tidings.changes.requests import (
    AddSubscriberFilter,
    ConnectProxySubscriber,
    CreateProxySubscriber,
    FilterContent,
    ProxyType,
    PullNotices,
    RegisterSubscriber,
    SetSubscriberQoS,
    TraderFilter,
)
from tidings.changes.xml import notice_html, write_notice
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.clock import SystemClock, from_timebase, moment_text
from tidings.errors import TidingsError
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_values import value_to_plain
from tidings.terminal import render

MOST_SECONDS: Final = 60.0
"""After so long the story has failed."""
SUBSCRIBER: Final = "reader"
BATCH: Final = 2
_WAIT_MS: Final = 30_000
_SHOWN_LINES: Final = 40
_WORDS: Final = {
    ChangeKind.CHANGE_TYPE: "its type changes",
    ChangeKind.CHANGE_PROPERTY_VAL: "its properties change",
    ChangeKind.REMOVAL_SERVICE: "it is removed",
    ChangeKind.INSTANTIATION_SERVICE: "it is new",
}
_TYPES: Final = (ProxyType.PULL_STRUCTURED, ProxyType.PULL_STRUCTURED_SEQUENCE, ProxyType.PULL_XML)


class ChangesShow:
    """One run of the story; its data is in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._service = DemoService(folder)

    def play(self) -> bool:
        """Play the story; return whether every format told all of it, and nothing else."""
        return asyncio.run(self._played())

    async def _played(self) -> bool:
        try:
            async with asyncio.timeout(MOST_SECONDS), self._service as service:
                await service.start()
                async with await connect(service.url) as client:
                    return await tell_story(client)
        except TimeoutError as error:
            raise TidingsError(f"the story has not ended within {MOST_SECONDS:.0f} s") from error


async def tell_story(client: Client) -> bool:
    """Play the story on a service; return whether every format told all of it."""
    render.heading("A subscriber for banks, with a proxy for each format")
    await set_up(client)
    proxies = await _subscribe(client)
    for type_, proxy in proxies.items():
        render.say(f"  {proxy}  {type_.name}")
    render.heading("The bank changes; each change is announced before it is made")
    await _change(client)
    found = {type_: await _taken(client, type_, proxy) for type_, proxy in proxies.items()}
    _show_formats(found)
    return show_check(found)


async def _subscribe(client: Client) -> dict[ProxyType, str]:
    ask = client.transport.ask
    await client.transport.request(RegisterSubscriber(SUBSCRIBER))
    picked = FilterContent(services=(TraderFilter("Bank"), TraderFilter("Bank_2")))
    await ask(AddSubscriberFilter(SUBSCRIBER, picked))
    proxies = {type_: await ask(CreateProxySubscriber(SUBSCRIBER, type_)) for type_ in _TYPES}
    batch = proxies[ProxyType.PULL_STRUCTURED_SEQUENCE]
    await ask(SetSubscriberQoS(SUBSCRIBER, {"MaximumBatchSize": BATCH}, batch))
    for proxy in proxies.values():
        await ask(ConnectProxySubscriber(SUBSCRIBER, proxy))
    return proxies


async def _change(client: Client) -> None:
    bank, clock = Bank(client), SystemClock()
    for kind in STORY:
        notice = await bank.announce(kind, clock.now())
        render.say(f"  {notice}  announced: {_WORDS[kind]}")
        await bank.make(kind)
        render.say(f"       made, now {bank.offer or 'no offer'}")


async def _taken(client: Client, type_: ProxyType, proxy: str) -> list[tuple[Notice, ...]]:
    """Take what a proxy has, until all of the story is there or nothing comes any more."""
    found: list[tuple[Notice, ...]] = []
    while sum(map(len, found)) < 2 * len(STORY):
        most = BATCH if type_.is_sequence else 1
        batch = await client.transport.request(PullNotices(SUBSCRIBER, proxy, most, _WAIT_MS))
        if not batch:
            break
        found.append(batch)
    return found


def _show_formats(found: dict[ProxyType, list[tuple[Notice, ...]]]) -> None:
    structured = [one for batch in found[ProxyType.PULL_STRUCTURED] for one in batch]
    shown = next((one for one in structured if one.kind is ChangeKind.CHANGE_TYPE), None)
    if shown is None:
        return
    render.heading(f"{shown.id} as a structured event")
    event = event_of(shown)
    plain = {name: value_to_plain(one) for name, one in event.data.items()}
    rows = [("event type", f"{event.domain}::{event.type}"), ("event name", event.name)]
    rows += [(f"header {name}", _header_text(one)) for name, one in event.header.items()]
    rows += [(f"data {name}", json.dumps(one)) for name, one in plain.items()]
    parts = ", ".join(value_of(shown))
    render.table(("part", "value"), [*rows, ("body", f"the whole notice: {parts}")])
    render.heading("As sequences")
    for batch in found[ProxyType.PULL_STRUCTURED_SEQUENCE]:
        render.say("  " + ", ".join(f"{one.id} {_short(one)}" for one in batch))
    xml = write_notice(shown)
    render.heading(f"{shown.id} as XML")
    _say_lines(xml.splitlines())
    render.heading(f"{shown.id} as an HTML document: what is marked in it")
    render.table(("part", "definition", "mark"), marked_rows(notice_html(xml)))
    render.heading("What differs, in words")
    for one in shown.differences:
        render.say(f"  {'fits  ' if one.compatible else 'breaks'}  {one.where}: {one.text}")


def _header_text(value: Value) -> str:
    if isinstance(value, AnyValue):  # StopTime: a struct whose first member is the time
        [units, *_] = cast("tuple[int, ...]", value.value)
        return moment_text(from_timebase(units))
    return str(value)


def marked_rows(document: str) -> list[tuple[str, str, str]]:
    """Return what an HTML document of a notice marks as added, removed or changed."""
    rows = etree.fromstring(document, etree.HTMLParser()).iter("tr")
    cells = [[" ".join(map(str, each.itertext())).strip() for each in row] for row in rows]
    found = [(one[0], one[1], one[2]) for one in cells if len(one) == 3]
    return [one for one in found if one[2] in ("added", "removed", "changed")]


def _short(one: Notice) -> str:
    return f"{one.kind.name} {one.time_indicator.name}"


def _say_lines(lines: Sequence[str]) -> None:
    for line in lines[:_SHOWN_LINES]:
        render.say(f"  {line}")
    if len(lines) > _SHOWN_LINES:
        render.say(f"  and {len(lines) - _SHOWN_LINES} more lines")


def show_check(found: dict[ProxyType, list[tuple[Notice, ...]]]) -> bool:
    """Show whether each format told all of the story, in order and nothing else; return that."""
    expected = [(kind, time) for kind in STORY for time in TimeIndicator]
    render.heading("The check")
    holds = True
    rows = []
    for type_, batches in found.items():
        told = [(one.kind, one.time_indicator) for batch in batches for one in batch]
        right = told == expected
        holds = holds and right
        rows.append((type_.name, str(len(told)), str(len(expected)), "yes" if right else "NO"))
    render.table(("format", "notices", "expected", "all, in order"), rows, (1, 2))
    return holds
