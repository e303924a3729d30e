from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from tidings.errors import StoreError
from tidings.stores.archive.rules import apply_change, chained, digest


def change(*proxies: int, whole: bool = False, **more: Any) -> dict[str, Any]:
    forms = [{"side": "consumer", "proxy": id, "admin": 0} for id in proxies]
    return {"whole": whole, "proxies": forms, **more}


def test_changes_add_up_to_the_whole() -> None:
    admin = {"side": "consumer", "admin": 0, "operator": "AND_OP"}
    rules = apply_change({}, change(1, 2, admins=[admin], options={"a": True}))
    rules = apply_change(rules, change(3, removed_proxies=[1]))
    whole = change(2, 3, whole=True, admins=[admin], options={"a": True})
    assert rules == apply_change({"proxy/9": "x"}, whole)
    assert rules != apply_change({}, change(2, 3, whole=True, admins=[admin]))
    assert apply_change(rules, change(removed_admins=[["consumer", 0]])).keys() == {
        *("options", "proxy/2", "proxy/3")
    }


def test_nothing_new_changes_nothing() -> None:
    rules = apply_change({}, change(1))
    assert apply_change(rules, change(1)) == rules
    other = {"side": "consumer", "proxy": 1, "admin": 7}
    assert apply_change(rules, {"proxies": [other]}) != rules


@pytest.mark.parametrize("bad", [{"admins": [1]}, {"proxies": [{}]}, {"removed_admins": [[1]]}])
def test_what_is_no_change(bad: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="a plan cannot be understood"):
        apply_change({}, bad)


def test_digests() -> None:
    assert chained("", 1, "x") == sha256(b"\n1\nx").hexdigest()
    assert chained(chained("", 1, "x"), 2, "y") != chained(chained("", 2, "y"), 1, "x")
    assert len(digest(b"")) == 16
