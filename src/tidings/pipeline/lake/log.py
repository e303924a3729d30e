"""The log of a lake: which files are in it, and batches that are there as a whole or not at all.

A batch is written into a folder of its own below `_staging`, which no reader looks into. Then its
intent, `_log/000000000012.intent.json`, names every file that comes and goes; from here on the
batch is decided. Files are taken away, the new ones renamed to their places, and the intent
becomes `_log/000000000012.json`. Whoever opens the log after a crash finishes a batch that has an
intent and removes one that has none. Old files go before new ones come: a reader of the bare
folders may for a moment miss rows that are being compacted, and never sees one twice.

Every `SNAPSHOT_EVERY` batches the whole state is written beside, and what is older is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar
from zlib import crc32

import msgspec

from tidings.errors import PipelineFailed
from tidings.names import new_origin
from tidings.pipeline.lake.tree import LakeTree

FORMAT: Final = 1
LOG: Final = "_log"
STAGING: Final = "_staging"
SNAPSHOT_EVERY: Final = 100

_ENTRY: Final = re.compile(r"(\d{12})(\.intent|\.state)?\.json")
_CRC: Final = b',"crc32":'
_TRIES: Final = 5

_T = TypeVar("_T", "LakeBatch", "LakeState")


class LakeFile(msgspec.Struct, frozen=True):
    """A data file of the lake."""

    table: str  # such as `events` or `types/Traffic/Speed`
    path: str
    rows: int
    octets: int


class StagedFile(msgspec.Struct, frozen=True):
    """A file that has been written, and the place it is for."""

    staged: str
    path: str
    table: str | None = None  # None for what holds no rows, such as the schema of a type
    rows: int = 0
    octets: int = 0


class LakeBatch(msgspec.Struct, frozen=True, kw_only=True):
    """What changes at once."""

    batch: int
    kind: str  # `take`: segments of the archive come in; `compact`: the same rows in fewer files
    staging: str
    at_us: int
    upto_seal: int
    """Every seal of the archive up to this one has been taken in, but for damaged files."""
    adds: tuple[StagedFile, ...] = ()
    removes: tuple[str, ...] = ()
    damaged: dict[str, str] = {}  # segments that were left out, and what is wrong with them
    retaken: tuple[str, ...] = ()
    """Segments that were damaged and have now come in, or are gone for good."""
    gaps: tuple[str, ...] = ()  # what the archive no longer had
    archive: str = ""  # what tells this archive from another
    format: int = FORMAT


class LakeState(msgspec.Struct, frozen=True, kw_only=True):
    """A lake after a batch."""

    batch: int = 0
    upto_seal: int = 0
    archive: str = ""
    files: dict[str, LakeFile] = {}
    damaged: dict[str, str] = {}
    format: int = FORMAT

    def after(self, batch: LakeBatch) -> LakeState:
        """The lake after one more batch."""
        removed, retaken = set(batch.removes), set(batch.retaken)
        files = {path: file for path, file in self.files.items() if path not in removed}
        for add in batch.adds:
            if add.table is not None:
                files[add.path] = LakeFile(add.table, add.path, add.rows, add.octets)
        damaged = {path: said for path, said in self.damaged.items() if path not in retaken}
        return LakeState(
            batch=batch.batch,
            upto_seal=batch.upto_seal,
            archive=batch.archive or self.archive,
            files=files,
            damaged=damaged | batch.damaged,
        )

    def tables(self) -> list[str]:
        """The tables that have rows, in order."""
        return sorted({file.table for file in self.files.values()})

    def files_of(self, table: str) -> list[LakeFile]:
        """The files of a table, in order."""
        return sorted(
            (file for file in self.files.values() if file.table == table),
            key=lambda file: file.path,
        )


class LakeLog:
    """The log in a tree of files. One writer; any number of readers."""

    def __init__(self, tree: LakeTree) -> None:
        self._tree = tree

    def state(self) -> LakeState:
        """The lake after its last committed batch."""
        for _ in range(_TRIES):
            found = self._state()
            if found is not None:
                return found
        raise PipelineFailed(f"the log {self._tree.path(LOG)} changes while it is read; try again")

    def _state(self) -> LakeState | None:
        """The state; None if the writer has just dropped what was to be read."""
        numbers, snapshots, _ = self._entries()
        state = LakeState()
        if snapshots:
            kept = self._read(_name(snapshots[-1], ".state"), LakeState)
            if kept is None:
                return None
            state = kept
        for number in (one for one in numbers if one > state.batch):
            if number != state.batch + 1:
                raise PipelineFailed(
                    f"the log {self._tree.path(LOG)} lacks batch {state.batch + 1}; the files of "
                    "the lake are unharmed, but which of them count cannot be told"
                )
            batch = self._read(_name(number), LakeBatch)
            if batch is None:
                return None
            state = state.after(batch)
        return state

    def recover(self) -> list[str]:
        """Finish or remove what a writer that died has left, and say what was done."""
        told = []
        _, _, intents = self._entries()
        for number in intents:
            batch = self._read(_name(number, ".intent"), LakeBatch)
            if batch is not None:
                self._finish(batch)
                told.append(f"batch {number} was decided and not finished: finished now")
        for folder in self._tree.names(STAGING):
            self._tree.remove(f"{STAGING}/{folder}")
            if not intents:
                told.append("a batch was begun and not decided: removed, to be done again")
        return told

    def new_staging(self, batch: int) -> str:
        """A folder for the files of a batch.

        It has a name that was never used: what a dying writer still adds to its own is not
        taken for ours.
        """
        return f"{STAGING}/{batch:012d}-{new_origin()}"

    def discard(self, staging: str) -> None:
        """Remove what was staged for a batch that does not come."""
        self._tree.remove(staging)

    def commit(self, batch: LakeBatch) -> None:
        """Make a batch part of the lake."""
        self._tree.sync(add.staged for add in batch.adds)
        self._tree.write(f"{LOG}/{_name(batch.batch, '.intent')}", _octets(batch))
        self._finish(batch)

    def _finish(self, batch: LakeBatch) -> None:
        for path in batch.removes:
            self._tree.remove(path)
        for add in batch.adds:
            self._bring(add, batch.batch)
        name = f"{LOG}/{_name(batch.batch, '.intent')}"
        self._tree.rename(name, f"{LOG}/{_name(batch.batch)}")
        self._tree.remove(batch.staging)
        if batch.batch % SNAPSHOT_EVERY == 0:
            self._snapshot()

    def _bring(self, add: StagedFile, number: int) -> None:
        if self._tree.exists(add.staged):
            self._tree.rename(add.staged, add.path)
        elif not self._tree.exists(add.path):
            raise PipelineFailed(
                f"batch {number} of the lake names {self._tree.path(add.path)}, which is neither "
                f"there nor in {add.staged}: somebody has removed it"
            )

    def _snapshot(self) -> None:
        """Write the state, and drop what is older than the snapshot before."""
        state = self.state()
        self._tree.write(f"{LOG}/{_name(state.batch, '.state')}", _octets(state))
        numbers, snapshots, _ = self._entries()
        if len(snapshots) < 2:
            return
        oldest_kept = snapshots[-2]
        # Snapshots last: while one is there, the batches behind it need not be.
        self._drop((n for n in numbers if n <= oldest_kept), "")
        self._drop(snapshots[:-2], ".state")

    def _drop(self, numbers: Iterable[int], end: str) -> None:
        for number in numbers:
            self._tree.remove(f"{LOG}/{_name(number, end)}")

    def _entries(self) -> tuple[list[int], list[int], list[int]]:
        """The numbers of batches, snapshots and intents, each in order."""
        found: dict[str | None, list[int]] = {None: [], ".state": [], ".intent": []}
        for name in self._tree.names(LOG):
            parts = _ENTRY.fullmatch(name)
            if parts is not None:
                found[parts[2]].append(int(parts[1]))
        return found[None], found[".state"], found[".intent"]

    def _read(self, name: str, kind: type[_T]) -> _T | None:
        octets = self._tree.read(f"{LOG}/{name}")
        if octets is None:
            return None
        place = self._tree.path(f"{LOG}/{name}")
        body, mark, check = octets.rpartition(_CRC)
        if not mark or check != b"%d}" % crc32(body):
            raise PipelineFailed(f"{place} is not as it was written; the data files are unharmed")
        try:
            read = msgspec.json.decode(body + b"}", type=kind)
        except msgspec.MsgspecError as error:
            raise PipelineFailed(f"{place} cannot be understood: {error}") from error
        if read.format > FORMAT:
            raise PipelineFailed(
                f"{place} has format {read.format}; this version of Tidings knows {FORMAT}: "
                "use the newer one that wrote it"
            )
        return read


def _name(number: int, end: str = "") -> str:
    return f"{number:012d}{end}.json"


def _octets(entry: LakeBatch | LakeState) -> bytes:
    body = msgspec.json.encode(entry).removesuffix(b"}")
    return b"%b%b%d}" % (body, _CRC, crc32(body))
