"""Where calls of an object go."""

from __future__ import annotations

import pytest

from tidings.events.reference import Reference
from tidings.orb.codesets import UTF_8, UTF_16, CodeSetComponent, CodeSets
from tidings.orb.components import Component, code_sets_component
from tidings.orb.corbaloc import parse_object_url
from tidings.orb.destination import _kept, destinations
from tidings.orb.exceptions import CODESET_INCOMPATIBLE, IMP_LIMIT, INV_OBJREF
from tidings.orb.giop import ProfileTarget, ReferenceTarget
from tidings.orb.ior import make_reference, read_profile

OURS = make_reference("IDL:x:1.0", "a", 1, b"key", alternates=[("b", 2)])


def test_a_reference_of_ours_has_addresses_version_and_code_sets() -> None:
    (found,) = destinations(OURS)
    assert found.addresses == (("a", 1), ("b", 2))
    assert (found.key, found.minor) == (b"key", 2)
    assert found.codesets == CodeSets(UTF_8, UTF_16)


def test_the_version_is_none_above_the_one_that_is_wanted() -> None:
    assert destinations(OURS, 1)[0].minor == 1
    old = destinations(OURS, 0)[0]
    assert (old.minor, old.codesets) == (0, None)


def test_every_address_of_a_corbaloc_is_tried_and_agrees_on_nothing() -> None:
    reference = parse_object_url("corbaloc::a:1,iiop:1.2@b:2/k")
    assert isinstance(reference, Reference)
    first, second = destinations(reference)
    assert (first.addresses, first.minor, first.codesets) == ((("a", 1),), 0, None)
    assert (second.addresses, second.minor, second.codesets) == ((("b", 2),), 2, None)


def test_an_object_is_named_by_as_much_of_its_reference_as_is_wanted() -> None:
    reference = Reference("IDL:x:1.0", [(77, b"other"), *OURS.profiles])
    (found,) = destinations(reference)
    assert found.target(0) == b"key"
    assert found.target(1) == ProfileTarget(*OURS.profiles[0])
    assert found.target(2) == ReferenceTarget(1, reference)


@pytest.mark.parametrize(
    ("reference", "error"),
    [
        (Reference(), INV_OBJREF),
        (Reference("IDL:x:1.0", [(77, b"x")]), IMP_LIMIT),
        (Reference("IDL:x:1.0", [(0, b"x")]), INV_OBJREF),
        (make_reference("", "a", 1, b"k", [Component(1, b"")]), INV_OBJREF),
        (make_reference("", "a", 1, b"k", [Component(3, b"\1")]), INV_OBJREF),
        (
            make_reference("", "a", 1, b"k", [code_sets_component(CodeSetComponent(9, (), 9, ()))]),
            CODESET_INCOMPATIBLE,
        ),
    ],
)
def test_a_reference_that_leads_nowhere_says_why(
    reference: Reference, error: type[Exception]
) -> None:
    with pytest.raises(error):
        destinations(reference)


def test_a_profile_that_cannot_be_used_does_not_spoil_the_others() -> None:
    unread = Reference("IDL:x:1.0", [(0, b"x"), (0, b"\0\2\0"), *OURS.profiles])
    strange = make_reference(
        "", "a", 1, b"k", [code_sets_component(CodeSetComponent(9, (), 9, ()))]
    )
    for reference in (unread, Reference("", [*strange.profiles, *OURS.profiles])):
        (found,) = destinations(reference)
        assert found.addresses == (("a", 1), ("b", 2))
        assert found.place == len(reference.profiles) - 1


def test_references_of_others_are_kept_in_little_memory() -> None:
    before = _kept.cache_info().currsize
    long = [make_reference("IDL:x:1.0", "a", 1, bytes([at]) * 60_000) for at in range(3)]
    for reference in long:
        assert destinations(reference)[0].key == read_profile(reference.profiles[0][1]).key
    assert _kept.cache_info().currsize == before
    destinations(make_reference("IDL:x:1.0", "a", 1, b"a key of this test"))
    assert _kept.cache_info().currsize == before + 1
