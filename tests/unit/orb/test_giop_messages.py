from __future__ import annotations

from tidings.events.reference import Reference
from tidings.orb.giop_messages import ProfileTarget, ReferenceTarget, key_of
from tidings.orb.ior import make_reference


def test_the_key_of_each_kind_of_target() -> None:
    reference = make_reference("", "h", 1, b"k")
    both = Reference("", [(9, b"other"), *reference.profiles])
    assert key_of(b"k") == b"k"
    assert key_of(ProfileTarget(*reference.profiles[0])) == b"k"
    assert key_of(ReferenceTarget(1, both)) == b"k"
    assert key_of(ReferenceTarget(0, both)) == b""
    assert key_of(ReferenceTarget(2, both)) == b""
