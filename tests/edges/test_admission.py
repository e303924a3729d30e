"""Which connections stay open at a limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidings.admission import Admission, AdmissionLimits, Place

LIMITS = AdmissionLimits(most=6, most_per_address=3, most_unauthenticated=2)
ADDRESSES = ("10.0.0.1", "10.0.0.2", "127.0.0.1")


class Opened:
    """A connection that notes what becomes of it."""

    def __init__(self, address: str, idle: float | None) -> None:
        self.idle = idle
        self.open = True
        self.authenticated = False
        self.place = Place(address, self.close, lambda: self.idle)

    def close(self) -> None:
        assert self.open
        self.open = False


def fits(open_now: list[Opened], limits: AdmissionLimits) -> bool:
    """Whether no limit is exceeded."""
    counts = [sum(one.place.address == each for one in open_now) for each in ADDRESSES]
    exempt = 0 if limits.limit_loopback else counts.pop()
    return (
        len(open_now) <= limits.most
        and max(counts) <= limits.most_per_address
        and sum(not one.authenticated for one in open_now) <= limits.most_unauthenticated
        and exempt <= limits.most
    )


@given(
    st.booleans(),
    st.lists(
        st.tuples(st.sampled_from("oahl"), st.sampled_from(ADDRESSES), st.integers(0, 9)),
        max_size=60,
    ),
)
def test_no_limit_is_ever_exceeded(loopback: bool, steps: list[tuple[str, str, int]]) -> None:
    limits = AdmissionLimits(6, 3, 2, loopback)
    admission = Admission(limits)
    opened: list[Opened] = []
    for time, (what, address, which) in enumerate(steps):
        open_now = [one for one in opened if one.open]
        one = open_now[which % len(open_now)] if open_now else None
        if what == "o":
            new = Opened(address, time)
            before = [each for each in open_now if not each.authenticated]
            if admission.admit(new.place):
                opened.append(new)
                gone = [each for each in open_now if not each.open]
                assert len(gone) <= 2  # one for its address, one for all
                for each in gone:
                    assert not each.authenticated or each.idle is not None
            else:
                mine = [each for each in open_now if each.place.address == address]
                rivals = mine if len(mine) >= limits.most_per_address else open_now
                assert all(each.authenticated and each.idle is None for each in rivals)
                assert admission.refused
            if before and len(open_now) >= limits.most:
                assert not all(each.open for each in before)
        elif one is None:
            continue
        elif what == "a":
            one.authenticated = True
            admission.authenticate(one.place)
        elif what == "h":
            one.idle = None if one.idle is not None else time
        else:
            one.open = False
            admission.leave(one.place)
        open_now = [each for each in opened if each.open]
        assert admission.count == len(open_now)
        assert fits(open_now, limits)


def test_strangers_give_way_to_each_other_and_not_the_others() -> None:
    admission = Admission(LIMITS)
    known = Opened("10.0.0.1", idle=0.0)
    assert admission.admit(known.place)
    admission.authenticate(known.place)
    strangers = [Opened("10.0.0.2", idle=float(number)) for number in range(5)]
    for one in strangers:
        assert admission.admit(one.place)
    assert [one.open for one in strangers] == [False, False, False, True, True]
    assert known.open
    assert (admission.gave_way, admission.unauthenticated) == (3, 2)


def test_the_one_idle_for_longest_gives_way() -> None:
    admission = Admission(AdmissionLimits(3, 3, 3))
    first, busy, recent = (Opened("10.0.0.1", idle) for idle in (1.0, None, 2.0))
    for one in (busy, recent, first):
        admission.admit(one.place)
        admission.authenticate(one.place)
    assert admission.admit(Opened("10.0.0.2", 3.0).place)
    assert (first.open, busy.open, recent.open) == (False, True, True)


def test_one_host_does_not_take_all_places() -> None:
    admission = Admission(AdmissionLimits(9, 2, 9, limit_loopback=False))
    for address, most in (("10.0.0.1", 2), ("127.0.0.1", 4)):
        for number in range(4):
            busy = Opened(address, idle=None)
            assert admission.admit(busy.place) is (number < most)
            admission.authenticate(busy.place)
    assert (admission.count, admission.refused) == (6, 2)
