"""The page on the client tells the truth: its session runs, its tables are those of the code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tests.edges.client.transports.test_iiop import served
from tests.promises.services import seen
from tests.real.docs.pages import Table, blocks, code, page, tables
from tests.real.docs.sessions import differences
from tidings import errors
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import Level
from tidings.channel.qos import QOS_PROPERTIES
from tidings.errors import TidingsError

PAGE = page("docs/client.md")
PYTHON = [block for block in blocks(PAGE) if block.language == "python"]
LEVELS = (Level.EVENT, Level.PROXY, Level.ADMIN, Level.CHANNEL)


def _table(first: str) -> Table:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == first]
    return table


async def until(look: Callable[[], Awaitable[Sequence[object]]]) -> Sequence[object]:
    """What the page says it stands for."""
    return await seen(look, len)


def test_the_session_goes_as_shown(tmp_path: Path) -> None:
    text = "\n".join(block.text for block in PYTHON)
    names = {"__name__": "page", "folder": str(tmp_path / "data"), "until": until}

    async def session() -> list[str]:
        async with served() as corba:
            return await differences(text, {**names, "address": str(corba.address)})

    assert asyncio.run(session()) == []


def test_a_session_that_goes_otherwise_is_found() -> None:
    text = """
>>> 1 + 1
3
>>> raise ValueError("no")
>>> int("x")
Traceback (most recent call last):
    ...
ValueError: yes
>>> 1 + 1
2
"""
    assert len(asyncio.run(differences(text, {"__name__": "page"}))) == 3


def test_the_table_of_qualities_is_complete_and_right() -> None:
    rows = [row for _, row in _table("property").dicts()]
    assert [code(row["property"]) for row in rows] == list(QOS_PROPERTIES)
    for row in rows:
        line = QOS_PROPERTIES[code(row["property"])]
        where = ", ".join(level.value for level in LEVELS if level in line.levels)
        assert row["where it can be set"] == where
        assert row["default"] == ("" if line.default is None else str(line.default))


def test_the_table_of_admin_properties_is_complete_and_right() -> None:
    rows = [row for _, row in _table("admin property").dicts()]
    assert [code(row["admin property"]) for row in rows] == list(ADMIN_PROPERTIES)
    for row in rows:
        assert row["default"] == str(ADMIN_PROPERTIES[code(row["admin property"])].default)


def test_the_errors_are_there() -> None:
    for _, row in _table("error").dicts():
        for name in row["error"].split(", "):
            assert issubclass(getattr(errors, code(name)), TidingsError)
