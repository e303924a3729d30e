from __future__ import annotations

import pytest

from tidings.orb.codesets import (
    ISO_646,
    ISO_8859_1,
    NOT_NEGOTIATED,
    OUR_COMPONENT,
    UTF_8,
    UTF_16,
    CodeSetComponent,
    CodeSets,
    accept,
    code_set_name,
    negotiate,
)
from tidings.orb.exceptions import CODESET_INCOMPATIBLE, OMG

EBCDIC = 0x10020025
UCS_2 = 0x00010100


@pytest.mark.parametrize(
    ("native", "conversions", "chosen"),
    [
        (UTF_8, (), UTF_8),
        (ISO_8859_1, (UTF_8,), UTF_8),
        (ISO_8859_1, (), ISO_8859_1),
        (EBCDIC, (UTF_8,), UTF_8),
        (EBCDIC, (ISO_646, ISO_8859_1), ISO_8859_1),
    ],
)
def test_a_client_chooses_the_best_set_for_chars(
    native: int, conversions: tuple[int, ...], chosen: int
) -> None:
    component = CodeSetComponent(native, conversions, UTF_16, ())
    assert negotiate(component) == CodeSets(chosen, UTF_16)


@pytest.mark.parametrize(
    ("native", "conversions", "chosen"),
    [(UTF_16, (), UTF_16), (UCS_2, (UTF_16,), UTF_16), (UCS_2, (), UTF_16), (0, (), None)],
)
def test_a_client_chooses_the_best_set_for_wide_chars(
    native: int, conversions: tuple[int, ...], chosen: int | None
) -> None:
    component = CodeSetComponent(UTF_8, (), native, conversions)
    assert negotiate(component).wchar == chosen


def test_a_server_that_tells_nothing_gets_latin_chars_and_no_wide_ones() -> None:
    assert negotiate(None) == NOT_NEGOTIATED == CodeSets(ISO_8859_1, None)


def test_two_servers_of_ours_speak_unicode() -> None:
    assert negotiate(OUR_COMPONENT) == CodeSets(UTF_8, UTF_16)


@pytest.mark.parametrize(
    "component",
    [CodeSetComponent(EBCDIC, (), UTF_16, ()), CodeSetComponent(UTF_8, (), EBCDIC, ())],
)
def test_without_a_common_set_there_is_no_call(component: CodeSetComponent) -> None:
    with pytest.raises(CODESET_INCOMPATIBLE, match="0x10020025") as caught:
        negotiate(component)
    assert caught.value.minor == OMG | 1


def test_a_server_takes_the_sets_it_speaks() -> None:
    assert accept(CodeSets(ISO_8859_1, UTF_16)) == CodeSets(ISO_8859_1, UTF_16)
    assert accept(CodeSets(UTF_8, 0)) == CodeSets(UTF_8, None)


@pytest.mark.parametrize("asked", [CodeSets(EBCDIC, UTF_16), CodeSets(UTF_8, EBCDIC)])
def test_a_server_refuses_other_sets(asked: CodeSets) -> None:
    with pytest.raises(CODESET_INCOMPATIBLE, match="0x10020025") as caught:
        accept(asked)
    assert caught.value.minor == OMG | 2


def test_code_sets_have_names() -> None:
    assert [code_set_name(s) for s in (UTF_8, EBCDIC, None)] == ["UTF-8", "0x10020025", "none"]
