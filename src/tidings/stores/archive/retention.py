"""Retention of the archive: the oldest events and outcomes go; plans and objects stay.

What is left can then still be judged: a plan may be older than all events judged by it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tidings.stores.archive.files import remove_file
from tidings.stores.archive.manifest import SegmentFile, drop_line
from tidings.stores.archive.schema import EVENTS, OUTCOMES
from tidings.stores.archive.sealing import ManifestFile, translated

__all__ = ["ArchiveRetention"]

_DROPPED: Final = frozenset({EVENTS, OUTCOMES})


class ArchiveRetention:
    """Decides after each seal what goes.

    Args:
        folder: The archive.
        manifest: Told first; a file whose line is there is removed by the next start at the
            latest.
        files: What is there.
        keep_octets: How long all files together may be; None: as long as they like.
        keep_microseconds: How old rows may be; None: as old as they like.
    """

    def __init__(
        self,
        folder: Path,
        manifest: ManifestFile,
        files: Iterable[SegmentFile],
        keep_octets: int | None,
        keep_microseconds: int | None,
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._keep_octets = keep_octets
        self._keep_microseconds = keep_microseconds
        self._files: deque[SegmentFile] = deque()
        self._octets = 0
        self._add(files)

    def _add(self, files: Iterable[SegmentFile]) -> None:
        if self._keep_octets is None and self._keep_microseconds is None:
            return
        for file in files:
            self._octets += file.octets
            if file.kind in _DROPPED:
                self._files.append(file)

    def sealed(self, files: Iterable[SegmentFile], now: int) -> None:
        """Takes note of new files, and drops what is too much or too old.

        Raises:
            DiskFull: There is no room even for the line that says so.
            StoreError: The disk refuses.
        """
        self._add(files)
        going = self._too_old(now) + self._too_much()
        if not going:
            return
        try:
            self._manifest.append(drop_line([file.path for file in going], now))
        except OSError as error:
            self._files.extendleft(reversed(going))
            self._octets += sum(file.octets for file in going)
            raise translated(error, f"nothing was dropped from {self._folder}") from error
        for file in going:
            remove_file(self._folder / file.path)

    def _too_old(self, now: int) -> list[SegmentFile]:
        if self._keep_microseconds is None:
            return []
        before = now - self._keep_microseconds
        # Clocks may have been wrong: one file with a late time must not keep the rest.
        going = [file for file in self._files if file.last_us < before]
        if going:
            self._files = deque(file for file in self._files if file.last_us >= before)
            self._octets -= sum(file.octets for file in going)
        return going

    def _too_much(self) -> list[SegmentFile]:
        going: list[SegmentFile] = []
        if self._keep_octets is not None:
            while self._octets > self._keep_octets and self._files:
                going.append(self._files.popleft())
                self._octets -= going[-1].octets
        return going
