"""A compact check of the properties of channels: their tables.

Runs like `probe.py` in a process of its own, on whichever `tidings` comes first on the path.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tidings

CAUGHT = "caught:"


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    try:
        # Here, because a fault may show as early as on import.
        from tests.conformance.qos.qos_judge import findings

        found = next(findings(), None)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        found = repr(error)
    if found is None:
        return 0
    sys.stdout.write(f"{CAUGHT} {found}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
