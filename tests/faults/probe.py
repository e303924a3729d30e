"""A compact check of filters and index: the case tables, and a few of the steered laws.

Runs in a process of its own, on whichever `tidings` comes first on the path; prints what it
caught and exits 1, or exits 0. No pytest and no Hypothesis, so that it starts quickly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import tidings
from tests.conformance.case_tables import all_cases, all_cells
from tests.conformance.judge import cell_complaints, complaints, crowd_complaints
from tests.property.filter_events import draw_scene
from tests.property.filter_trees import draw_tree
from tests.property.index_law import broken_in_world
from tests.property.laws import broken_laws

CAUGHT = "caught:"
PAIRS = 1_000
WORLDS = 150


def findings() -> Iterator[str]:
    """What is wrong, cheapest checks first."""
    cases = all_cases()
    for case in cases:
        yield from complaints(case)
    yield from crowd_complaints(cases)
    for seed in range(WORLDS):
        yield from broken_in_world(Random(seed), 2)
    rng = Random(11)
    for _ in range(PAIRS // 10):
        scene = draw_scene(rng)
        for _ in range(10):
            yield from broken_laws(draw_tree(rng, scene), scene.fresh())
    for cell in all_cells():
        yield from cell_complaints(cell)


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    try:
        found = next(findings(), None)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        found = repr(error)
    if found is None:
        return 0
    sys.stdout.write(f"{CAUGHT} {found}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
