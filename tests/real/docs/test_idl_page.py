"""The page on IDL tells the truth: its IDL is compiled, its Python is run, its numbers are ours."""

from __future__ import annotations

import doctest

from tests.real.docs.pages import blocks, code, page, tables
from tidings.cos.idl_files import MODULES
from tidings.idl.faults import DEFAULT_LIMITS

PAGE = page("docs/idl.md")


def test_python_runs_as_shown() -> None:
    (bank,) = [block.text for block in blocks(PAGE) if block.language == "idl"]
    text = "\n".join(block.text for block in blocks(PAGE) if block.language == "python")
    test = doctest.DocTestParser().get_doctest(text, {"BANK": bank}, "docs/idl.md", None, 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_every_file_is_on_the_page() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "file"]
    named = [code(name) for _, row in table.rows for name in row[0].split(", ")]
    assert named == [f"{name}.idl" for name in MODULES]


def test_the_limits_are_the_real_ones() -> None:
    limits = DEFAULT_LIMITS
    told = [limits.octets, limits.include_depth, limits.files, limits.depth, limits.array_elements]
    words = PAGE.replace("\n", " ")
    assert all(f" {number:,}" in words for number in told)
