from __future__ import annotations

import pytest

from tests.unit.cli.running import CAR, lines, objects, tidings
from tidings.cli.matching import compiled, fault_data
from tidings.cli.reading import Written
from tidings.errors import BadInput, InvalidConstraint, LimitExceeded

BAD = [
    (b"garbage", "1: malformed JSON: invalid character"),
    (b"", None),
    (b"   ", None),
    (b"7", " an event is a JSON object, not 7"),
    (b'{"domain": "a"}', " type: an event needs a type"),
    (b'{"domain": "a", "type": "b", "data": {"x": NaN}}', "44: malformed JSON"),
    (b'{"domain": "a", "type": "b", "data": {"x": "\\ud800"}}', "45: the lone surrogate U+D800"),
    (b"\xff\xfe\x00", "1: octet 0xFF is no UTF-8"),
    (b'{"domain": "a", "type": "b", "data": {"x": 18446744073709551616}}', " data.x: "),
    (b'{"domain": "a", "type": "b", "dta": {}}', "did you mean 'data'?"),
    (b'{"domain": "a", "type": "b", "data": {"x": ' + b"[" * 9_000, " the JSON nests too deeply"),
    (b'{"domain": "a", "type": "b", "type": "c"}', "stands twice in one object"),
    (b'{"domain": "a"', "the JSON ends too early"),
]


@pytest.mark.parametrize(("octets", "problem"), BAD)
def test_a_bad_line_is_told_with_its_place_and_the_rest_goes_on(
    octets: bytes, problem: str | None
) -> None:
    good = lines(CAR).encode()
    result = tidings("filter", "match", "$rate > 50", given=good + octets + b"\n" + good)
    assert result.stdout_bytes == good + good
    if problem is None:
        assert result.stderr == "2 of 2 events match\n"
        assert result.exit_code == 0
    else:
        first, last = result.stderr.splitlines()
        assert first.startswith("error: standard input:2:")
        assert problem in first
        assert last == "2 of 2 events match; 1 line is no event"
        assert result.exit_code == 2


def test_bad_lines_as_data() -> None:
    result = tidings("filter", "match", "--json", "", given="oops\n")
    bad, summary = objects(result.stderr)
    assert bad == {
        "error": "invalid_event",
        "message": "line 1, column 1: malformed JSON: invalid character",
        "file": "standard input",
        "line": 1,
    }
    assert summary == {"events": 0, "matches": 0, "bad_lines": 1}
    assert result.exit_code == 2


def test_after_a_hundred_bad_lines_the_rest_is_counted() -> None:
    result = tidings("filter", "match", "", given="oops\n" * 500)
    told = result.stderr.splitlines()
    assert len(told) == 102
    assert told[100] == "error: further lines that are no events are only counted"
    assert told[101] == "0 of 0 events match; 500 lines are no events"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"\xef\xbb\xbf%s\n", b"\xef\xbb\xbf%s\n"),  # a byte-order mark
        (b"%s\r\n", b"%s\r\n"),
        (b"   %s  \n", b"   %s  \n"),
        (b"%s", b"%s\n"),  # the last line gets its end
    ],
)
def test_lines_come_out_octet_for_octet(given: bytes, expected: bytes) -> None:
    event = '{"domain":"Zürich",  "type":"\\u00e9", "data":{"rate":6e1}}'.encode()
    result = tidings("filter", "match", "$rate == 60", given=given % event)
    assert result.stdout_bytes == expected % event


def test_a_byte_order_mark_does_not_spoil_json() -> None:
    given = b"\xef\xbb\xbf" + lines(CAR).encode()
    (found,) = objects(tidings("filter", "match", "--json", "", given=given).stdout)
    assert found["event"] == CAR


def test_invert_takes_no_bad_lines() -> None:
    result = tidings("filter", "match", "--invert", "$rate > 90", given="oops\n" + lines(CAR))
    assert result.stdout == lines(CAR)


def test_a_constraint_from_a_file_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"^c\.txt:9:5: the constraint ends too early") as caught:
        compiled(Written("$a\n and", "c.txt", 8))
    assert isinstance(caught.value.__cause__, InvalidConstraint)


def test_errors_as_data() -> None:
    assert fault_data(LimitExceeded("too long")) == {
        "error": "limit_exceeded",
        "message": "too long",
    }
    assert fault_data(InvalidConstraint("odd", "a\nb", 2)) == {
        "error": "invalid_constraint",
        "message": "odd",
        "line": 2,
        "column": 1,
    }
