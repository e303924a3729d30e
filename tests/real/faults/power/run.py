"""Runs a program under the shim, and gives back what it did."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.patience import PATIENCE
from tests.real.faults.power.disk import File, Folder
from tests.real.faults.power.oplog import Identity
from tests.real.faults.power.recording import NotJudged, Recording

__all__ = ["ANSWERS", "build_shim", "record"]

PROJECT = Path(__file__).parents[4]
SOURCE = Path(__file__).with_name("shim.c")
ANSWERS = "TIDINGS_POWER_ANSWERS"  # the variable that tells the program where its ledger is

_FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-U_FORTIFY_SOURCE"]


def build_shim(folder: Path) -> Path:
    """Compiles the shim into a folder; once for a session is enough."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise FileNotFoundError("gcc is missing; tools/system_packages.sh installs it")
    shim = folder / "power_shim.so"
    done = subprocess.run(
        [compiler, *_FLAGS, "-fPIC", "-shared", "-pthread", "-o", str(shim), str(SOURCE)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the power shim does not compile:\n{done.stderr}")
    return shim


def record(
    shim: Path,
    command: Sequence[str],
    folder: Path,
    scratch: Path,
    *,
    environment: Mapping[str, str] | None = None,
    timeout: float = PATIENCE,
) -> Recording:
    """Runs a program, and the programs it starts, and records what they do to a folder.

    Args:
        shim: From `build_shim`.
        command: The program. It appends its answers to the file named by the variable
            `ANSWERS`: each counts from the moment it is written.
        folder: What is watched; made if it is missing. What is in it already is durable.
        scratch: A folder elsewhere, for the log and the answers.
        environment: Variables besides those of this process.
        timeout: Seconds until the program is killed.

    Raises:
        RuntimeError: The program failed.
        NotJudged: The recording does not explain what the folder holds now.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scratch.mkdir(parents=True, exist_ok=True)
    folder, scratch = folder.resolve(), scratch.resolve()
    log, answers = scratch / "power.log", scratch / "answers"
    if log.exists() or scratch.is_relative_to(folder):
        raise ValueError(f"{scratch} has a log already, or is watched itself; take another")
    files: dict[Identity, File] = {}
    root = Folder.found(folder, files)
    done = subprocess.run(
        list(command),
        cwd=PROJECT,
        env={
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            **(environment or {}),
            "LD_PRELOAD": str(shim),
            "TIDINGS_POWER_FOLDER": str(folder),
            "TIDINGS_POWER_LOG": str(log),
            ANSWERS: str(answers),
        },
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    recording = Recording.load(log, root, files)
    if missed := recording.differences(folder):
        raise NotJudged(f"changed by calls that were not recorded: {', '.join(missed)}")
    return recording
