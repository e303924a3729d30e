from __future__ import annotations

import pytest

from tests.unit.cli.running import tidings


@pytest.mark.parametrize("command", ["publish", "trail"])
def test_events_are_given_to_both_in_the_same_way(command: str) -> None:
    told = " ".join(tidings(command, "--help").stdout.split())
    assert "Domain::Type [name] field=value … field:='json'" in told
    assert "--json-lines FILE" in told
    assert "--header NAME=VALUE" in told
