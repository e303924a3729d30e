"""How far continuous queries have come: a small log for each, that survives being killed.

Before a batch is asked for, its bounds and the number of its first event are written down and
synced. Whoever starts again after a kill asks for exactly the same batch, and its events bear
the same marks: what was published before is accepted once only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from tidings.errors import StoreError
from tidings.stores.segments import make_folder, sync_folder


class Begun(NamedTuple):
    """A batch that was begun."""

    after: int  # it begins behind this seal
    upto: int  # it ends with this one
    first: int  # the number of its first event


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    after: int
    upto: int
    first: int
    published: int | None = None  # None: begun


class QueryLog:
    """The log of one query.

    Args:
        path: Its file; made if it is missing.

    Attributes:
        seal: Everything up to this seal is published.
        next: The number the next event gets.
        begun: The batch that was begun and not finished.
    """

    def __init__(self, path: Path) -> None:
        self.seal = 0
        self.next = 1
        self.begun: Begun | None = None
        self._path = path
        try:
            make_folder(path.parent)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            sync_folder(path.parent)  # a file's own sync does not make its name durable
            self._read(path.read_bytes())
        except OSError as error:
            raise StoreError(f"the log of a query, {path}, cannot be used: {error}") from error

    def begin(self, after: int, upto: int) -> Begun:
        """Writes down what is asked for next."""
        begun = Begun(after, upto, self.next)
        self._write(_Line(*begun))
        self.begun = begun
        return begun

    def done(self, published: int) -> None:
        """Writes down that the batch is published, and how many events it had."""
        begun = self.begun
        assert begun is not None
        self._write(_Line(*begun, published))
        self.seal, self.next, self.begun = begun.upto, begun.first + published, None

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def _write(self, line: _Line) -> None:
        try:
            os.write(self._file, msgspec.json.encode(line) + b"\n")
            os.fsync(self._file)
        except OSError as error:
            raise StoreError(
                f"the log of a query, {self._path}, is not written: {error}"
            ) from error

    def _read(self, octets: bytes) -> None:
        whole, newline, torn = octets.rpartition(b"\n")
        if torn:
            os.ftruncate(self._file, len(whole) + len(newline))
        for number, text in enumerate(whole.splitlines(), 1):
            try:
                line = msgspec.json.decode(text, type=_Line)
            except msgspec.MsgspecError as error:
                raise StoreError(
                    f"{self._path} is no log of a query: line {number}: {error}"
                ) from error
            begun = Begun(line.after, line.upto, line.first)
            if line.published is None:
                self.begun = begun
            else:
                self.seal, self.next, self.begun = line.upto, line.first + line.published, None
