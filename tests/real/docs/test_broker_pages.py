"""The pages on MQTT and NATS tell the truth: their examples are valid, their tables the code's."""

from __future__ import annotations

import re
import tomllib

import msgspec
import pytest

from tests.real.docs.pages import blocks, code, page, tables
from tidings.federation.requests import SideConfig
from tidings.gateways.adapters.base import adapter_class
from tidings.gateways.sides import checked_side

KINDS = ("mqtt", "nats")


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_is_valid(kind: str) -> None:
    [example] = [one.text for one in blocks(page(f"docs/adapters/{kind}.md")) if one.language]
    [gateway] = tomllib.loads(example)["gateways"]
    for side in gateway["sides"]:
        checked_side(msgspec.convert(side, SideConfig))


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_and_their_defaults_are_those_of_the_code(kind: str) -> None:
    [shown] = [
        one for one in tables(page(f"docs/adapters/{kind}.md")) if one.headings[0] == "parameter"
    ]
    told = {}
    for _, (names, default, _) in shown.rows:
        values = re.split(r",(?![^\[]*\]) *", default)
        for at, name in enumerate(names.split(", ")):
            told[code(name)] = code(values[min(at, len(values) - 1)])
    parameters = adapter_class(kind).Parameters
    for field in msgspec.structs.fields(parameters):
        value = told.pop(field.name)
        if isinstance(field.default, str):
            assert field.default in (value, ""), field.name
        else:
            told_as = msgspec.json.decode(msgspec.json.encode(field.default))
            assert msgspec.json.decode(value) == told_as, field.name
    assert not told
