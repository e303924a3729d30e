"""What can be asked about gateways, and what their runner tells: requests of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias

from tidings.cores import Question, Request
from tidings.federation.records import Memory

Json: TypeAlias = Annotated[Any, "json"]
"""A value of JSON."""

GatewayName: TypeAlias = Annotated[str, "gateway"]
"""A name of the federation: see `distribution.checked_name`."""


OF_GATEWAYS: Final = "federation "
"""The names of channels and subscriptions that gateways make for themselves begin so."""
WINDOW: Final = 100_000
"""Events that a gateway remembers."""


class SideState(StrEnum):
    """How the adapter of a side is."""

    CONNECTING = "connecting"
    UP = "up"
    DEGRADED = "degraded"
    DOWN = "down"
    STOPPED = "stopped"


class RequestKind(StrEnum):
    """What a standing request asks for."""

    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    ANNOUNCE = "announce"
    UNANNOUNCE = "unannounce"


@dataclass(frozen=True, slots=True)
class Flow:
    """What may pass into a side's service.

    Attributes:
        allow: A constraint that events must match; empty for all.
        deny: A constraint that events must not match; empty for none.
        rate: Events a second at most; 0 for no limit.
        most_octets: The largest event, in octets of its JSON; 0 for no limit.
    """

    allow: str = ""
    deny: str = ""
    rate: int = 0
    most_octets: int = 0


@dataclass(frozen=True, slots=True)
class SideConfig:
    """One event service that a gateway joins.

    Attributes:
        adapter: The adapter's own id in the federation.
        service: The event service's id in the federation.
        kind: Which adapter: `tidings`, `mqtt`, `nats`, `corba` and so on.
        parameters: What the adapter needs to know. A secret is `file:PATH` or `env:NAME`, read at
            every connection.
        mapping: How events are changed on the way in and out; docs/federation.md has the rules.
        flow: What may pass into the service.
        outbox: Quality of service of what waits while the service is away.
        position: Where the service is, `53.34, -6.25`: an event whose `Proximity` does not contain
            it is not published there. Empty: it is everywhere.
        trusts: Names of the gateway's keys that are believed on this side; empty for all.
    """

    adapter: str
    service: str
    kind: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    mapping: Mapping[str, Json] = field(default_factory=dict)
    flow: Flow = Flow()
    outbox: Mapping[str, Json] = field(default_factory=dict)
    position: str = ""
    trusts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SideInfo:
    """A side as it is now.

    Attributes:
        adapter: The adapter's id.
        service: The event service's id.
        kind: Which adapter.
        state: How it is.
        cause: Why it is not up; empty if it is.
        since: When it became so, microseconds since 1970.
        wants: The filters that it has placed, in the service's own words.
        received: Events that the service has handed over.
        sent: Events published into it.
        waiting: Events that wait for it, in memory and in its outbox.
        set_aside: Events that it could not carry, or not map on their way in: dead letters.
        withheld: Events that the flow rules have held back.
        outside: Events whose validity area does not contain the service's position.
        reconnects: How often it was connected again.
        repeated: Events that may have arrived twice, after a failure.
        last_cause: Why the last event was set aside.
        requested: How many filters others have asked for there.
        placed: How many it has placed for them; fewer where one covers others.
    """

    adapter: str
    service: str
    kind: str
    state: SideState = SideState.CONNECTING
    cause: str = ""
    since: int = 0
    wants: tuple[str, ...] = ()
    received: int = 0
    sent: int = 0
    waiting: int = 0
    set_aside: int = 0
    withheld: int = 0
    outside: int = 0
    reconnects: int = 0
    repeated: int = 0
    last_cause: str = ""
    requested: int = 0
    placed: int = 0


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """A standing request of the federation, and where it applies.

    Attributes:
        kind: `subscribe` or `announce`.
        what: The filter, or the subject.
        source: The service that asks.
        targets: The distribution lists.
        applied: The services where it applies.
        how: How the filter stands at each of them, in the same order.
        refused: `service: cause` for those that refused.
        missing: Services where it does not apply (yet), or that nobody reaches.
    """

    kind: RequestKind
    what: str
    source: str
    targets: tuple[str, ...]
    applied: tuple[str, ...]
    how: tuple[str, ...]
    refused: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapService:
    """An event service of the federation, as a gateway knows it.

    Attributes:
        service: Its id.
        kind: The kind of adapter.
        gateways: The gateways that are connected with it.
        missing: Those that were, and cannot be reached now.
        place: Where clients find it, such as `http://host:port/CHANNEL`; empty if nobody knows.
    """

    service: str
    kind: str
    gateways: tuple[str, ...]
    missing: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class ContextInfo:
    """What survives of events' context on the way from one service to another.

    Attributes:
        at: From this service …
        to: … to this one.
        gateways: The gateways on the way.
        part: `priority`, `order`, `lifetime`, `reliability` or `proximity`.
        survives: `kept`, `partly` or `lost`.
        where: The first service where it is not kept; empty if it is.
    """

    at: str
    to: str
    gateways: tuple[str, ...]
    part: str
    survives: str
    where: str


@dataclass(frozen=True, slots=True)
class GatewayInfo:
    """A gateway as it is now.

    Attributes:
        name: Its id in the federation.
        system: The federation.
        paused: Whether it rests: it keeps what waits, and takes no events.
        draining: Whether it only hands out what waits.
        sides: The services that it joins.
        fresh: Events that were published at its services.
        carried: Deliveries it has made.
        returned: Events that the federation had brought, left alone.
        circled: Events stopped since they had been here before.
        repeated: Copies that another way had brought before.
        unreachable: Deliveries that no way led to.
        refused: Control events that were wrong, forged or replayed.
        last_refusal: Why the last of them was refused.
        problem: Why it does not run; empty if it does.
        shared: Deliveries that it has left to a gateway beside it.
    """

    name: str
    system: str
    paused: bool = False
    draining: bool = False
    sides: tuple[SideInfo, ...] = ()
    fresh: int = 0
    carried: int = 0
    returned: int = 0
    circled: int = 0
    repeated: int = 0
    unreachable: int = 0
    refused: int = 0
    last_refusal: str = ""
    problem: str = ""
    shared: int = 0


@dataclass(frozen=True, slots=True)
class StandingRequest:
    """A standing request that was made at a gateway.

    Attributes:
        kind: `subscribe` or `announce`.
        what: The filter; of an announcement the subject.
        source: The event service that wants the events, or where they are published.
        targets: The distribution list.
        count: How often it was made: it ends when it is taken back as often.
    """

    kind: RequestKind
    what: str
    source: str
    targets: str = "*"
    count: int = 1


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """How a gateway is set up; no secret is in it.

    Attributes:
        name: Its id in the federation.
        system: The federation.
        sides: The services that it joins.
        keys: Names of the keys whose control events it believes, each with the file of its secret
            (`file:PATH`) or the variable (`env:NAME`); the first one is its own.
        clients_sign: Whether requests of clients must be signed, too.
        window: Events that it remembers, to stop copies of them.
        requests: The standing requests that were made at it.
        paused: Whether it rests.
    """

    name: str
    system: str = "tidings"
    sides: tuple[SideConfig, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    clients_sign: bool = False
    window: int = WINDOW
    requests: tuple[StandingRequest, ...] = ()
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a probe.

    Attributes:
        gateway: Who has carried it.
        at: From this service …
        to: … to this one.
        time: When, by the gateway's clock, microseconds since 1970.
    """

    gateway: GatewayName
    at: str
    to: str
    time: int


@dataclass(frozen=True, slots=True)
class ProbeInfo:
    """What has become of a probe.

    Attributes:
        back: Whether it has come back.
        hops: The steps of its way.
    """

    back: bool
    hops: tuple[Hop, ...]


# Operations.


@dataclass(frozen=True, slots=True)
class CreateGateway(Request):
    """Create a gateway; it starts at once.

    Attributes:
        name: Its id, unique in the federation.
        sides: The services that it joins.
        system: The federation; gateways of others are not listened to.
        keys: Names of the keys whose control events it believes, each with `file:PATH` or
            `env:NAME` of its secret; the first one is its own. None: no control event is signed.
        clients_sign: Whether requests of clients must be signed, too.
        window: Events that it remembers, to stop copies of them; 0 for none.
        requests: Standing requests that it starts with.
    """

    name: GatewayName
    sides: tuple[SideConfig, ...]
    system: GatewayName = "tidings"
    keys: Mapping[str, str] = field(default_factory=dict)
    clients_sign: bool = False
    window: int = WINDOW
    requests: tuple[StandingRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeGateway(Request):
    """Change the sides of a gateway; sides that stay as they are go on without a break.

    Attributes:
        gateway: Its name.
        sides: All sides from now on.
    """

    gateway: GatewayName
    sides: tuple[SideConfig, ...]


@dataclass(frozen=True, slots=True)
class PauseGateway(Request):
    """Let a gateway rest: it disconnects, and keeps what waits."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class DrainGateway(Request):
    """Let a gateway hand out what waits, and take nothing new."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class ResumeGateway(Request):
    """Let a gateway that rests or drains go on."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class DeleteGateway(Request):
    """Delete a gateway, with what waits in its outboxes."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class SeeGateways(Question[tuple[GatewayInfo, ...]]):
    """See all gateways of the service as they are now."""


@dataclass(frozen=True, slots=True)
class SeeGateway(Question[GatewayInfo]):
    """See one gateway as it is now."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class SeeGatewayConfig(Question[GatewayConfig]):
    """See how a gateway is set up, as `create_gateway` takes it."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class AskFederation(Request):
    """Make a standing request at a gateway: a subscription for a service, or its end (FES 4).

    Attributes:
        gateway: The gateway that takes it.
        kind: `subscribe`, `unsubscribe`, `announce` or `unannounce`.
        what: A filter (`subject = Speed and rate > 30`, a constraint, or a subject alone); of an
            announcement the subject.
        source: The event service that wants the events, or where they are published.
        targets: The distribution list: names of event services, `*` and `?`, commas between.
    """

    gateway: GatewayName
    kind: RequestKind
    what: str
    source: str
    targets: str = "*"


@dataclass(frozen=True, slots=True)
class SeeFederationRequests(Question[tuple[RequestInfo, ...]]):
    """See all standing requests that a gateway knows, and where they apply."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class SeeFederation(Question[tuple[MapService, ...]]):
    """See the event services that a gateway can reach, and who joins them."""

    gateway: GatewayName


@dataclass(frozen=True, slots=True)
class SeeContext(Question[tuple[ContextInfo, ...]]):
    """See what survives of priority, order, lifetime and the rest on each way from a service."""

    gateway: GatewayName
    at: str


@dataclass(frozen=True, slots=True)
class ProbeFederation(Request):
    """Send a probe from one event service to another.

    Answer: Its id, for `see_probe`.

    Attributes:
        gateway: The gateway that sends it.
        at: From this service, which the gateway joins …
        to: … to this one.
    """

    gateway: GatewayName
    at: str
    to: str


@dataclass(frozen=True, slots=True)
class SeeProbe(Question[ProbeInfo]):
    """See whether a probe has come back, and which way it took."""

    gateway: GatewayName
    probe: GatewayName


# What the runner tells.


@dataclass(frozen=True, slots=True)
class GatewaysReady(Request):
    """Gateways can be run from now on."""


@dataclass(frozen=True, slots=True)
class GatewayRemembers(Request):
    """What a gateway must know again after a restart."""

    gateway: GatewayName
    memory: Memory


@dataclass(frozen=True, slots=True)
class GatewayRuns(Request):
    """A gateway runs, or could not be started.

    Attributes:
        gateway: Its name.
        machine: What decides in it (`Gateway`), to be asked; None if it does not run.
        sides: A function that returns its sides as they are now.
        problem: Why it does not run; empty if it does.
    """

    gateway: GatewayName
    machine: object
    sides: object
    problem: str = ""


# What the runner is to do.


@dataclass(frozen=True, slots=True)
class WakeGateway:
    """The machine of a gateway was asked for something: carry out its effects."""

    name: str


@dataclass(frozen=True, slots=True)
class RunGateway:
    """Run a gateway like this from now on; sides that did not change go on."""

    config: GatewayConfig
    draining: bool
    memory: Memory


@dataclass(frozen=True, slots=True)
class EndGateway:
    """Stop a gateway, and delete what it keeps."""

    name: str
