"""The page of the API tells the truth: its commands run, its frames are the ones there are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from tests.real.docs.consoles import Shown, commands
from tests.real.docs.pages import code, page, tables
from tests.real.docs.services import served, without_chance
from tidings.api.frames import ClientFrame, ServerFrame, read_client_frame

NAME = "docs/api.md"
PAGE = page(NAME)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], Path]]:
    folder = tmp_path_factory.mktemp("api")
    with served(folder) as environment:
        yield environment, folder


def test_the_commands_write_what_is_shown(service: tuple[dict[str, str], Path]) -> None:
    environment, folder = service
    shown = commands(NAME)
    assert len(shown) > 9
    written = [_written(one, environment, folder) for one in shown]
    assert written == [one.output for one in shown]


def _written(one: Shown, environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        ["/bin/bash", "-c", one.command],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return without_chance(done.stdout + done.stderr).rstrip("\n")


@pytest.mark.parametrize(
    ("heading", "frames"), [("from the client", ClientFrame), ("from the service", ServerFrame)]
)
def test_the_frames_are_all_there(heading: str, frames: object) -> None:
    (table,) = [one for one in tables(PAGE) if one.headings[0] == heading]
    told = [code(row[heading]) for _, row in table.dicts()]
    assert sorted(told) == sorted(frame.__struct_config__.tag for frame in get_args(frames))


def test_the_examples_of_frames_can_be_read() -> None:
    (table,) = [one for one in tables(PAGE) if one.headings[0] == "from the client"]
    for _, row in table.dicts():
        text = row["what it does"].split("`")[1].replace("[…]", '[{"domain":"D","type":"T"}]')
        frame = read_client_frame(text)
        assert frame.__struct_config__.tag == code(row["from the client"])
