"""Answers questions about constraints that are no filters yet, beside the loop or in turns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from tidings.channel.constraint_views import (
    NOTED,
    CheckedConstraint,
    Explanation,
    MatchCount,
    PropertiesSeen,
    Tally,
    check_view,
    explanation,
    properties_view,
)
from tidings.channel.effects import Message
from tidings.channel.questions import (
    CheckConstraint,
    CountMatching,
    ExplainConstraint,
    SeeProperties,
)
from tidings.channel.settings import FilterPart
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Place
from tidings.engine.access import Caller
from tidings.engine.beside import beside
from tidings.engine.history import Look
from tidings.errors import LimitExceeded
from tidings.events.fields import Fields, fields_for
from tidings.events.schema import Catalogue
from tidings.events.standard_header import with_standard_types
from tidings.filters.constraint import constraint
from tidings.grants.model import Verb

if TYPE_CHECKING:
    from tidings.engine.host import Host

# In seconds: 10,000 usual events take about one. Somebody waits, and a long constraint must not
# keep the disk's thread busy for minutes.
_PATIENCE: Final = 10


async def check_constraint(host: Host, caller: Caller, asked: CheckConstraint) -> CheckedConstraint:
    """Check a constraint."""
    host.access.require_known(caller, None)
    host.settings.limits.check_filter([FilterPart(asked.text, 0)])
    return await beside(lambda: check_view(asked.text, asked.known))


async def explain_constraint(host: Host, caller: Caller, asked: ExplainConstraint) -> Explanation:
    """Explain what a constraint does with an event."""
    host.access.require_known(caller, None)
    host.settings.limits.check_filter([FilterPart(asked.text, len(asked.types))])
    at = host.time() if asked.at is None else asked.at

    def explained() -> Explanation:
        event = with_standard_types(entered(asked.item, unwrap=True))
        return explanation(constraint(asked.text, asked.types), fields_for(event, at))

    return await beside(explained)


async def count_matching(host: Host, caller: Caller, asked: CountMatching) -> MatchCount:
    """Count how many of a channel's latest events match."""
    _require(host, caller, asked.channel)
    host.settings.limits.check_filter([FilterPart(asked.text, len(asked.types))])
    tally = Tally(await beside(lambda: constraint(asked.text, asked.types)), asked.most)

    def judge(message: Message, fields: Fields) -> bool:
        tally.judge(message.seq, message.arrival, fields, message.event.name)
        return False

    await _survey(host, caller, asked.channel, asked.last, judge)
    return tally.count()


async def see_properties(host: Host, caller: Caller, asked: SeeProperties) -> PropertiesSeen:
    """List the properties of a channel's latest events."""
    _require(host, caller, asked.channel)
    seen, numbers = Catalogue(NOTED), []

    def note(message: Message, _: Fields) -> bool:
        seen.observe(message.event)
        numbers.append(message.seq)
        return False

    await _survey(host, caller, asked.channel, asked.last, note)
    return await beside(lambda: properties_view(seen, len(numbers)))


def _require(host: Host, caller: Caller, channel: int) -> None:
    host.access.require(caller, Verb.SUBSCRIBE, Place(channel))


async def _survey(host: Host, caller: Caller, channel: int, last: int, look: Look) -> None:
    """Show events to a function: those that the caller may see."""
    fence = () if caller.is_owner else host.access.fence(caller.name, channel)
    try:
        async with asyncio.timeout(_PATIENCE):
            await host.history.survey(channel, last, look, fence or ())
    except TimeoutError:
        raise LimitExceeded(
            f"looking at the latest {last:,} events takes longer than {_PATIENCE} s: ask for fewer"
        ) from None
