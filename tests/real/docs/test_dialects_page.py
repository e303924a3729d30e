"""The page on other services' languages tells the truth: its tables are run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real.docs.pages import code, page, tables
from tidings.events.paths import Path
from tidings.filters.constraint import constraint
from tidings.filters.dialects import cesql, jms, siena, topics
from tidings.filters.dialects.proximity import split
from tidings.filters.dialects.writing import Kind, Seen, fixed_names
from tidings.filters.tree import ALL_NODES, walk_tree

TABLES = tables(page("docs/dialects.md"))
TEMPLATE = topics.Template("events/{type}/{name}", topics.MQTT)
KINDS = {"rate": Kind.NUMBER, "count": Kind.NUMBER, "host": Kind.TEXT, "up": Kind.BOOLEAN}
READERS = {"jms": jms.read, "siena": siena.read, "cesql": cesql.read, "mqtt": TEMPLATE.read}


def names(path: Path) -> Seen | None:
    fixed = fixed_names("domain", "kind", "subject").get(path)
    return fixed or (
        None if path.steps else Seen(str(path.root), KINDS.get(str(path.root), Kind.SIMPLE))
    )


def rows(heading: str) -> list[Any]:
    found = [row for table in TABLES if heading in table.headings for row in table.dicts()]
    assert found
    return [pytest.param(row, id=f"line {line}") for line, row in found]


def written(text: str) -> tuple[Any, ...]:
    wanted = constraint(text)
    return (
        jms.write(wanted, names), siena.write(wanted, names), cesql.write(wanted, names),
        TEMPLATE.write(wanted),
    )  # fmt: skip


@pytest.mark.parametrize("row", rows("STEAM"))
def test_what_survives(row: dict[str, str]) -> None:
    text = code(row["constraint"])
    found = ["exact" if one.exact else "wider" for one in written(text)]
    assert found == [row["JMS"], row["SIENA"], row["CloudEvents SQL"], row["topics"]]
    subjects = split(constraint(text)).subjects
    assert ("all" if subjects is None else ", ".join(subjects)) == row["STEAM"]


def test_every_node_is_in_the_table() -> None:
    texts = [code(param.values[0]["constraint"]) for param in rows("STEAM")]
    used = {type(node) for text in texts for node in walk_tree(constraint(text).tree)}
    # Other comparisons and arithmetic fare as those in the table; literals are parts of them.
    left = {node.__name__ for node in ALL_NODES if node not in used}
    assert left == {
        "Real", "Boolean", "NotEqual", "Less", "LessEqual", "GreaterEqual", "Add", "Subtract",
        "Multiply", "Remainder",
    }  # fmt: skip


@pytest.mark.parametrize("row", rows("selector"))
def test_translations(row: dict[str, str]) -> None:
    selector, filters, expression, patterns = written(code(row["constraint"]))
    found = selector.text, filters.translation.text, expression.text, patterns.translation.text
    columns = "selector", "SIENA", "expression", "topics"
    assert found == tuple(code(row[column]).strip() for column in columns)


@pytest.mark.parametrize("row", rows("read as"))
def test_reading(row: dict[str, str]) -> None:
    assert READERS[row["language"]](code(row["text"])).text == code(row["read as"])
