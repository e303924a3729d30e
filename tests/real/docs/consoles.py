"""Runs the console blocks of a page: each `$ command`, compared with what stands below it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from tests.edges.cli.running import tidings
from tests.patience import PATIENCE
from tests.real.docs.pages import blocks, page


@dataclass(frozen=True)
class Shown:
    """A command of a page, and what the page says it writes."""

    line: int
    command: str
    output: str


def commands(name: str, language: str = "console") -> list[Shown]:
    found: list[Shown] = []
    for block in blocks(page(name)):
        if block.language == language:
            for piece in ("\n" + block.text).split("\n$ ")[1:]:
                command, _, output = piece.partition("\n")
                found.append(Shown(block.line, command, output.rstrip("\n")))
    return found


def written_by(command: str, folder: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Both outputs of a command, as a terminal shows them, but without colours.

    `tidings` alone runs in this process: to load all of it takes longer than most commands.
    """
    if not command.startswith("tidings ") or " | " in command:
        return _written_by_a_shell(command, folder, environment)
    split = f'tidings() {{ printf "%s\\0" "$@"; }}; {command}'
    arguments = _written_by_a_shell(split, folder, environment).split("\0")[:-1]
    with mock.patch.dict(os.environ, environment), contextlib.chdir(folder):
        return tidings(*arguments).output.rstrip("\n")


def _written_by_a_shell(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    scripts = str(Path(sys.executable).parent)
    path = f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"
    ran = subprocess.run(
        ["/bin/bash", "-c", command],
        check=False,
        cwd=folder,
        env={**environment, "PATH": path, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return ran.stdout.decode().rstrip("\n")
