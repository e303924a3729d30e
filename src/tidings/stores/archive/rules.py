"""Digests of a channel's rules, to detect whether a repeated plan says anything new."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b, sha256
from typing import Any

import msgspec

from tidings.errors import StoreError

_json = msgspec.json.Encoder(order="deterministic").encode


def digest(octets: bytes) -> str:
    """Return a short digest in hexadecimal."""
    return blake2b(octets, digest_size=8).hexdigest()


def chain_digest(before: str, version: int, text: str) -> str:
    """Return the digest of a plan row and all before it."""
    return sha256(f"{before}\n{version}\n{text}".encode()).hexdigest()


def apply_change(rules: Mapping[str, str], change: Mapping[Any, Any]) -> dict[str, str]:
    """Return the rules' digests after a change in plain form (`filters/plan_form.py`)."""
    try:
        return _applied(rules, change)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"a plan cannot be understood: {error!r}") from error


def _applied(rules: Mapping[str, str], change: Mapping[Any, Any]) -> dict[str, str]:
    found = {} if change.get("whole") else dict(rules)
    if "options" in change:
        found["options"] = digest(_json(change["options"]))
    for side, admin in change.get("removed_admins", ()):
        found.pop(f"{side}/{admin}", None)
    for proxy in change.get("removed_proxies", ()):
        found.pop(f"proxy/{proxy}", None)
    for form in change.get("admins", ()):
        found[f"{form['side']}/{form['admin']}"] = digest(_json(form))
    for form in change.get("proxies", ()):
        found[f"proxy/{form['proxy']}"] = digest(_json(form))
    return found
