"""The decision trail of one event: each stage, its verdict and the reason.

`DryRun` goes the way of a real event (`SupplierProxy.quality_of`, `Router.match`,
`ConsumerProxy.view_of`) and notes what it sees; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tidings.channel.commands import Push
from tidings.channel.entries import NEVER, Entry
from tidings.channel.qos_check import header_values
from tidings.channel.translation import approximate_octets, entered
from tidings.channel.vocabulary import Form, Item, Side, Style
from tidings.errors import InvalidEvent, TidingsError
from tidings.events.fields import Fields, fields_for
from tidings.events.standard_header import with_standard_types

if TYPE_CHECKING:  # clients have a trail without the core
    from tidings.channel.channel import Channel
    from tidings.channel.consumer import ConsumerProxy
    from tidings.channel.holders import Proxy
    from tidings.channel.supplier import Quality, SupplierProxy

Stage: TypeAlias = Literal["supplier", "header", "channel", "consumer"]


@dataclass(frozen=True, slots=True)
class Step:
    """One decision.

    Attributes:
        stage: Where.
        proxy: Whose, if it is about a proxy.
        passed: Whether the event goes on from here.
        reason: Why.
        priority: At a consumer that gets it: with which priority; at the header: as it says.
        expiry: Likewise until when, microseconds since 1970; None for ever.
        start: Likewise not before; None for at once.
    """

    stage: Stage
    proxy: int | None
    passed: bool
    reason: str
    priority: int | None = None
    expiry: int | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Trail:
    """All decisions on one event.

    Attributes:
        plan: Version of the rules.
        now: When it was judged, microseconds since 1970.
        accepted: Whether the channel takes it.
        recipients: Ids of the consumers' proxies that get it.
        steps: The decisions in order.
    """

    plan: int
    now: int
    accepted: bool
    recipients: tuple[int, ...]
    steps: tuple[Step, ...]


class Traced(int):
    """The number of an event that was pushed with `trail`, and its trail."""

    trail: Trail

    @classmethod
    def of(cls, seq: int, trail: Trail) -> Traced:
        """A number with a trail."""
        made = cls(seq)
        made.trail = trail
        return made


def traced_push(channel: Channel, command: Push, now: int) -> list[int | TidingsError]:
    """Take events in one by one, each with the trail of the very decisions that are made."""
    supplier = channel.supplier_of(command)
    answers: list[int | TidingsError] = []
    for at, item in enumerate(command.items):
        marks = None if command.marks is None else command.marks[at : at + 1]
        try:
            known = channel.marks.seen(marks[0]) if marks else None
            if known is not None:  # nothing is decided about it again
                answers.append(known)
                continue
            trail = dry_run(channel, item, supplier, now)
        except TidingsError as error:
            answers.append(error)
            continue
        [answer] = channel.take_in(supplier, (item,), marks, command.hops, now)
        answers.append(answer if isinstance(answer, TidingsError) else Traced.of(answer, trail))
    return answers


def dry_run(channel: Channel, item: Item, supplier: SupplierProxy | None, now: int) -> Trail:
    """What would become of an event."""
    from tidings.channel.consumer import ConsumerProxy

    core = channel.core
    event = entered(item, unwrap=True)
    wall = now + core.offset
    steps: list[Step] = []

    def ended(step: Step) -> Trail:
        return Trail(channel.plan.version, wall, False, (), (*steps, step))

    try:
        event = with_standard_types(event)
        fields = fields_for(event, wall)
        if supplier is not None:
            step = _judged(channel, supplier, fields)
            if not step.passed:
                return ended(step)
            steps.append(step)
        judged_by = supplier or _supplier(channel)
        quality = judged_by.quality_of(event.header, now)
    except InvalidEvent as error:
        return ended(Step("header", None, False, str(error)))
    steps += _header(event.header, judged_by, quality)
    octets = approximate_octets(event)
    too_large = octets > core.settings.limits.event_octets
    full = not channel.room_for(1)
    reason = "too large" if too_large else "MaxQueueLength is reached" if full else "there is room"
    step = Step("channel", None, not (too_large or full), reason)
    if not step.passed:
        return ended(step)
    steps.append(step)
    recipients = {proxy.id: proxy for proxy in channel.router.match(fields)}
    for proxy in channel.proxies.values():
        if isinstance(proxy, ConsumerProxy):
            passed = proxy.id in recipients
            steps.append(_consumer(channel, proxy, passed, fields, quality, now))
    return Trail(channel.plan.version, wall, True, tuple(sorted(recipients)), tuple(steps))


def _judged(channel: Channel, proxy: Proxy, fields: Fields) -> Step:
    """What the filters on a proxy's side say."""
    stage: Stage = "consumer" if proxy.side is Side.CONSUMER else "supplier"
    if not proxy.connected:
        return Step(stage, proxy.id, False, "not connected")
    verdict = channel.plan.verdict(fields, proxy.id)
    reason = f"{verdict.stage}: {verdict.detail}".rstrip(": ")
    return Step(stage, proxy.id, verdict.passed, reason)


def _header(
    header: Mapping[str, object], supplier: SupplierProxy, quality: Quality
) -> Iterator[Step]:
    """Which of the header's standard properties apply, with their values; nothing for none."""
    core = supplier.channel.core
    values, warnings = header_values(header, supplier.qos, core.settings.narrowed)
    if not values and not warnings:
        return
    reason = f"applied: {', '.join(values) or 'nothing'}"
    if "EventReliability" in values:
        reason += f" ({'Persistent' if quality.persistent else 'BestEffort'})"
    limited = quality.expiry != NEVER and not values.keys().isdisjoint(("Timeout", "StopTime"))
    yield Step(
        "header",
        None,
        True,
        "; ".join([reason, *warnings]),
        values.get("Priority"),
        quality.expiry + core.offset if limited else None,
        None if quality.start is None else quality.start + core.offset,
    )


def _supplier(channel: Channel) -> SupplierProxy:
    """A supplier without filters, under the default admin."""
    admin = channel.admins[Side.SUPPLIER][0]
    from tidings.channel.supplier import SupplierProxy

    proxy = SupplierProxy(admin, 0, Style.PUSH, Form.STRUCTURED, admin.qos)
    proxy.adjust()
    return proxy


def _consumer(
    channel: Channel,
    proxy: ConsumerProxy,
    passed: bool,
    fields: Fields,
    quality: Quality,
    now: int,
) -> Step:
    step = _judged(channel, proxy, fields)
    if not passed:
        return replace(step, passed=False)
    entry = Entry(quality.expiry, 0, quality.priority, 0, quality.flags)
    seen, start = proxy.view_of(entry, fields, quality, channel.plan.options, now)
    offset = channel.core.offset
    consumer = proxy.consumer
    most = proxy.qos.max_events_per_consumer
    reason = step.reason
    if seen.expiry <= now:
        reason += "; it has expired"
    elif consumer is not None and most and consumer.waiting >= most:
        reason += f"; {most} events wait, one goes by {proxy.discard_policy.name} policy"
    return replace(
        step,
        passed=True,
        reason=reason,
        priority=seen.priority,
        expiry=None if seen.expiry == NEVER else seen.expiry + offset,
        start=None if start is None else start + offset,
    )
