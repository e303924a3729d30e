"""What is called compatible never breaks an old client; and the text of an interface is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.laws.idl_texts import compile_text
from tests.laws.interface_calls import Calls, Version, two_orbs
from tests.laws.interface_pairs import ID, TOP, pair
from tidings.errors import TidingsError
from tidings.idl.canonical import canonical, closure, interface_of, own_interfaces
from tidings.idl.diff import compare_interfaces, compare_models
from tidings.idl.model import Model

SEEDS = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def calls() -> Iterator[Calls]:
    with two_orbs() as made:
        yield made


def models(seed: int) -> tuple[Model, Model] | None:
    """A pair of models; None if the edits have made nonsense."""
    try:
        before, after = map(compile_text, pair(Random(seed)))
    except TidingsError:
        return None
    return before, after


@settings(max_examples=40)
@given(SEEDS)
def test_what_is_compatible_never_breaks_an_old_client(calls: Calls, seed: int) -> None:
    found = models(seed)
    assume(found is not None and compare_models(*found, ID).compatible)
    before, after = map(Version, pair(Random(seed)))
    assert calls.of_client(before, after, f"Bank::{TOP}", seed) == []


def test_the_law_meets_both_verdicts() -> None:
    found = [compare_models(*one, ID) for one in map(models, range(150)) if one is not None]
    verdicts = Counter((one.compatible, bool(one.differences)) for one in found)
    assert verdicts[False, True] > 25
    assert verdicts[True, True] > 25


@settings(max_examples=30)
@given(SEEDS)
def test_the_text_of_an_interface_stands_for_itself(seed: int) -> None:
    found = models(seed)
    assume(found is not None)
    assert found is not None
    for model in found:
        for one in own_interfaces(model):
            text = canonical(model, one)
            again = compile_text(text)
            same = interface_of(again, one.id)
            assert same is not None
            assert canonical(again, same) == text
            assert {it.id for it in closure(same)} == {it.id for it in closure(one)}
            assert compare_models(model, again, one.id).differences == ()


@settings(max_examples=30)
@given(SEEDS)
def test_texts_of_interfaces_differ_as_the_files_do(seed: int) -> None:
    found = models(seed)
    assume(found is not None)
    assert found is not None
    texts: list[str] = []
    for model in found:
        one = interface_of(model, ID)
        assert one is not None
        texts.append(canonical(model, one))
    direct = compare_models(*found, ID)
    assert set(compare_interfaces(texts[0], texts[1], ID).differences) == set(direct.differences)
