"""Service evolvers announce a change before they make it, and see who will be told."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from tidings.apps.subscriber_agent.inbox import CHANNEL
from tidings.apps.subscriber_agent.services import describe_service, see_service
from tidings.changes.model import ChangeKind, Notice, TimeIndicator
from tidings.changes.notice_event import event_of
from tidings.changes.requests import (
    AnnounceChanges,
    Announcement,
    RegisterEvolver,
    SeeEvolvers,
    SeeSubscribers,
)
from tidings.client.client import Client
from tidings.errors import InvalidUsage
from tidings.events.codecs.json_values import value_from_plain

_PAGE: Final = 100

Text = Annotated[str, Field(max_length=4_000)]
Moment = Annotated[int, Field(ge=0, le=2**62)]


class Draft(BaseModel):
    """A change as a page sends it; values are typed JSON, times microseconds since 1970.

    Attributes:
        offer: The offer of the service that changes; empty for a new service.
        type: The service type that a new or changed service will have.
        reference: Its object; empty if that stays.
        properties: All properties that it will have; of a change of values those that change.
        deleted: Names of properties that it will lose.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    evolver: Annotated[str, Field(min_length=1, max_length=64)]
    kind: Literal[
        "CHANGE_TYPE", "CHANGE_PROPERTY_VAL", "REMOVAL_SERVICE", "INSTANTIATION_SERVICE"
    ]  # fmt: skip
    offer: Text = ""
    type: Text = ""
    reference: Annotated[str, Field(max_length=16_384)] = ""
    properties: dict[str, Any] = {}
    deleted: Annotated[list[str], Field(max_length=1_000)] = []
    reason: Text = ""
    objective: Text = ""
    effective: Moment | None = None
    expiry: Moment | None = None
    priority: Annotated[int, Field(ge=1, le=10)] | None = None
    additional: Text = ""


class Registration(BaseModel):
    """A new service evolver."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    evolver: Annotated[str, Field(min_length=1, max_length=64)]
    address: Text = ""


async def register(client: Client, given: Registration) -> None:
    """Register a service evolver."""
    await client.transport.request(RegisterEvolver(given.evolver, address=given.address))


async def see_evolvers(client: Client) -> list[dict[str, str]]:
    """Return all service evolvers."""
    found = await client.transport.request(SeeEvolvers())
    return [{"id": one.id, "address": one.address} for one in found]


async def announce(client: Client, draft: Draft) -> str:
    """Announce a change; return the id of its notice."""
    made = await _announcement(client, draft)
    [id] = await client.transport.request(AnnounceChanges(draft.evolver, (made,)))
    return id


async def see_audience(client: Client, draft: Draft) -> list[dict[str, Any]]:
    """Return all subscribers' proxies: whether the notice of a change would come, or why not."""
    made = await _announcement(client, draft)
    notice = Notice(
        "EV0", made.kind, TimeIndicator.ADVANCE, made.priority or 1, 0, made.expiry, made.start,
        made.before, made.after, made.deleted, made.modified, effective=made.effective,
    )  # fmt: skip
    channel = await client.channel(CHANNEL)
    trail = await channel.dry_run(event_of(notice))
    steps = {one.proxy: one.reason for one in trail.steps}
    proxies = {one.name: one.id for one in await channel.proxies()}
    found: list[dict[str, Any]] = []
    for subscriber, subscription, type_ in await _subscriptions(client):
        proxy = proxies.get(subscription)
        told = proxy in trail.recipients
        reason = "" if told else steps.get(proxy, "")
        found.append({"subscriber": subscriber, "how": type_, "told": told, "reason": reason})
    return found


async def _subscriptions(client: Client) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    after = ""
    while True:
        page = await client.transport.request(SeeSubscribers(after, _PAGE))
        found += [
            (one.id, proxy.subscription, proxy.type.name) for one in page for proxy in one.proxies
        ]
        if len(page) < _PAGE:
            return found
        after = page[-1].id


async def _announcement(client: Client, draft: Draft) -> Announcement:
    kind = ChangeKind[draft.kind]
    values = {name: value_from_plain(one) for name, one in draft.properties.items()}
    before = after = None
    deleted, modified = {}, {}
    if kind is not ChangeKind.INSTANTIATION_SERVICE:
        before = await see_service(client, draft.offer)
    if kind is ChangeKind.CHANGE_PROPERTY_VAL:
        assert before is not None
        missing = [name for name in draft.deleted if name not in before.properties]
        if missing:
            raise InvalidUsage(f"offer {draft.offer} has no property {missing[0]}")
        deleted, modified = {name: before.properties[name] for name in draft.deleted}, values
    elif kind is not ChangeKind.REMOVAL_SERVICE:
        reference = draft.reference or ("" if before is None else before.reference)
        after = await describe_service(client, draft.type, values, reference)
    return Announcement(
        kind, before, after, deleted, modified, draft.reason, draft.objective,
        draft.effective, draft.additional, draft.priority, draft.expiry, offer=draft.offer,
    )  # fmt: skip
