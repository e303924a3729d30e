"""`tidings changes`: who changed what, and who was refused."""

from __future__ import annotations

import json

import pytest
import typer

from tests.edges.cli.served import Served
from tidings.engine.access import Caller
from tidings.errors import Forbidden


@pytest.fixture
def busy(served: Served) -> Served:
    """A service with two channels, one of which is destroyed, and a principal that was refused."""

    async def act() -> None:
        owner = await served._service.client()
        await owner.create_channel("roads")
        rails = await owner.create_channel("rails")
        eve = await served._service.client(Caller("eve", door="HTTP", peer="192.0.2.9"))
        with pytest.raises(Forbidden):
            await (await eve.channel("roads")).destroy()
        await rails.destroy()

    served.run_coroutine(act())
    return served


def numbers(served: Served, *words: str) -> list[int]:
    lines = served.done("changes", "--json", *words).splitlines()
    return [json.loads(line)["number"] for line in lines]


def test_changes_are_listed_and_chosen(busy: Served) -> None:
    words = busy.done("changes").split()
    for word in ("principal", "eve", "destroy_channel", "roads,", "forbidden", "HTTP"):
        assert word in words, words
    assert numbers(busy) == [1, 2, 3, 4]
    assert numbers(busy, "--refused") == [3]
    assert numbers(busy, "--principal", "owner") == [1, 2, 4]
    assert numbers(busy, "--channel", "rails") == [4]
    assert numbers(busy, "--most", "2") == [3, 4]  # the latest
    assert "no changes" in busy.tidings("changes", "--principal", "bob").output


def test_what_comes_follows(busy: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    async def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 1:
            await (await busy._service.client()).create_channel("rivers")
        elif len(looks) == 3:
            raise typer.Exit(0)

    monkeypatch.setattr("tidings.cli.changes.asyncio.sleep", sleep)
    lines = busy.done("changes", "--follow", "--principal", "owner").splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "4", "5"]
    assert lines[-1].endswith("owner  create_channel  name rivers  done  in-process")
