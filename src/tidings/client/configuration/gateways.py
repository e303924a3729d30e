"""Gateways in a configuration: their tables, and the steps that make them as a file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final

import msgspec

from tidings.errors import BadInput, InvalidUsage
from tidings.events.codecs.json_types import near_miss
from tidings.federation import requests as r
from tidings.federation.reading import read

_SIDE: Final = tuple(field.name for field in fields(r.SideConfig) if field.name != "adapter")
_GATEWAY: Final = tuple(field.name for field in fields(r.GatewayConfig) if field.name != "name")
# What a gateway is created with, and keeps.
_FIXED: Final = ("system", "keys", "clients_sign", "window")


def gateway_table(config: r.GatewayConfig) -> dict[str, object]:
    """Return the table of a gateway; usual values are left out."""
    plain = _told(config, r.GatewayConfig(""))
    sides = {one.adapter: _told(one, r.SideConfig("", "", "")) for one in config.sides}
    for side in sides.values():
        side.pop("adapter", None)
    return {name: value for name, value in plain.items() if name not in {"name", "sides"}} | {
        "sides": sides
    }


def _told(config: object, usual: object) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(config)
    plain_usual = msgspec.to_builtins(usual)
    return {name: value for name, value in plain.items() if value != plain_usual[name]}


def read_gateway(name: str, table: Mapping[str, Any]) -> r.GatewayConfig:
    """Read the table of a gateway.

    Raises:
        BadInput: Lists what is wrong with it, a line for each, with the place below the table.
    """
    faults = list(_unknown(table, _GATEWAY, ""))
    sides = table.get("sides")
    if not isinstance(sides, dict) or not all(isinstance(one, dict) for one in sides.values()):
        raise BadInput("\n".join((*faults, "sides: must be a table for each adapter")))
    for adapter, side in sides.items():
        faults += _unknown(side, _SIDE, f"sides.{adapter}.")
        flow = side.get("flow")
        if isinstance(flow, dict):
            known = tuple(field.name for field in fields(r.Flow))
            faults += _unknown(flow, known, f"sides.{adapter}.flow.")
    if not faults:
        rows = [{**side, "adapter": adapter} for adapter, side in sides.items()]
        try:
            return read(r.GatewayConfig, {**table, "name": name, "sides": rows})
        except InvalidUsage as error:
            faults.append(str(error))
    raise BadInput("\n".join(faults))


def _unknown(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> Iterator[str]:
    for name in table:
        if name not in known:
            yield f"{place}{name}: unknown; {near_miss(name, list(known))}"


def gateway_conflicts(there: r.GatewayConfig, wanted: r.GatewayConfig) -> Iterator[str]:
    """Say what of a gateway differs and cannot be changed."""
    for name in _FIXED:
        old, new = getattr(there, name), getattr(wanted, name)
        if old != new:
            yield (
                f"gateway {there.name}: its {name} is {old!r:.80} and cannot become {new!r:.80}; "
                "delete it first, with what waits in its outboxes"
            )


def new_gateway(config: r.GatewayConfig) -> Iterator[Any]:
    """Return the requests that create a gateway."""
    yield r.CreateGateway(
        config.name, config.sides, config.system, config.keys, config.clients_sign, config.window,
        config.requests,
    )  # fmt: skip
    if config.paused:
        yield r.PauseGateway(config.name)


def gateway_changes(there: r.GatewayConfig, wanted: r.GatewayConfig) -> Iterator[tuple[str, Any]]:
    """Return what makes a gateway like another one, each with the words for it."""
    name = wanted.name
    if there.sides != wanted.sides:
        before = {one.adapter: one for one in there.sides}
        after = {one.adapter: one for one in wanted.sides}
        changed = [adapter for adapter, one in after.items() if before.get(adapter) != one]
        gone = [f"{adapter} leaves" for adapter in before if adapter not in after]
        yield f"sides: {', '.join((*changed, *gone))}", r.ChangeGateway(name, wanted.sides)
    yield from _changed_requests(there, wanted)
    if there.paused != wanted.paused:
        yield (
            ("paused", r.PauseGateway(name))
            if wanted.paused
            else ("resumed", r.ResumeGateway(name))
        )


_OPPOSITE: Final = {
    r.RequestKind.SUBSCRIBE: r.RequestKind.UNSUBSCRIBE,
    r.RequestKind.ANNOUNCE: r.RequestKind.UNANNOUNCE,
}


def _changed_requests(
    there: r.GatewayConfig, wanted: r.GatewayConfig
) -> Iterator[tuple[str, r.AskFederation]]:
    counts = Counter({replace(one, count=0): one.count for one in wanted.requests})
    counts.subtract({replace(one, count=0): one.count for one in there.requests})
    for one, more in counts.items():
        kind = one.kind if more > 0 else _OPPOSITE[one.kind]
        asked = r.AskFederation(wanted.name, kind, one.what, one.source, one.targets)
        for _ in range(abs(more)):
            yield f"{kind.value} {one.what} for {one.source} at {one.targets}", asked
