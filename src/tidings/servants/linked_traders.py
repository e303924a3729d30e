"""Calls of other traders, and of objects that evaluate dynamic properties.

Operators add links, and what these lead to is called wherever it is; clients export dynamic
properties, and these are called only where `iiop.callback_networks` allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from tidings.cos import CosTrading_auto as wire
from tidings.cos.CosTradingDynamic_auto import DynamicPropEval
from tidings.cos.names import look_up
from tidings.cos.trading import policies_out, reference_in
from tidings.engine.turns import Turns
from tidings.errors import RegisterNotSupported
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import CorbaError, UserException
from tidings.orb.ior import is_nil
from tidings.trader.model import is_dynamic, refusal
from tidings.trader.outside import Answered, Evaluation, Failed, Follow, LinkedOffer

_PAGE: Final = 200
"""Offers in one answer of another trader."""
_ALL: Final = UnionValue(wire.Lookup_HowManyProps.all, None)


class LinkedTraders:
    """Other traders, and objects that evaluate; `orb` calls the latter, within its targets."""

    def __init__(self, orb: Orb, options: Options) -> None:
        self._near = orb
        self._options = replace(options, targets=None, on_request=None)
        self._far: Orb | None = None

    @property
    def _orb(self) -> Orb:
        """What calls other traders; made when the first link is followed."""
        if self._far is None:
            self._far = Orb(self._options, names=look_up)
        return self._far

    async def close(self) -> None:
        """End all calls of other traders."""
        if self._far is not None:
            await self._far.close()

    # Dynamic properties.

    async def admit(self, properties: Sequence[wire.Property]) -> None:
        """Note where a client's dynamic properties are evaluated, if that is its own address."""
        for one in properties:
            parts = _parts(one.value) if is_dynamic(one.value) else None
            if parts is not None:
                with suppress(CorbaError):
                    await self._near.admit(parts.whom)

    async def evaluate(self, asked: Evaluation, seconds: float) -> Value | Failed:
        """Return the value of a dynamic property."""
        parts = _parts(asked.property)
        if parts is None:
            return Failed("nobody is there to be asked: eval_if is nil")
        try:
            whom = DynamicPropEval(self._near, parts.whom, seconds)
            found: Value = await whom.evalDP(asked.name, parts.type, parts.extra)
        except CorbaError as error:
            return Failed(_words(error))
        return found

    # Links.

    async def query(self, asked: Follow) -> Answered:
        """Return the offers of another trader."""
        try:
            return await self._query(asked)
        except CorbaError as error:
            return Answered(note=_words(error))

    async def _query(self, asked: Follow) -> Answered:
        query = asked.query
        target = await self._orb.resolve(asked.target)
        lookup = self._orb.stub(wire.Lookup, target, asked.seconds)
        found, rest, limits = await lookup.query(
            query.type, query.constraint, query.preference, policies_out(query.policies), _ALL,
            min(asked.most, _PAGE),
        )  # fmt: skip
        turns, offers = Turns(), list[LinkedOffer]()
        await _take(offers, found, turns)
        left = not is_nil(rest)
        if left:
            iterator = self._orb.stub(wire.OfferIterator, rest, asked.seconds)
            while left and len(offers) < asked.most:
                left, found = await iterator.next_n(min(asked.most - len(offers), _PAGE))
                await _take(offers, found, turns)
                left = left and bool(found)
            with suppress(CorbaError):
                await iterator.destroy()
        note = f"only its first {asked.most} offers were taken" if left else ""
        return Answered(offers, limits, note)

    async def register(self, target: str, name: Sequence[str], rest: Sequence[str]) -> Reference:
        """Return the Register of the trader at a link, or of one that it has a link to."""
        lookup = self._orb.stub(wire.Lookup, await self._orb.resolve(target))
        found = await lookup.get_register_if()
        if is_nil(found):
            raise refusal(
                RegisterNotSupported, f"trader {'/'.join(name)} takes no offers", name=tuple(name)
            )
        if not rest:
            return found
        return await self._orb.stub(wire.Register, found).resolve(tuple(rest))


async def _take(offers: list[LinkedOffer], found: Sequence[wire.Offer], turns: Turns) -> None:
    for one in found:
        offers.append(LinkedOffer(reference_in(one.reference), dict(one.properties)))
        await turns.give()


class _Parts(NamedTuple):
    """Whom to ask for a dynamic property, for which type, and with what."""

    whom: Reference
    type: TypeCode
    extra: Value


def _parts(value: Value) -> _Parts | None:
    """Return what a dynamic property says; None if it only looks like one, or has nobody."""
    match value:
        case AnyValue(value=(Reference() as whom, TypeCode() as kind, extra)) if whom.profiles:
            return _Parts(whom, kind, extra)
    return None


def _words(error: CorbaError) -> str:
    if not isinstance(error, UserException):
        return str(error)
    name = error.ID.removeprefix("IDL:omg.org/").rpartition(":")[0].replace("/", "::")
    said = ", ".join(one for one in error.args if isinstance(one, str))
    return f"{name} ({said})" if said else name
