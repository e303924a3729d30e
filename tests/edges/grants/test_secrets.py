"""Digests, tokens, and whoever guesses them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import InvalidUsage
from tidings.grants import secrets
from tidings.grants.guessing import FREE, MOST_KEYS, Guessing

SECOND = 1_000_000


def test_a_digest_is_that_of_its_secret_only() -> None:
    kept = secrets.digest("correct horse", b"s" * 16)
    assert "correct" not in kept
    assert secrets.fits("correct horse", kept)
    assert not secrets.fits("correct hors", kept)
    assert not secrets.fits("x" * 1_000_000, kept)
    assert not secrets.fits("correct horse", "plain text")
    assert secrets.digest("correct horse", b"t" * 16) != kept


@settings(max_examples=50)
@given(st.integers(1, 2**31), st.binary(min_size=24, max_size=24))
def test_a_token_leads_to_its_credential(number: int, drawn: bytes) -> None:
    text = secrets.token_text(number, drawn)
    assert secrets.token_number(text) == number
    assert len(secrets.token_secret(text)) == 32
    for other in (text[:-1], text + "A", text[1:], text.upper(), f"{text}\n", text * 10_000):
        assert secrets.token_number(other) is None


@pytest.mark.parametrize("text", ["", "short", "x" * 257])
def test_a_password_has_a_length(text: str) -> None:
    with pytest.raises(InvalidUsage, match="12 to 256"):
        secrets.checked_password(text)
    assert secrets.checked_password("x" * 12)


def test_a_password_is_the_same_on_every_keyboard() -> None:
    assert secrets.fits("a\u0308rger im buero", secrets.digest("\u00e4rger im buero", b"s" * 16))
    assert not secrets.fits("\ud800", secrets.digest("?", b"s" * 16))
    with pytest.raises(InvalidUsage, match="no control characters"):
        secrets.checked_password("bell \x07 and whistle")


def test_an_address_that_guesses_waits_ever_longer() -> None:
    guessing, now, waits = Guessing(), 0, []
    for attempt in range(20):
        waits.append(guessing.wait("1.2.3.4", f"name{attempt}", now))
        now += waits[-1]
        guessing.failed("1.2.3.4", f"name{attempt}", now)
    assert waits[:FREE] == [0] * FREE
    assert waits[FREE:] == sorted(waits[FREE:])
    assert waits[-1] == 60 * SECOND
    assert guessing.wait("1.2.3.5", "ann", now) == 0


def test_who_knows_is_hardly_held_up_by_who_guesses() -> None:
    guessing = Guessing()
    for attempt in range(1_000):
        guessing.failed(f"10.0.0.{attempt}", "ann", attempt)
    assert 0 < guessing.wait("1.2.3.4", "ann", 1_000) <= SECOND
    guessing.succeeded("1.2.3.4", "ann")
    assert guessing.wait("1.2.3.4", "ann", 1_000) == 0


def test_a_host_with_ipv6_is_one_address() -> None:
    guessing = Guessing()
    for attempt in range(2 * FREE):
        guessing.failed(f"2001:db8::{attempt:x}", f"name{attempt}", attempt)
    assert guessing.wait("2001:db8::ffff", "ann", 99) > 0
    assert guessing.wait("2001:db8:0:1::1", "ann", 99) == 0
    assert guessing.wait("not an address", "ann", 99) == 0


def test_who_knew_a_name_is_not_held_up_by_who_guesses_it_elsewhere() -> None:
    guessing = Guessing()
    guessing.succeeded("1.2.3.4", "ann")
    for attempt in range(2 * FREE):
        guessing.failed(f"10.0.0.{attempt}", "ann", attempt)
    assert guessing.wait("1.2.3.4", "ann", 99) == 0
    assert guessing.wait("1.2.3.5", "ann", 99) > 0
    for other in range(MOST_KEYS):
        guessing.succeeded("1.2.3.6", f"name {other}")
    assert not guessing.knows("1.2.3.4", "ann")
    assert len(guessing) == MOST_KEYS


def test_failures_are_forgotten_and_their_memory_is_bounded() -> None:
    guessing = Guessing()
    for attempt in range(FREE):
        guessing.failed("1.2.3.4", "ann", attempt)
    guessing.failed("1.2.3.4", "ann", 3601 * SECOND)
    assert guessing.wait("1.2.3.4", "ann", 3601 * SECOND) == 0
    for attempt in range(2 * MOST_KEYS):
        guessing.failed(f"address {attempt}", f"name {attempt}", attempt)
    assert len(guessing) == MOST_KEYS
