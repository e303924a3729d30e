"""Every row that has a CORBA operation does the same over IIOP as inside one process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.api import view_strategies as views
from tests.laws.request_strategies import requests_of
from tests.patience import PATIENCE
from tests.promises.corba import IiopService
from tests.promises.services import InProcessService
from tidings.channel import management as m
from tidings.channel.catalogue import CATALOGUE, Operation
from tidings.channel.questions import SeeAdmins, SeeChannels, SeeFilters, SeeProxies
from tidings.channel.vocabulary import Place, Side, Style
from tidings.client.client import Client
from tidings.errors import InvalidUsage, NotFound, TidingsError, UnsupportedAdmin, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

EXAMPLES = 4
AT_ONCE = 4

ROWS = [row for row in CATALOGUE if row.corba and row.http and not row.is_question]

_SHORT = AnyValue(tc.SHORT, 5)
# Objects 1 to 4 exist in the world below; some of them are of the wrong kind for a request.
_ids = {
    "admin": st.sampled_from([0, 1, 9]),
    "attachment": st.sampled_from([1, 2, 9]),
    "channel": st.sampled_from([1, 1, 1, 9]),
    "filter": st.sampled_from([1, 2, 3, 9]),
    "proxy": st.sampled_from([1, 2, 3, 4, 9]),
}
_places = (
    st.builds(Place, _ids["channel"])
    | st.builds(Place, _ids["channel"], proxy=_ids["proxy"])
    | st.builds(Place, _ids["channel"], st.sampled_from(Side), _ids["admin"])
)
_default = st.sampled_from([_SHORT, AnyValue(tc.ULONGLONG, 7)])
_mapped = st.builds(MappedConstraint, views.constraints, _default)
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    **_ids,
    "default": _default,
    "delete": st.lists(st.sampled_from([1, 2, 9]), max_size=2, unique=True).map(tuple),
    "mapped": st.lists(_mapped, max_size=2).map(tuple),
    "place": _places,
    # What CORBA has no words for.
    "bare": st.just(False),
    "keep": st.just(False),
    "name": st.just(""),
    "private": st.just(False),
}
_REPLACE = {m.ModifyConstraints: views.constraints, m.ModifyMapped: _mapped}


@st.composite
def _requests(draw: st.DrawFn, row: Operation) -> Any:
    made = draw(requests_of(row))
    names = [name for name in row.fields if name in _FIELDS]
    if row.request is m.CreateChannel:
        names.remove("admin")  # its properties
    changed = {name: draw(_FIELDS[name]) for name in names}
    if "replace" in row.fields:
        parts = st.dictionaries(st.sampled_from([1, 2, 9]), _REPLACE[row.request], max_size=2)
        changed["replace"] = draw(parts)
    return replace(made, **changed)


async def _world(client: Client) -> None:
    """A channel with an admin, proxies of four kinds, two filters and a mapping filter."""
    ask = client.transport.ask
    await ask(m.CreateChannel("0" * 32))
    await ask(m.NewAdmin(1, Side.CONSUMER))
    wanted = (constraint("$price > 1"), constraint("$price < 9"))
    await ask(m.CreateFilter(wanted))
    await ask(m.CreateMapping(_SHORT, (MappedConstraint(wanted[0], _SHORT),)))
    await ask(m.CreateFilter())
    await ask(m.ObtainProxy(1, Side.CONSUMER, constraints=wanted[:1]))
    await ask(m.ObtainProxy(1, Side.SUPPLIER))
    await ask(m.ObtainProxy(1, Side.CONSUMER, Style.PULL, admin=1))
    await ask(m.ObtainProxy(1, Side.SUPPLIER, Style.PULL))
    await ask(m.AddFilter(Place(1, proxy=1), 3))


async def _answer(client: Client, request: Any) -> Any:
    try:
        return await client.transport.ask(request)
    except TidingsError as error:
        return error


def _alike(inside: Any, corba: Any) -> bool:
    """Whether answers are the same; CORBA tells some errors by the family they belong to."""
    if isinstance(inside, UnsupportedQoS | UnsupportedAdmin):
        return isinstance(corba, type(inside)) and corba.errors == inside.errors
    if isinstance(inside, InvalidUsage) and isinstance(corba, NotFound):
        return True  # it has both faults, and is told one of them
    if isinstance(inside, TidingsError):
        return isinstance(corba, TidingsError) and isinstance(inside, type(corba))
    return bool(inside == corba or tuple(inside) == tuple(corba))


async def _state(client: Client) -> str:
    """All that a service has, but for what names it."""
    request = client.transport.request
    found: list[Any] = []
    for channel in await request(SeeChannels()):
        found.append(replace(channel, origin=""))
        found += await request(SeeAdmins(channel.id))
        found += await request(SeeProxies(channel.id))
    told = "\n".join(map(repr, [*found, *await request(SeeFilters())]))
    return told.replace("private=True", "private=False")  # CORBA knows no such filters


async def _compare(requests: list[Any]) -> None:
    local, far = InProcessService(None), IiopService(None)
    try:
        inside, corba = await local.client(), await far.client()
        await asyncio.gather(_world(inside), _world(corba))
        watching = await far.inside()
        for request in requests:
            answers = await _answer(inside, request), await _answer(corba, request)
            assert _alike(*answers), (request, answers)
            assert await _state(inside) == await _state(watching), request
    finally:
        await far.close()
        await local.close()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_a_request_has_the_same_answer_and_effect_over_iiop(
    row: Operation, data: st.DataObject
) -> None:
    # Over CORBA they are several operations: one that fails may have used an id up.
    several = row.request in (m.CreateFilter, m.CreateMapping, m.ObtainProxy)
    most = 1 if several else AT_ONCE
    requests = data.draw(st.lists(_requests(row), min_size=1, max_size=most))
    asyncio.run(asyncio.wait_for(_compare(requests), PATIENCE))
