"""The compiled predicate. That it answers rightly, the case tables and the laws say."""

from __future__ import annotations

import pytest

from tidings.events.build import event
from tidings.events.fields import Fields, Plain, fields_of
from tidings.events.paths import Path
from tidings.filters import to_python as module
from tidings.filters.parse import parse
from tidings.filters.to_python import to_python


class Watched(Fields):
    """Fields that remember what was looked up."""

    def __init__(self, **values: Plain) -> None:
        super().__init__()
        self.values_ = values
        self.seen: list[str] = []

    def resolve(self, path: Path) -> Plain:
        self.seen.append(str(path))
        return self.values_[str(path.root)]


FIELDS = fields_of(event("d", "t", "n", {"a": 1, "b": "x", "yes": True, "no": False}))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", True),
        ("$yes", True),
        ("$no", False),
        ("not $yes", False),
        ("$a", None),
        ("not $a", None),
        ("$a == 1", True),
        ("$a == 'xy'", None),
        ("not ($a == 1 and $no)", True),
        ("not ($no or not $yes)", True),
        ("($yes and $no) == FALSE", True),
        ("not ($yes or $missing) == FALSE", True),
        ("$yes and ($no or $a)", None),
        ("$no and $missing", False),
        ("$yes or $missing", True),
        ("default $a._d", None),
        ("(exist $a) + 1 == 2", True),
    ],
)
def test_the_answer_is_true_false_or_none(text: str, answer: bool | None) -> None:
    assert to_python(parse(text))(FIELDS) is answer


def test_what_is_not_needed_is_not_looked_up() -> None:
    fields = Watched(yes=True, no=False, a=1)
    assert to_python(parse("$no and $a == 1 or $yes or $a == 2"))(fields) is True
    assert fields.seen == ["$no", "$yes"]


def test_an_error_ends_it_at_once() -> None:
    fields = Watched(a=1, b=2)
    assert to_python(parse("$a and $b == 2 or $b == 3"))(fields) is None
    assert fields.seen == ["$a"]


def test_trees_of_one_shape_share_code_and_keep_their_constants() -> None:
    module._factory.cache_clear()
    module._with_paths.cache_clear()
    predicates = [to_python(parse(f"$a == {number}")) for number in range(3)]
    assert module._factory.cache_info().misses == 1
    assert [predicate(FIELDS) for predicate in predicates] == [False, True, False]
    assert len({predicate.__code__ for predicate in predicates}) == 1


def test_trees_that_ask_the_same_of_other_fields_share_code_and_keep_their_paths() -> None:
    module._factory.cache_clear()
    module._with_paths.cache_clear()
    predicates = [to_python(parse(f"${name} == 1")) for name in ("a", "nothing", "a")]
    assert module._factory.cache_info().misses == 1
    assert [predicate(FIELDS) for predicate in predicates] == [True, None, True]


def test_long_shapes_are_not_kept() -> None:
    module._factory.cache_clear()
    many = " or ".join(["$a == 2"] * 500 + ["$a == 1"])
    predicate = to_python(parse(f"({many}) == TRUE"))
    assert predicate(FIELDS) is True
    assert module._factory.cache_info().currsize == 0


def test_names_and_labels_cannot_smuggle_in_code() -> None:
    tree = parse("$u.(')') == 1 or 'a\\'b' ~ $\\in or $x == \\or")
    assert to_python(tree)(FIELDS) is None


def test_a_field_that_changes_its_kind_is_judged_anew() -> None:
    predicate = to_python(parse("$a < 2"))
    values: list[Plain] = [1, 2.5, "1", True, 1]
    answers = [predicate(Watched(a=value)) for value in values]
    assert answers == [True, False, None, True, True]
