"""Parts of a JSON text: found wherever they stand, in bounded steps."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.events.codecs.test_json_text import json_values
from tidings.errors import InvalidEvent
from tidings.events.codecs import json_parts as module
from tidings.events.codecs.json_parts import is_array, json_parts


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


@pytest.mark.parametrize(
    "text",
    ['["' + "x" * 300_000 + '"]', '["' + "\\n" * 300_000 + '"]', "[" + "[]," * 20_000 + "1]",
     "[{" + '"a":"b",' * 100_000 + '"a":1}]', "[" + " " * 300_000 + "1]"],
    ids=["text", "escapes", "brackets", "members", "blanks"],
)  # fmt: skip
def test_long_texts_are_looked_through_in_steps(text: str) -> None:
    octets, places = text.encode(), [0]
    for part in json_parts(octets, 0, len(octets)):
        places.append(places[-1] if part is None else part.end)
    assert len(places) > len(octets) // (2 * module._PAUSE)
    assert b"".join(parts(octets)).replace(b",", b"") == octets[1:-1].replace(b",", b"")
