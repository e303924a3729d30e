"""The page on STEAM tells the truth: its program runs, its parameters and areas are real."""

from __future__ import annotations

import ast
import inspect
import json
from typing import Any

import msgspec

from tests.real.docs.pages import blocks, code, page, tables
from tidings.federation.proximity import area_of_text
from tidings.gateways.adapters.steam import SteamParameters

PAGE = page("docs/adapters/steam.md")


def test_every_parameter_is_told_with_its_default() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "parameter"]
    told = {code(row["parameter"]): code(row["default"]) for _, row in table.dicts()}
    fields = msgspec.structs.fields(SteamParameters)
    assert list(told) == [field.name for field in fields]
    filled = SteamParameters("0, 0")
    assert told.pop("position") == ""
    assert {name: json.loads(text) for name, text in told.items()} == {
        name: getattr(filled, name) for name in told
    }


def test_the_areas_are_areas() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings == ["text", "area"]]
    for _, row in table.dicts():
        area = area_of_text(code(row["text"]))
        assert row["area"].startswith("the same") or (
            type(area).__name__.lower() in row["area"]
            and ("relative" in row["area"]) is area.relative
        )


async def test_the_program_runs() -> None:
    (program,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    names: dict[str, Any] = {}
    made = eval(compile(program, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    assert inspect.iscoroutine(made)
    await made
    assert names["event"].values == {"license_no": "05-D-1", "rate": 62.0}
