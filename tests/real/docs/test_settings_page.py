"""The page of settings tells the truth: every one stands there, with its real default."""

from __future__ import annotations

import doctest
from dataclasses import fields
from enum import Enum

import pytest

from tests.real.docs.pages import ROOT, code, page, tables
from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.settings import DEFAULT_SETTINGS, Limits, Settings

TABLES = tables(page("docs/settings.md"))


def rows(heading: str) -> list[tuple[int, dict[str, str]]]:
    return [row for table in TABLES if heading in table.headings for row in table.dicts()]


def shown(value: object) -> str:
    """A default as the page writes it."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, QoS | AdminProperties | Limits):
        return f"{type(value).__name__}()"
    return repr(value)


@pytest.mark.parametrize(("cls", "heading"), [(Settings, "setting"), (Limits, "limit")])
def test_every_one_is_on_the_page_and_nothing_else(
    cls: type[Settings | Limits], heading: str
) -> None:
    written = [code(row[heading]) for _, row in rows(heading)]
    assert sorted(written) == sorted(one.name for one in fields(cls))


@pytest.mark.parametrize("row", [row for _, row in rows("setting")], ids=lambda row: row["setting"])
def test_the_defaults_of_settings(row: dict[str, str]) -> None:
    value = getattr(DEFAULT_SETTINGS, code(row["setting"]))
    assert code(row["default"]) == shown(value)
    assert value == getattr(Settings(), code(row["setting"]))
    assert row["what it does"]
    assert row["the standard, and others"]


@pytest.mark.parametrize("row", [row for _, row in rows("limit")], ids=lambda row: row["limit"])
def test_the_defaults_of_limits(row: dict[str, str]) -> None:
    assert code(row["default"]) == shown(getattr(Limits(), code(row["limit"])))


def test_values_that_are_named_by_constructor_are_the_plain_ones() -> None:
    assert DEFAULT_SETTINGS.default_qos == QoS()
    assert DEFAULT_SETTINGS.default_admin == AdminProperties()
    assert DEFAULT_SETTINGS.limits == Limits()


def test_the_defaults_of_properties() -> None:
    words = {"AnyOrder": 0, "0, no limit": 0, "TRUE": True, "TRUE: a full channel refuses": True}
    found = {row["property"]: words[row["default here"]] for _, row in rows("default here")}
    table = {**QOS_PROPERTIES, **ADMIN_PROPERTIES}
    assert found == {name: table[name].default for name in found}
    open_points = {"OrderPolicy", "DiscardPolicy", "MaxEventsPerConsumer", "RejectNewEvents"}
    assert found.keys() == open_points | {"StartTimeSupported", "StopTimeSupported"}


def test_the_example() -> None:
    text = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(
        text.replace("```", ""), {}, "settings", "docs/settings.md", 0
    )
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert runner.run(example).failed == 0
