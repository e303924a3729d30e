"""A service for the examples of a page that need one, and what differs from run to run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

__all__ = ["served", "without_chance"]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", re.ASCII)
_ORIGIN = re.compile(r"\b[0-9a-f]{32}\b")
_MICROSECONDS = re.compile(r'("arrival"|"leased_until"):\d+')
_VERSION = re.compile(r"rules of version \d+")


@contextmanager
def served(folder: Path) -> Iterator[dict[str, str]]:
    """Runs a service in a folder; the environment in which commands find it."""
    told = folder / "port.json"
    command = [sys.executable, "-m", "tidings", "serve", "--data", str(folder / "data")]
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", "0", "--port-file", str(told)], cwd=folder, stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + PATIENCE
        while not told.exists():
            assert process.poll() is None, (folder / "serve.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        yield {**os.environ, "TIDINGS_URL": json.loads(told.read_text())["url"]}
    finally:
        process.kill()
        process.wait()


def without_chance(text: str) -> str:
    """A text in which times and ids that nobody can foretell are always the same."""
    text = _MOMENT.sub("2026-11-15T08:30:00.000Z", text)
    text = _ORIGIN.sub("0" * 32, text)
    text = _VERSION.sub("rules of version 1", text)
    return _MICROSECONDS.sub(r"\1:0", text)
