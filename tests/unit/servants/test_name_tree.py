"""How many names there may be."""

from __future__ import annotations

import pytest

from tests.unit.servants.opened import name
from tidings.events.reference import Reference
from tidings.orb.exceptions import IMP_LIMIT
from tidings.orb.ior import make_reference
from tidings.servants import name_tree
from tidings.servants.name_tree import ROOT, NameTree


def tree() -> NameTree:
    made: dict[Reference, int] = {}

    def refer(id: int) -> Reference:
        reference = make_reference("IDL:X:1.0", "here", 1, str(id).encode())
        made[reference] = id
        return reference

    return NameTree(refer, made.get)


def test_names_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_tree, "_MOST_BINDINGS", 3)
    names = tree()
    for id in "abc":
        names.bind(ROOT, name(id), Reference())
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("d"), Reference())
    names.bind(ROOT, name("a"), Reference(), again=True)
    names.unbind(ROOT, name("a"))
    names.bind(ROOT, name("d"), Reference())


def test_contexts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_tree, "_MOST_CONTEXTS", 3)
    names = tree()
    for id in "ab":
        names.new_context(ROOT, name(id))
    with pytest.raises(IMP_LIMIT):
        names.new_context()
    found = names.resolve(ROOT, name("a")).context
    assert found is not None
    names.destroy(found)
    names.new_context()
