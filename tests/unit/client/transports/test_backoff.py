from __future__ import annotations

from itertools import islice

from tidings.client.transports.backoff import pauses


def test_pauses_double_up_to_the_longest_and_are_cut_by_up_to_half() -> None:
    for at, pause in enumerate(islice(pauses(1.0, 8.0), 10)):
        whole = min(2.0**at, 8.0)
        assert whole / 2 <= pause <= whole


def test_clients_do_not_come_back_at_the_same_moment() -> None:
    assert len({next(pauses()) for _ in range(20)}) > 1
