"""A disk with little room, for the files below one folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

__all__ = ["SmallDisk"]


class SmallDisk:
    """Stands for `os.write`: what does not fit is written in part, then refused.

    Args:
        folder: What lies below it fills the disk; other files are written as ever.

    Attributes:
        room: Octets that are left.
        refused: How often there was none.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 10**9
        self.refused = 0
        self._folder = f"{folder.resolve()}/"
        self._write = os.write
        monkeypatch.setattr(os, "write", self)

    def __call__(self, file: int, octets: bytes) -> int:
        if not str(Path(f"/proc/self/fd/{file}").readlink()).startswith(self._folder):
            return self._write(file, octets)
        if not self.room:
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # What the journal cuts off again leaves no room here: a disk that is full stays full.
        written = self._write(file, octets[: self.room])
        self.room -= written
        return written
