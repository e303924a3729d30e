"""The page on the ORB tells the truth: its session runs, its options are those of the code."""

from __future__ import annotations

import asyncio
import dataclasses
import sys

from tests.real.docs.pages import blocks, code, page, tables
from tests.real.docs.sessions import differences
from tidings.orb.aio import Options, Orb

PAGE = page("docs/orb.md")


def test_the_session_goes_as_shown() -> None:
    text = "\n".join(block.text for block in blocks(PAGE) if block.language == "python")
    assert asyncio.run(differences(text, {"__name__": "page"})) == []


def test_every_option_is_told_with_its_default() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "option"]
    told = {code(row["option"]): code(row["default"]) for _, row in table.dicts()}
    defaults = {each.name: each.default for each in dataclasses.fields(Options)}
    assert list(told) == list(defaults)
    assert defaults["little"] is (sys.byteorder == "little")
    special = {"limits", "little", "accept_bidirectional"}
    assert {name: text for name, text in told.items() if name not in special} == {
        name: str(value) for name, value in defaults.items() if name not in special
    }


def test_every_call_of_the_table_is_there() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "call"]
    for _, row in table.dicts():
        name = code(row["call"]).removeprefix("await ").partition("(")[0]
        if name != "Orb":
            assert callable(getattr(Orb, name.removeprefix("orb.")))
