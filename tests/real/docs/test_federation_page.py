"""The pages on federation tell the truth about kinds, rules and parameters; their file is one."""

from __future__ import annotations

import json

import msgspec

from tests.real.docs.pages import blocks, code, page, tables
from tidings.client.configuration.text import read_configuration
from tidings.federation.capabilities import CONTEXT
from tidings.gateways.adapters.base import ADAPTERS, adapter_class
from tidings.gateways.adapters.tidings import TidingsParameters
from tidings.gateways.mapping import Rule
from tidings.gateways.sides import checked_side

PAGE = page("docs/federation.md")


def test_every_kind_is_told_with_what_it_can_do() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "kind"]
    rows = {row["kind"].partition("`")[2].partition("`")[0]: row for _, row in table.dicts()}
    assert [*rows, "memory"] == sorted(ADAPTERS.names(), key=lambda name: (name == "memory", name))
    for kind, row in rows.items():
        can = adapter_class(kind).capabilities
        told = [row["an event arrives"], row["filters there"]]
        told += [row[part] for part in ("it holds", "it confirms", "marks", *CONTEXT)]
        flags = ["yes" if flag else "no" for flag in (can.holds, can.confirms, can.marks)]
        context = [getattr(can, part).value for part in CONTEXT]
        assert told == [can.promise, can.filtering.value, *flags, *context]


def test_every_field_of_a_rule_is_told() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "field"]
    told = [code(row["field"]) for _, row in table.dicts()]
    assert told == [field.name for field in msgspec.structs.fields(Rule)]


def test_the_file_is_a_configuration() -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.language == "toml"]
    (gateway,) = read_configuration(f"version = 1\n{text}").gateways.values()
    assert [side.kind for side in gateway.sides] == ["tidings", "mqtt"]
    for side in gateway.sides:
        checked_side(side)


def test_every_parameter_of_a_channel_is_told() -> None:
    (table,) = [
        table
        for table in tables(page("docs/adapters/tidings.md"))
        if table.headings[0] == "parameter"
    ]
    told = {code(row["parameter"]): code(row["default"]) for _, row in table.dicts()}
    assert told.pop("channel") == ""
    filled = TidingsParameters("roads")
    assert {name: json.loads(text) for name, text in told.items()} == {
        field.name: getattr(filled, field.name)
        for field in msgspec.structs.fields(TidingsParameters)[1:]
    }
