from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edges.cli.served import Served
from tidings.cli import connection


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A service for the commands of one test."""
    made = Served(tmp_path / "data")
    with monkeypatch.context() as patched:
        patched.setattr(connection, "connected", made.connected)
        patched.setattr("asyncio.run", made.run_coroutine)
        for name in (connection.URL, connection.TOKEN):
            patched.delenv(name, raising=False)
        yield made
    made.close()


@pytest.fixture
def auction(served: Served) -> Served:
    """A service that has the channel `auction`."""
    served.done("channel", "create", "auction")
    return served


@pytest.fixture(autouse=True)
def _no_contexts_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDINGS_CONTEXTS", str(tmp_path / "contexts" / "contexts.json"))
