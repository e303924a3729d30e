"""The page of the auction alert tells the truth: its program runs, its scene is the demo's."""

from __future__ import annotations

import doctest
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.docs.consoles import written_by
from tests.docs.pages import ROOT, blocks, page, tables

PAGE = page("docs/auction.md")


@pytest.fixture
def names() -> Iterator[dict[str, Any]]:
    """What the program makes; its folder and its service go with it, also when it fails."""
    made: dict[str, Any] = {}
    yield made
    if "service" in made:
        made["service"].close()
    if "folder" in made:
        shutil.rmtree(made["folder"])


def test_the_program_runs_as_shown(names: dict[str, Any]) -> None:
    text = "\n".join(block.text for block in blocks(PAGE) if block.language == "python")
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/auction.md", None, 0)
    test.globs = names
    assert len(test.examples) > 30
    result = doctest.DocTestRunner(verbose=False).run(test, clear_globs=False)
    assert result.failed == 0


def test_the_demo_shows_this_scene_and_this_table() -> None:
    shown = written_by("tidings demo --no-spark --seed 11", ROOT)
    scenes = [block.text for block in blocks(PAGE) if block.language == "text"]
    assert len(scenes) == 2
    for scene in scenes:
        assert scene in shown
    (table,) = [one for one in tables(PAGE) if one.headings[0] == "column"]
    told = [row["column"] for _, row in table.dicts()]
    assert f"bidder  {'  '.join(told)}\n" in shown
    assert "nothing lost, nothing twice, order kept." in shown
