"""What the commands read: lines, events from words, constraints from files, and times."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.cli import reading
from tidings.cli.options import examples, tell_if_waiting
from tidings.cli.pairs import event_of, plain_value
from tidings.cli.publishing import batches_of_lines, header_words
from tidings.cli.reading import (
    Line,
    bytes_ahead,
    constraints_in_file,
    events_in,
    lines_in,
    moment,
)
from tidings.clock import SystemClock
from tidings.errors import BadInput, InvalidUsage, LimitExceeded
from tidings.events.codecs.json_codec import decode_event


@given(st.binary(max_size=200))
def test_lines_lose_nothing(octets: bytes) -> None:
    found = list(lines_in(io.BytesIO(octets), "x"))
    assert b"".join(line.octets for line in found) == octets
    assert [line.number for line in found] == list(range(1, len(found) + 1))


@pytest.mark.parametrize("length", [9, 10, 11, 12, 21, 22, 23, 1_000])
@pytest.mark.parametrize("ending", [b"\n", b""])
def test_of_a_line_without_an_end_only_the_beginning_is_kept(
    monkeypatch: pytest.MonkeyPatch, length: int, ending: bytes
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 10)
    rest = [b"last\n"] if ending else []
    first, long, *more = lines_in(io.BytesIO(b"".join([b"1\n", b"x" * length, ending, *rest])), "x")
    assert (first.octets, [line.octets for line in more]) == (b"1\n", rest)
    assert len(long.octets) <= 11
    if length > 10:
        with pytest.raises(LimitExceeded):
            long.event(decode_event)


PRETTY = b'{\n  "a": {\n  }\n}\n'


@pytest.mark.parametrize(
    ("octets", "expected"),
    [
        *((b"", []), (PRETTY, [(1, PRETTY)]), (b"1\n\n2\n", [(1, b"1\n"), (3, b"2\n")])),
        (b"1\n" + PRETTY + b"2", [(1, b"1\n"), (2, PRETTY), (6, b"2")]),
        (b"\xef\xbb\xbf{\r\n}\r\n", [(1, b"\xef\xbb\xbf{\r\n}\r\n")]),
        *((b"{\n1\n", [(1, b"{\n1\n")]), (b"{}\n{}\n", [(1, b"{}\n"), (2, b"{}\n")])),
    ],
)
def test_an_event_may_be_spread_over_lines(octets: bytes, expected: list[object]) -> None:
    found = events_in(io.BytesIO(octets), "x")
    assert [(line.number, line.octets) for line in found] == expected


def test_a_fault_without_a_file_is_the_message_alone() -> None:
    assert Line("", 0, b"").fault(BadInput("line 1, column 2: odd")) == "line 1, column 2: odd"
    assert Line("", 0, b"").fault(BadInput("odd")) == "odd"
    assert Line("f", 3, b"").fault(BadInput("odd")) == "f:3: odd"


def test_a_file_of_constraints_is_text_and_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    monkeypatch.setattr(reading, "MAX_CONSTRAINT_FILE", 5)
    file.write_bytes(b"$a\n$b")
    assert len(constraints_in_file(str(file))) == 2
    file.write_bytes(b"$a\n\xff\n")
    with pytest.raises(BadInput, match=":2: this is not UTF-8 text"):
        constraints_in_file(str(file))
    file.write_bytes(b"$a\n$bc")
    with pytest.raises(LimitExceeded, match="more than 5 octets"):
        constraints_in_file(str(file))
    sizes = [bytes_ahead([str(file), other]) for other in (str(file), "no/file", str(tmp_path))]
    assert sizes == [12, 0, 0]  # of regular files only


async def test_what_came_before_a_source_that_cannot_be_read_is_handed_over(tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.write_bytes(b"a\n")
    got: list[bytes] = []

    async def read() -> None:
        async for batch in batches_of_lines([str(one), str(tmp_path / "two")]):
            got.extend(line.octets for _, line in batch)

    with pytest.raises(InvalidUsage, match="two: no such file"):
        await read()
    assert got == [b"a\n"]


async def test_a_reader_whose_lines_nobody_takes_ends(tmp_path: Path) -> None:
    file = tmp_path / "many"
    file.write_bytes(b"x\n" * 10_000)
    batches = batches_of_lines([str(file)])
    await anext(batches)
    [reader] = [one for one in threading.enumerate() if one.name == "tidings-lines"]
    await batches.aclose()  # type: ignore[attr-defined]
    reader.join(5)
    assert not reader.is_alive()


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        *(("1970-01-01T00:00:00Z", 0), ("1970-01-01T01:00:00.000001+01:00", 1)),
        *(("2026-11-15T08:30:00Z", 1_794_731_400_000_000), ("1969-12-31T23:59:59Z", -1_000_000)),
    ],
)
def test_moments(text: str, microseconds: int) -> None:
    assert moment(text) == microseconds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("12", 12), ("-3", -3), ("0", 0), ("57.5", 57.5), ("1e3", 1000.0), ("true", True)),
        *(("false", False), *((text, text) for text in ("Emma", "", "007", "+1", "nan", "inf"))),
        *((text, text) for text in ("null", "True", "1_000", "\u0661")),
    ],
)
def test_plain_values_have_the_obvious_type(text: str, value: object) -> None:
    found = plain_value(text)
    assert (found, type(found)) == (value, type(value))


@given(st.integers(-(2**63), 2**63 - 1))
def test_what_json_writes_is_read_as_the_same_value(value: int) -> None:
    assert plain_value(str(value)) == value


def test_a_second_name_is_no_field() -> None:
    with pytest.raises(InvalidUsage, match="'b' is no field"):
        event_of(["D::T", "a", "b"])


def test_a_delay_counts_from_now_and_an_expiry_is_one() -> None:
    [start] = header_words((), None, "1h", None, None)
    hours = (moment(start.partition("=")[2]) - SystemClock().now()) / 3_600_000_000
    assert 0.9 < hours <= 1
    with pytest.raises(InvalidUsage, match="longer than 0"):
        header_words((), None, None, None, "0s")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_whoever_forgot_a_file_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    for sources in (["file"], [], ["-"]):
        assert capsys.readouterr().err == ""
        tell_if_waiting(sources, "events")
    assert capsys.readouterr().err == "reading events from the terminal, Ctrl-D ends\n"
    assert examples("a", "b") == "\b\nExamples:\n  a\n  b"  # they keep their lines
