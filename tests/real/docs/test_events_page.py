"""The page on events tells the truth: its JSON is read and written, its Python is run."""

from __future__ import annotations

import doctest
import json

import pytest

from tests.real.docs.pages import Block, blocks, code, page, tables
from tidings.events.codecs import cloudevents_codec, json_codec
from tidings.events.codecs.arrow_codec import arrow_schema

PAGE = page("docs/events.md")
JSON = [block for block in blocks(PAGE) if block.language == "json"]
PYTHON = [block for block in blocks(PAGE) if block.language == "python"]


@pytest.mark.parametrize("block", JSON, ids=lambda block: f"line {block.line}")
def test_json_is_read_and_written_again(block: Block) -> None:
    shown = json.loads(block.text)
    if "specversion" in shown:
        written = cloudevents_codec.encode_structured(
            cloudevents_codec.decode_structured(block.text)
        )
        assert json.loads(written) == shown
        return
    if "event" in shown:
        written = json_codec.encode_envelope(json_codec.decode_envelope(block.text))
    else:
        written = json_codec.encode_event(json_codec.decode_event(block.text))
    assert written.decode() == json.dumps(shown, separators=(",", ":"))


def test_python_runs_as_shown() -> None:
    text = "\n".join(block.text for block in PYTHON)
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/events.md", None, 0)
    assert len(test.examples) > 20
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_every_column_is_on_the_page() -> None:
    (table,) = [table for table in tables(PAGE) if table.headings[0] == "column"]
    named = [code(name) for _, row in table.rows for name in row[0].split(", ")]
    assert named == arrow_schema().names


def test_every_kind_of_example_is_there() -> None:
    shown = [json.loads(block.text) for block in JSON]
    assert sum("specversion" in one for one in shown) == 2
    assert sum("event" in one for one in shown) == 1
    assert sum("domain" in one and "specversion" not in one for one in shown) == 2
