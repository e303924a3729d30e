"""Values the tests of payloads and of the catalog share."""

from __future__ import annotations

from hypothesis import strategies as st

from tidings.channel.effects import Cause
from tidings.channel.entries import NEVER, Entry
from tidings.stores.payloads import StoredDeadLetter, StoredEvent

JOURNAL = bytes(range(16))  # its id

TIMES = st.integers(-(2**63), 2**63 - 1)
PROXIES = st.integers(0, 2**32 - 1)
PRIORITIES = st.integers(-32768, 32767)
NUMBERS = st.integers(0, 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)

EVENTS = st.builds(
    StoredEvent,
    arrival=TIMES,
    plan=NUMBERS,
    priority=PRIORITIES,
    expiry=TIMES | st.just(NEVER),
    start=st.none() | TIMES,
    flags=st.integers(0, 255),
    producer=st.none() | TEXTS,
    number=NUMBERS,
    hops=st.lists(st.binary(min_size=16, max_size=16).map(bytes.hex), max_size=3).map(tuple),
    durable=st.lists(PROXIES, max_size=40).map(tuple),
    views=st.dictionaries(PROXIES, st.tuples(TIMES, PRIORITIES), max_size=3),
    carried=st.booleans(),
    octets=st.binary(max_size=50),
)
LETTERS = st.builds(
    StoredDeadLetter,
    proxy=PROXIES,
    at=TIMES,
    causes=st.lists(st.builds(Cause, TIMES, TEXTS), max_size=3).map(tuple),
    expiry=TIMES | st.just(NEVER),
    priority=PRIORITIES,
    flags=st.integers(0, 255),
    arrival=TIMES,
    plan=NUMBERS,
    octets=st.binary(max_size=50),
    number=st.integers(0, 2**62),
)

EVENT = StoredEvent(
    arrival=1_700_000_000_000_000,
    plan=7,
    priority=-3,
    expiry=NEVER,
    start=5,
    flags=1,
    producer="gate",
    number=9,
    hops=("ab" * 16,),
    durable=(1, 2),
    views={2: (6, 4)},
    carried=True,
    octets=b'{"a":1}',
)
LETTER = StoredDeadLetter(
    proxy=2,
    at=50,
    causes=(Cause(10, "refused"), Cause(40, "gone")),
    expiry=NEVER,
    priority=3,
    flags=1,
    arrival=5,
    plan=7,
    octets=b'{"a":1}',
)


def waiting(seq: int, expiry: int = NEVER, priority: int = 0) -> Entry:
    """An entry as it is spilled."""
    return Entry(expiry, seq, priority, 0, 1)
