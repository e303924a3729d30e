"""The page of the console tells the truth: what it says is there has a test that shows it."""

from __future__ import annotations

import ast

import pytest

from tests.real.docs.pages import ROOT, code, page, tables

(TABLE,) = [one for one in tables(page("docs/console.md")) if "shown by" in one.headings]
ROWS = [row for _, row in TABLE.dicts()]


@pytest.mark.parametrize("row", ROWS, ids=[row["what"] for row in ROWS])
def test_what_is_there_names_the_test_that_shows_it(row: dict[str, str]) -> None:
    shown = code(row["shown by"])
    if shown == "not there":
        assert not row["here"], "what is not there is nowhere"
        return
    assert row["here"]
    file, _, name = shown.partition("::")
    assert file.startswith("tests/")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {getattr(node, "name", "") for node in tree.body}, f"{file} has no {name}"
