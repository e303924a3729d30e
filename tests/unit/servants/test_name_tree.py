"""How many names there may be."""

from __future__ import annotations

import logging

import pytest

from tests.unit.servants.opened import name
from tidings.cos.CosNaming_auto import NameComponent, NamingContext_InvalidName
from tidings.events.reference import Reference
from tidings.orb.exceptions import IMP_LIMIT
from tidings.orb.ior import make_reference
from tidings.servants.name_tree import ROOT, NameTree


def tree(most: int = 3) -> NameTree:
    made: dict[Reference, int] = {}

    def refer(id: int) -> Reference:
        reference = make_reference("IDL:X:1.0", "here", 1, str(id).encode())
        made[reference] = id
        return reference

    return NameTree(refer, made.get, most)


def test_names_are_bounded() -> None:
    names = tree()
    for id in "abc":
        names.bind(ROOT, name(id), Reference())
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("d"), Reference())
    names.bind(ROOT, name("a"), Reference(), again=True)
    names.unbind(ROOT, name("a"))
    names.bind(ROOT, name("d"), Reference())
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("e"), Reference())


def test_contexts_are_bounded() -> None:
    names = tree()
    for id in "ab":
        names.new_context(ROOT, name(id))
    with pytest.raises(IMP_LIMIT):
        names.new_context()
    found = names.resolve(ROOT, name("a")).context
    assert found is not None
    names.destroy(found)
    names.new_context()


def test_the_log_tells_once_that_no_more_fits(caplog: pytest.LogCaptureFixture) -> None:
    names = tree(1)
    caplog.set_level(logging.WARNING, "tidings.servants.name_tree")
    for told in (1, 2):
        names.bind(ROOT, name("a"), Reference())
        for _ in range(3):
            with pytest.raises(IMP_LIMIT, match=r"iiop\.max_names"):
                names.bind(ROOT, name("b"), Reference())
        assert len(caplog.records) == told
        names.unbind(ROOT, name("a"))


def test_a_reference_is_bounded() -> None:
    names = tree()
    names.bind(ROOT, name("a"), Reference("IDL:X:1.0", [(0, b"x" * 8_000)]))
    with pytest.raises(IMP_LIMIT, match="8192"):
        names.bind(ROOT, name("b"), Reference("IDL:X:1.0", [(0, b"x" * 5_000)] * 2))
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("b"), Reference("x" * 9_000, [(0, b"")]))


def test_ids_and_kinds_are_bounded() -> None:
    names = tree()
    names.bind(ROOT, (NameComponent("a" * 1_000, "b" * 24),), Reference())
    with pytest.raises(NamingContext_InvalidName):
        names.bind(ROOT, (NameComponent("a" * 1_000, "b" * 25),), Reference())
    with pytest.raises(NamingContext_InvalidName):
        names.bind(ROOT, name(*["a"] * 65), Reference())
