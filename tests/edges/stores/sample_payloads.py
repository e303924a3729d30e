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
FLAGS = st.integers(0, 255)
OCTETS = st.binary(max_size=50)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
EXPIRIES = TIMES | st.just(NEVER)
HOPS = st.lists(st.binary(min_size=16, max_size=16).map(bytes.hex), max_size=3).map(tuple)
CAUSES = st.lists(st.builds(Cause, TIMES, TEXTS), max_size=3).map(tuple)
EVENTS = st.builds(
    StoredEvent, arrival=TIMES, plan=NUMBERS, priority=PRIORITIES, expiry=EXPIRIES,
    start=st.none() | TIMES, flags=FLAGS, producer=st.none() | TEXTS, number=NUMBERS, hops=HOPS,
    durable=st.lists(PROXIES, max_size=40).map(tuple),
    views=st.dictionaries(PROXIES, st.tuples(TIMES, PRIORITIES), max_size=3),
    carried=st.booleans(), octets=OCTETS,
)  # fmt: skip
LETTERS = st.builds(
    StoredDeadLetter, proxy=PROXIES, at=TIMES, causes=CAUSES, expiry=EXPIRIES, priority=PRIORITIES,
    flags=FLAGS, arrival=TIMES, plan=NUMBERS, octets=OCTETS, number=st.integers(0, 2**62),
)  # fmt: skip
EVENT = StoredEvent(
    arrival=1_700_000_000_000_000, plan=7, priority=-3, expiry=NEVER, start=5, flags=1,
    producer="gate", number=9, hops=("ab" * 16,), durable=(1, 2), views={2: (6, 4)}, carried=True,
    octets=b'{"a":1}',
)  # fmt: skip
LETTER = StoredDeadLetter(
    proxy=2, at=50, causes=(Cause(10, "refused"), Cause(40, "gone")), expiry=NEVER, priority=3,
    flags=1, arrival=5, plan=7, octets=b'{"a":1}',
)  # fmt: skip


def waiting(seq: int, expiry: int = NEVER, priority: int = 0) -> Entry:
    """An entry as it is spilled."""
    return Entry(expiry, seq, priority, 0, 1)
