"""The package's public names: all that are promised, and nothing is imported before it is asked."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import tidings

PROMISED = [
    *("Any", "Client", "Filter", "MappedConstraint", "MappingFilter", "MatchIndex"),
    *("StructuredEvent", "TidingsError", "__version__", "connect", "connect_sync", "constraint"),
    *("embedded", "embedded_sync", "event", "event_type", "explain", "fields_of", "parse"),
]


def test_the_names_are_the_promised_ones() -> None:
    assert tidings.__all__ == PROMISED
    assert set(PROMISED) <= set(dir(tidings))
    for name in PROMISED:
        assert getattr(tidings, name) is getattr(tidings, name)
    assert tidings.__version__ == version("tidings")
    with pytest.raises(AttributeError, match="no attribute 'Evnt'"):
        _ = tidings.Evnt  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_else_of_it() -> None:
    program = (
        "import sys, tidings;"
        "print([n for n in sys.modules if n.startswith(('tidings.', 'msgspec', 'typer', 'rich'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.strip() == b"[]"


def test_the_names_work_together() -> None:
    asked = tidings.constraint("$rate > 50 and 17 in $zones")
    speeding = tidings.event("Traffic", "Speed", data={"rate": 57.5, "zones": [17]})
    fields = tidings.fields_of(speeding)
    assert asked.matches(fields)
    assert tidings.explain(asked.tree, fields).matches
    assert tidings.parse(asked.text) == asked.tree
    index: tidings.MatchIndex[str] = tidings.MatchIndex()
    index.add("school", [asked])
    assert list(index.match(fields)) == ["school"]
