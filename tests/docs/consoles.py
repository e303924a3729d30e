"""Runs the console blocks of a page: each `$ command`, compared with what stands below it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import blocks, page


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
    """Both outputs of a command, as a terminal shows them, but without colours."""
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
        timeout=110,
    )
    return ran.stdout.decode().rstrip("\n")
