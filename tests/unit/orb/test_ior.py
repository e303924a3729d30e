from __future__ import annotations

import pytest
from hypothesis import given

from tests.property.strategies import references
from tidings.events.reference import Reference
from tidings.orb.codesets import OUR_COMPONENT
from tidings.orb.components import Component
from tidings.orb.exceptions import BAD_PARAM, INV_OBJREF, OMG
from tidings.orb.ior import (
    NIL,
    IiopProfile,
    describe,
    from_ior,
    is_nil,
    key_of_profile,
    make_profile,
    make_reference,
    profile_of,
    profiles_of,
    read_profile,
    to_ior,
)
from tidings.orb.limits import Limits

MALFORMED = "a malformed IIOP profile: at octet 0: an octet needs 1 octets, and 0 are left"


def test_a_reference_tells_where_its_object_is() -> None:
    made = make_reference("IDL:X:1.0", "h", 2809, b"k", alternates=[("b", 1), ("c", 2)])
    profile = profile_of(made)
    assert profile is not None
    assert (profile.host, profile.port, profile.key, profile.minor) == ("h", 2809, b"k", 2)
    assert profile.addresses == (("h", 2809), ("b", 1), ("c", 2))
    assert profile.code_sets == OUR_COMPONENT


def test_a_profile_of_version_1_0_has_no_components() -> None:
    profile = profile_of(make_reference("", "h", 1, b"k", minor=0))
    assert profile == IiopProfile("h", 1, b"k", 0)
    assert profile is not None
    assert profile.code_sets is None


def test_what_stands_behind_a_newer_profile_is_not_looked_at() -> None:
    newer = IiopProfile("h", 1, b"k", 4, (Component(7, b"x"),))
    assert read_profile(make_profile(newer) + b"more") == newer


def test_the_first_profile_that_can_be_read_is_taken() -> None:
    (good,) = make_reference("", "h", 1, b"k").profiles
    reference = Reference("", [(9, b"other"), (0, b"bad"), good, good])
    assert profile_of(reference) == read_profile(good[1])
    assert len(list(profiles_of(reference))) == 2
    assert profile_of(Reference("", [(9, b"other")])) is None
    assert profile_of(NIL) is None
    assert is_nil(NIL)


@pytest.mark.parametrize(
    "octets", [b"", b"\0\2\0", b"\0\1\2", make_profile(IiopProfile("h", 1, b"k"))[:-1]]
)
def test_malformed_profiles_are_refused(octets: bytes) -> None:
    with pytest.raises(INV_OBJREF):
        read_profile(octets)
    assert key_of_profile(0, octets) == b""


def test_components_are_bounded() -> None:
    octets = make_profile(IiopProfile("h", 1, b"k", 2, (Component(7, b"x"),) * 3))
    with pytest.raises(INV_OBJREF, match="3 components; 2 are taken"):
        read_profile(octets, Limits(components=2))


@given(references)
def test_references_survive_as_text(reference: Reference) -> None:
    text = to_ior(reference)
    assert from_ior(text) == reference
    assert from_ior(" ior:" + text[4:].upper() + "\n") == reference
    assert describe(reference)


def test_a_reference_of_another_byte_order() -> None:
    octets = "01000000 02000000 58000000 01000000 05000000 01000000 ff"
    assert from_ior("IOR:" + octets.replace(" ", "")) == Reference("X", [(5, b"\xff")])


@pytest.mark.parametrize(
    ("text", "minor"),
    [("http://x", 7), ("IOR:0", 10), ("IOR:xx", 10), ("IOR:", 10), ("IOR:00ff", 10)],
)
def test_texts_that_are_no_reference(text: str, minor: int) -> None:
    with pytest.raises(BAD_PARAM) as caught:
        from_ior(text)
    assert caught.value.minor == OMG | minor


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(BAD_PARAM, match="more than the 40"):
        from_ior("IOR:" + "00" * 40, Limits(url_size=40))


def test_a_reference_in_words() -> None:
    made = make_reference("IDL:X:1.0", "::1", 2809, b"k\xff", alternates=[("b", 1), ("::2", 3)])
    more = Reference(made.type_id, [*made.profiles, (1, b"xyz"), (0, b"")])
    assert describe(more) == [
        "type: IDL:X:1.0",
        "IIOP 1.2 at [::1]:2809",
        "  key: 6bff",
        "  ORB: Tidings (0x54494400)",
        "  code sets: char UTF-8, ISO 8859-1; wchar UTF-16, UTF-16",
        "  also at b:1",
        "  also at [::2]:3",
        "profile 1 (multiple components): 3 octets",
        "IIOP profile that cannot be read: " + MALFORMED,
    ]
    assert describe(NIL) == ["nil: a reference to no object"]


def test_components_that_cannot_be_read_are_named() -> None:
    components = [Component(0, b""), Component(20, b"abc")]
    lines = describe(make_reference("", "h", 1, b"k", components))
    assert lines[0] == "type: not told"
    assert lines[-2].startswith("  component 0 that cannot be read")
    assert lines[-1] == "  component 20 (SSL): 3 octets"
