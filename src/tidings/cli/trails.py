"""`tidings trail`: what would happen to an event, or what became of one, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.channel.questions import SeeFilter
from tidings.cli import showing
from tidings.cli.connection import Channel, channel_key, service_command
from tidings.cli.options import Format, commands, option, tell_if_waiting
from tidings.cli.pairs import HEADER_AND_LINES, Header, JsonLines, Words, event_of
from tidings.cli.reading import EventReader
from tidings.errors import InvalidUsage, NotFound
from tidings.events.fields import Fields, fields_of
from tidings.filters.explain import explain
from tidings.terminal import render
from tidings.terminal.render import Mark, TreeNode
from tidings.terminal.why import tree_of

if TYPE_CHECKING:
    from tidings.channel.fate import EventCopy, Fate
    from tidings.channel.trail import Step, Trail
    from tidings.channel.views import ProxyInfo
    from tidings.client.client import Client
    from tidings.client.managing import Channel as ChannelHandle
    from tidings.events.structured import StructuredEvent
    from tidings.filters.constraint import Constraint

# Most consumers explained; each needs a request for its filters.
_CONSUMERS: Final = 20
_CONSTRAINTS: Final = 5

_PAGE: Final = 1_000

Number = Annotated[int | None, option("--number N", "Of the accepted event with this number.")]

app = commands()


@service_command(
    app,
    "tidings trail auction Auction::offer Emma price=12",
    "tidings trail auction --json-lines event.json",
    "tidings trail auction --number 41",
)
async def trail(
    client: Client,
    channel: Channel,
    event: Words = None,
    header: Header = None,
    json_lines: JsonLines = None,
    format_: Format = "json",
    number: Number = None,
) -> None:
    """Tell what would become of an event and why, or what became of an accepted one.

    Each stage stands with its verdict and the reason, and below a consumer that does not get the
    event, its constraints with what they found. Nothing is published. The event is judged as if it
    came through a supplier without filters.

    With --number it tells what became of every copy of the event with that number, as far as the
    journal knows.

    With --json each event gives the trail, or the fate, as the API tells it.

    Exit code: 0 everything was told, 2 something could not be read.
    """
    if number is None:
        await show_trails(client, channel, event or [], header, json_lines, format_)
        return
    if event or header or json_lines:
        raise InvalidUsage("--number names an accepted event: leave out the event and its options")
    await _show_fate(await client.channel(channel_key(channel)), number)


async def show_trails(
    client: Client,
    channel: str,
    words: Sequence[str],
    header: Sequence[str] | None,
    json_lines: Sequence[str] | None,
    format_: str,
) -> None:
    """Show the trails of an event from words, or of all events of files."""
    found = await client.channel(channel_key(channel))
    reader = EventReader(format_)
    given = _events(words, header or (), json_lines or (), reader)
    proxies = {info.id: info for info in await found.proxies()}
    reasons = Reasons(client, proxies)
    names = {id: showing.named(info) for id, info in proxies.items()}
    for number, event in enumerate(given):
        told = await found.dry_run(event)
        if render.is_json():
            render.as_json(showing.as_data(told))
            continue
        if number:
            render.say()
        tree = _tree(told, names, await reasons.of(event, told))
        render.explanation(verdict(told), told.accepted, showing.title(event), tree)
    if reader.bad:
        raise typer.Exit(2)


def _events(
    words: Sequence[str], header: Sequence[str], json_lines: Sequence[str], reader: EventReader
) -> Iterator[StructuredEvent]:
    if not json_lines:
        yield event_of(words, header)
        return
    if header:
        raise InvalidUsage(HEADER_AND_LINES)
    sources = [*json_lines, *words]
    tell_if_waiting(sources, "events")
    for source in sources:
        yield from (event for _, event in reader.events_in(source))


def verdict(told: Trail) -> str:
    """Return the answer in one line."""
    if not told.accepted:
        return f"not accepted: {told.steps[-1].reason}"
    consumers = [step for step in told.steps if step.stage == "consumer"]
    if not consumers:
        return "accepted, and there are no consumers"
    return f"accepted, for {len(told.recipients)} of {len(consumers)} consumers"


def _tree(told: Trail, names: dict[int, str], why: dict[int, tuple[TreeNode, ...]]) -> TreeNode:
    parts = tuple(_stage(step, names, why) for step in told.steps)
    return TreeNode(f"rules of version {told.plan}", "", parts, _mark(told.accepted))


def _mark(passed: bool) -> Mark:
    return Mark.TRUE if passed else Mark.FALSE


def _stage(step: Step, names: dict[int, str], why: dict[int, tuple[TreeNode, ...]]) -> TreeNode:
    whose = "" if step.proxy is None else f" {names.get(step.proxy, step.proxy)}"
    parts = why.get(step.proxy, ()) if step.proxy is not None and not step.passed else ()
    notes = [step.reason]
    if step.priority or (step.stage == "header" and step.priority is not None):
        notes.append(f"priority {step.priority}")
    if step.start is not None:
        notes.append(f"not before {showing.moment_text(step.start)}")
    if step.expiry is not None:
        notes.append(f"until {showing.moment_text(step.expiry)}")
    return TreeNode(f"{step.stage}{whose}", ", ".join(notes), parts, _mark(step.passed))


class Reasons:
    """Explanations of the constraints of consumers (by id) that an event does not reach."""

    def __init__(self, client: Client, proxies: Mapping[int, ProxyInfo]) -> None:
        self._client = client
        self._proxies = proxies
        self._known: dict[int, list[Constraint]] = {}

    async def of(self, event: StructuredEvent, told: Trail) -> dict[int, tuple[TreeNode, ...]]:
        """Return the explained constraints by consumer, only where none matches."""
        consumers = [step for step in told.steps if step.stage == "consumer"]
        stopped = [step.proxy for step in consumers if not step.passed]
        fields = fields_of(event, told.now)
        found: dict[int, tuple[TreeNode, ...]] = {}
        for id in stopped[:_CONSUMERS]:
            info = self._proxies.get(id) if id is not None else None
            if info is None:
                continue
            asked = [one for id in sorted(info.filters.values()) for one in await self._of(id)]
            if asked and not any(one.matches(fields) for one in asked):
                found[info.id] = _trees(asked, fields)
        return found

    async def _of(self, id: int) -> list[Constraint]:
        if id not in self._known:
            try:
                info = await self._client.transport.request(SeeFilter(id))
            except NotFound:  # deleted meanwhile
                return []
            constraints: Mapping[int, Constraint] = getattr(info, "constraints", {})
            self._known[id] = [one for _, one in sorted(constraints.items())]
        return self._known[id]


def _trees(asked: Iterable[Constraint], fields: Fields) -> tuple[TreeNode, ...]:
    trees = [_explained(one, fields) for one in asked]
    if len(trees) > _CONSTRAINTS:
        trees[_CONSTRAINTS:] = [TreeNode(f"and {len(trees) - _CONSTRAINTS} more", mark=Mark.FALSE)]
    return tuple(trees)


def _explained(asked: Constraint, fields: Fields) -> TreeNode:
    if asked.is_tried(*fields.event_type):
        return tree_of(explain(asked, fields))
    types = ", ".join(f"{one.domain}::{one.type}" for one in asked.event_types)
    return TreeNode(asked.text or "TRUE", f"only asked of {types}", mark=Mark.FALSE)


async def _show_fate(channel: ChannelHandle, number: int) -> None:
    """Show what became of every copy of an event."""
    found = await _whole_fate(channel, number)
    if render.is_json():
        render.as_json(showing.as_data(found))
        return
    counts = [f"{count} {_words(state)}" for state, count in found.counts.items()]
    render.say(f"event {number}: {', '.join(counts) or 'no copies are known'}", "bold")
    if found.arrival is not None:
        at = showing.moment_text(found.arrival)
        render.say(f"  accepted {at} under rules of version {found.plan}", "dim")
    if found.copies:
        render.say()
    render.marked([_copy(one) for one in found.copies])
    for sentence in found.unknown:
        render.note(sentence)


async def _whole_fate(channel: ChannelHandle, number: int) -> Fate:
    """Return a fate with all copies, once the journal was read as far as needed."""
    found = await channel.fate(number, most=_PAGE)
    while not found.complete:
        found = await channel.fate(number, most=_PAGE)
    copies = page = found.copies
    while len(page) == _PAGE:
        page = (await channel.fate(number, page[-1].proxy, _PAGE)).copies
        copies += page
    return replace(found, copies=copies)


def _copy(copy: EventCopy) -> TreeNode:
    endings = [*((one.state, one.at) for one in copy.earlier), (copy.state, copy.at)]
    notes = [
        _words(state) + ("" if at is None else f" {showing.moment_text(at)}")
        for state, at in endings
    ]
    if copy.letter is not None:
        notes.append(f"dead letter {copy.letter}")
    mark = _MARKS.get(copy.state, Mark.FALSE)
    return TreeNode(f"consumer {copy.name or copy.proxy}", ", ".join(notes), mark=mark)


_MARKS: Final[Mapping[str, Mark]] = {
    "delivered": Mark.TRUE,
    **dict.fromkeys(("waiting", "in_flight", "not_recorded", "not_found"), Mark.SKIPPED),
}


def _words(state: str) -> str:
    return state.replace("_", " ")
