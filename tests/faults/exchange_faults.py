"""Faults in what goes between Spark and Tidings, and a compact check that must catch each.

``python -m tests.faults.exchange_faults <package folder>`` runs the check on the package in a
folder; it prints what it caught and exits 1, or exits 0. It needs pyarrow, and no Spark.
"""

from __future__ import annotations

import logging
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

import tidings
from tests.faults.fault import Fault
from tests.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, cars
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.errors import ArchiveDamaged, InvalidUsage
from tidings.pipeline.sink_marks import BLOCK, Attempt, marked_rows
from tidings.pipeline.sink_rows import events_of
from tidings.pipeline.source_options import SourceOptions
from tidings.pipeline.source_planning import (
    SLICE_ROWS,
    Position,
    Slice,
    advanced,
    last_position,
    packed,
    slices_between,
)
from tidings.pipeline.source_reading import ArchiveFiles, SliceReader

CAUGHT = "caught:"
MARKS = "pipeline/sink_marks.py"
ROWS = "pipeline/sink_rows.py"
PLANNING = "pipeline/source_planning.py"
READING = "pipeline/source_reading.py"

EXCHANGE_FAULTS = [
    Fault("rows are numbered as they come", MARKS, "rows = sorted(", "rows = list("),
    Fault("batches share their numbers", MARKS, "attempt.batch << _ROW_BITS", "0"),
    Fault("partitions share a producer", MARKS, "/{attempt.partition}", ""),
    Fault("one producer for all keys", MARKS, 'else f"{name}#{number // BLOCK}', 'else f"{name}#0'),
    Fault("blocks are too long", MARKS, "BLOCK: Final = 512", "BLOCK: Final = 1 << 20"),
    Fault("a key may stand twice", MARKS, "0) & bit:", "0) & 0:"),
    Fault("the first part of a key does not count", MARKS, "{name}/{told}#", "{name}#"),
    Fault("numbers may fall", MARKS, "if number <= last", "if number < 0 * last"),
    Fault("null is a property", ROWS, "if value is not None]", "]"),
    Fault("a limit is overstepped", PLANNING, "slice_.first + rows_left)", "slice_.end)"),
    Fault("a split seal is read from its start", PLANNING, "start.rows if place", "0 if place"),
    Fault("a split seal is read to its end", PLANNING, "end.rows if place", "file.rows if place"),
    Fault("files are not limited", PLANNING, "files_left -= 1", "files_left -= 0"),
    Fault("the rest of a large file is lost", PLANNING, "        first = end\n", "        break\n"),
    Fault("checksums are not compared", READING, "crc32(octets) != slice_.crc32", "False"),
    Fault("lengths are not compared", READING, "octets.size != slice_.octets", "False"),
    Fault("damage is always skipped", READING, "if not self._options.skip_damage:", "if False:"),
    Fault("the end of a time counts", READING, "pc.less(", "pc.less_equal("),
    Fault("the manifest is read once", READING, "or stamp != self._stamp", ""),
    Fault("slices begin with their row group", READING, "start - first, end", "0, end"),
]


_Mark = tuple[str, str, int]


def _rows(numbers: list[int], **more: list[object]) -> list[pa.RecordBatch]:
    texts = [f'{{"domain":"D","type":"T","name":"n{number}"}}' for number in numbers]
    return [pa.RecordBatch.from_pydict({"event": texts, "id": numbers, **more})]


def _marks(batches: list[pa.RecordBatch], key: tuple[str, ...], *attempt: int) -> list[_Mark]:
    marked = marked_rows(batches, key, Attempt("p", *(attempt or (0, 0))))
    return [(getattr(e, "name", ""), m.producer, m.number) for part in marked for e, m in part]


def content(_: Path) -> Iterator[str]:
    """Rows without a key."""
    numbers = list(range(50))
    again = random.Random(1).sample(numbers, 50)
    if _marks(_rows(numbers), ()) != _marks(_rows(again), ()):
        yield "another order gives other marks"
    everything = [
        (producer, number)
        for attempt in ((0, 0), (0, 1), (1, 0))
        for _, producer, number in _marks(_rows(numbers), (), *attempt)
    ]
    if len(set(everything)) != 150:
        yield "two rows have one mark"


def keys(_: Path) -> Iterator[str]:
    """Rows with a key, from several tasks."""
    limits = Limits()
    channel = ProducerMarks(limits)
    numbers = list(range(0, 8 * 512, 2))
    seq = 0
    for task in (numbers[1_500:], numbers[:1_500]):
        for part in marked_rows(_rows(task), ("id",), Attempt("p", 0, 0)):
            for _event, mark in part:
                if channel.seen(mark) is not None:
                    yield "a new row counts as seen"
                seq += 1
                channel.record(mark, seq)
    if limits.producer_runs < BLOCK:
        yield "a block has more numbers than a channel remembers"
    both = _marks(_rows([1, 1], part=["a", "b"]), ("part", "id"))
    if len({mark[1:] for mark in both}) != 2:  # named alike, marked apart
        yield "two keys have one mark"
    for rows, key in (
        (_rows([1, 1]), ("id",)),
        (_rows([1, 1], producer=["p", "p"], number=[4, 4]), ()),
    ):
        try:
            _marks(rows, key)
        except InvalidUsage:
            continue
        yield "a mark stands twice"


def rows(_: Path) -> Iterator[str]:
    """Rows as events."""
    [event] = events_of(
        pa.RecordBatch.from_pydict({"domain": ["D"], "type": ["T"], "data": [{"a": 1, "b": None}]})
    )
    if dict(getattr(event, "data", {})) != {"a": 1}:
        yield f"a row became {event}"


def planning(folder: Path) -> Iterator[str]:
    """Batches of a stream."""
    maker = ArchiveMaker(folder)
    for seal in range(3):
        maker.seal(cars(7 * seal + 1, 7))
    files = ArchiveFiles(str(folder))
    manifest = files.manifest()
    for limits in ({"most_rows": 3}, {"most_files": 1}):
        options = SourceOptions(str(folder), **limits)  # type: ignore[arg-type]
        at, end, read = Position(0), last_position(manifest), list[int]()
        for _ in range(30):
            upto = advanced(manifest, options, at, end)
            slices = slices_between(manifest, options, at, upto)
            batch = _seqs(options, slices)
            if len(batch) > (3 if options.most_rows else 7):
                yield "a batch is too large"
            read += batch
            at = upto
        if read != list(range(1, 22)):
            yield f"a stream has read {read}"
    tasks = packed([Slice("f", 1, 0, 0, 2 * SLICE_ROWS + 1)])
    if sum(one.end - one.first for task in tasks for one in task) != 2 * SLICE_ROWS + 1:
        yield "rows of a large file are in no task"
    maker.seal(cars(22, 1))
    if files.manifest().last_seal != 4:
        yield "the manifest is old"
    maker.close()


def _seqs(options: SourceOptions, slices: list[Slice]) -> list[int]:
    batches = SliceReader(options, ["seq"]).read(slices)
    return [int(str(seq)) for batch in batches for seq in batch.column("seq").to_pylist()]


def damage(folder: Path) -> Iterator[str]:
    """Files that are not as they were sealed, and times."""
    maker = ArchiveMaker(folder)
    [file] = maker.seal(cars(1, 5))
    maker.close()
    manifest = ArchiveFiles(str(folder)).manifest()
    everything = SourceOptions(str(folder))
    slices = slices_between(manifest, everything, Position(0), last_position(manifest))
    if _seqs(everything._replace(until_us=FIRST_US + 3 * SECOND), slices) != [1, 2]:
        yield "times are wrong"
    octets = (folder / file.path).read_bytes()
    for spoiled, words in (
        (octets[:300] + bytes([octets[300] ^ 1]) + octets[301:], "checksum"),
        (octets[:-1], "octets"),
    ):
        (folder / file.path).write_bytes(spoiled)
        if _seqs(everything, slices):
            yield "damaged rows are read"
        try:
            _seqs(everything._replace(skip_damage=False), slices)
        except ArchiveDamaged as error:
            if words in str(error):
                continue
        yield "damage is not told"


CHECKS: list[Callable[[Path], Iterator[str]]] = [content, keys, rows, planning, damage]


def main(package: Path) -> int:
    """Runs the checks on the package in a folder."""
    logging.disable()
    if Path(tidings.__file__).parent.parent != package:
        sys.stdout.write(f"the package is {tidings.__file__}, not the one in {package}\n")
        return 2
    with tempfile.TemporaryDirectory() as name:
        for check in CHECKS:
            try:
                for found in check(Path(name) / check.__name__):
                    sys.stdout.write(f"{CAUGHT} {found}\n")
                    return 1
            except Exception as error:  # noqa: BLE001 -- whatever a fault brings about
                sys.stdout.write(f"{CAUGHT} {check.__doc__} {error!r:.200}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
