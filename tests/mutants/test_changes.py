"""Changes at random: what is changed, and what is left alone."""

from __future__ import annotations

import ast
from random import Random

import pytest

from tests.mutants.changes import changes_of
from tests.mutants.fault import PACKAGE
from tests.mutants.sampling import AIMS, drawn

CHANGED = [
    ("return a < b", {"return a <= b", "return None"}),
    ("return a and b", {"return a or b", "return None"}),
    ("return not a", {"return a", "return None"}),
    ("return True", {"return False"}),
    ("x = a + 1", {"x = a - 1", "x = a + 2"}),
    ("if 'ä' + a: a.go()", {"if not ('ä' + a): a.go()", "if 'ä' - a: a.go()", "if 'ä' + a: pass"}),
    ("x = f'{a + 1}'", set()),
    ("raise Wrong(a + 1)", set()),
    ("log.info(a + 1)", set()),
    ("x: Literal[1] = a", set()),
    ("'a text'", set()),
]


@pytest.mark.parametrize(("statement", "changed"), CHANGED)
def test_what_is_changed(statement: str, changed: set[str]) -> None:
    source = f"def f(a, b):\n    'ä'\n    {statement}\n"
    found = {change.applied(source) for change in changes_of(source)}
    assert found == {f"def f(a, b):\n    'ä'\n    {other}\n" for other in changed}


def test_outside_of_functions_nothing_is_changed() -> None:
    assert changes_of("X = 1 + 1\nclass C:\n    y = not X\n") == []


def test_all_changes_of_a_package_can_be_read_and_change_something() -> None:
    for path in sorted((PACKAGE / "channel").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        for change in Random(7).sample(changes_of(source), 1) if changes_of(source) else ():
            assert ast.dump(ast.parse(change.applied(source))) != ast.dump(ast.parse(source))


def test_the_same_seed_draws_the_same() -> None:
    assert drawn("api", 20, 7) == drawn("api", 20, 7)
    assert drawn("api", 20, 7) != drawn("api", 20, 8)


def test_there_is_an_aim_for_every_package_that_is_there() -> None:
    assert all((PACKAGE / package).is_dir() for package in AIMS)
