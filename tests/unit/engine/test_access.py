from __future__ import annotations

import hashlib
import hmac
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.vocabulary import Place
from tidings.engine.access import (
    ANONYMOUS,
    KEY_OCTETS,
    KINDS,
    OWNER,
    Access,
    Grant,
    Keys,
    Object,
    ObjectKey,
    Principal,
    Verb,
)
from tidings.errors import BadInput, Forbidden, LimitExceeded

SECRET = b"a secret of thirty-two octets ..."
ANN, BOB = Principal("ann"), Principal("bob")
PROXY = Place(3, proxy=7)
EVERYTHING = {*Verb}
OFFERED = {Verb.PUBLISH, Verb.SUBSCRIBE, Verb.INSPECT}


def _allowed(access: Access, principal: Principal, target: Object, owner: str = "") -> set[Verb]:
    return {verb for verb in Verb if access.may(principal, verb, target, owner)}


@pytest.mark.parametrize(
    ("principal", "owner", "allowed"),
    [
        (OWNER, "", EVERYTHING),
        (OWNER, "ann", EVERYTHING),
        (ANN, "ann", EVERYTHING - {Verb.ADMINISTER}),
        (BOB, "ann", OFFERED),
        (BOB, "", OFFERED),
        (ANONYMOUS, "ann", OFFERED),
        (ANONYMOUS, "anonymous", EVERYTHING - {Verb.ADMINISTER}),
        (ANONYMOUS, "", OFFERED),
    ],
)
@pytest.mark.parametrize("target", [PROXY, Place(3), "filter 2", None])
def test_the_table(
    principal: Principal, owner: str, allowed: set[Verb], target: Place | str | None
) -> None:
    assert _allowed(Access(), principal, target, owner) == allowed


def test_the_settings_are_about_the_anonymous_only() -> None:
    for publish, subscribe, manage in product((True, False), repeat=3):
        access = Access(publish, subscribe, manage)
        expected = set[Verb]()
        expected |= {Verb.PUBLISH} if publish else set()
        expected |= {Verb.SUBSCRIBE, Verb.INSPECT} if subscribe else set()
        expected |= {Verb.MANAGE} if manage else set()
        assert _allowed(access, ANONYMOUS, PROXY) == expected
        assert _allowed(access, BOB, PROXY) == OFFERED
        assert _allowed(access, OWNER, PROXY) == EVERYTHING


def test_outside_its_scope_a_principal_may_nothing() -> None:
    inside, outside = Place(3), Place(4, proxy=1)
    for principal in (Principal("ann", scope=frozenset({3})), Principal("o", True, frozenset({3}))):
        assert _allowed(Access(), principal, inside)
        assert _allowed(Access(), principal, outside, owner=principal.name) == set()


def test_an_owner_within_a_scope_does_not_own_the_service() -> None:
    owner = Principal("ops", is_owner=True, scope=frozenset({3}))
    assert _allowed(Access(), owner, Place(3)) == EVERYTHING
    assert _allowed(Access(), owner, None) == OFFERED
    assert _allowed(Access(), owner, "filter 2") == OFFERED
    assert _allowed(Access(), owner, "filter 2", "ops") == EVERYTHING - {Verb.ADMINISTER}


@pytest.mark.parametrize(
    ("target", "owner", "text"),
    [
        (PROXY, "ann", "bob may not use proxy 7 of channel 3 of ann"),
        ("filter 2", "", "bob may not use filter 2"),
        (None, "", "bob may not use the service"),
    ],
)
def test_a_refusal_names_who_what_and_which(target: Object, owner: str, text: str) -> None:
    with pytest.raises(Forbidden) as caught:
        Access().require(BOB, Verb.USE, target, owner)
    assert str(caught.value) == text
    Access().require(OWNER, Verb.USE, target, owner)


def test_a_grant_names_a_principal() -> None:
    assert Grant(4, ANN).principal.scope is None


@given(
    st.sampled_from(KINDS),
    st.lists(st.integers(0, 2**56 - 1), max_size=3).map(tuple),
    st.integers(0, 2**32 - 1),
)
def test_a_key_says_what_it_was_made_of(kind: str, ids: tuple[int, ...], grant: int) -> None:
    key = Keys(SECRET).make(kind, ids, grant)
    assert len(key) <= KEY_OCTETS < 48
    # Another run with the same secret, no table.
    assert Keys(SECRET).read(key) == ObjectKey(kind, ids, grant)


def test_any_flipped_bit_is_refused() -> None:
    keys = Keys(SECRET)
    for made in (keys.make("proxy", (3, 70_000), 9), keys.make("factory", (), 0)):
        for bit in range(len(made) * 8):
            forged = bytearray(made)
            forged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(Forbidden):
                keys.read(bytes(forged))


def test_parts_of_keys_longer_ones_and_those_of_others_are_refused() -> None:
    keys = Keys(SECRET)
    made = keys.make("proxy", (3, 7), 9)
    wrong = [made[:end] for end in range(len(made))] + [made[start:] for start in range(1, 20)]
    wrong += [made + b"\0", made * 2, bytes(1_000), Keys(SECRET + b"!").make("proxy", (3, 7), 9)]
    for forged in wrong:
        with pytest.raises(Forbidden):
            keys.read(forged)


@given(st.binary(max_size=60))
def test_junk_is_refused(junk: bytes) -> None:
    with pytest.raises(Forbidden):
        Keys(SECRET).read(junk)


def test_a_key_of_another_form_is_refused_though_it_is_ours() -> None:
    keys = Keys(SECRET)
    body = bytes([2]) + keys.make("proxy", (3, 7), 9)[1:-16]
    with pytest.raises(Forbidden, match="form 2"):
        keys.read(body + keys._mac(body))


def test_the_octets_of_a_key_stay_as_they_are() -> None:
    key = Keys(SECRET).make("proxy", (3, 300), 9)
    assert key[:-16] == bytes([1, 9, 3, 3, 0xAC, 2])
    inner = hmac.digest(SECRET, b"tidings object key", hashlib.sha256)
    assert key[-16:] == hmac.digest(inner, key[:-16], hashlib.sha256)[:16]


def test_what_no_key_can_be_made_of() -> None:
    keys = Keys(SECRET)
    with pytest.raises(BadInput, match="no kind of object: factory, channel"):
        keys.make("teapot", (1,), 1)
    for ids, grant in [((-1,), 1), ((1,), -1)]:
        with pytest.raises(BadInput, match="-1 cannot be part"):
            keys.make("proxy", ids, grant)
    with pytest.raises(LimitExceeded, match="do not fit"):
        keys.make("proxy", (2**63,) * 4, 1)
    with pytest.raises(BadInput, match="15 octets is too short: 16"):
        Keys(bytes(15))
