"""Converts effects to journal records."""

from __future__ import annotations

from typing import Any, Final

from tidings.channel.effects import (
    Acceptance,
    DeadLetter,
    Done,
    Message,
    PlanChanged,
    Reserved,
    TopologyChanged,
)
from tidings.channel.entries import NEVER
from tidings.channel.factory import CHANNELS
from tidings.cores import State
from tidings.events.codecs.json_codec import encode_event
from tidings.filters.plan_form import change_to_plain
from tidings.stores.payloads import (
    StoredDeadLetter,
    dead_payload,
    numbers_payload,
    outcome_payload,
    pack_event,
    plan_payload,
    state_payload,
    topology_payload,
)
from tidings.stores.records import Kind, Record

HOST_ORIGIN: Final = bytes(16)
"""The channel's placeholder in records that belong to the host."""


class Recorder:
    """Converts effects to records; host time plus `offset` is microseconds since 1970."""

    def __init__(self) -> None:
        self.offset = 0
        self.origins: dict[int, bytes] = {0: HOST_ORIGIN}
        self.origin_texts: dict[int, str] = {}

    def event(self, message: Message, accepted: Acceptance) -> Record:
        """Return the record of an accepted event; its JSON is kept with it for delivery."""
        entry, mark, views = accepted.entry, message.mark, accepted.views
        json = encode_event(message.event)
        if accepted.recipients:
            message.json = json
        payload = pack_event(
            message.arrival,
            message.plan,
            entry.priority,
            self.wall(entry.expiry),
            accepted.start,
            entry.flags,
            None if mark is None else mark.producer,
            0 if mark is None else mark.number,
            message.hops,
            accepted.durable,
            {p: (self.wall(v.expiry), v.priority) for p, v in views.items()} if views else {},
            False,
            json,
        )
        return Record(Kind.EVENT, self.origins[message.channel], message.seq, payload)

    def outcome(self, effect: Done, now: int) -> Record:
        """Return the record of copies settled at `now`, host time."""
        at = now + self.offset
        payload = outcome_payload(effect.proxy, effect.outcome, effect.durable, at)
        return Record(Kind.OUTCOME, self.origins[effect.channel], effect.durable[0], payload)

    def topology(self, effect: TopologyChanged) -> Record:
        """Return the record of an object."""
        if effect.kind == "channel" and effect.state is not None:
            self.origins[effect.channel] = bytes.fromhex(str(effect.state["origin"]))
        key = (effect.channel, effect.kind, effect.key)
        return self.object(CHANNELS, key, effect.state)

    def object(self, core: str, key: Any, state: State | None) -> Record:  # noqa: ANN401
        """Return the record of a core's object, by its key there."""
        if core == CHANNELS:
            channel, kind, id = key
            payload = topology_payload(channel, kind, id, state)
            return Record(Kind.TOPOLOGY, self.origins[channel], 0, payload)
        return Record(Kind.STATE, HOST_ORIGIN, 0, state_payload(core, key, state))

    def plan(self, effect: PlanChanged) -> Record:
        """Return the record of a plan's version."""
        payload = plan_payload(change_to_plain(effect.change))
        return Record(Kind.PLAN, self.origins[effect.channel], effect.change.version, payload)

    def reserved(self, effect: Reserved) -> Record:
        """Return the record of numbers that may be in use."""
        payload = numbers_payload(effect.used, effect.skipped)
        return Record(Kind.RESERVED, self.origins[effect.channel], effect.upto, payload)

    def dead_letter(self, effect: DeadLetter, message: Message) -> StoredDeadLetter:
        """Return what is kept of a dead letter, without a number."""
        entry = effect.entry
        return StoredDeadLetter(
            effect.proxy,
            effect.at,
            effect.causes,
            self.wall(entry.expiry),
            entry.priority,
            entry.flags,
            message.arrival,
            message.plan,
            encode_event(message.event) if message.json is None else message.json,
        )

    def dead(self, channel: int, seq: int, letter: StoredDeadLetter) -> Record:
        """Return the record of a dead letter."""
        return Record(Kind.DEAD, self.origins[channel], seq, dead_payload(letter))

    def wall(self, expiry: int) -> int:
        """Convert host time to microseconds since 1970; NEVER stays NEVER."""
        return NEVER if expiry == NEVER else expiry + self.offset
