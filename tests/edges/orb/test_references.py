"""References, as octets and as texts, and where calls of their objects go."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.strategies import references
from tidings.events.reference import Reference
from tidings.orb import codesets, ior
from tidings.orb.calls import destinations
from tidings.orb.codesets import ISO_646, ISO_8859_1, UTF_8, UTF_16, CodeSetComponent, CodeSets
from tidings.orb.corbaloc import make_corbaloc, parse_object_url
from tidings.orb.exceptions import BAD_PARAM, CODESET_INCOMPATIBLE, IMP_LIMIT, INV_OBJREF, OMG
from tidings.orb.giop import ProfileTarget, ReferenceTarget
from tidings.orb.ior import (
    Component,
    IiopProfile,
    code_sets_component,
    from_ior,
    make_reference,
    profile_of,
    profiles_of,
    to_ior,
)
from tidings.orb.limits import MessageLimits


def test_the_first_profile_that_can_be_read_is_taken() -> None:
    (good,) = make_reference("", "h", 1, b"k").profiles
    reference = Reference("", [(9, b"other"), (0, b"bad"), good, good])
    assert profile_of(reference) == ior.read_profile(good[1])
    assert len(list(profiles_of(reference))) == 2
    assert profile_of(Reference("", [(9, b"other")])) is None
    assert profile_of(ior.NIL) is None
    assert ior.is_nil(ior.NIL)


def test_references_are_bounded() -> None:
    octets = ior.make_profile(IiopProfile("h", 1, b"k", 2, (Component(7, b"x"),) * 3))
    with pytest.raises(INV_OBJREF, match="3 components; at most 2 are accepted"):
        ior.read_profile(octets, MessageLimits(components=2))
    with pytest.raises(BAD_PARAM, match="more than the 40"):
        from_ior("IOR:" + "00" * 40, MessageLimits(url_size=40))
    with pytest.raises(BAD_PARAM, match="of an object URL"):
        parse_object_url("corbaloc::host/" + "k" * 50, MessageLimits(url_size=50))


@given(references)
def test_references_survive_as_text(reference: Reference) -> None:
    text = to_ior(reference)
    assert from_ior(text) == reference
    assert from_ior(" ior:" + text[4:].upper() + "\n") == reference
    assert ior.describe(reference)


@pytest.mark.parametrize(
    ("text", "minor"),
    [("http://x", 7), ("IOR:0", 10), ("IOR:xx", 10), ("IOR:", 10), ("IOR:00ff", 10)],
)
def test_texts_that_are_no_reference(text: str, minor: int) -> None:
    with pytest.raises(BAD_PARAM) as caught:
        from_ior(text)
    assert caught.value.minor == OMG | minor


def profiles(url: str) -> list[IiopProfile]:
    found = parse_object_url(url)
    assert isinstance(found, Reference)
    assert found.type_id == ""
    return list(profiles_of(found))


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("corbaloc::host/NameService", [("host", 2809, b"NameService", 0)]),
        ("corbaloc:iiop:host/k", [("host", 2809, b"k", 0)]),
        ("CORBALOC:IIOP:1.2@host:77/k", [("host", 77, b"k", 2)]),
        ("corbaloc::1.1@[::1]:77/k", [("::1", 77, b"k", 1)]),
        ("corbaloc::host", [("host", 2809, b"", 0)]),
        ("corbaloc::host:/a/b", [("host", 2809, b"a/b", 0)]),
        ("corbaloc::host/a%20%ff", [("host", 2809, b"a \xff", 0)]),
        ("corbaloc::a,iiop:1.2@b:3/k", [("a", 2809, b"k", 0), ("b", 3, b"k", 2)]),
    ],
)
def test_addresses_and_keys(url: str, wanted: list[tuple[str, int, bytes, int]]) -> None:
    assert profiles(url) == [IiopProfile(*each) for each in wanted]


@pytest.mark.parametrize(
    ("url", "minor"),
    [
        *(("", 7), ("host", 7), ("http://host/", 7), ("corbaloc:", 8), ("corbaloc:host/k", 8)),
        *(("corbaloc:ssl:host/k", 8), ("corbaloc::/k", 8), ("corbaloc::host:0/k", 8)),
        *(("corbaloc::host:65536/k", 8), ("corbaloc::2.0@host/k", 8), ("corbaloc::hö/k", 8)),
        *(("corbaloc::[::1/k", 8), ("corbaloc::a,/k", 8)),
        *(("corbaloc::" + ",:".join("a" * 65) + "/k", 8), ("corbaloc::host/%", 9)),
        *(("corbaloc::host/%4", 9), ("corbaloc::host/%zz", 9), ("corbaname::host#a//b", 10)),
        *(("IOR:12", 10), ("corbaname::host#a\\b", 10)),
    ],
)
def test_texts_that_are_no_url(url: str, minor: int) -> None:
    with pytest.raises(BAD_PARAM) as caught:
        parse_object_url(url)
    assert caught.value.minor == OMG | minor
    assert caught.value.why


@given(st.binary(max_size=20), st.sampled_from(["host", "::1", "10.0.0.1"]), st.integers(0, 2))
def test_a_url_of_ours_leads_to_the_object(key: bytes, host: str, minor: int) -> None:
    assert profiles(make_corbaloc(host, 7, key, minor)) == [IiopProfile(host, 7, key, minor)]


@given(st.text(max_size=30))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for url in (text, f"corbaloc:{text}", f"corbaname::h#{text}", f"corbaloc::h/{text}"):
        with suppress(BAD_PARAM):
            parse_object_url(url)


STRANGE = code_sets_component(CodeSetComponent(9, (), 9, ()))
OURS = make_reference("IDL:x:1.0", "a", 1, b"key", alternates=[("b", 2)])


def test_an_object_is_named_by_as_much_of_its_reference_as_is_wanted() -> None:
    reference = Reference("IDL:x:1.0", [(77, b"other"), *OURS.profiles])
    (found,) = destinations(reference)
    assert found.target(0) == b"key"
    assert found.target(1) == ProfileTarget(*OURS.profiles[0])
    assert found.target(2) == ReferenceTarget(1, reference)


@pytest.mark.parametrize(
    ("reference", "error"),
    [
        *((Reference(), INV_OBJREF), (Reference("IDL:x:1.0", [(77, b"x")]), IMP_LIMIT)),
        (Reference("IDL:x:1.0", [(0, b"x")]), INV_OBJREF),
        (make_reference("", "a", 1, b"k", [Component(1, b"")]), INV_OBJREF),
        (make_reference("", "a", 1, b"k", [Component(3, b"\1")]), INV_OBJREF),
        (make_reference("", "a", 1, b"k", [STRANGE]), CODESET_INCOMPATIBLE),
    ],
)
def test_a_reference_that_leads_nowhere_says_why(
    reference: Reference, error: type[Exception]
) -> None:
    with pytest.raises(error):
        destinations(reference)


def test_a_profile_that_cannot_be_used_does_not_spoil_the_others() -> None:
    unread = Reference("IDL:x:1.0", [(0, b"x"), (0, b"\0\2\0"), *OURS.profiles])
    strange = make_reference("", "a", 1, b"k", [STRANGE])
    for reference in (unread, Reference("", [*strange.profiles, *OURS.profiles])):
        (found,) = destinations(reference)
        assert found.addresses == (("a", 1), ("b", 2))
        assert found.place == len(reference.profiles) - 1


EBCDIC = 0x10020025
UCS_2 = 0x00010100


def test_a_client_chooses_the_best_sets() -> None:
    for native, conversions, chosen in (
        *((UTF_8, (), UTF_8), (ISO_8859_1, (UTF_8,), UTF_8), (ISO_8859_1, (), ISO_8859_1)),
        *((EBCDIC, (UTF_8,), UTF_8), (EBCDIC, (ISO_646, ISO_8859_1), ISO_8859_1)),
    ):
        component = CodeSetComponent(native, conversions, UTF_16, ())
        assert codesets.negotiate(component) == CodeSets(chosen, UTF_16)
    for native, conversions, wide in (
        *((UTF_16, (), UTF_16), (UCS_2, (UTF_16,), UTF_16), (UCS_2, (), UTF_16), (0, (), None)),
    ):
        component = CodeSetComponent(UTF_8, (), native, conversions)
        assert codesets.negotiate(component).wchar == wide
    # A server that tells nothing gets Latin characters and no wide ones.
    assert codesets.negotiate(None) == codesets.NOT_NEGOTIATED == CodeSets(ISO_8859_1, None)


@pytest.mark.parametrize(("char", "wide"), [(EBCDIC, UTF_16), (UTF_8, EBCDIC)])
def test_without_a_common_set_there_is_no_call(char: int, wide: int) -> None:
    with pytest.raises(CODESET_INCOMPATIBLE, match="0x10020025") as caught:
        codesets.negotiate(CodeSetComponent(char, (), wide, ()))
    assert caught.value.minor == OMG | 1
    with pytest.raises(CODESET_INCOMPATIBLE, match="0x10020025") as caught:
        codesets.accept(CodeSets(char, wide))
    assert caught.value.minor == OMG | 2


def test_code_sets_have_names() -> None:
    names = [codesets.code_set_name(s) for s in (UTF_8, EBCDIC, None)]
    assert names == ["UTF-8", "0x10020025", "none"]
