"""The page of the auction alert tells the truth: its program runs.

That its scenes are the demo's is seen where the demo is played, in tests/real/e2e/test_demo.py.
"""

from __future__ import annotations

import doctest
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.real.docs.pages import blocks, page

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
