"""Substrings looked for all at once are those that Python finds one by one."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.matching_needles import needle_finder

ALPHABET = st.sampled_from("abé😀 ")
TEXTS = st.lists(st.none() | st.text(ALPHABET, max_size=14), max_size=8)
NEEDLES = st.lists(st.text(ALPHABET, min_size=1, max_size=6), min_size=1, max_size=10, unique=True)


@given(NEEDLES, TEXTS, st.integers(0, 3))
def test_finds_what_python_finds(needles: list[str], texts: list[str | None], first: int) -> None:
    find = needle_finder(needles)
    expected = [
        [at for at, needle in enumerate(needles) if text is not None and needle in text]
        for text in texts
    ]
    assert find(pa.array(texts, pa.string())).to_pylist() == expected
    # A slice begins in the middle of its buffers.
    assert find(pa.array(texts, pa.string()).slice(first)).to_pylist() == expected[first:]


def test_a_needle_does_not_reach_into_the_next_text() -> None:
    find = needle_finder(["ab", "abcdef"])
    assert find(pa.array(["xa", "bcdefab", "abcde", "f"])).to_pylist() == [[], [0], [0], []]
