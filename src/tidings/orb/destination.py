"""Where calls of an object go: its reference as a client needs it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from tidings.events.reference import Reference
from tidings.orb.codesets import CodeSets, negotiate
from tidings.orb.exceptions import (
    CODESET_INCOMPATIBLE,
    IMP_LIMIT,
    INV_OBJREF,
    MARSHAL,
    OMG,
    SystemException,
)
from tidings.orb.giop import AddressKind, ProfileTarget, ReferenceTarget, Target
from tidings.orb.ior import TAG_IIOP, is_nil, read_profile

# References come from peers, who may make them long: so many are kept, and none that is longer.
_MOST_KEPT: Final = 4096
_LONGEST_KEPT: Final = 2048


class Destination(NamedTuple):
    """One profile of a reference, whose addresses are tried in order.

    `codesets` are those to agree on, or None if the server names none; `place` is the index of the
    profile.
    """

    addresses: tuple[tuple[str, int], ...]
    key: bytes
    minor: int
    codesets: CodeSets | None
    reference: Reference
    place: int

    def target(self, addressing: int) -> Target:
        """How a request names the object; servers that want more than the key say so."""
        if addressing == AddressKind.PROFILE:
            return ProfileTarget(*self.reference.profiles[self.place])
        if addressing == AddressKind.REFERENCE:
            return ReferenceTarget(self.place, self.reference)
        return self.key


def destinations(reference: Reference, highest_minor: int = 2) -> tuple[Destination, ...]:
    """Where calls of an object may go, in order; unusable profiles are left out."""
    kept = reference.size <= _LONGEST_KEPT
    return (_kept if kept else _found)(reference, highest_minor)


def _found(reference: Reference, highest_minor: int) -> tuple[Destination, ...]:
    if is_nil(reference):
        raise INV_OBJREF(why="the reference is nil: there is no object to call")
    found: list[Destination] = []
    fault: SystemException = IMP_LIMIT(OMG | 1, why="the reference has no IIOP profile")
    for index, (tag, _) in enumerate(reference.profiles):
        if tag == TAG_IIOP:
            try:
                found.append(_destination(reference, index, highest_minor))
            except (INV_OBJREF, CODESET_INCOMPATIBLE) as error:
                fault = error
    if not found:
        raise fault
    return tuple(found)


_kept = lru_cache(_MOST_KEPT)(_found)


def _destination(reference: Reference, index: int, highest_minor: int) -> Destination:
    profile = read_profile(reference.profiles[index][1])
    try:
        addresses, offered = profile.addresses, profile.code_sets
    except MARSHAL as error:
        raise INV_OBJREF(why=f"a component that cannot be read: {error.why}") from error
    minor = min(profile.minor, highest_minor)
    codesets = negotiate(offered) if offered is not None and minor else None
    return Destination(addresses, profile.key, minor, codesets, reference, index)
