from __future__ import annotations

import pytest

from tidings.errors import InvalidEvent
from tidings.events.reference import Reference


def test_references_are_values() -> None:
    one = Reference("IDL:X:1.0", [(0, b"a")])
    assert one == Reference("IDL:X:1.0", ((0, b"a"),))
    assert hash(one) == hash(Reference("IDL:X:1.0", ((0, b"a"),)))
    assert one != Reference("IDL:X:1.0", ((1, b"a"),))
    assert one != "IDL:X:1.0"
    assert repr(one) == "Reference('IDL:X:1.0', ((0, b'a'),))"


@pytest.mark.parametrize("tag", [-1, 2**32, True, "0", None])
def test_tags_have_32_bits(tag: object) -> None:
    with pytest.raises(InvalidEvent, match="tag from 0 to 4294967295"):
        Reference("", [(tag, b"")])  # type: ignore[list-item]


@pytest.mark.parametrize("octets", ["text", 5, None])
def test_profiles_are_octets(octets: object) -> None:
    with pytest.raises(InvalidEvent, match="profiles"):
        Reference("", [(0, octets)])  # type: ignore[list-item]


@pytest.mark.parametrize("type_id", [None, 5, "\ud800"])
def test_ids_are_text(type_id: object) -> None:
    with pytest.raises(InvalidEvent, match="type_id"):
        Reference(type_id)  # type: ignore[arg-type]
