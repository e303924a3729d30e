"""Explanations of why consumers' own constraints stop an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidings.channel.questions import SeeFilter
from tidings.cli.render import Branch, Mark
from tidings.cli.why import branch_of
from tidings.errors import NotFound
from tidings.events.fields import fields_of
from tidings.filters.explain import explain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tidings.channel.trail import Trail
    from tidings.channel.views import ProxyInfo
    from tidings.client.client import Client
    from tidings.events.fields import Fields
    from tidings.events.structured import StructuredEvent
    from tidings.filters.constraint import Constraint

# Most consumers explained; each needs a request for its filters.
_CONSUMERS: Final = 20
_CONSTRAINTS: Final = 5


class Reasons:
    """Explanations of the constraints of consumers (by id) that an event does not reach."""

    def __init__(self, client: Client, proxies: Mapping[int, ProxyInfo]) -> None:
        self._client = client
        self._proxies = proxies
        self._known: dict[int, list[Constraint]] = {}

    async def of(self, event: StructuredEvent, told: Trail) -> dict[int, tuple[Branch, ...]]:
        """Return the explained constraints by consumer, only where none matches."""
        consumers = [step for step in told.steps if step.stage == "consumer"]
        stopped = [step.proxy for step in consumers if not step.passed]
        fields = fields_of(event, told.now)
        found: dict[int, tuple[Branch, ...]] = {}
        for id in stopped[:_CONSUMERS]:
            info = self._proxies.get(id) if id is not None else None
            if info is None:
                continue
            asked = [one for id in sorted(info.filters.values()) for one in await self._of(id)]
            if asked and not any(one.matches(fields) for one in asked):
                found[info.id] = _branches(asked, fields)
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


def _branches(asked: Iterable[Constraint], fields: Fields) -> tuple[Branch, ...]:
    branches = [_branch(one, fields) for one in asked]
    if len(branches) > _CONSTRAINTS:
        more = Branch(Mark.FALSE, f"and {len(branches) - _CONSTRAINTS} more")
        branches[_CONSTRAINTS:] = [more]
    return tuple(branches)


def _branch(asked: Constraint, fields: Fields) -> Branch:
    if asked.is_tried(*fields.event_type):
        return branch_of(explain(asked, fields))
    types = ", ".join(f"{one.domain}::{one.type}" for one in asked.event_types)
    return Branch(Mark.FALSE, asked.text or "TRUE", f"only asked of {types}")
