"""The past of a channel is what it accepted, in order, each event once: whatever happened since."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from tests.laws.history_worlds import World, acts
from tests.patience import PATIENCE

# The journal goes to a disk.
EXAMPLES = 30


@settings(max_examples=EXAMPLES)
@given(acts())
def test_pages_are_what_was_accepted_and_is_kept(acts: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(asyncio.wait_for(World(Path(folder)).play(acts), PATIENCE))


def test_a_long_life() -> None:
    """Old segments go again and again, and what waits is carried each time."""
    acts: list[tuple[Any, ...]] = []
    for at in range(8):
        acts.append(("push", [(n % 4 != 1, (n + at) % 10) for n in range(40)]))
        acts += [("clean",), ("read", 7, True, 40 * at), ("crash",) if at % 2 else ("restart",)]
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        asyncio.run(asyncio.wait_for(world.play(acts), PATIENCE))
        assert len(world.kept) > 200
        assert world.lost > 100
