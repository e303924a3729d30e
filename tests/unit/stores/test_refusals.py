from __future__ import annotations

from tidings.errors import BadInput, StoreError
from tidings.stores.refusals import FORMAT, undecodable, unfit, unknown_format, wrong_length


def test_a_refusal_says_what_is_wrong_and_where() -> None:
    why = ValueError("too deep")
    told: list[tuple[Exception, type[Exception], list[str]]] = [
        (unfit("a plan", why), BadInput, ["a plan", "too deep"]),
        (undecodable("a plan", why), StoreError, ["a plan", "journal", "too deep"]),
        (unknown_format("a plan", b"\7"), StoreError, ["a plan", "format 7", f"knows {FORMAT}"]),
        (wrong_length("a plan", 3, 5), StoreError, ["a plan", "3 octets", "tells of 5"]),
    ]
    for error, kind, parts in told:
        assert isinstance(error, kind)
        assert all(part in str(error) for part in parts)
