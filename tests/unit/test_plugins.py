from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from tidings import plugins
from tidings.errors import InvalidUsage
from tidings.plugins import CODECS, LINE_FORMATS, Registry

SORTS = Registry("sort", "tests.sorts", {"plain": "builtins:sorted", "whole": "heapq"})


def test_a_function_is_loaded_by_name() -> None:
    assert SORTS.load("plain") is sorted


def test_a_module_is_loaded_by_name() -> None:
    module = SORTS.load("whole")
    assert isinstance(module, ModuleType)
    assert module.__name__ == "heapq"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("plian", "did you mean 'plain'?"), ("zzz", "there are: plain, whole"), ("", "there are:")],
)
def test_a_wrong_name_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(InvalidUsage, match="no sort is called") as caught:
        SORTS.load(name)
    assert hint in str(caught.value)


@pytest.mark.parametrize("place", ["no_such_module_anywhere", "heapq:no_such_name"])
def test_a_part_that_cannot_be_imported_is_our_error_with_its_cause(place: str) -> None:
    broken = Registry("sort", "tests.sorts", {"broken": place})
    with pytest.raises(InvalidUsage, match="'broken' cannot be loaded") as caught:
        broken.load("broken")
    assert isinstance(caught.value.__cause__, ImportError | AttributeError)


def test_other_packages_add_parts_and_cannot_replace_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def announced(group: str) -> list[EntryPoint]:
        return [
            EntryPoint("quick", "heapq:nsmallest", group),
            EntryPoint("plain", "heapq:nlargest", group),
        ]

    monkeypatch.setattr(plugins, "entry_points", announced)
    assert SORTS.names() == ["plain", "quick", "whole"]
    assert SORTS.load("plain") is sorted
    assert getattr(SORTS.load("quick"), "__name__", "") == "nsmallest"


@pytest.mark.parametrize("registry", [CODECS, LINE_FORMATS], ids=lambda r: r.what)
def test_everything_built_in_can_be_loaded(registry: Registry) -> None:
    for name in registry.names():
        assert registry.load(name) is not None


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    program = (
        "import sys; from tidings.plugins import LINE_FORMATS; LINE_FORMATS.names();"
        "print([n for n in sys.modules if n.startswith(('tidings.events', 'pyarrow'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.strip() == b"[]"
