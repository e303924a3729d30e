"""One gateway: what it wants of its services, and where each event goes. No I/O, no clock.

The runner (`gateways/runner.py`) tells what happens and carries out the effects. ::

    side up, down, placed ─┐                      ┌─> Want     the filters of a side
    control events ────────┼─> Gateway, refresh ──┼─> Offer    the subjects of a side
    requests, time ────────┘                      ├─> Publish  a control event
    events ───────────────────> route ────────────┴─> Delivery for each event where it goes

A fresh event of a service goes to every service that has asked for it there. An event that the
federation has brought is not fresh: it is left alone, so that nothing goes in circles.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from tidings.errors import InvalidEvent, LimitExceeded, NotFound, TidingsError
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities, Hop, context_report
from tidings.federation.control import (
    CONTROL_SUBJECT,
    REQUESTS,
    Control,
    ControlKind,
    control_event,
    control_of,
    is_signed,
    signed,
)
from tidings.federation.distribution import MAX_NAME, distribution
from tidings.federation.known import Known
from tidings.federation.marks import MOST_HOPS, Mark
from tidings.federation.notes import Request
from tidings.federation.probes import ProbeHop, Probes, way_of, way_text
from tidings.federation.records import (
    MOST_GATEWAYS,
    NOTHING,
    Applied,
    AttachedService,
    Links,
    Memory,
    Note,
    Part,
    Records,
    Served,
    State,
    state_of_text,
    state_text,
)
from tidings.federation.topology import Topology, chosen
from tidings.federation.wishes import filter_of, reads_kind_only
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.covering import Placement
from tidings.filters.index import MatchIndex

_SECOND: Final = 1_000_000
MOST_ASKED: Final = 1_000
"""Requests of clients whose way is told to them at one time."""
MOST_RETIRED: Final = 1_000
"""Requests of one side that are remembered though another gateway serves them now."""
_RETIRED: Final = 3_600 * _SECOND
MOST_KINDS: Final = 1_024
"""Kinds of events of one side whose ways are remembered."""
_LATEST: Final = 256
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
MOST_IDS: Final = 10_000
"""Requests of clients that are known again if they are repeated."""
CONTROL_FILTER: Final = constraint(f"$event_name == '{CONTROL_SUBJECT}'")
"""What a gateway wants of every service that can carry control events."""


class GatewayTimes(msgspec.Struct, frozen=True):
    """How fast a gateway notices what changes, in microseconds.

    Attributes:
        hello: Between two states that it publishes on every side.
        gone: After so long without a word another gateway counts as gone.
        answer: For so long it tells a client what becomes of its request.
    """

    hello: int = 2 * _SECOND
    gone: int = 7 * _SECOND
    answer: int = 60 * _SECOND


class GatewayKeys(msgspec.Struct, frozen=True):
    """Whose control events a gateway believes.

    Attributes:
        own: The name of the key that it signs with; empty for none.
        secrets: The known keys by name; none: control events need no signature.
        clients: Whether requests of clients need none in any case.
    """

    own: str = ""
    secrets: Mapping[str, bytes] = {}
    clients: bool = True


# Effects.


class Want(NamedTuple):
    """Have a side's service hand over what matches any of these."""

    adapter: str
    filters: tuple[Constraint, ...]


class Offer(NamedTuple):
    """Tell a side's service which subjects will be published into it."""

    adapter: str
    subjects: tuple[str, ...]


class Publish(NamedTuple):
    """Publish a control event."""

    adapter: str
    event: StructuredEvent
    mark: Mark


class LosesMarks(NamedTuple):
    """A service does not keep the marks of events though its adapter says so."""

    adapter: str


class Remember(NamedTuple):
    """Keep what this gateway must know again after a restart."""

    memory: Memory


Effect: TypeAlias = Want | Offer | Publish | Remember | LosesMarks


class Delivery(NamedTuple):
    """An event for a side."""

    adapter: str
    event: StructuredEvent
    mark: Mark


class Routed(NamedTuple):
    """Where an event goes.

    Attributes:
        deliveries: For the sides.
        held: Whether it has to be asked for again: there is a service that no way leads to now.
    """

    deliveries: Sequence[Delivery] = ()
    held: bool = False


_NOWHERE: Final = Routed()


class Fresh(Protocol):
    """An event that a side has heard; see `Arrival` in `gateways/adapters/base.py`."""

    @property
    def event(self) -> StructuredEvent:
        """The event, without its mark."""

    @property
    def mark(self) -> Mark | None:
        """Its mark."""

    @property
    def stream(self) -> str:
        """Who has numbered it."""

    @property
    def number(self) -> int:
        """Its number."""

    @property
    def time(self) -> int:
        """When the service accepted it."""


@dataclass(slots=True)
class GatewayCounts:
    """What a gateway has counted since it started.

    Attributes:
        fresh: Events that were published at its services.
        carried: Deliveries that it has made of them, and of those that others passed on.
        returned: Events that the federation had brought, and that are left alone.
        circled: Events stopped since they had been here before, or had come too far.
        repeated: Copies that another way had brought before.
        unreachable: Deliveries given up, since no way led there.
        shared: Deliveries left to a gateway beside this one.
        control: Control events heard.
        refused: Control events that were wrong, forged, replayed, or of another federation.
        last_refusal: Why the last of them was refused.
    """

    fresh: int = 0
    carried: int = 0
    returned: int = 0
    circled: int = 0
    repeated: int = 0
    unreachable: int = 0
    shared: int = 0
    control: int = 0
    refused: int = 0
    last_refusal: str = ""


@dataclass(slots=True)
class _Side:
    """One adapter as the machine sees it."""

    service: str
    capabilities: Capabilities
    secrets: Mapping[str, bytes]
    place: str = ""
    up: bool = False
    resting: bool = False
    heard: dict[str, int] = field(default_factory=dict)  # other gateways, and when
    said: OrderedDict[str, _Said] = field(default_factory=OrderedDict)
    loses_marks: bool = False
    ahead: set[str] = field(default_factory=set)  # whose clocks are, as was said
    wanted: tuple[Constraint, ...] = ()
    placement: Placement = field(default_factory=Placement)
    # How each placed filter stands: text, exact or not, surplus; or why none could be placed.
    standing: Mapping[Constraint, tuple[str, bool, str]] | str = field(default_factory=dict)
    offered: tuple[str, ...] = ()
    index: MatchIndex[Request] = field(default_factory=MatchIndex)
    # How many filters in it read more of an event than its kind: domain, type and name.
    judging: int = 0
    # The ways of events by their kind, until anything changes that decides on them.
    ways: dict[tuple[str, str, str], Ways] = field(default_factory=dict)
    # The requests that hold here, how many of them announce a subject, and those served.
    noted: set[Request] = field(default_factory=set)
    announced: Counter[str] = field(default_factory=Counter)
    active: set[Request] = field(default_factory=set)
    # The served ones by their filters, and those whose state the others do not know yet.
    by_filter: dict[Constraint, dict[Request, None]] = field(default_factory=dict)
    unsaid: dict[Request, None] = field(default_factory=dict)
    # Of these the filter is not placed yet.
    unplaced: dict[Request, None] = field(default_factory=dict)
    # What stands for each filter, the filters of each, and those that have changed meanwhile.
    cover: dict[Constraint, Constraint] = field(default_factory=dict)
    covered: dict[Constraint, dict[Constraint, None]] = field(default_factory=dict)
    unfit: dict[Constraint, None] = field(default_factory=dict)
    subjects: tuple[str, ...] | None = ()
    is_new: bool = True
    # What another gateway can serve by now, and since when; it is ours, too, until that is settled.
    yielding: dict[Request, int] = field(default_factory=dict)
    # What another gateway serves by now, and since when; what was accepted before is still ours.
    retired: dict[Request, int] = field(default_factory=dict)
    answered: int = 0  # when it has last told others what they lacked
    asked: int = 0  # … and others what it lacks

    def note(self, request: Request, *, holds: bool) -> None:
        """Note whether a request holds here."""
        if holds == (request in self.noted):
            return
        (self.noted.add if holds else self.noted.remove)(request)
        if request.announces:
            self.announced[request.what] += 1 if holds else -1
            if not self.announced[request.what]:
                del self.announced[request.what]
            self.subjects = None

    def serve(self, request: Request) -> None:
        """Want what a request asks for."""
        wanted = filter_of(request.what)
        self.by_filter.setdefault(wanted, {})[request] = None
        self.unsaid[request] = self.unfit[wanted] = None

    def serve_no_longer(self, request: Request) -> None:
        """Want it no longer, unless another request has the same filter."""
        wanted = filter_of(request.what)
        del self.by_filter[wanted][request]
        if not self.by_filter[wanted]:
            del self.by_filter[wanted]
        self.unsaid.pop(request, None)
        self.unplaced.pop(request, None)
        self.unfit[wanted] = None

    def arrange(self) -> None:
        """Find which filters to place for those that have changed."""
        if not self.unfit:
            return
        changed, self.unfit = self.unfit, {}
        gone = [one for one in changed if one not in self.by_filter]
        moved = self.placement.change((one for one in changed if one in self.by_filter), gone)
        for one in (*gone, *moved):
            before = self.cover.pop(one, None)
            if before is not None:
                del self.covered[before][one]
                if not self.covered[before]:
                    del self.covered[before]
        for one in moved:
            cover = self.cover[one] = self.placement.covering(one)
            self.covered.setdefault(cover, {})[one] = None
            self.unsaid.update(self.by_filter[one])

    def index_in(self, request: Request) -> None:
        """Find events that a request asks for."""
        wanted = filter_of(request.what)
        self.index.add(request, [wanted])
        self.judging += not reads_kind_only(wanted)
        self.ways.clear()

    def index_out(self, request: Request) -> None:
        """Find them no longer."""
        self.index.remove(request)
        self.judging -= not reads_kind_only(filter_of(request.what))
        self.ways.clear()


@dataclass(slots=True)
class _Said:
    """What a gateway has said at a side, so that nobody else says it again later.

    Attributes:
        life: Its life.
        known: How far it knew its own records; a later life begins above that.
        highest: The highest number of that life; of those below, `latest` were heard.
    """

    life: str
    known: int
    highest: int = 0
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=_LATEST))

    def is_repeated(self, life: str, known: int, number: int) -> bool:
        """Whether something was said before; if not, it is from now on."""
        if life != self.life:
            if known <= self.known:
                return True
            self.life, self.highest = life, 0
            self.latest.clear()
        elif number <= self.highest - _LATEST or number in self.latest:
            return True
        self.known, self.highest = max(known, self.known), max(number, self.highest)
        self.latest.append(number)
        return False


class _Way(NamedTuple):
    """Where this gateway takes an event, and which gateway carries it on from there."""

    service: str
    gateway: str


Ways: TypeAlias = tuple[tuple[str, _Way | None], ...]
"""The services that an event goes to, each with the way there."""


@dataclass(slots=True)
class _Asked:
    """A request that a client has made through its own service."""

    side: _Side
    request: Request
    since: int
    told: RequestAnswer | None = None


class Gateway:
    """The state of one gateway.

    Attributes:
        name: Its id in the federation.
        system: The federation.
        counts: What it has counted.
        topology: Who is connected with what, as it knows.
    """

    def __init__(  # noqa: PLR0913 -- who it is, and how it works
        self,
        name: str,
        system: str,
        life: str,
        now: int,
        *,
        memory: Memory = NOTHING,
        times: GatewayTimes | None = None,
        keys: GatewayKeys | None = None,
        window: int = 100_000,
    ) -> None:
        self.name = name
        self.system = system
        self.counts = GatewayCounts()
        self._life = life
        self._times = times or GatewayTimes()
        self._keys = keys or GatewayKeys()
        self._sides: dict[str, _Side] = {}
        self._by_service: dict[str, str] = {}
        self._records = Records(name, now)
        self._numbers = 0
        self._window = window
        self._seen: OrderedDict[tuple[object, ...], None] = OrderedDict()
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._effects: list[Effect] = []
        self._dirty = True
        self._hello_at = now
        self._memory = memory
        # What it has served before, as long as who has noted that is not heard again.
        self._recalled: dict[Request, tuple[str, ...]] = {}
        self._served: dict[tuple[str, Request], Served] = {}
        self._served_changed = True
        self._unheard = set(self._memory.peers)
        self._informed_at = now + self._times.gone
        self._resting = self._left = False
        self._now = now
        self._known = Known(self._records)
        self._drawn: object = None  # what the topology is drawn from
        self._remembered: object = None  # … and the memory, beside what is served
        self._asked: OrderedDict[str, _Asked] = OrderedDict()
        self._probes = Probes()
        for note in self._memory.notes:
            self._records.write(_note_key(note), note)
        self.topology = Topology(name, {})

    # What happens.

    def attach(
        self, adapter: str, service: str, capabilities: Capabilities,
        trusts: Sequence[str] = (), place: str = "",
    ) -> None:  # fmt: skip
        """Add a side; `trusts` are the keys believed there, all if there is none."""
        secrets = self._keys.secrets
        known = {name: secrets[name] for name in trusts} if trusts else secrets
        side = self._sides[adapter] = _Side(service, capabilities, known, place)
        self._by_service[service] = adapter
        for served in self._memory.served:
            if served.adapter == adapter:
                request = Request(False, served.what, served.source)
                self._recalled[request] = served.by
                self._activate(adapter, side, request)
        self._dirty = True

    def detach(self, adapter: str) -> None:
        """Take a side away."""
        side = self._sides.pop(adapter)
        del self._by_service[side.service]
        for id in [id for id, asked in self._asked.items() if asked.side is side]:
            del self._asked[id]
        self._served = {at: one for at, one in self._served.items() if at[0] != adapter}
        self._served_changed = True
        self._dirty = True

    def side_up(self, adapter: str) -> None:
        """A side is connected; nothing is wanted or offered there yet."""
        side = self._sides[adapter]
        side.up, side.wanted, side.offered, side.standing = True, (), (), {}
        if side.capabilities.control:
            self._hello_at = 0
        self._dirty = True

    def side_down(self, adapter: str) -> None:
        """A side has lost its connection."""
        side = self._sides[adapter]
        side.up = False
        side.heard.clear()
        self._dirty = True

    def placed(
        self, adapter: str, filters: Sequence[Constraint], how: Sequence[tuple[str, bool, str]]
    ) -> None:
        """Filters stand at a side's service: text, exact or not, and the surplus."""
        side = self._sides[adapter]
        before, side.standing = side.standing, dict(zip(filters, how, strict=True))
        if isinstance(before, str):
            before = {}
        side.unsaid |= side.unplaced
        side.unplaced = {}
        for cover, at in side.standing.items():
            if before.get(cover) != at:
                for one in side.covered.get(cover, ()):
                    side.unsaid |= side.by_filter[one]
        self._report_standing(side)

    def refused(self, adapter: str, filters: Sequence[Constraint], cause: str) -> None:
        """Filters of a side could not be placed."""
        side = self._sides[adapter]
        if tuple(filters) != side.wanted:
            return  # something else is wanted by now
        side.standing = cause
        side.unsaid.update(dict.fromkeys(side.active))
        self._report_standing(side)

    def filters(self, adapter: str) -> tuple[int, int]:
        """Return how many filters others have asked for at a side, and how many stand for them."""
        side = self._sides[adapter]
        return len(side.by_filter), len(side.placement.placed)

    def _report_standing(self, side: _Side) -> None:
        """Say of requests how their filters stand, as far as that is known."""
        unsaid, side.unsaid = side.unsaid, {}
        for request in unsaid:
            if isinstance(side.standing, str):
                self._report(side.service, request, side.standing, "", exact=False)
                continue
            wanted = filter_of(request.what)
            cover = side.cover.get(wanted, wanted)
            if cover not in side.standing:
                side.unplaced[request] = None
                continue
            text, exact, surplus = side.standing[cover]
            how = f"{text}; {surplus}" if surplus else text
            if cover != wanted:
                how, exact = f"covered by {how}", False
            self._report(side.service, request, "", how, exact)

    def _report(self, service: str, request: Request, cause: str, how: str, exact: bool) -> None:
        applied = Applied(*request, service, cause, how, exact)
        self._write(_applied_key(service, request), applied)

    def control_arrived(self, adapter: str, heard: Fresh, now: int) -> Routed:
        """Take in a control event; return where the event of a publication goes."""
        self.counts.control += 1
        side = self._sides[adapter]
        try:
            control = control_of(heard.event)
            if control.system not in ("", self.system):
                return Routed()
            if control.sender == self.name:
                return self._note_namesake(adapter, control, heard)
            self._check(side, control)
            self._check_marks(adapter, control, heard)
            if control.filter:
                filter_of(control.filter)
            return self._obey(side, control, heard, now)
        except _Repeated as error:  # who asked has its answer
            self._refuse(str(error))
            return Routed()
        except TidingsError as error:
            self._refuse(str(error))
            self._answer_refused(side, heard.event, str(error))
            return Routed()

    def _check_marks(self, adapter: str, control: Control, heard: Fresh) -> None:
        """Notice a service that loses marks: gateways publish all control events with one."""
        side = self._sides[adapter]
        lost = control.sender and heard.mark is None and side.capabilities.marks
        if lost and not side.loses_marks:
            side.loses_marks = True
            self._effects.append(LosesMarks(adapter))

    def _note_namesake(self, adapter: str, control: Control, heard: Fresh) -> Routed:
        if control.id.startswith(f"{self._life}-"):
            self._check_marks(adapter, control, heard)
        if not control.id.startswith(f"{self._life}-") and control.kind is ControlKind.STATE:
            self._refuse(
                f"another gateway of federation {self.system} is named {self.name}, too; or it was "
                "this one, before it was started again"
            )
        return Routed()

    def _refuse(self, cause: str) -> None:
        self.counts.refused += 1
        self.counts.last_refusal = cause

    def _check(self, side: _Side, control: Control) -> None:
        unsigned = (
            self._keys.clients
            and not control.sender
            and control.mark is None
            and control.kind in REQUESTS
        )
        if side.secrets and not unsigned and not is_signed(control, side.secrets):
            raise InvalidEvent(
                f"a control event of {control.sender or 'a client'} at {side.service} does not "
                f"have the signature of a key believed there: {', '.join(side.secrets)}",
                "data.Signature",
            )

    def _obey(self, side: _Side, control: Control, heard: Fresh, now: int) -> Routed:
        kind = control.kind
        if kind is ControlKind.STATE:
            self._take_state(side, control, now)
        elif kind is ControlKind.PUBLICATION:
            return self._passed_on(side, control, heard)
        elif kind in (ControlKind.PROBE, ControlKind.ECHO):
            self._probe_on(side.service, control, now)
        elif kind in REQUESTS:
            self._check_new(side, control, heard)
            if self.topology.first_on(side.service) != self.name:
                return Routed()
            request = self._note(_note_of(control))
            if control.id:
                self._asked[control.id] = _Asked(side, request, now)
                while len(self._asked) > MOST_ASKED:
                    self._asked.popitem(last=False)
        return Routed()

    # Answers to clients that have asked through their own service.

    def _answer_refused(self, side: _Side, wrong: StructuredEvent, cause: str) -> None:
        id = wrong.data.get("Id")
        if isinstance(id, str) and id and not wrong.data.get("Sender"):
            id, cause = (text.encode(errors="replace").decode() for text in (id, cause))
            self._answer(side, RequestAnswer(id=id[:MAX_NAME], cause=cause))

    def _answer_asked(self, touched: Collection[Request] | None, now: int) -> None:
        """Tell clients what has become of their requests, if it may be of these; None for all."""
        for id, asked in list(self._asked.items()):
            if asked.told is None or touched is None or asked.request in touched:
                answer = _answer_of(id, self._status(asked.request))
                if answer != asked.told:
                    self._answer(asked.side, answer)
                    asked.told = answer
            if now - asked.since > self._times.answer:
                del self._asked[id]

    def _answer(self, side: _Side, answer: RequestAnswer) -> None:
        event, mark = self._control(
            ControlKind.STATUS, body=msgspec.json.encode(answer).decode(), targets=side.service
        )
        self._effects.append(Publish(self._by_service[side.service], event, mark))

    def _check_new(self, side: _Side, control: Control, heard: Fresh) -> str:
        """Refuse a request that is repeated; without an id the service's number says so."""
        id = control.id or (f"{heard.stream}/{heard.number}" if heard.number else "")
        if id and not _first_time(self._ids, id, MOST_IDS):
            raise _Repeated(f"request {id!r:.60} at {side.service} is repeated", "data.Id")
        return id

    # Requests.

    def ask(self, note: Note, now: int) -> None:
        """Take a request that was made at this gateway (a transparent one)."""
        self._note(note)
        self.refresh(now)

    def _note(self, note: Note) -> Request:
        key = _note_key(note)
        before = self._records.content(self.name, key)
        count = note.count + (before.count if isinstance(before, Note) else 0)
        self._write(key, msgspec.structs.replace(note, count=count) if count else None)
        return Request(note.announces, note.what, note.source)

    def requests(self) -> list[RequestStatus]:
        """Say of each standing request where it applies, where it was refused, what is missing."""
        return [
            found
            for request in self._known.notes.requests()
            if (found := self._status(request)) is not None
        ]

    def _status(self, request: Request) -> RequestStatus | None:
        notes, topology = self._known.notes, self.topology
        targets = notes.targets(request)
        if not targets:
            return None
        named = {
            name
            for text in targets
            for name in distribution(text).names
            if not {"*", "?"} & set(name)
        }
        known = named.union(topology.services)
        meant = {name for name in known if notes.holds(request, name)}
        at = {
            service: one
            for service, one in self._known.applied(request, topology.gateways).items()
            if service in meant and topology.on(service)
        }
        return RequestStatus(
            *request,
            targets=tuple(targets),
            applied=tuple(at[name] for name in sorted(at)),
            missing=tuple(sorted(meant - set(at))),
        )

    def context(self, at: str, to: str) -> list[tuple[tuple[str, ...], str, str, str]]:
        """Say what survives of each part of the context on the way between two services.

        Returns gateways on the way, part, what becomes of it, and the first service where it is
        not kept; nothing if there is no way.
        """
        route = self.topology.route(at, to)
        if not route:
            return []
        topology = self.topology
        hops = [
            Hop(service, topology.contexts[service], len(topology.parallel(service, to)) > 1)
            for service in (at, *(step.service for step in route))
        ]
        gateways = tuple(step.gateway for step in route)
        return [(gateways, one.part, one.survives.value, one.where) for one in context_report(hops)]

    def rest(self, resting: bool, adapter: str = "") -> None:
        """Yield its ways, or those over one side, to others, or take them again."""
        if adapter:
            self._sides[adapter].resting = resting
        else:
            self._resting = resting
        self._dirty = True

    def leave(self) -> None:
        """Take back all that it has said; it is about to end for good."""
        self._left = True
        for gateway, key, _ in list(self._records.contents()):
            if gateway == self.name:
                self._write(key, None)

    def is_yielding(self, now: int) -> bool:
        """Whether it still serves what others are about to serve, or does not know that yet."""
        served = (
            self.topology.parallel(side.service, request.source)
            for side in self._sides.values()
            for request in side.active
        )
        return not self.is_informed(now) or any(
            others and self.name not in others for others in served
        )

    # Events.

    def route(self, adapter: str, heard: Fresh) -> Routed:
        """Return where an event goes that a side has heard."""
        side, mark = self._sides[adapter], heard.mark
        if mark is not None:
            if mark.system == self.system:
                self.counts.returned += 1
                return _NOWHERE
            if self.system in mark.before or len(mark.before) >= MOST_HOPS:
                self.counts.circled += 1
                return _NOWHERE
        self.counts.fresh += 1
        if heard.time > self._now + self._times.gone:
            self._compare(side, f"service {side.service}", heard.time, self._now)
        ways = self._ways_of(side, heard.event, heard.time)
        if not ways:
            return _NOWHERE
        return self._carry(heard.event, self._first_mark(side.service, heard, mark), ways)

    def _ways_of(self, side: _Side, event: StructuredEvent, time: int = 0) -> Ways:
        """Return where this gateway carries an event of a side's service.

        All events of a kind go the same ways where no filter reads more of them, and nothing
        depends on when they came: then it is found out once.
        """
        kind = event.domain, event.type, event.name
        found = side.ways.get(kind)
        if found is not None:
            return found
        matched = side.index.match(StructuredFields(event))
        targets = self._wanted_by(side, matched, event.name, time)
        found = self._ways(side.service, targets, event.name)
        if not side.judging and not any(self._varies(side, request) for request in matched):
            if len(side.ways) >= MOST_KINDS:
                side.ways.clear()
            side.ways[kind] = found
        return found

    def _varies(self, side: _Side, request: Request) -> bool:
        """Whether it depends on the time of an event if it goes where a request says."""
        beside = self.topology.parallel(side.service, request.source)
        return request in side.retired or (len(beside) > 1 and self.name in beside)

    def _wanted_by(
        self, side: _Side, matched: Iterable[Request], subject: str, time: int
    ) -> set[str]:
        """Return the services that an event is carried to by this gateway."""
        targets = set()
        others = set()
        for request in matched:
            retired = side.retired.get(request)
            if retired is None and not self._is_share(side.service, request, subject, time):
                others.add(request.source)
            elif retired is None or 0 < time <= retired + self._times.gone:
                targets.add(request.source)
        self.counts.shared += len(others - targets)
        return targets

    def _is_share(self, at: str, request: Request, subject: str, time: int) -> bool:
        """Whether, of the gateways that serve a request beside each other, this one is chosen.

        One that has begun to serve it counts for events that were accepted well after that, where
        the service says when: what came before it may never have got.
        """
        beside = self.topology.parallel(at, request.source)
        if len(beside) < 2 or self.name not in beside:
            return True
        standing = self._known.standing.get((at, request), {})
        by = time - self._times.gone if time else self._now
        sharing = [one for one in beside if one == self.name or standing.get(one, by + 1) <= by]
        return chosen(sharing, at, request.source, subject) == self.name

    def _first_mark(self, service: str, heard: Fresh, other: Mark | None) -> Mark:
        """Return the mark of an event that is new here, maybe with one of another federation."""
        before = (*other.before, other.system) if other is not None else ()
        stream, number = heard.stream, heard.number
        if not number:
            self._numbers += 1
            stream, number = self._life, self._numbers
        return Mark(self.system, service, stream, number, (service,), before)

    def _passed_on(self, side: _Side, control: Control, heard: Fresh) -> Routed:
        """Carry the event of a publication one step further."""
        assert control.event is not None
        at = side.service
        if control.mark is None:
            return self._from_client(side, control, heard)
        if len(control.mark.path) >= MOST_HOPS:
            self.counts.circled += 1
            return Routed()
        if control.via != self.name and not self.is_informed(self._now):
            return Routed(held=True)
        ours = {
            target
            for target in distribution(control.targets).names
            if self._is_for_us(control.via, at, target, control.event.name)
        }
        return self._carry(control.event, control.mark, self._ways(at, ours, control.event.name))

    def _is_for_us(self, via: str, at: str, target: str, subject: str) -> bool:
        """Whether this gateway carries a publication on: it, or somebody gone, was named to."""
        if via == self.name:
            return True
        if via in self.topology.on(at):
            return False
        step = self.topology.step(at, target, subject)
        if step is None and via not in self.topology.plan.on(at):  # it was deleted
            step = self.topology.plan.step(at, target, subject)
        return step is not None and step.gateway == self.name

    def _from_client(self, side: _Side, control: Control, heard: Fresh) -> Routed:
        """Publish for a client: where it says, or where its event is subscribed to."""
        assert control.event is not None
        at = side.service
        id = self._check_new(side, control, heard)
        chosen = distribution(control.targets)
        if not chosen.names:
            ways = self._ways_of(side, control.event)
        elif self.topology.first_on(at) == self.name:
            targets = {service for service in self.topology.services if service in chosen} - {at}
            ways = self._ways(at, targets, control.event.name)
        else:
            ways = ()
        found = self._carry(control.event, self._first_mark(at, heard, None), ways)
        if found.held:
            self._ids.pop(id, None)  # it is tried again
        return found

    def _carry(self, event: StructuredEvent, mark: Mark, ways: Ways) -> Routed:
        """Carry an event towards services."""
        found: list[Delivery] = []
        further: dict[_Way, list[str]] = {}
        held = False
        for target, way in ways:
            if way is None:
                held = True
                continue
            direct = way.service == target
            # What was delivered is done; what was passed on may come back another way, and goes on.
            copy = (
                mark.system, mark.origin, mark.stream, mark.number, target,
                () if direct else mark.path,
            )  # fmt: skip
            if not _first_time(self._seen, copy, self._window):
                self.counts.repeated += 1
            elif direct:
                found.append(Delivery(self._by_service[target], event, mark.then(target)))
            else:
                further.setdefault(way, []).append(target)
        for way, names in further.items():
            passed = self._control(
                ControlKind.PUBLICATION, targets=", ".join(names), source=mark.origin, event=event,
                mark=mark.then(way.service), via=way.gateway,
            )  # fmt: skip
            found.append(Delivery(self._by_service[way.service], *passed))
        self.counts.carried += len(found)
        return Routed(found, held)

    def _ways(self, at: str, targets: Iterable[str], subject: str) -> Ways:
        """Return the ways from a service to others."""
        return tuple((target, self._way(at, target, subject)) for target in sorted(targets))

    def _way(self, at: str, to: str, subject: str) -> _Way | None:
        """Return where this gateway takes an event for a service.

        If no way leads there now, it goes as if all that is known were running: the next gateway,
        or its service, keeps the event. None if nobody has been known there.
        """
        for topology in (self.topology, self.topology.plan):
            service = topology.next_from(self.name, to, subject)
            if service == at and to in self._by_service:
                service = to  # it waits here for the service rather than go by a neighbour
            if service is not None:
                step = None if service == to else topology.step(service, to, subject)
                return _Way(service, "" if step is None else step.gateway)
        return None

    def give_up(self) -> None:
        """Count a delivery that no way has led to for too long."""
        self.counts.unreachable += 1

    # Other gateways.

    def _note_heard(self, side: _Side, control: Control, state: State, now: int) -> None:
        """Note that another gateway is there, unless somebody repeats what it has said.

        What it says is taken in any case: it may have been started again with an earlier clock, and
        is told then that it must begin above what others know.
        """
        life, _, number = control.id.rpartition("-")
        known = state.known.get(control.sender, 0)
        said = side.said.pop(control.sender, None) or _Said(life, known)
        side.said[control.sender] = said
        if len(side.said) > MOST_GATEWAYS:
            side.said.popitem(last=False)
        if said.is_repeated(life, known, int(number) if _NUMBER.fullmatch(number) else 0):
            self._refuse(f"what gateway {control.sender} said at {side.service} is repeated")
            return
        self._compare(side, f"gateway {control.sender}", state.time, now)
        self._dirty |= control.sender not in side.heard
        side.heard[control.sender] = now

    def _compare(self, side: _Side, whose: str, time: int, now: int) -> None:
        """Say so, once, if a clock is ahead of this gateway's by more than hand-overs allow."""
        if time > now + self._times.gone and whose not in side.ahead:
            if len(side.ahead) < MOST_GATEWAYS:
                side.ahead.add(whose)
            self._refuse(
                f"the clock of {whose} is {(time - now) / _SECOND:.1f} s ahead of that of gateway "
                f"{self.name}: lifetimes and hand-overs need clocks that agree"
            )

    def _take_state(self, side: _Side, control: Control, now: int) -> None:
        state = state_of_text(control.body)
        self._note_heard(side, control, state, now)
        new = []
        for part in state.parts:
            try:
                if self._records.take(part):
                    new.append(part)
            except LimitExceeded as error:
                self._refuse(str(error))
        if new:
            self._dirty = True
            self._spread(tuple(new), but=side)
        known = self._records.known
        lacking = any(state.known.get(name, 0) < upto for name, upto in known.items())
        lacks = self._records.lacks(state.known)
        if not lacks:
            self._unheard.discard(control.sender)
        pause = self._times.hello // 4
        if lacking and now - side.answered >= pause:
            side.answered = now
            for part in self._records.parts_for(state.known):
                self._tell(side, State(known, (part,)))
        if now - side.asked >= pause and lacks:
            side.asked = now
            self._tell(side, State(known))

    def _write(self, key: str, content: Links | Note | Applied | None) -> None:
        part = self._records.write(key, content)
        if part is not None:
            self._dirty = True
            self._spread((part,))

    def _spread(self, parts: tuple[Part, ...], but: _Side | None = None) -> None:
        for side in self._sides.values():
            if side is not but:
                self._tell(side, State(self._records.known, parts))

    def _tell(self, side: _Side, state: State) -> None:
        if side.up and side.capabilities.control:
            timed = msgspec.structs.replace(state, time=self._now)
            event, mark = self._control(ControlKind.STATE, body=state_text(timed))
            self._effects.append(Publish(self._by_service[side.service], event, mark))

    def _control(self, kind: ControlKind, **parts: object) -> tuple[StructuredEvent, Mark]:
        self._numbers += 1
        id = f"{self._life}-{self._numbers}"
        control = Control(kind=kind, system=self.system, sender=self.name, id=id, **parts)  # type: ignore[arg-type]
        if self._keys.own:
            control = signed(control, self._keys.own, self._keys.secrets[self._keys.own])
        mark = Mark(self.system, self.name, f"{self._life}-control", self._numbers, (self.name,))
        return control_event(control), mark

    # Probes.

    def probe(self, at: str, to: str, now: int) -> str:
        """Send a probe from one of its services to another one; return its id."""
        if at not in self._by_service:
            raise NotFound(f"gateway {self.name} is not connected with {at}")
        if self.topology.route(at, to) is None:
            raise NotFound(f"no way leads from {at} to {to} now")
        self._numbers += 1
        id = f"{self.name}~{self._life}-{self._numbers}"
        self._probes.begin(id)
        probe = Control(kind=ControlKind.PROBE, targets=to, source=at, id=id, body=way_text(()))
        self._begin_at(at, probe, now)
        return id

    def probe_result(self, id: str) -> tuple[ProbeHop, ...] | None:
        """Return the way of a probe that has come back; None if it has not."""
        return self._probes.result(id)

    def _begin_at(self, at: str, control: Control, now: int) -> None:
        """Take a probe or an echo of its own a first step; another gateway there may be nearer."""
        step = self.topology.step(at, control.targets)
        if step is not None and step.gateway != self.name:
            self._pass_control(at, control)
        else:
            self._probe_on(at, control, now)

    def _probe_on(self, at: str, control: Control, now: int) -> None:
        """Take a probe or an echo one step further."""
        if control.kind is ControlKind.ECHO and control.id.startswith(f"{self.name}~"):
            self._probes.end(control.id, way_of(control.body))
            return
        step = self.topology.step(at, control.targets)
        way = way_of(control.body)
        if step is None or step.gateway != self.name or len(way) > MOST_HOPS:
            return
        if control.kind is ControlKind.PROBE:
            way = (*way, ProbeHop(self.name, at, step.service, now))
        passed = msgspec.structs.replace(control, body=way_text(way))
        if step.service != control.targets or control.kind is ControlKind.ECHO:
            self._pass_control(step.service, passed)
            return
        back = msgspec.structs.replace(
            passed, kind=ControlKind.ECHO, targets=control.source, source=control.targets
        )
        if control.id.startswith(f"{self.name}~"):
            self._probes.end(control.id, way)
        else:
            self._begin_at(at, back, now)

    def _pass_control(self, service: str, control: Control) -> None:
        kept = {name: getattr(control, name) for name in ("targets", "source", "body", "id")}
        event, mark = self._control(control.kind)
        again = msgspec.structs.replace(control_of(event), **kept, key="", signature="")
        if self._keys.own:
            again = signed(again, self._keys.own, self._keys.secrets[self._keys.own])
        self._effects.append(Publish(self._by_service[service], control_event(again), mark))

    # Time, and what follows from all of it.

    @property
    def wake_at(self) -> int:
        """When `tick` is due."""
        return self._hello_at

    def tick(self, now: int) -> None:
        """Notice who is gone, and say that this gateway is there."""
        for side in self._sides.values():
            gone = [one for one, at in side.heard.items() if now - at > self._times.gone]
            for name in gone:
                del side.heard[name]
                self._dirty = True
        if now >= self._hello_at:
            self._hello_at = now + self._times.hello
            for side in self._sides.values():
                self._tell(side, State(self._records.known))
        if self._memory.served and self.is_informed(now):
            self._dirty = True  # what it has served before need not be its any more
        if any(side.yielding for side in self._sides.values()):
            self._dirty = True
        self.refresh(now)

    def is_informed(self, now: int) -> bool:
        """Whether it knows what the other gateways know, after a start; events wait until then."""
        if now >= self._informed_at:
            self._unheard.clear()
        return not self._unheard

    def refresh(self, now: int) -> None:
        """Draw the conclusions: who carries what, what each side wants and offers."""
        self._now = now
        if not self._dirty or self._left:
            return
        attached = tuple(
            AttachedService(
                side.service, side.capabilities.kind, side.up, side.capabilities.control,
                tuple(sorted(side.heard)), side.place, side.capabilities.context,
            )
            for side in self._sides.values()
        )  # fmt: skip
        resting = {one.service for one in self._sides.values() if self._resting or one.resting}
        told = (
            msgspec.structs.replace(one, up=one.up and one.service not in resting)
            for one in attached
        )
        self._write("", Links(tuple(told)))
        self._dirty = False
        touched = self._known.update(now)
        before = self.topology
        drawn = self._known.version, attached, resting
        redrawn = drawn != self._drawn
        if redrawn:
            self._drawn = drawn
            links = {**self._known.links, self.name: Links(attached)}
            self.topology = Topology(self.name, links, resting=resting)
        recalled = set(self._recalled)
        for request in recalled:
            if not self._is_recalled(request):
                del self._recalled[request]
        for adapter, side in self._sides.items():
            about = {*touched, *side.yielding, *recalled}
            if side.is_new:
                about.update(side.active, self._known.notes.at(side.service))
                side.is_new = False
            if redrawn:
                side.ways.clear()
                about.update(self._moved(side, before))
            self._choose(adapter, side, about, now)
        self._remember_owners(touched | recalled)
        self._remember(now)
        self._answer_asked(None if redrawn else touched, now)

    def _moved(self, side: _Side, before: Topology) -> Iterable[Request]:
        """The requests that this gateway may serve now, or another one may, by new ways."""
        at = side.service
        for source in self._known.sources():
            was, beside = before.parallel(at, source), self.topology.parallel(at, source)
            requests = self._known.of_source(source)
            if self.name in beside:
                if self.name not in was:
                    yield from (one for one in requests if one not in side.active)
            elif beside and beside != was:
                yield from (one for one in requests if one in side.active)

    def _is_recalled(self, request: Request) -> bool:
        """Whether somebody who had noted a request has not been heard since the start."""
        by = self._recalled.get(request, ())
        return not self._known.owners(request) and any(not self._records.knows(name) for name in by)

    def _remember_owners(self, requests: Iterable[Request]) -> None:
        """Keep with what is served who has noted that."""
        for adapter, side in self._sides.items():
            for request in requests:
                if request in side.active:
                    self._keep_served(adapter, side, request)

    def _keep_served(self, adapter: str, side: _Side, request: Request) -> None:
        if not side.capabilities.holds:
            return
        by = self._known.owners(request) or self._recalled.get(request, ())
        served = Served(adapter, request.what, request.source, by)
        if self._served.get((adapter, request)) != served:
            self._served[adapter, request] = served
            self._served_changed = True

    def _remember(self, now: int) -> None:
        """Have kept what has changed of what a restart must not forget."""
        peers = tuple(sorted({name for side in self._sides.values() for name in side.heard}))
        drawn = peers, self.is_informed(now), self._known.own_version
        if drawn == self._remembered and not self._served_changed:
            return
        self._remembered, self._served_changed = drawn, False
        notes = tuple(self._known.own_notes.values())
        if self.is_informed(now):
            served = tuple(self._served.values())
            memory = Memory(notes, served, peers if served else ())
        else:
            memory = msgspec.structs.replace(self._memory, notes=notes)
        if memory != self._memory:
            self._memory = memory
            self._effects.append(Remember(memory))

    def _choose(self, adapter: str, side: _Side, about: Iterable[Request], now: int) -> None:
        """Say what a side wants and offers, where it may have changed for these requests."""
        for request in sorted(about):
            serve = self._is_to_serve(side, request, now)
            if serve and request not in side.active:
                self._activate(adapter, side, request)
            elif not serve and request in side.active:
                self._retire(adapter, side, request, now)
        self._forget_retired(side, now)
        side.arrange()
        if not side.up:
            return
        filters = side.placement.placed
        if side.capabilities.control:
            filters = (CONTROL_FILTER, *filters)
        if filters != side.wanted:
            side.wanted = filters
            self._effects.append(Want(adapter, filters))
        elif side.unsaid:
            self._report_standing(side)
        if side.subjects is None:
            side.subjects = tuple(sorted(side.announced))
        if side.subjects != side.offered:
            side.offered = side.subjects
            self._effects.append(Offer(adapter, side.offered))

    def _is_to_serve(self, side: _Side, request: Request, now: int) -> bool:
        at = side.service
        holds = self._known.notes.holds(request, at)
        side.note(request, holds=holds)
        if not holds:
            # Requests of an earlier life hold until all who have noted them are heard again.
            return request in side.active and request in self._recalled
        return (
            not request.announces
            and self._is_ours(side, request, now)
            and self._can_read(at, request)
        )

    def _can_read(self, at: str, request: Request) -> bool:
        """Whether the filter of a request that another gateway has noted is one here, too."""
        try:
            filter_of(request.what)
        except TidingsError as error:
            self._report(at, request, f"gateway {self.name} cannot read it: {error}", "", False)
            return False
        return True

    def _is_ours(self, side: _Side, request: Request, now: int) -> bool:
        """Whether it is this gateway that serves a request at a side.

        It goes on until another gateway has the filter placed; where the service holds events, also
        until all others know of that. The events meanwhile come twice at worst, and each channel
        accepts them once.
        """
        beside = self.topology.parallel(side.service, request.source)
        if self.name in beside:
            side.yielding.pop(request, None)
            return True
        if request not in side.active:
            return False
        if not any(one in self._known.standing.get((side.service, request), {}) for one in beside):
            side.yielding.pop(request, None)
            return True
        since = side.yielding.setdefault(request, now)
        return side.capabilities.holds and now < since + self._times.gone

    def _activate(self, adapter: str, side: _Side, request: Request) -> None:
        side.active.add(request)
        side.serve(request)
        if side.retired.pop(request, None) is None:
            side.index_in(request)
        side.ways.clear()
        self._keep_served(adapter, side, request)

    def _retire(self, adapter: str, side: _Side, request: Request, now: int) -> None:
        """Serve a request no longer, but what was accepted before."""
        side.active.remove(request)
        side.serve_no_longer(request)
        side.yielding.pop(request, None)
        side.retired[request] = now
        side.ways.clear()
        if self._served.pop((adapter, request), None) is not None:
            self._served_changed = True
        self._write(_applied_key(side.service, request), None)

    def _forget_retired(self, side: _Side, now: int) -> None:
        while side.retired:
            request, since = next(iter(side.retired.items()))
            if now - since <= _RETIRED and len(side.retired) <= MOST_RETIRED:
                return
            del side.retired[request]
            side.index_out(request)

    def take_effects(self) -> list[Effect]:
        """Return what is to be done, once."""
        effects, self._effects = self._effects, []
        return effects


class RequestAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a client is told of its request: the body of a control event of the kind status.

    Attributes:
        id: That of the request.
        applied: The services where it applies, and how it stands there.
        refused: Services that refused it, and why.
        missing: Services where it does not apply yet, or that nobody reaches.
        ended: Whether it was taken back.
        cause: Why nobody can take it; empty if somebody has.
    """

    id: str
    applied: Mapping[str, str] = {}
    refused: Mapping[str, str] = {}
    missing: tuple[str, ...] = ()
    ended: bool = False
    cause: str = ""


class RequestStatus(NamedTuple):
    """A standing request, and where it stands.

    Attributes:
        announces: Whether it is an announcement.
        what: The filter's text, or the subject.
        source: The service that asks.
        targets: The distribution lists.
        applied: Where it was applied or refused.
        missing: Services that it was not applied at yet, or that nobody reaches.
    """

    announces: bool
    what: str
    source: str
    targets: tuple[str, ...]
    applied: tuple[Applied, ...]
    missing: tuple[str, ...]


class _Repeated(InvalidEvent):
    """A control event that was heard before."""


def _note_of(control: Control) -> Note:
    """Return what is noted of a request that came as a control event."""
    announces = control.kind in (ControlKind.ANNOUNCEMENT, ControlKind.UNANNOUNCEMENT)
    more = control.kind in (ControlKind.ANNOUNCEMENT, ControlKind.SUBSCRIPTION)
    what = control.event.name if control.event is not None and announces else control.filter
    return Note(announces, what, control.source, control.targets, 1 if more else -1)


def _answer_of(id: str, found: RequestStatus | None) -> RequestAnswer:
    if found is None:
        return RequestAnswer(id=id, ended=True)
    return RequestAnswer(
        id=id,
        applied={one.service: one.how for one in found.applied if not one.cause},
        refused={one.service: one.cause for one in found.applied if one.cause},
        missing=found.missing,
    )


def _applied_key(service: str, request: Request) -> str:
    return f"applied {service} {request.announces:d} {request.source} {request.what}"


def _note_key(note: Note) -> str:
    return f"note {note.announces:d} {note.source} {note.targets} {note.what}"


def _first_time(seen: OrderedDict, key: object, most: int) -> bool:  # type: ignore[type-arg]
    """Remember a key among the latest; return whether it was not there."""
    if key in seen:
        return False
    seen[key] = None
    if len(seen) > most:
        seen.popitem(last=False)
    return True
