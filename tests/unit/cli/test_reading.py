from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.cli import reading
from tidings.cli.reading import (
    Line,
    Written,
    bytes_ahead,
    constraints_in_file,
    decoder,
    events_in,
    lines_in,
    moment,
    opened,
    shown_name,
)
from tidings.errors import BadInput, InvalidUsage, LimitExceeded


def _file(folder: Path, octets: bytes) -> str:
    file = folder / "file"
    file.write_bytes(octets)
    return str(file)


@given(st.binary(max_size=200))
def test_lines_lose_nothing(octets: bytes) -> None:
    found = list(lines_in(io.BytesIO(octets), "x"))
    assert b"".join(line.octets for line in found) == octets
    assert [line.number for line in found] == list(range(1, len(found) + 1))


@pytest.fixture
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 10)


@pytest.mark.usefixtures("short_lines")
@pytest.mark.parametrize("length", [9, 10, 11, 12, 21, 22, 23, 1_000])
@pytest.mark.parametrize("ending", [b"\n", b""])
def test_of_a_line_without_an_end_only_the_beginning_is_kept(length: int, ending: bytes) -> None:
    stream = io.BytesIO(b"first\n" + b"x" * length + ending + (b"last\n" if ending else b""))
    found = list(lines_in(stream, "x"))
    assert found[0].octets == b"first\n"
    assert len(found[1].octets) <= 11
    assert [line.octets for line in found[2:]] == ([b"last\n"] if ending else [])
    if length > 10:
        with pytest.raises(LimitExceeded):
            found[1].event(decoder("json"))


def test_each_line_is_there_before_the_next_is_read() -> None:
    class Stream(io.BytesIO):
        asked = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.asked += 1
            return super().readline(size)

    stream = Stream(b"one\ntwo\n")
    found = lines_in(stream, "x")
    assert next(found).octets == b"one\n"
    assert stream.asked == 1


PRETTY = b'{\n  "a": {\n  }\n}\n'


@pytest.mark.parametrize(
    ("octets", "expected"),
    [
        (b"", []),
        (b"1\n\n2\n", [(1, b"1\n"), (3, b"2\n")]),
        (PRETTY, [(1, PRETTY)]),
        (b"1\n" + PRETTY + b"2", [(1, b"1\n"), (2, PRETTY), (6, b"2")]),
        (b"\xef\xbb\xbf{\r\n}\r\n", [(1, b"\xef\xbb\xbf{\r\n}\r\n")]),
        (b"{\n1\n", [(1, b"{\n1\n")]),
        (b"{}\n{}\n", [(1, b"{}\n"), (2, b"{}\n")]),
    ],
)
def test_an_event_may_be_spread_over_lines(octets: bytes, expected: list[object]) -> None:
    found = events_in(io.BytesIO(octets), "x")
    assert [(line.number, line.octets) for line in found] == expected


@pytest.mark.usefixtures("short_lines")
def test_an_event_spread_over_too_many_lines_ends() -> None:
    found = list(events_in(io.BytesIO(b"{\n" + b"1,\n" * 20), "x"))
    assert all(len(line.octets) < 20 for line in found)
    with pytest.raises(LimitExceeded):
        found[0].event(decoder("json"))


def test_faults_in_spread_events_name_the_line_in_the_file() -> None:
    (line,) = events_in(io.BytesIO(b'\n\n{\n  "domain": oops\n}\n'), "file")
    with pytest.raises(BadInput) as caught:
        line.event(decoder("json"))
    assert line.fault(caught.value) == "file:4:13: malformed JSON: invalid character"


def test_a_fault_without_a_file_is_the_message_alone() -> None:
    assert Line("", 0, b"").fault(BadInput("line 1, column 2: odd")) == "line 1, column 2: odd"
    assert Line("", 0, b"").fault(BadInput("odd")) == "odd"
    assert Line("f", 3, b"").fault(BadInput("odd")) == "f:3: odd"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$a", [("$a", 1)]),
        ("$a\n$b\n", [("$a", 1), ("$b", 2)]),
        ("$a\n and $b\n\tand $c\n$d", [("$a\n and $b\n\tand $c", 1), ("$d", 4)]),
        ("# x\n\n$a\n\n\n", [("$a", 3)]),
        ("$a\n# x\n  and $b", [("$a\n\n  and $b", 1)]),
        ("$a\r\n$b\r\n", [("$a", 1), ("$b", 2)]),
        ("  $a\n  and $b", [("  $a\n  and $b", 1)]),
        ("\ufeff$a", [("$a", 1)]),
    ],
)
def test_constraints_in_a_file(tmp_path: Path, text: str, expected: list[object]) -> None:
    file = _file(tmp_path, text.encode())
    found = constraints_in_file(file)
    assert [(one.text, one.line) for one in found] == expected
    assert {one.file for one in found} == {file}


def test_a_file_of_constraints_must_be_text(tmp_path: Path) -> None:
    file = _file(tmp_path, b"$a\n\xff\n")
    with pytest.raises(BadInput, match=":2: this is not UTF-8 text"):
        constraints_in_file(file)


def test_a_file_of_constraints_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_CONSTRAINT_FILE", 5)
    assert len(constraints_in_file(_file(tmp_path, b"$a\n$b"))) == 2
    with pytest.raises(LimitExceeded, match="more than 5 octets"):
        constraints_in_file(_file(tmp_path, b"$a\n$bc"))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (Written("x"), "line 2, column 7"),
        (Written("x", "file", 1), "file:2:7"),
        (Written("x", "file", 10), "file:11:7"),
    ],
)
def test_places(written: Written, expected: str) -> None:
    assert written.place(2, 7) == expected


@pytest.mark.parametrize("source", ["no/such/file", ".", "zero\0octet"])
def test_what_cannot_be_opened_is_our_error(source: str) -> None:
    with pytest.raises(InvalidUsage), opened(source) as stream:
        list(lines_in(stream, source))


def test_names_of_files_that_are_no_text_can_be_shown() -> None:
    assert shown_name("a\udcffb") == "a\ufffdb"
    assert shown_name("-") == "standard input"


def test_sizes_of_regular_files_only(tmp_path: Path) -> None:
    file = _file(tmp_path, b"12345")
    assert bytes_ahead([file, file]) == 10
    assert bytes_ahead([file, "no/such/file"]) == 0
    assert bytes_ahead([file, str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00.000001+01:00", 1),
        ("2026-11-15T08:30:00Z", 1_794_731_400_000_000),
        ("1969-12-31T23:59:59Z", -1_000_000),
    ],
)
def test_moments(text: str, microseconds: int) -> None:
    assert moment(text) == microseconds


@pytest.mark.parametrize("text", ["", "now", "2026-13-01T00:00Z", "2026-01-01", "12"])
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(InvalidUsage):
        moment(text)
