"""All planted faults, a file per package of `src/tidings`.

    # The promise that the faults below it break.

    channel/offers.py: what the program does wrong with it
    -the right text; it stands in the module exactly once, and may have
    -several lines
    +the wrong text; no such line if the right one is left out
    ? tests/edges/channel/test_routing.py::the_test_that_must_fail

``!`` instead of ``?`` names a test that plants the fault itself and passes if it is caught.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.mutants.fault import Fault


def read_faults(text: str) -> Iterator[Fault]:
    """The faults in the text of one file.

    Raises:
        ValueError: Something in it is not of the form above; the message shows it.
    """
    promise = ""
    for block in filter(None, text.split("\n\n")):
        first, *lines = block.strip("\n").split("\n")
        if first.startswith("# "):
            promise = " ".join(line.removeprefix("# ") for line in (first, *lines))
            continue
        module, _, name = first.partition(": ")
        old = [line[1:] for line in lines if line.startswith("-")]
        new = [line[1:] for line in lines if line.startswith("+")]
        *rest, catcher = lines
        if not (promise and name and old) or catcher[:2] not in ("? ", "! "):
            raise ValueError(f"this is not a fault:\n{block}")
        if len(old) + len(new) != len(rest):
            raise ValueError(f"each line begins with - or +, the last one with ? or !:\n{block}")
        yield Fault(
            name, module, "\n".join(old), "\n".join(new), catcher[2:], promise, catcher[0] == "!"
        )


FAULTS: list[Fault] = [
    fault
    for file in sorted(Path(__file__).parent.glob("*.txt"))
    for fault in read_faults(file.read_text(encoding="utf-8"))
]
"""In the order of the packages."""


def driven_by(catcher: str) -> list[Fault]:
    """The faults that a test plants itself."""
    return [fault for fault in FAULTS if fault.driven and fault.catcher == catcher]


def named(name: str) -> Fault:
    """The fault that a driver of its own plants, or plants as well."""
    (found,) = (fault for fault in FAULTS if fault.name == name)
    return found
