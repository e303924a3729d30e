"""Law of the grammar: the parser reads exactly what a second reading of the grammar reads."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from tests.laws.conformance.case_tables import all_cases
from tests.laws.conformance.grammar_oracle import GRAMMAR, Clash, Sexp, as_tuples, read
from tests.laws.filter_events import PATHS, Scene, draw_scene
from tests.laws.filter_strategies import trees_and_scenes
from tests.laws.filter_trees import draw_tree
from tidings.errors import InvalidConstraint
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.tree import Node

PIECES = (
    *("and", "or", "not", "in", "exist", "default", "AND", "Not", "==", "!=", "<", "<=", ">", ">="),
    *(
        "~",
        "+",
        "-",
        "*",
        "/",
        "%",
        "(",
        ")",
        "(",
        ")",
        "$a",
        "$u._d",
        "$_d",
        "$a.b[0](k)",
        "$.0.1",
    ),
    *(
        "$u.('x')",
        "$u.()",
        "1",
        "0",
        "2.5",
        ".5",
        "1e3",
        "007",
        "'ab'",
        "'x'",
        r"'\''",
        "TRUE",
        "false",
    ),
    *(
        "red",
        r"\in",
        "$",
        ".",
        "[0]",
        "(k)",
        "._length",
        "'",
        " ",
        "\n",
        "18446744073709551615",
        "e",
    ),
)
TERMINALS = {
    "COMPONENT": st.sampled_from([str(path) for path in PATHS]),
    "DISCRIMINATOR": st.sampled_from(["$u._d", "$_d", "$a.b[0]._d", r"$u.\_d"]),
    "STRING": st.sampled_from(["''", "'a'", "'ab'", r"'\''", r"'\\'", r"'a\b'", "'é'"]),
    "IDENTIFIER": st.sampled_from(["red", r"\in", "e", "True", "_"]),
    "INTEGER": st.sampled_from(["0", "1", "007", "18446744073709551615", "18446744073709551616"]),
    "REAL": st.sampled_from(["1.", ".5", "1.5", "1e3", "1.E-3", "9e999"]),
    **{
        word.upper(): st.sampled_from([word, word.upper(), word.title()])
        for word in ("or", "and", "not", "in", "exist", "default")
    },
    "BOOLEAN": st.sampled_from(["TRUE", "true", "FALSE", "false"]),
}


def by_parser(text: str) -> Sexp | None:
    """What the parser makes of a text; None if it refuses it."""
    try:
        return as_tuples(parse(text))
    except InvalidConstraint:
        return None


def by_grammar(text: str) -> Sexp | None:
    """What the second reading makes of it."""
    try:
        return read(text)
    except Clash:
        return None


def mutated(rng: Random, text: str) -> str:
    """The text with some characters left out, doubled, exchanged or put in."""
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        end = at + rng.choice((0, 1, 1, 2, 4))
        piece = rng.choice(("", "", rng.choice(PIECES), text[at:end] * 2, " "))
        text = text[:at] + piece + text[end:]
    return text


def test_the_cases_are_read_alike() -> None:
    for case in all_cases():
        assert by_parser(case.text) == by_grammar(case.text), case.text


@pytest.mark.parametrize("seed", range(5))
def test_pieces_in_any_order_are_read_alike(seed: int) -> None:
    rng, read_by_both = Random(seed), 0
    for _ in range(3_000):
        pieces = rng.choices(PIECES, k=rng.choice((1, 2, 3, 3, 3, 4, 5, 7)))
        text = rng.choice(("", " ", " ")).join(pieces)
        assert by_parser(text) == by_grammar(text), text
        read_by_both += by_parser(text) is not None
    assert read_by_both > 100


@pytest.mark.parametrize("seed", range(5))
def test_mutated_constraints_are_read_alike(seed: int) -> None:
    rng, read_by_both = Random(seed), 0
    for _ in range(200):
        scene = draw_scene(rng)
        for _ in range(5):
            text = mutated(rng, print_tree(draw_tree(rng, scene)))
            assert by_parser(text) == by_grammar(text), text
            read_by_both += by_parser(text) is not None
    assert 200 < read_by_both < 900


@pytest.mark.slow
# Each takes a fifth of a second to make, and much of what the grammar makes is too large.
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(from_lark(GRAMMAR, explicit=TERMINALS))
def test_what_the_grammar_makes_is_read_alike(text: str) -> None:
    assert by_parser(text) == by_grammar(text)


@given(st.text(alphabet="$._d[]()'\\ 019eE+-*/%<>=!~andorxistTRUE\té", max_size=30))
def test_any_text_is_read_alike(text: str) -> None:
    assert by_parser(text) == by_grammar(text)


@given(trees_and_scenes())
def test_printed_trees_are_read_alike(pair: tuple[Node, Scene]) -> None:
    text = print_tree(pair[0])
    assert by_parser(text) == by_grammar(text) is not None
