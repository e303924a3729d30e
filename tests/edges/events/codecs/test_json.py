"""JSON: what is none is refused with its place, parts are found in steps, values are typed."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.strategies import events
from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.build import event
from tidings.events.codecs.json_codec import (
    decode_event,
    encode_envelope,
    encode_event,
    envelope_from_plain,
)
from tidings.events.codecs.json_parts import is_array, json_parts
from tidings.events.codecs.json_text import parse_json
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.envelope import Envelope
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened

BAD_JSON: list[tuple[str | bytes, str]] = [
    ("", "line 1, column 1: the JSON ends too early"),
    ("[1,\n", "line 2, column 1: the JSON ends too early"),
    ('{"a": "x', "line 1, column 9: the JSON ends too early"),
    ("nul", "ends too early"),
    ('{"a": 1,}', "line 1, column 9: malformed JSON: trailing comma"),
    ('{"é": x}', "line 1, column 7: malformed"),
    ('{"a" 1}', "line 1, column 6: malformed JSON: expected ':'"),
    ("{'a': 1}", "names and texts stand in double quotes"),
    ("[1]\n x", "line 2, column 2: malformed JSON: trailing characters"),
    *(("\ufeff{}", "line 1, column 1: malformed"), ("[01]", "malformed JSON: invalid number")),
    *(("[+1]", "malformed"), ("[.5]", "malformed"), ('"\t"', "malformed")),
    ('"\\x"', "malformed JSON: invalid escape"),
    ('["a", NaN]', 'line 1, column 7: .*write {"\\$type": "double", "value": "NaN"}'),
    *(("[Infinity]", '"value": "Infinity"}'), ("[-Infinity]", '"value": "-Infinity"}')),
    (b'["\xff"]', "line 1, column 3: octet 0xFF is not UTF-8"),
    (b'{"\xed\xa0\x80": 1}', "line 1, column 3: octet 0xED is not UTF-8"),
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
    *(('{"": 1, "": 2}', "the name '' stands twice"), ("[" * 10_000, "nests too deeply")),
    ("[" * 10_000 + "]" * 10_000, "nests too deeply"),
    ('{"a":' * 10_000 + "1" + "}" * 10_000, "nests too deeply"),
]


@pytest.mark.parametrize(("text", "says"), BAD_JSON, ids=lambda v: repr(v)[:30])
def test_what_is_no_json(text: str | bytes, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        parse_json(text)


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


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("[1,2,3]", 12), ('{"a":{"b":[]}}', 30), ('{"a":"[,{,","b":"\\\\"}', 11)),
        *(('["a\\",[\\"",2]', 11), ("7", 0)),
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


def parts(octets: bytes) -> list[bytes]:
    found = json_parts(octets, 0, len(octets))
    return [octets[part.begin : part.end] for part in found if part is not None]


@given(st.lists(json_values), st.booleans(), st.sampled_from([None, 1]))
def test_elements_are_found_wherever_they_end(
    values: list[object], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, indent=indent)
    octets = f" {text}\n".encode(errors="surrogatepass")
    assert is_array(octets)
    assert [json.loads(one) for one in parts(octets)] == json.loads(text)


@pytest.mark.parametrize(
    "text", ["[", "[1", '["', '["\\', "[1]]", "[1] x", "[1}", "[" * 5_000, "", '["x\\"]']
)
def test_what_has_no_parts_is_refused(text: str) -> None:
    with pytest.raises(InvalidEvent):
        parts(text.encode())


PERSON_MEMBERS = [["name", "string"], ["free", "any"]]
PERSON_T = {"kind": "struct", "id": "IDL:P:1.0", "name": "P", "members": PERSON_MEMBERS}
TWINS_T = {"kind": "struct", "members": [["a", "long"], ["a", "char"]]}
CHOICE_BRANCHES = [["x", "a", "double"]]
CHOICE_T = {"kind": "union", "name": "C", "discriminator": "char", "branches": CHOICE_BRANCHES}


def typed(type_: object, value: object) -> object:
    return {"$type": type_, "value": value}


WRONG_VALUES: list[tuple[object, str, str]] = [
    (2**64, "", "18446744073709551616 is outside the integers"),
    *((-(2**63) - 1, "", "outside the integers"), (10**5000, "", "an integer of 16610 bits")),
    *(([1, 2**70], "[1]", "outside the integers"), ([1.5, "a", [2**70]], "[2][0]", "outside")),
    ({"a": {"b": [0, 2**70]}}, "a.b[1]", "outside"),
    (math.nan, "", r'JSON has no nan; write {"\$type": "double", "value": "NaN"}'),
    ([1.0, -math.inf], "[1]", '"value": "-Infinity"'),
    *(("\ud800", "", "U\\+D800"), (["a", "\ud800"], "[1]", "U\\+D800")),
    *(({"\ud800": 1}, "\\ud800", "U\\+D800"), ({"": 1}, "", "names must be non-empty")),
    *(
        ({5: 1}, "5", "names must be non-empty text"),
        ((1,), "", "a tuple is not a valid JSON value"),
    ),
    ({"a": b"x"}, "a", "a bytes is not a valid JSON value"),
    ({"$type": "long"}, "", "two names \\$type and value, not '\\$type'; a record with a member"),
    ({"$type": "long", "value": 1, "x": 2}, "", "two names"),
    ({"$type": 5, "value": 5}, "$type", "5 is not a type"),
    ([{"$type": {"kind": "strcut"}, "value": 5}], "[0].$type", "did you mean 'struct'"),
    (typed("short", 70_000), "", "70000 is not a valid short: -32768 to 32767"),
    *(
        (typed("short", 1.0), "", "1.0 is not a valid short"),
        (typed("short", "1"), "", "'1' is not a valid short"),
    ),
    (typed("boolean", 1), "", "1 is not a valid boolean"),
    (typed("double", "nan"), "", "'nan' is not a valid double; did you mean 'NaN'"),
    (typed("double", True), "", "True is not a valid double"),
    (typed("float", 1e300), "", "too large for a float"),
    (typed("fixed<3,1>", 1.5), "", 'a fixed<3,1> is written as text, such as "1.5"'),
    (typed("fixed<3,1>", "1.25"), "", "too many decimals"),
    (typed("fixed<3,1>", "1e1"), "", "is not a valid decimal number"),
    (typed("fixed<3,1>", " 1"), "", "is not a valid decimal number"),
    (typed("fixed<3,1>", "1_0"), "", "is not a valid decimal number"),
    (typed("fixed<3,1>", "NaN"), "", "is not a valid decimal number"),
    (typed("fixed<3,1>", None), "", "None is not a valid fixed"),
    (typed("char", "ab"), "", "is not a valid char"),
    (typed("string<2>", "abc"), "", "3 characters are more"),
    *(
        (typed("void", 0), "", "0 is not a valid void"),
        (typed("TypeCode", "lnog"), "", "names no type"),
    ),
    (typed("sequence<octet>", "YQ"), "", "'YQ' is not base64"),
    (typed("sequence<octet>", "Y!=="), "", "not base64"),
    (typed("sequence<octet>", "é"), "", "not base64"),
    (typed("sequence<octet>", [256]), "[0]", "256 is not a valid octet"),
    (typed("octet[2]", "YQ=="), "", "has not 1 elements"),
    (typed("sequence<long>", 5), "", "5 is not a valid sequence<long>, which is a list"),
    (typed("sequence<long>", [1, "a"]), "[1]", "'a' is not a valid long"),
    (typed("sequence<short>", [1, 40_000]), "[1]", "not a valid short"),
    (typed("sequence<double>", [1.5, math.inf]), "[1]", "JSON has no inf"),
    (typed("sequence<long,2>", [1, 2, 3]), "", "3 elements are more"),
    (typed("long[2]", [1]), "", r"long\[2\] has not 1 elements"),
    (typed("sequence<any>", [1, {"a": 2**64}]), "[1].a", "outside the integers"),
    (typed(PERSON_T, 5), "", "5 is not a valid struct P, which is an object"),
    (typed(PERSON_T, {"name": "A"}), "", "struct P needs 'free'"),
    (typed(PERSON_T, {"nmae": "A", "free": 1}), "", "has no 'nmae'; did you mean 'name'"),
    (typed(PERSON_T, {"name": 5, "free": 1}), "name", "5 is not a valid string"),
    (typed(PERSON_T, ["A"]), "", "has 2 members, not 1"),
    (typed(TWINS_T, {"a": 1}), "", "which is a list"),
    (typed(TWINS_T, [1, "ab"]), "a", "not a valid char"),
    (typed({"kind": "struct", "members": [["", "long"]]}, ["x"]), "[0]", "not a valid long"),
    (typed(CHOICE_T, 5), "", '5 is not a valid union C, which is {"_d": label, "value": value}'),
    (typed(CHOICE_T, {"value": 1}), "", "which is"),
    (typed(CHOICE_T, {"_d": 5}), "_d", "5 is not a valid char"),
    (typed(CHOICE_T, {"_d": "x", "value": "y"}), "value", "not a valid double"),
    (typed(CHOICE_T, {"_d": "z", "value": 1}), "", "1 is not a valid union C"),
    (typed(CHOICE_T, {"_d": "x", "vlaue": 1}), "", "did you mean 'value'"),
    (typed({"kind": "objref"}, 5), "", "5 is not a valid reference"),
    (typed({"kind": "objref"}, {"profiles": 5}), "", "not a valid reference"),
    (typed({"kind": "objref"}, {"profiles": [[0]]}), "profiles", "not a valid tag with base64"),
    (typed({"kind": "objref"}, {"profiles": [[-1, ""]]}), "profiles", "tag from 0"),
    (typed({"kind": "objref"}, {"type_id": 5}), "type_id", "not a valid repository id"),
    (typed({"kind": "objref"}, {"typeid": ""}), "", "did you mean 'type_id'"),
    (typed({"kind": "recursive", "id": "IDL:X:1.0"}, 5), "", "not complete enough"),
]


@pytest.mark.parametrize(("plain", "where", "says"), WRONG_VALUES, ids=shortened)
def test_what_is_no_value(plain: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        value_from_plain(plain)
    assert caught.value.where == where


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"a": v}, lambda v: typed("any", v)])
def test_endless_nesting_is_refused(wrap: object) -> None:
    plain: object = 1
    for _ in range(10_000):
        plain = wrap(plain)  # type: ignore[operator]
    with pytest.raises(InvalidEvent, match="nest deeper"):
        value_from_plain(plain)


AB = '{"domain": "A", "type": "B", '
WRONG_EVENTS: list[tuple[str, str, str]] = [
    ("[]", "", r"an event is a JSON object, not \[\]"),
    (AB + '"dta": {}}', "", "an event has no 'dta'; did you mean 'data'"),
    (AB + '"zzz": {}}', "", "known are domain, type, name, header"),
    ('{"type": "B"}', "domain", "an event needs a domain, which is a text"),
    ('{"domain": "A"}', "type", "needs a type"),
    ('{"domain": 5, "type": "B"}', "domain", "must be a text, not 5"),
    (AB + '"name": null}', "name", "must be a text, not None"),
    (AB + '"data": []}', "data", "must be an object of properties"),
    (AB + '"header": null}', "header", "must be an object"),
    (AB + '"data": {"": 1}}', "data.", "non-empty"),
    (
        AB + '"data": {"zones": [1, 2, 3, 1e2, 18446744073709551616]}}',
        *("data.zones[4]", "outside the integers, -2\\*\\*63 to 2\\*\\*64-1"),
    ),
    (
        AB + '"body": {"a": [{"$type": "octet", "value": 256}]}}',
        *("body.a[0]", "256 is not a valid octet: 0 to 255"),
    ),
    (AB + '"header": {"Priority": 40000}}', "header.Priority", "not a valid short"),
    (
        AB + '"header": {"Priority": {"$type": "short", "value": 40000}}}',
        *("header.Priority", "not a valid short"),
    ),
    (AB + '"data": {"a": 1, "a": 2}}', "data", "'a' stands twice"),
]


@pytest.mark.parametrize(("text", "where", "says"), WRONG_EVENTS)
def test_what_is_no_event_in_json(text: str, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        decode_event(text)
    assert caught.value.where == where


def deep(levels: int) -> str:
    return '{"domain":"A","type":"B","data":{"x":' + "[" * levels + "]" * levels + "}}"


def test_values_in_events_nest_so_deep_and_no_deeper() -> None:
    deepest = decode_event(deep(64))
    assert decode_event(encode_event(deepest)) == deepest
    for levels in (65, 200, 10_000):
        with pytest.raises(InvalidEvent, match="nest"):
            decode_event(deep(levels))


ORIGIN = "0af7651916cd43dd8448eb211c80319c"


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"origin": None}, "origin", "must be a text, not None"),
        ({"origin": "x"}, "origin", "32 hexadecimal digits"),
        ({"seq": "1"}, "seq", "must be an integer, not '1'"),
        ({"seq": True}, "seq", "must be an integer, not True"),
        *(({"seq": 1.0}, "seq", "must be an integer"), ({"seq": 0}, "seq", "is not between 1")),
        ({"seq": ...}, "seq", "must be an integer, not nothing"),
        ({"arrival": 2**63}, "arrival", "64 bits"),
        ({"plan": "1"}, "plan", "must be an integer"),
        ({"producer": "p"}, "number", "must be an integer, not nothing"),
        ({"number": 1}, "producer", "must be a text, not nothing"),
        ({"producer": "", "number": 1}, "producer", "1 to 256"),
        *(({"hops": "x"}, "hops", "must be a list"), ({"hops": [5]}, "hops[0]", "must be a text")),
        ({"traceparent": "x"}, "traceparent", "not a traceparent"),
        ({"tracestate": "x"}, "traceparent", "must be a text, not nothing"),
        ({"event": []}, "event", "must be an object"),
        ({"event": {"domain": "A", "type": "B", "body": 2**64}}, "event.body", "outside"),
        ({"sequence": 1}, "", "an envelope has no 'sequence'"),
    ],
)
def test_what_is_no_envelope(changes: dict[str, object], where: str, says: str) -> None:
    plain = {**json.loads(encode_envelope(Envelope(event("A", "B"), ORIGIN, 1, -5))), **changes}
    plain = {name: value for name, value in plain.items() if value is not ...}
    with pytest.raises(InvalidEvent, match=says) as caught:
        envelope_from_plain(plain)
    assert caught.value.where == where
    with pytest.raises(InvalidEvent, match="an envelope is a JSON object"):
        envelope_from_plain([plain])


@given(events)
def test_damaged_texts_are_events_or_refused(one: StructuredEvent) -> None:
    octets = encode_event(one)
    for place in range(0, len(octets), max(1, len(octets) // 8)):
        for octet in (0x00, 0x22, 0x5B, 0xFF, octets[place] ^ 1):
            damaged = octets[:place] + bytes([octet]) + octets[place + 1 :]
            try:
                again = decode_event(damaged)
            except InvalidEvent:
                continue
            assert decode_event(encode_event(again)) == again
