"""Scenes that are left out where the door is CORBA: it has no words for what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["REASONS", "SEEN", "leave_out"]

REASONS = {
    "acks": "a consumer has an event when the call that brought it returns, and says no more",
    "changes": "who changed what is not told",
    "grants": "principals and grants are not told",
    "history": "nothing can be asked of the past",
    "ids": "filters are objects, and have no ids by which others could find them",
    "interfaces": "there are no operations for interfaces in IDL",
    "leases": "what was pulled is gone",
    "letters": "there are no dead letters",
    "names": "channels and subscriptions have no names",
    "numbers": "events have no numbers, and a push is answered with nothing",
    "producers": "producers have no names, and their events no marks",
    "purges": "what waits cannot be dropped",
    "state": "what waits, is under way or was delivered is not told, nor whose something is",
    "notices": "the client has no words for subscribers to changes of services",
    "trading": "the trader has no servants yet",
    "trails": "nobody is told why an event went where it went",
    "trials": "a constraint is a filter's, or nothing",
}
"""All there are: a test names one in its mark `not_over_corba`."""

SEEN = pytest.StashKey[dict[str, str]]()
"""By scene, why it is not played over CORBA; empty for those that are. Of the files collected."""

_DOOR = "IIOP"


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes the marked scenes out where the door is CORBA; nothing is skipped."""
    seen = config.stash.setdefault(SEEN, {})
    kept: list[pytest.Item] = []
    gone: list[pytest.Item] = []
    for item in items:
        reason = _reason(item) if _over_corba(item) else None
        if reason is not None:
            seen[f"{item.path.stem}.{item.originalname}"] = reason  # type: ignore[attr-defined]
        (gone if reason else kept).append(item)
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = kept


def _over_corba(item: pytest.Item) -> bool:
    if item.path.parent != Path(__file__).parent or not isinstance(item, pytest.Function):
        return False
    given = getattr(item, "callspec", None)
    doors = () if given is None else given.params.values()
    return any(isinstance(door, str) and door.startswith(_DOOR) for door in doors)


def _reason(item: pytest.Item) -> str:
    mark = item.get_closest_marker("not_over_corba")
    return "" if mark is None else str(mark.args[0])
