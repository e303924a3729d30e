"""Archive retention: drops old events and outcomes, keeps plans that explain them."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tidings.stores.archive.files import remove_file
from tidings.stores.archive.manifest import Manifest, Seal, SegmentFile, drop_line
from tidings.stores.archive.schema import EVENTS, OUTCOMES
from tidings.stores.archive.sealing import ManifestFile, store_error

log = logging.getLogger(__name__)

_DROPPED: Final = frozenset({EVENTS, OUTCOMES})


class ArchiveRetention:
    """The selection of files to drop after each seal, by total size and age.

    The manifest is written first; the next start removes files whose drop is recorded. Ages are in
    observed time, so setting a clock makes nothing old.
    """

    def __init__(
        self,
        folder: Path,
        manifest: ManifestFile,
        before: Manifest,
        keep_octets: int | None,
        keep_microseconds: int | None,
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._keep_octets = keep_octets
        self._keep_microseconds = keep_microseconds
        self._files: deque[SegmentFile] = deque()
        self._octets = 0
        self._add(before.files)

    def _add(self, files: Iterable[SegmentFile]) -> None:
        if self._keep_octets is None and self._keep_microseconds is None:
            return
        for file in files:
            self._octets += file.octets
            if file.kind in _DROPPED:
                self._files.append(file)

    def shrunk(self, octets: int) -> None:
        """Subtract octets saved in files that stay."""
        self._octets -= octets

    def sealed(self, seal: Seal, files: Iterable[SegmentFile], now: int) -> None:
        """Add new files, and drop what is too much or, in observed time, too old."""
        self._add(files)
        old, many = self._too_old(now), self._too_much()
        going = old + many
        if not going:
            return
        log.info(
            "%d files of the archive go: %d are older than archive.retention_age in observed "
            "time, %d are too many for archive.retention_size", len(going), len(old), len(many),
        )  # fmt: skip
        try:
            self._manifest.append(drop_line([file.path for file in going], seal.sealed_us))
        except OSError as error:
            self._files.extendleft(reversed(going))
            self._octets += sum(file.octets for file in going)
            raise store_error(error, f"nothing was dropped from {self._folder}") from error
        for file in going:
            remove_file(self._folder / file.path)

    def _too_old(self, now: int) -> list[SegmentFile]:
        if self._keep_microseconds is None:
            return []
        before = now - self._keep_microseconds
        going: list[SegmentFile] = []
        while self._files and self._files[0].observed_us < before:
            going.append(self._files.popleft())
            self._octets -= going[-1].octets
        return going

    def _too_much(self) -> list[SegmentFile]:
        going: list[SegmentFile] = []
        if self._keep_octets is not None:
            while self._octets > self._keep_octets and self._files:
                going.append(self._files.popleft())
                self._octets -= going[-1].octets
        return going
