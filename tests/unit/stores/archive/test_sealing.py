from __future__ import annotations

import errno
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.archive_worlds import archive_journal
from tests.unit.stores.archive.small_journal import HOUR, START, channel, happened, written
from tidings import event
from tidings.errors import DiskFull, StoreError
from tidings.events.codecs.json_codec import encode_event
from tidings.stores.archive.manifest import SegmentFile, read_manifest
from tidings.stores.archive.sealing import translated


def sealed(tmp_path: Path, *records: object) -> tuple[Path, list[SegmentFile]]:
    written(tmp_path / "journal", [channel(), *records])  # type: ignore[list-item]
    archive_journal(tmp_path / "journal", tmp_path / "a")
    return tmp_path / "a", read_manifest(tmp_path / "a").select("events")


def test_what_is_told_of_a_file(tmp_path: Path) -> None:
    odd = encode_event(event("Other", "Type", data={"fee": 2**64 - 1}))
    folder, files = sealed(
        tmp_path, happened(5), happened(6, octets=odd), happened(7, at=START + HOUR)
    )
    first, second = files
    assert (first.rows, first.first_us, first.last_us) == (2, START + 5, START + 6)
    assert first.types == (("Other", "Type"), ("Test", "Thing"))
    assert second.types == (("Test", "Thing"),)
    assert first.names is not None
    assert first.names["data_other"] == ("fee",)
    [(origin, _)] = first.channels or ()
    assert (first.sums, second.sums) == ({origin: (2, 11)}, {origin: (1, 7)})
    meta = pq.ParquetFile(folder / first.path).metadata
    assert meta.row_group(0).column(0).compression == "ZSTD"
    for file in files:
        assert (folder / file.path).stat().st_size == file.octets


def test_long_lists_are_left_out(tmp_path: Path) -> None:
    def typed(number: int) -> bytes:
        return encode_event(event("Many", f"T{number}", data={f"p{number}": 2**63}))

    _, files = sealed(tmp_path, *(happened(n, octets=typed(n)) for n in range(1, 502)))
    assert (files[0].types, files[0].names) == (None, None)
    assert files[0].channels is not None


@pytest.mark.parametrize(
    ("code", "kind"),
    [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StoreError)],
)
def test_errors_in_our_words(code: int, kind: type[StoreError]) -> None:
    found = translated(OSError(code, "why"), "what")
    assert type(found) is kind
    assert str(found).startswith("what: why")
