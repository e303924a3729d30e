"""The whole service at a glance: its tree, its busiest proxies, its latest notices."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Response
from pydantic import Field

from tidings.api.forms import Answer, examples, form_of
from tidings.api.operations import view_json
from tidings.channel.effects import NoticeKind
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Side
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.turns import Turns
from tidings.errors import Forbidden, NotFound, StoreError
from tidings.web.bodies import StrictRoute
from tidings.web.looking import (
    Consumer,
    Movement,
    admins,
    channels,
    consumers,
    proxies,
    streamed,
    with_oldest,
)
from tidings.web.paths import Most
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["overview"], route_class=StrictRoute)

_Rank = Literal["waiting", "lag", "failures", "idle"]
_MICRO = 1e-6


class TreeAdmin(Answer):
    """An admin with its proxies."""

    admin: form_of(AdminInfo).kind  # type: ignore[valid-type]
    proxies: list[form_of(ProxyInfo).kind]  # type: ignore[valid-type]


class TreeChannel(Answer):
    """A channel with its admins."""

    channel: form_of(ChannelInfo).kind  # type: ignore[valid-type]
    admins: list[TreeAdmin]


class Tree(Answer):
    """All channels with all that is in them."""

    channels: list[TreeChannel]


@router.get("/tree", summary="All there is", response_model=Tree)
async def see_tree(door: Door) -> Response:
    """All channels with their admins and the proxies of these."""
    return streamed(_pieces(door))


async def _pieces(door: LocalDoor) -> AsyncIterator[str]:
    yield '{"channels":['
    comma, turns = "", Turns()
    async for channel in channels(door):
        try:
            leaves = await _leaves(door, channel.id)
            found = [admin async for admin in admins(door, channel.id)]
        except NotFound:  # it has ended meanwhile
            continue
        except Forbidden:
            found = []
        yield f'{comma}{{"channel":{_text(channel)},"admins":['
        comma = ","
        for at, admin in enumerate(found):
            yield f'{"," * (at > 0)}{{"admin":{_text(admin)},"proxies":['
            for position, proxy in enumerate(leaves[admin.side, admin.id]):
                yield f",{proxy}" if position else proxy
                await turns.give()
            yield "]}"
        yield "]}"
    yield "]}"


async def _leaves(door: LocalDoor, channel: int) -> dict[tuple[Side, int], list[str]]:
    """The proxies of a channel as JSON, by side and admin."""
    found: dict[tuple[Side, int], list[str]] = defaultdict(list)
    async for proxy in proxies(door, channel):
        found[proxy.side, proxy.admin].append(_text(proxy))
    return found


def _text(info: object) -> str:
    return msgspec.json.encode(view_json(info)).decode()


class TopProxy(Answer):
    """A consumer's proxy, and how it gets on."""

    model_config = examples(
        {
            "channel": 1,
            "channel_name": "auctions",
            "proxy": 7,
            "name": "billing",
            "admin": 0,
            "attached": True,
            "waiting": 120,
            "in_flight": 16,
            "behind": 136,
            "lag": 4.2,
            "failures": 0,
            "idle": 3.1,
        }
    )

    channel: int = Field(description="Its channel.")
    channel_name: str = Field(description="Its channel's name.")
    proxy: int = Field(description="Its id.")
    name: str = Field(description="Its name.")
    admin: int = Field(description="Its admin's id.")
    attached: bool = Field(description="Whether its client can be reached.")
    waiting: int = Field(description="How many events wait for it.")
    in_flight: int = Field(description="How many are handed over and not answered.")
    behind: int = Field(
        description="How many events the channel has taken in since the oldest one that the "
        "consumer has not taken yet; 0 if there is none."
    )
    lag: float | None = Field(
        description="How old that event is, in seconds; null if there is none, or its age is "
        "not at hand."
    )
    failures: int = Field(description="How many deliveries failed in a row.")
    idle: float = Field(
        description="For how many seconds it has taken nothing, as far as that was watched."
    )


class Top(Answer):
    """The proxies that stand out, the worst first."""

    proxies: list[TopProxy]


@router.get("/top", summary="Who waits, lags, fails or sleeps")
async def see_top(
    state: State,
    door: Door,
    by: Annotated[
        _Rank, Query(description="What they are ranked by; `lag` ranks by `behind`.")
    ] = "waiting",
    most: Most = 10,
) -> Top:
    """The consumers' proxies with the most waiting events, the longest lag, and so on.

    Consumers that never had an event are not among them.
    """
    movement = state.part(Movement)
    ranked, by_oldest = [], by == "lag"
    async for one in consumers(state.host, door, oldest=by_oldest):
        idle = movement.idle(one)
        key = {"waiting": one.waiting, "lag": one.behind, "failures": one.failures, "idle": idle}
        ranked.append((key[by], -one.channel, -one.proxy, one, idle))
        if len(ranked) > 4 * most:
            ranked = heapq.nlargest(most, ranked)
    worst = [(one, idle) for *_, one, idle in heapq.nlargest(most, ranked)]
    if not by_oldest:
        worst = [(with_oldest(state.host, one), idle) for one, idle in worst]
    found = [await _shown(state, door, one, idle) for one, idle in worst]
    return Top(proxies=[one for one in found if one is not None])


async def _shown(state: WebState, door: LocalDoor, one: Consumer, idle: float) -> TopProxy | None:
    try:
        channel = door.views.channel(one.channel)
    except NotFound:  # it has ended meanwhile
        return None
    lag = await _age(state.host, one)
    return TopProxy(**one._asdict(), channel_name=channel.name, lag=lag, idle=round(idle, 3))


async def _age(host: Host, one: Consumer) -> float | None:
    """How old the oldest event is that a consumer has not taken, in seconds."""
    if one.oldest is None:
        return None
    try:
        message = await host.message(one.channel, one.oldest)
    except StoreError:  # it cannot be read now
        return None
    if message is None:
        return None
    now = host.time()
    return round(max(0, now - message.arrival) * _MICRO, 3)


class Notice(Answer):
    """Something worth telling whoever runs the service."""

    model_config = examples(
        {
            "time": 1_793_613_600_000_000,
            "kind": "slow consumer",
            "channel": 1,
            "channel_name": "roads",
            "proxy": 7,
            "proxy_name": "billing",
            "detail": "1000 events wait",
        }
    )

    time: int = Field(description="When, microseconds since 1970.")
    kind: str = Field(description="What it is about.")
    channel: int = Field(description="Where; 0 if it is about the whole service.")
    channel_name: str = Field(description="The channel's name; empty if it has none.")
    proxy: int = Field(description="Whose; 0 if it is about no proxy.")
    proxy_name: str = Field(description="The proxy's name; empty if it has none.")
    detail: str = Field(description="What there is to tell.")


class Notices(Answer):
    """The latest notices, the oldest first."""

    notices: list[Notice]
    kinds: dict[str, int] = Field(
        default_factory=dict, description="How many of each kind are kept, whatever was asked for."
    )


@router.get("/notices", summary="The latest notices")
async def see_notices(
    door: Door,
    most: Most = 100,
    kind: Annotated[NoticeKind | None, Query(description="Of one kind; all if left out.")] = None,
) -> Notices:
    """What people who run the service want to hear of: slow consumers, lost events, the disk."""
    kept = door.views.notices()
    latest = [one for one in kept if kind in (None, one.kind)][-most:]
    return Notices(
        notices=[Notice(**{**one._asdict(), "kind": one.kind.value}) for one in latest],
        kinds=Counter(one.kind.value for one in kept),
    )
