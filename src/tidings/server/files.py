"""Files that appear whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from tidings.errors import StoreError


def replace_file(path: Path, text: str) -> None:
    """Write a line into a file; whoever sees it sees all of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(f"{text}\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def write_secret(path: Path, text: str) -> None:
    """Write a line into a new file that nobody else can read; it appears whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.unlink(missing_ok=True)
    file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="ascii") as stream:
        stream.write(f"{text}\n")
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.rename(path)
