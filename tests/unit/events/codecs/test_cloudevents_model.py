from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.strategies import readable
from tidings.errors import InvalidEvent
from tidings.events.codecs.cloudevents_model import (
    Attribute,
    checked_attributes,
    from_header,
    is_json,
    is_text,
    is_time,
    is_utf8,
    to_header,
)

LEAST: dict[str, object] = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t"}


def test_attributes_keep_their_types() -> None:
    given = {
        **LEAST,
        "flag": True,
        "n": -5,
        "text": "",
        "unset": None,
        "time": "2018-04-05T17:31:00Z",
    }
    assert checked_attributes(given) == {k: v for k, v in given.items() if v is not None}


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"specversion": "0.3"}, "specversion", "must be \"1.0\", not '0.3'"),
        ({"specversion": None}, "specversion", "must be"),
        ({"id": None}, "id", "needs this attribute"),
        ({"source": ""}, "source", "not empty"),
        ({"type": 5}, "type", "must be a text"),
        ({"subject": ""}, "subject", "not empty"),
        ({"dataschema": 5}, "dataschema", "must be a text"),
        ({"Upper": "x"}, "", "'Upper' is no attribute: names have lower-case"),
        ({"with_underscore": "x"}, "", "no attribute"),
        ({"é": "x"}, "", "no attribute"),
        ({"": "x"}, "", "no attribute"),
        ({"data": "x"}, "", "no attribute"),
        ({"n": 2**31}, "n", "32 bits"),
        ({"n": 1.5}, "n", "a text, an integer or a boolean, not 1.5"),
        ({"n": [1]}, "n", "a text, an integer"),
        ({"n": "a\nb"}, "n", "control characters"),
        ({"n": "\ud800"}, "n", "control characters"),
        ({"datacontenttype": "json"}, "datacontenttype", "no media type"),
        ({"datacontenttype": "a/b\r\nx: y"}, "datacontenttype", "control|media type"),
        ({"time": "yesterday"}, "time", "no time such as"),
        ({"time": "2018-02-30T00:00:00Z"}, "time", "no time"),
    ],
)
def test_what_is_no_attribute(changes: dict[str, object], where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        checked_attributes({**LEAST, **changes})
    assert caught.value.where == where


@pytest.mark.parametrize(
    "text",
    [
        "2018-04-05T17:31:00Z",
        "2018-04-05t17:31:00.123456789z",
        "2018-04-05T17:31:00-23:59",
        "2016-12-31T23:59:60Z",
        "2020-02-29T00:00:00+05:30",
    ],
)
def test_times(text: str) -> None:
    assert is_time(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "2018-04-05", "2018-04-05 17:31:00Z", "2018-04-05T17:31:00", "2018-04-05T24:00:00Z"),
        *("2018-13-05T17:31:00Z", "2019-02-29T17:31:00Z", "2018-04-05T17:31:00Z\n"),
        *("2018-04-05T17:31:61Z", "2018-04-05T17:31:00+24:00", "0000-01-01T00:00:00Z"),
        "٢٠١٨-04-05T17:31:00Z",
    ],
)
def test_not_times(text: str) -> None:
    assert not is_time(text)


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        (None, True),
        ("application/json", True),
        ("Text/JSON; charset=utf-8", True),
        ("application/vnd.x+JSON", True),
        ("application/jsonp", False),
        ("application/xml", False),
        ("json/x", False),
    ],
)
def test_what_is_json(media_type: str | None, *, expected: bool) -> None:
    assert is_json(media_type) is expected


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/plain", True),
        ("TEXT/plain;charset=UTF-8", True),
        ('text/plain; format=flowed; charset="utf-8"', True),
        ("text/plain; charset=iso-8859-1", False),
        ("application/xml", True),
        ("image/svg+xml", True),
        ("application/octet-stream", False),
    ],
)
def test_what_is_text(media_type: str, *, expected: bool) -> None:
    assert is_text(media_type) is expected


def test_charsets() -> None:
    assert is_utf8("application/x-www-form-urlencoded")
    assert not is_utf8("text/html; charset=utf-16")


# The first is the example of the HTTP binding, section 3.1.3.2.
HEADERS: list[tuple[Attribute, str]] = [
    ("Euro € 😀", "Euro%20%E2%82%AC%20%F0%9F%98%80"),
    ("plain/~!", "plain/~!"),
    ('100% "x"', "100%25%20%22x%22"),
    ("\x7f", "%7F"),
    (True, "true"),
    (False, "false"),
    (-5, "-5"),
    ("", ""),
]


@pytest.mark.parametrize(("value", "header"), HEADERS)
def test_values_of_headers(value: Attribute, header: str) -> None:
    assert to_header(value) == header
    assert from_header(header, "x") == (
        str(value).lower() if isinstance(value, bool) else str(value)
    )


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("a b", "a b"),
        ("%61", "a"),
        ("%e2%82%ac", "€"),
        ("%2561", "%61"),
        ('"quoted \\"text\\" \\\\ %20"', 'quoted "text" \\  '),
        ('"', '"'),
        (" \tx ", "x"),
    ],
)
def test_other_ways_to_write_headers(header: str, text: str) -> None:
    assert from_header(header, "x") == text


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("100%", "a percent sign is written %25"),
        ("%zz", "%25"),
        ("%4", "%25"),
        ("%C0%A0", "no UTF-8"),
        ("%ED%A0%80", "no UTF-8"),
        ("%FF", "no UTF-8"),
        ("é", "ASCII"),
    ],
)
def test_what_is_no_header(header: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        from_header(header, "ce-subject")
    assert caught.value.where == "ce-subject"


@given(st.one_of(readable, st.text(st.characters(codec="utf-8"))))
def test_headers_there_and_back(text: str) -> None:
    header = to_header(text)
    assert header.isascii()
    assert header.isprintable()
    assert " " not in header
    assert from_header(header, "x") == text
