from __future__ import annotations

from tidings.stores.archive.open_segment import ROW_OCTETS, Segment


def test_when_it_is_full() -> None:
    segment = Segment()
    assert segment.rows == 0
    assert not segment.is_full(1, 1)
    segment.objects.add(0, ("f" * 32, "c", "channel", 1, True, "{}", 0, 1))
    segment.outcomes.add(0, ("f" * 32, "c", 1, 1, "delivered", 0, None, 1))
    assert segment.rows == 2
    assert segment.is_full(2, 10**9)
    assert not segment.is_full(3, 10**9)
    segment.octets = ROW_OCTETS
    assert segment.is_full(3, ROW_OCTETS)
    assert [kind.kind for kind in segment.kinds] == ["events", "outcomes", "plans", "objects"]
