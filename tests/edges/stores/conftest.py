"""Leaves out the waiting for the disk: nobody pulls the plug, and syncs would take the most time.

That syncs happen, and where, is tested with calls of its own in place of these.
"""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
