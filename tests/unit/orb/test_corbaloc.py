from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.events.reference import Reference
from tidings.orb.corbaloc import (
    Corbaname,
    InitialReference,
    NameComponent,
    make_corbaloc,
    parse_name,
    parse_object_url,
)
from tidings.orb.exceptions import BAD_PARAM, OMG
from tidings.orb.ior import IiopProfile, make_reference, profiles_of, to_ior
from tidings.orb.limits import Limits


def profiles(url: str) -> list[IiopProfile]:
    found = parse_object_url(url)
    assert isinstance(found, Reference)
    assert found.type_id == ""
    return list(profiles_of(found))


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("corbaloc::host/NameService", [IiopProfile("host", 2809, b"NameService", 0)]),
        ("corbaloc:iiop:host/k", [IiopProfile("host", 2809, b"k", 0)]),
        ("CORBALOC:IIOP:1.2@host:77/k", [IiopProfile("host", 77, b"k", 2)]),
        ("corbaloc::1.1@[::1]:77/k", [IiopProfile("::1", 77, b"k", 1)]),
        ("corbaloc::host", [IiopProfile("host", 2809, b"", 0)]),
        ("corbaloc::host:/a/b", [IiopProfile("host", 2809, b"a/b", 0)]),
        ("corbaloc::host/a%20%ff", [IiopProfile("host", 2809, b"a \xff", 0)]),
        (
            "corbaloc::a,iiop:1.2@b:3/k",
            [IiopProfile("a", 2809, b"k", 0), IiopProfile("b", 3, b"k", 2)],
        ),
    ],
)
def test_addresses_and_keys(url: str, wanted: list[IiopProfile]) -> None:
    assert profiles(url) == wanted


def test_objects_this_orb_was_told_of() -> None:
    assert parse_object_url("corbaloc:rir:/Trading") == InitialReference("Trading")
    assert parse_object_url("corbaloc:rir:") == InitialReference("NameService")


def test_stringified_references() -> None:
    reference = make_reference("IDL:X:1.0", "h", 1, b"k")
    assert parse_object_url(to_ior(reference)) == reference


def test_names_to_look_up() -> None:
    found = parse_object_url("corbaname::host:9/Root#plant/line%203.kind")
    assert isinstance(found, Corbaname)
    assert isinstance(found.context, Reference)
    assert list(profiles_of(found.context)) == [IiopProfile("host", 9, b"Root", 0)]
    assert found.name == (NameComponent("plant"), NameComponent("line 3", "kind"))
    default = parse_object_url("corbaname:rir:#a")
    assert default == Corbaname(InitialReference("NameService"), (NameComponent("a"),))
    whole = parse_object_url("corbaname::host")
    assert isinstance(whole, Corbaname)
    assert whole.name == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", ()),
        ("a", (NameComponent("a"),)),
        ("a.b/c", (NameComponent("a", "b"), NameComponent("c"))),
        (r"a\.b/c\/d\\e", (NameComponent("a.b"), NameComponent("c/d\\e"))),
        (".kind", (NameComponent("", "kind"),)),
        (".", (NameComponent("", ""),)),
    ],
)
def test_stringified_names(text: str, name: tuple[NameComponent, ...]) -> None:
    assert parse_name(text) == name


@pytest.mark.parametrize("text", ["/", "a//b", "a/", "a.", "a.b.c", "a\\", "a\\x"])
def test_texts_that_are_no_name(text: str) -> None:
    with pytest.raises(BAD_PARAM) as caught:
        parse_name(text)
    assert caught.value.minor == OMG | 10


@pytest.mark.parametrize(
    ("url", "minor"),
    [
        ("", 7),
        ("host", 7),
        ("http://host/", 7),
        ("corbaloc:", 8),
        ("corbaloc:host/k", 8),
        ("corbaloc:ssl:host/k", 8),
        ("corbaloc::/k", 8),
        ("corbaloc::host:0/k", 8),
        ("corbaloc::host:65536/k", 8),
        ("corbaloc::2.0@host/k", 8),
        ("corbaloc::hö/k", 8),
        ("corbaloc::[::1/k", 8),
        ("corbaloc::a,/k", 8),
        ("corbaloc::" + ",:".join("a" * 65) + "/k", 8),
        ("corbaloc::host/%", 9),
        ("corbaloc::host/%4", 9),
        ("corbaloc::host/%zz", 9),
        ("corbaname::host#a//b", 10),
        ("IOR:12", 10),
    ],
)
def test_texts_that_are_no_url(url: str, minor: int) -> None:
    with pytest.raises(BAD_PARAM) as caught:
        parse_object_url(url)
    assert caught.value.minor == OMG | minor
    assert caught.value.why


def test_a_url_that_is_too_long_is_refused() -> None:
    with pytest.raises(BAD_PARAM, match="of an object URL"):
        parse_object_url("corbaloc::host/" + "k" * 50, Limits(url_size=50))


@given(st.binary(max_size=20), st.sampled_from(["host", "::1", "10.0.0.1"]), st.integers(0, 2))
def test_a_url_of_ours_leads_to_the_object(key: bytes, host: str, minor: int) -> None:
    assert profiles(make_corbaloc(host, 7, key, minor)) == [IiopProfile(host, 7, key, minor)]


@given(st.text(max_size=30))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for url in (text, f"corbaloc:{text}", f"corbaname::h#{text}", f"corbaloc::h/{text}"):
        try:
            parse_object_url(url)
        except BAD_PARAM:
            continue
