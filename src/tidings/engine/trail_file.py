"""The file of the audit trail: a JSON object a line, in the data folder.

Lines are gathered in memory and written by the disk thread, in order. Whatever the disk does, the
service goes on: lines wait, at most `MOST_WAITING`, and what then is missing is counted in a line
of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from tidings.cores import OperationDone
from tidings.engine.disk import Done
from tidings.errors import InvalidUsage, Stopping
from tidings.stores.files import MODE, write_all

FOLDER: Final = "audit"
"""The folder of the trail, in the data folder."""
FILE: Final = "trail.jsonl"
"""The newest lines; older files have a number behind, 1 for the newest of them."""

MOST_WAITING: Final = 10_000
"""Lines that wait for a disk that does not take them: a week of a service with a change a minute.
Some 3 MB; 50 MB if all names are as long as the trail shows them."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class TrailOptions:
    """How long a file of the trail becomes, and how many old ones are kept.

    Some 60,000 lines a file; all together a year of a service with a change every minute.
    """

    file_octets: int = 16 * 1024 * 1024
    old_files: int = 8

    def __post_init__(self) -> None:
        if self.file_octets < 1 or self.old_files < 1:
            raise InvalidUsage("a file of the trail has an octet or more, and one old one is kept")


class TrailFile:
    """The file of one host.

    Attributes:
        missed: How many lines could not be written and are gone.
        problem: Why nothing is written now; empty if all is well.
    """

    def __init__(
        self,
        data: Path,
        options: TrailOptions,
        submit: Callable[[Callable[[], None], Done], None],
        notice: Callable[[str], None],
    ) -> None:
        self.path = data / FOLDER / FILE
        self.missed = 0
        self.problem = ""
        self._options = options
        self._submit = submit
        self._notice = notice
        self._waiting: list[bytes] = []
        self._untold = 0
        self._writing = False

    def add(self, done: OperationDone, number: int) -> None:
        """Write a line soon; `number` is that of the change, 0 if it has none."""
        if len(self._waiting) >= MOST_WAITING:
            self.missed += 1
            self._untold += 1
            return
        self._waiting.append(trail_line(done, number))
        if not self.problem:
            self.write()

    def write(self) -> None:
        """Write what waits; after an error, try it again."""
        if self._writing or not self._waiting:
            return
        lines, self._waiting = self._waiting, []
        self._writing = True
        job = partial(append_lines, self.path, b"".join(lines), self._options)
        try:
            self._submit(job, partial(self._written, lines))
        except Stopping:
            self._writing, self._waiting = False, lines

    def _written(self, lines: list[bytes], _: object, error: BaseException | None) -> None:
        self._writing = False
        if error is not None:
            self._waiting = lines + self._waiting
            if not self.problem:
                self._notice(
                    f"the audit trail {self.path} cannot be written: {error}; changes go on, the "
                    f"last {MOST_WAITING} lines wait in memory, and it is tried again"
                )
            self.problem = str(error) or repr(error)
            return
        if self.problem:
            gone = f"; {self._untold} lines are missing from it" if self._untold else ""
            self._notice(f"the audit trail {self.path} is written again{gone}")
            self.problem = ""
        if self._untold:
            self._waiting.append(_missing_line(self._untold))
            self._untold = 0
        self.write()


def trail_line(done: OperationDone, number: int) -> bytes:
    """Return a change or refusal as a line; ASCII, so that no reader sees more lines than one."""
    values = asdict(done)
    at = _EPOCH + timedelta(microseconds=values.pop("at"))
    line = {"time": at.isoformat(timespec="microseconds"), "number": number, **values}
    return json.dumps(line).encode() + b"\n"


def _missing_line(count: int) -> bytes:
    return json.dumps({"missing": count, "why": "the file could not be written"}).encode() + b"\n"


def append_lines(path: Path, octets: bytes, options: TrailOptions) -> None:
    """Append whole lines, or nothing and raise OSError; begin a new file first if one is full.

    It is opened for each batch, so that whoever moves or deletes it needs to tell nobody.
    """
    path.parent.mkdir(0o700, exist_ok=True)
    file = os.open(path, _FLAGS, MODE)
    try:
        size = os.fstat(file).st_size
        if size and size + len(octets) > options.file_octets:
            rotate(path, options.old_files)
            os.close(file)
            file = os.open(path, _FLAGS, MODE)
            size = os.fstat(file).st_size
        # A process that was killed may have left the beginning of a line.
        torn = size and os.pread(file, 1, size - 1) != b"\n"
        try:
            write_all(file, b"\n" + octets if torn else octets)
        except OSError:
            with suppress(OSError):
                os.ftruncate(file, size)
            raise
    finally:
        os.close(file)


def rotate(path: Path, keep: int) -> None:
    """Move each file to the next number; the one beyond `keep` is replaced."""
    names = [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, keep + 1))]
    for older, newer in zip(names[:0:-1], names[-2::-1], strict=True):
        with suppress(FileNotFoundError):
            newer.replace(older)
