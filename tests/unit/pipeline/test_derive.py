"""Queries as files have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import InvalidUsage
from tidings.pipeline.derive import Batch, Query, load_queries, query

EXAMPLES = Path(__file__).parents[3] / "src/tidings/pipeline/examples"


def made(batch: Batch) -> None:
    """What no test here asks."""


def test_a_query_is_known_by_its_function() -> None:
    found = query(reads="traffic", writes="offences")(made)  # type: ignore[arg-type]
    assert (found.name, found.reads, found.writes) == ("made", ("traffic",), "offences")


@pytest.mark.parametrize(
    ("name", "reads", "writes", "told"),
    [
        ("a b", ("traffic",), "offences", "letters, digits"),
        ("", ("traffic",), "offences", "letters, digits"),
        ("../up", ("traffic",), "offences", "letters, digits"),
        ("good", (), "offences", "reads no channel"),
        ("good", ("",), "offences", "reads no channel"),
        ("good", ("traffic",), "", "writes to no channel"),
        ("good", ("traffic", "x"), "x", "its own events for ever"),
    ],
)
def test_what_makes_no_sense_is_refused(
    name: str, reads: tuple[str, ...], writes: str, told: str
) -> None:
    with pytest.raises(InvalidUsage, match=told):
        Query(name, reads, writes, made)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["speeding", "separation"])
def test_the_examples_are_files_of_queries(name: str) -> None:
    [found] = load_queries(EXAMPLES / f"{name}.py")
    assert found.name == name


def test_queries_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(
        "from tidings.pipeline.derive import query\n"
        "second = query(reads='a', writes='b', name='zz')(lambda batch: None)\n"
        "first = query(reads='a', writes='b', name='aa')(lambda batch: None)\n"
    )
    assert [one.name for one in load_queries(path)] == ["aa", "zz"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no file"),
        ("x = 1\n", "has no queries"),
        ("x = \n", "does not run: SyntaxError"),
        ("1 / 0\n", "does not run: ZeroDivisionError"),
        (
            "from tidings.pipeline.derive import query\nq = query(reads='a', writes='a')(print)\n",
            "its own events",
        ),
    ],
)
def test_a_file_that_has_none_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "queries.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidUsage, match=told):
        load_queries(path)


def test_a_batch_reads_only_what_its_query_names() -> None:
    batch = Batch(None, "nowhere", ("traffic",), 0, 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidUsage, match="name every channel in `reads`"):
        batch.new(channel="else")
