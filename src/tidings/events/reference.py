"""References to CORBA objects, carried as they came."""

from __future__ import annotations

from collections.abc import Iterable

from tidings.errors import InvalidEvent
from tidings.events.texts import checked_text, exact_text, shortened


class Reference:
    """A reference to a CORBA object: its type, and profiles with tag and octets."""

    __slots__ = ("profiles", "type_id")

    def __init__(self, type_id: str = "", profiles: Iterable[tuple[int, bytes]] = ()) -> None:
        if not isinstance(type_id, str):
            raise InvalidEvent(f"{shortened(type_id)} is not a valid repository id", "type_id")
        self.type_id = checked_text(exact_text(type_id), "type_id")
        self.profiles = tuple([_profile(*profile) for profile in profiles])

    @property
    def size(self) -> int:
        """Its approximate size in octets; references of others may be long."""
        return len(self.type_id) + sum(len(octets) for _, octets in self.profiles)

    def __repr__(self) -> str:
        return f"Reference({self.type_id!r}, {self.profiles!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and (self.type_id, self.profiles) == (
            other.type_id,
            other.profiles,
        )

    def __hash__(self) -> int:
        return hash((self.type_id, self.profiles))


def _profile(tag: int, octets: bytes) -> tuple[int, bytes]:
    if type(tag) is not int or not 0 <= tag < 2**32 or not isinstance(octets, bytes):
        raise InvalidEvent("a profile is a tag from 0 to 4294967295, and octets", "profiles")
    return tag, octets
