"""The gateways of a service, as resources: what is set up and kept; a core of its own.

It decides what runs. `gateways/` carries it out, and tells. ::

    created ──> running <──> paused       nothing is taken, what waits is kept
                   └─────> draining       what waits is handed out, nothing new is taken
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import msgspec

from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import (
    InvalidConstraint,
    InvalidUsage,
    NameTaken,
    NotFound,
    StoreError,
    TooManyObjects,
    WrongState,
)
from tidings.federation import requests as r
from tidings.federation.distribution import checked_name, distribution
from tidings.federation.gateway import Gateway
from tidings.federation.notes import summed
from tidings.federation.records import NOTHING, Applied, Memory, Note
from tidings.federation.wishes import filter_of

NAME: Final = "federation"
"""The name of the core, in the journal too."""
MOST_GATEWAYS: Final = 256
MOST_SIDES: Final = 32
MOST_KEYS: Final = 256
MOST_REMEMBERED: Final = 10_000_000
NOT_RUN: Final = "this process runs no gateways"

_VERSION: Final = 1


@dataclass(slots=True)
class _Kept:
    """One gateway, and what is known of it while it runs."""

    config: r.GatewayConfig
    memory: Memory = NOTHING
    draining: bool = False
    machine: Gateway | None = None
    sides: Callable[[], tuple[r.SideInfo, ...]] = tuple
    problem: str = NOT_RUN
    asked: tuple[Note, ...] = ()  # since it was told to run, until it does


class Federation:
    """All gateways of a service by name."""

    name: Final = NAME
    wake_at: int | None = None

    def __init__(self, check: Callable[[r.SideConfig], object] = lambda _: None) -> None:
        """`check` raises InvalidUsage if a side could not run: no such adapter, a wrong rule."""
        self._gateways: dict[str, _Kept] = {}
        self._check_side = check
        self._ready = False
        self._effects: list[Any] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.CreateGateway: self._create,
            r.ChangeGateway: self._change,
            r.PauseGateway: lambda asked, _: self._rest(asked.gateway, paused=True),
            r.DrainGateway: lambda asked, _: self._drain(asked.gateway),
            r.ResumeGateway: lambda asked, _: self._rest(asked.gateway, paused=False),
            r.DeleteGateway: self._delete,
            r.SeeGateways: lambda *_: tuple(map(_info, self._gateways.values())),
            r.SeeGateway: lambda asked, _: _info(self._find(asked.gateway)),
            r.SeeGatewayConfig: lambda asked, _: _config(self._find(asked.gateway)),
            r.AskFederation: self._ask,
            r.SeeFederationRequests: lambda asked, _: _requests(self._machine(asked.gateway)),
            r.SeeFederation: lambda asked, _: _services(self._machine(asked.gateway)),
            r.SeeContext: lambda asked, _: _context(self._machine(asked.gateway), asked.at),
            r.ProbeFederation: self._probe,
            r.SeeProbe: self._see_probe,
            r.GatewaysReady: self._run_all,
            r.GatewayRemembers: self._remember,
            r.GatewayRuns: self._runs,
        }
        self.requests = tuple(self._handlers)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands."""
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, effects

    # Operations.

    def _create(self, asked: r.CreateGateway, _: int) -> None:
        if asked.name in self._gateways:
            raise NameTaken(f"there is a gateway {asked.name} already")
        if len(self._gateways) >= MOST_GATEWAYS:
            raise TooManyObjects(f"the service has {MOST_GATEWAYS} gateways already")
        config = r.GatewayConfig(
            checked_name("name", asked.name), checked_name("system", asked.system),
            tuple(asked.sides), dict(asked.keys), asked.clients_sign, asked.window,
        )  # fmt: skip
        self._check(config)
        self._gateways[asked.name] = _Kept(config, Memory(tuple(map(_note, asked.requests))))
        self._keep(asked.name)
        self._run(asked.name)

    def _change(self, asked: r.ChangeGateway, _: int) -> None:
        kept = self._find(asked.gateway)
        config = replace(kept.config, sides=tuple(asked.sides))
        self._check(config)
        kept.config = config
        self._keep(asked.gateway)
        self._run(asked.gateway)

    def _rest(self, name: str, *, paused: bool) -> None:
        kept = self._find(name)
        if kept.config.paused == paused and not kept.draining:
            raise WrongState(f"gateway {name} {'rests' if paused else 'runs'} already")
        kept.config = replace(kept.config, paused=paused)
        kept.draining = False
        self._keep(name)
        self._run(name)

    def _drain(self, name: str) -> None:
        kept = self._find(name)
        if kept.config.paused:
            raise WrongState(f"gateway {name} rests: resume it first")
        kept.draining = True
        self._run(name)

    def _delete(self, asked: r.DeleteGateway, _: int) -> None:
        self._find(asked.gateway)
        del self._gateways[asked.gateway]
        self._effects += [Keep(NAME, asked.gateway, None), r.EndGateway(asked.gateway)]

    def _ask(self, asked: r.AskFederation, now: int) -> None:
        kept = self._find(asked.gateway)
        note = _note(r.StandingRequest(asked.kind, asked.what, asked.source, asked.targets))
        taken_back = asked.kind in (r.RequestKind.UNSUBSCRIBE, r.RequestKind.UNANNOUNCE)
        if taken_back:
            note = msgspec.structs.replace(note, count=-1)
        if kept.machine is None:
            notes = summed((*kept.memory.notes, note))
            kept.memory = msgspec.structs.replace(kept.memory, notes=notes)
            kept.asked = summed((*kept.asked, note))
            self._keep(asked.gateway)
            return
        kept.machine.ask(note, now)
        self._effects.append(r.WakeGateway(asked.gateway))

    def _probe(self, asked: r.ProbeFederation, now: int) -> str:
        id = self._machine(asked.gateway).probe(asked.at, asked.to, now)
        self._effects.append(r.WakeGateway(asked.gateway))
        return id

    def _see_probe(self, asked: r.SeeProbe, _: int) -> r.ProbeInfo:
        way = self._machine(asked.gateway).probe_result(asked.probe)
        return r.ProbeInfo(way is not None, tuple(r.Hop(*hop) for hop in way or ()))

    # What the runner tells.

    def _run_all(self, _: r.GatewaysReady, __: int) -> None:
        self._ready = True
        for name in self._gateways:
            self._run(name)

    def _remember(self, told: r.GatewayRemembers, _: int) -> None:
        kept = self._gateways.get(told.gateway)
        if kept is not None and kept.memory != told.memory:
            kept.memory = told.memory
            self._keep(told.gateway)

    def _runs(self, told: r.GatewayRuns, now: int) -> None:
        kept = self._gateways.get(told.gateway)
        if kept is not None and callable(told.sides):
            kept.machine = told.machine if isinstance(told.machine, Gateway) else None
            kept.sides, kept.problem = told.sides, told.problem
            if kept.machine is not None and kept.asked:
                asked, kept.asked = kept.asked, ()
                for note in asked:
                    kept.machine.ask(note, now)
                self._effects.append(r.WakeGateway(told.gateway))

    # Rules.

    def _check(self, config: r.GatewayConfig) -> None:
        _check(config)
        for side in config.sides:
            self._check_side(side)

    def _run(self, name: str) -> None:
        kept = self._gateways[name]
        if self._ready:
            kept.asked = ()
            self._effects.append(r.RunGateway(kept.config, kept.draining, kept.memory))

    def _find(self, name: str) -> _Kept:
        found = self._gateways.get(name)
        if found is None:
            raise NotFound(f"there is no gateway {name!r:.60}; there are: {self._names()}")
        return found

    def _names(self) -> str:
        return ", ".join(sorted(self._gateways)) or "none"

    def _machine(self, name: str) -> Gateway:
        kept = self._find(name)
        if kept.machine is None:
            raise WrongState(f"gateway {name} does not run: {kept.problem}")
        return kept.machine

    # The journal.

    def _keep(self, name: str) -> None:
        self._effects.append(Keep(NAME, name, _state(self._gateways[name])))

    def snapshot(self) -> list[tuple[str, State]]:
        """All gateways."""
        return [(name, _state(kept)) for name, kept in self._gateways.items()]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take the gateways back; they run once the runner is ready."""
        for name, state in states.items():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"gateway {name} was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
            try:
                config = msgspec.convert(state["config"], r.GatewayConfig)
                memory = msgspec.convert(state["memory"], Memory)
            except (msgspec.ValidationError, KeyError) as error:
                raise StoreError(f"gateway {name} cannot be understood: {error}") from error
            self._gateways[name] = _Kept(config, memory)
        return ()


def _state(kept: _Kept) -> State:
    memory = msgspec.to_builtins(kept.memory)
    return {"version": _VERSION, "config": asdict(kept.config), "memory": memory}


def _note(request: r.StandingRequest) -> Note:
    """Return what is noted of a request; its errors name the part that is wrong."""
    announces = request.kind in (r.RequestKind.ANNOUNCE, r.RequestKind.UNANNOUNCE)
    distribution(request.targets)
    if not announces:
        filter_of(request.what)
    elif not request.what:
        raise InvalidUsage("what: an announcement names the subject")
    source = checked_name("source", request.source)
    return Note(announces, request.what, source, request.targets, request.count)


def _config(kept: _Kept) -> r.GatewayConfig:
    requests = tuple(
        r.StandingRequest(
            r.RequestKind.ANNOUNCE if note.announces else r.RequestKind.SUBSCRIBE,
            note.what, note.source, note.targets, note.count,
        )
        for note in kept.memory.notes
    )  # fmt: skip
    return replace(kept.config, requests=requests)


def _check(config: r.GatewayConfig) -> None:
    if not 0 <= config.window <= MOST_REMEMBERED:
        raise InvalidUsage(f"window: 0 to {MOST_REMEMBERED} events, not {config.window}")
    if not 1 <= len(config.sides) <= MOST_SIDES:
        raise InvalidUsage(f"sides: a gateway has 1 to {MOST_SIDES}, not {len(config.sides)}")
    _check_keys(config)
    for what in ("adapter", "service"):
        names = [checked_name(f"sides: {what}", getattr(side, what)) for side in config.sides]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidUsage(f"sides: {twice} is the {what} of two sides")
    for at, side in enumerate(config.sides):
        for other in config.sides[:at]:
            if (side.kind, side.parameters) == (other.kind, other.parameters):
                raise InvalidUsage(
                    f"sides: {other.service} and {side.service} are one service under two names: "
                    f"both are {side.kind} with the same parameters"
                )
        for name in ("allow", "deny"):
            try:
                filter_of(getattr(side.flow, name) or "TRUE")
            except InvalidConstraint as error:
                raise InvalidUsage(f"sides: {side.adapter}: {name}: {error}") from error


def _check_keys(config: r.GatewayConfig) -> None:
    if len(config.keys) > MOST_KEYS:
        raise InvalidUsage(f"keys: at most {MOST_KEYS}, not {len(config.keys)}")
    for name, place in config.keys.items():
        checked_name("keys", name)
        if not place.startswith(("file:", "env:")):
            raise InvalidUsage(f"keys: {name} is file:PATH or env:NAME, so that no secret is kept")
    for side in config.sides:
        for name in side.trusts:
            if name not in config.keys:
                raise InvalidUsage(
                    f"sides: {side.adapter} trusts {name!r:.60}, which is not one of the gateway's "
                    f"keys: {', '.join(config.keys) or 'it has none'}"
                )


# What is shown.


def _info(kept: _Kept) -> r.GatewayInfo:
    config, machine = kept.config, kept.machine
    sides = kept.sides() or tuple(
        r.SideInfo(side.adapter, side.service, side.kind, r.SideState.STOPPED)
        for side in config.sides
    )
    info = r.GatewayInfo(
        config.name, config.system, config.paused, kept.draining, sides, problem=kept.problem
    )
    if machine is None:
        return info
    counts = machine.counts
    names = (
        "fresh", "carried", "shared", "returned", "circled", "repeated", "unreachable", "refused",
    )  # fmt: skip
    return replace(
        info,
        last_refusal=counts.last_refusal,
        **{name: getattr(counts, name) for name in names},
    )


def _requests(machine: Gateway) -> tuple[r.RequestInfo, ...]:
    return tuple(
        r.RequestInfo(
            r.RequestKind.ANNOUNCE if one.announces else r.RequestKind.SUBSCRIBE,
            one.what, one.source, one.targets,
            tuple(at.service for at in one.applied if not at.cause),
            tuple(_how(at) for at in one.applied if not at.cause),
            tuple(f"{at.service}: {at.cause}" for at in one.applied if at.cause),
            one.missing,
        )
        for one in machine.requests()
    )  # fmt: skip


def _how(at: Applied) -> str:
    return at.how or ("exactly" if at.exact else "")


def _services(machine: Gateway) -> tuple[r.MapService, ...]:
    topology = machine.topology
    return tuple(
        r.MapService(
            service,
            kind,
            topology.on(service),
            tuple(name for name in topology.plan.on(service) if name not in topology.gateways),
            topology.plan.places.get(service, ""),
        )
        for service, kind in sorted(topology.plan.services.items())
    )


def _context(machine: Gateway, at: str) -> tuple[r.ContextInfo, ...]:
    return tuple(
        r.ContextInfo(at, to, *report)
        for to in sorted(machine.topology.services)
        for report in machine.context(at, to)
    )
