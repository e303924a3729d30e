"""The page on SIENA tells the truth: its example runs, its tables are those of the code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real.docs.pages import blocks, code, page, tables
from tidings.gateways.adapters.siena import EventMapping, SienaParameters
from tidings.services.siena import server, service, wire
from tidings.services.siena.service import SienaService, SienaSettings

PAGE = page("docs/adapters/siena.md")


async def test_the_example_prints_who_is_too_fast(capsys: pytest.CaptureFixture[str]) -> None:
    [example] = [block.text for block in blocks(PAGE) if block.language == "python"]
    names: dict[str, Any] = {}
    exec(compile(example, "docs/adapters/siena.md", "exec"), names)
    running = SienaService(SienaSettings())
    await running.start()
    try:
        await names["main"](running.url)
    finally:
        await running.stop()
    assert capsys.readouterr().out == "04D4321 61.5\n"


def test_the_limits_are_those_of_the_code() -> None:
    [limits] = [table for table in tables(PAGE) if table.headings[0] == "limit"]
    assert [int(value.replace(",", "")) for _, (_, value) in limits.rows] == [
        *(wire.MOST_OCTETS, wire.MOST_ATTRIBUTES, wire.MAX_NAME, wire.MOST_TESTS, wire.MOST_TEXT),
        *(server.MOST_FILTERS[wire.Role.CLIENT], server.MOST_FILTERS_OF_SERVER),
        *(server.MOST_SETTLING, wire.MOST_SERVERS, service.MOST_CONNECTIONS),
    ]
    assert f"{service.MOST_WAITING // 2**20} MiB\n  wait" in PAGE


def test_parameters_and_records_are_those_of_the_code() -> None:
    [parameters] = [table for table in tables(PAGE) if table.headings[0] == "parameter"]
    assert [code(name) for _, (name, *_) in parameters.rows] == [*SienaParameters.__struct_fields__]
    [records] = [table for table in tables(PAGE) if table.headings[0] == "record"]
    shown = [code(name) for _, (cell, *_) in records.rows for name in cell.split(", ")]
    known = sorted(wire.AnyRecord.__args__, key=lambda one: one.__struct_config__.tag)
    assert shown == [one.__name__ for one in known]
    assert EventMapping().subject == "FES_Subject"
