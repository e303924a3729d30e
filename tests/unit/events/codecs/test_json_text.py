from __future__ import annotations

import json
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.codecs import json_text
from tidings.events.codecs.json_text import parse_json, write_json

GOOD: list[tuple[str | bytes, object]] = [
    ("5", 5),
    ("-0.0", -0.0),
    ("1e5", 100000.0),
    ("18446744073709551616", 2**64),  # for the value's reader to refuse, never as a double
    ("123456789012345678901234567890", 123456789012345678901234567890),
    (b' {"a" : [true, null, "\xc3\xa9"]}\n', {"a": [True, None, "é"]}),
    ('"\\ud83d\\ude00"', "😀"),
    ('"\\\\ud800"', "\\ud800"),
    ('{"a": ":", "b": {"a": "x:y"}}', {"a": ":", "b": {"a": "x:y"}}),
    ('{"a": "\\u003a", "b": 1}', {"a": ":", "b": 1}),
    ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
    ("[" * 64 + "]" * 64, json.loads("[" * 64 + "]" * 64)),
]


@pytest.mark.parametrize(("text", "value"), GOOD, ids=lambda v: repr(v)[:30])
def test_json(text: str | bytes, value: object) -> None:
    found = parse_json(text)
    assert found == value
    assert repr(found) == repr(value)


BAD: list[tuple[str | bytes, str]] = [
    ("", "line 1, column 1: the JSON ends too early"),
    ("[1,\n", "line 2, column 1: the JSON ends too early"),
    ('{"a": "x', "line 1, column 9: the JSON ends too early"),
    ("nul", "ends too early"),
    ('{"a": 1,}', "line 1, column 9: malformed JSON: trailing comma"),
    ('{"é": x}', "line 1, column 7: malformed"),
    ('{"a" 1}', "line 1, column 6: malformed JSON: expected ':'"),
    ("{'a': 1}", "names and texts stand in double quotes"),
    ("[1]\n x", "line 2, column 2: malformed JSON: trailing characters"),
    ("\ufeff{}", "line 1, column 1: malformed"),
    ("[01]", "malformed JSON: invalid number"),
    ("[+1]", "malformed"),
    ("[.5]", "malformed"),
    ('"\t"', "malformed"),
    ('"\\x"', "malformed JSON: invalid escape"),
    ('["a", NaN]', 'line 1, column 7: .*write {"\\$type": "double", "value": "NaN"}'),
    ("[Infinity]", '"value": "Infinity"}'),
    ("[-Infinity]", '"value": "-Infinity"}'),
    (b'["\xff"]', "line 1, column 3: octet 0xFF is no UTF-8"),
    (b'{"\xed\xa0\x80": 1}', "line 1, column 3: octet 0xED is no UTF-8"),
    (b'["\xc3\xa9\xff"]', "line 1, column 4: octet 0xFF"),
    ('"\ud800"', "line 1, column 2: the lone surrogate U\\+D800"),
    ('"\\ud800"', "line 1, column 2: the lone surrogate U\\+D800"),
    ('{"\\udfff": 1}', "column 3: the lone surrogate U\\+DFFF"),
    ('"\\ud800\\u0041"', "column 2: the lone surrogate U\\+D800"),
    ('"\\ud83d\\ude00\\ude00"', "column 14: the lone surrogate U\\+DE00"),
    ('"\\ud83d\\ud83d\\ude00"', "column 2: the lone surrogate U\\+D83D"),
    ('"\\\\\\ud800"', "column 4: the lone surrogate U\\+D800"),
    ("1e400", "'1e400' is outside a double"),
    ('{"a": [1, -1e999]}', r"a\[1\]: '-1e999' is outside a double"),
    ('{"a": [true, false, 1e400]}', r"a\[2\]: '1e400' is outside a double"),
    ('{"a": 1e400.5e}', "a: '1e400' is outside a double"),
    ('{"a": {"b": ' + "9" * 5000 + "}}", "a.b: '9+… is outside the integers"),
    ('{"a": 1, "a": 1}', "the name 'a' stands twice in one object"),
    ('{"x": [0, {"a": ":", "b": 1, "a": 2}]}', r"x\[1\]: the name 'a' stands twice"),
    ('{"a": "\\u003a", "a": 2}', "the name 'a' stands twice"),
    ('{"a": 1, "a": "\\u003a"}', "the name 'a' stands twice"),
    ('{"a": 1, "a": "\\u003A"}', "the name 'a' stands twice"),
    ('{"a": 1, "\\u0061": 2}', "the name 'a' stands twice"),
    ('{"": 1, "": 2}', "the name '' stands twice"),
    ("[" * 10_000, "nests too deeply"),
    ("[" * 10_000 + "]" * 10_000, "nests too deeply"),
    ('{"a":' * 10_000 + "1" + "}" * 10_000, "nests too deeply"),
]


@pytest.mark.parametrize(("text", "says"), BAD, ids=lambda v: repr(v)[:30])
def test_what_is_no_json(text: str | bytes, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        parse_json(text)


def test_the_limit() -> None:
    assert parse_json("[1,2]", 5) == [1, 2]
    for text in ("[1,2] ", b"[1,2] ", '["é"]x'):
        with pytest.raises(LimitExceeded, match="octets of JSON are more than the 5 taken"):
            parse_json(text, 5)
    assert write_json([1, 2], 5) == b"[1,2]"
    with pytest.raises(LimitExceeded):
        write_json([1, 20], 5)


# Any JSON, and twins made on purpose: two parsers must agree, and twins must be found.
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_we_read_what_others_write(value: object, ascii_only: bool, indent: int | None) -> None:
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
        text.encode()
    except ValueError:  # an infinity, or a lone surrogate
        return
    if "\\ud" in text.lower() and has_lone_surrogate(value):
        return
    assert repr(parse_json(text)) == repr(json.loads(text))


def has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


@given(st.lists(st.tuples(st.text(max_size=2), json_values), min_size=1), st.booleans())
def test_twins_are_found_wherever_they_are(
    pairs: list[tuple[str, object]], ascii_only: bool
) -> None:
    members = ",".join(
        f"{json.dumps(k, ensure_ascii=ascii_only)}:{json.dumps(v)}" for k, v in pairs
    )
    text = f'{{"outer": [{{{members}}}]}}'
    names = [name for name, _ in pairs]
    said = refusal(text)
    if said is None or "twice" in said:
        assert (said is None) == (len(set(names)) == len(names))


def refusal(text: bytes | str) -> str | None:
    """What is said against a text, or None if it is taken."""
    try:
        parse_json(text)
    except InvalidEvent as error:
        return str(error)
    return None


@given(st.binary(max_size=40) | st.text(max_size=40))
def test_nothing_else_ever_escapes(text: bytes | str) -> None:
    assert refusal(text) != ""


def test_a_lower_limit_for_digits_changes_nothing_else() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(InvalidEvent, match=r"a: '9+… is outside the integers"):
            parse_json('{"a": ' + "9" * 700 + "}")
    finally:
        sys.set_int_max_str_digits(before)


LARGE = "[" + "1," * 4_900_000 + "1]"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'{{"a": 1, "a": 2, "n": {LARGE}}}', "a name stands twice in one object"),
        (f'{{"a": 1e999, "n": {LARGE}}}', "a number is too large"),
        ('["' + "\\n" * 4_900_000 + '\\ud800"]', "column 9800003: the lone surrogate"),
        ("[" + "\n" * 9_000_000 + "x", "line 9000001, column 1"),
    ],
    ids=["twins", "number", "surrogate", "lines"],
)
def test_large_faults_take_no_longer_than_large_events(text: str, says: str) -> None:
    start = time.thread_time()
    with pytest.raises(InvalidEvent, match=says):
        parse_json(text)
    assert time.thread_time() - start < 5


def test_ten_megabytes_are_read_in_a_moment() -> None:
    text = '{"a": [' + ",".join(['"some text of some length: really"'] * 280_000) + "]}"
    assert len(text) > 0.95 * json_text.MAX_EVENT_OCTETS
    found = parse_json(text)
    assert isinstance(found, dict)
    assert len(found["a"]) == 280_000


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[1,2,3]", 12),
        ('{"a":{"b":[]}}', 30),
        ('{"a":"[,{,","b":"\\\\"}', 11),
        ('["a\\",[\\"",2]', 11),
        ("7", 0),
    ],
)
def test_values_are_counted_before_they_are_parsed(text: str, count: int) -> None:
    long = text + " " * 200
    assert parse_json(long, values=count) == json.loads(text)
    if count:
        with pytest.raises(LimitExceeded, match=f"more than the {count - 1} values"):
            parse_json(long, values=count - 1)
        with pytest.raises(LimitExceeded):  # and nobody has looked at the rest
            parse_json(long + "}", values=count - 1)


def test_very_many_texts_are_too_many_values() -> None:
    with pytest.raises(LimitExceeded):
        parse_json("[" + '"",' * 3_000_000 + '""]', values=json_text.MAX_VALUES)
