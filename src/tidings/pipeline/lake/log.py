"""The log of a lake: which files belong to it, and atomic batches.

A batch is written to its own folder below `_staging`, which readers ignore. Then its intent,
`_log/000000000012.intent.json`, lists every file to add and remove; from here on the batch is never
rolled back. Old files are removed, new ones renamed into place, and the intent is renamed to
`_log/000000000012.json`. After a crash, the next writer completes a batch that has an intent and
removes one that has none. Old files are removed first: a reader of the bare folders may briefly
miss rows that are being compacted, but never sees one twice.

Every `SNAPSHOT_EVERY` batches the whole state is written as a snapshot, and older entries are
removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import PipelineFailed, StoreError
from tidings.names import new_origin
from tidings.stores.files import UNFINISHED, disk_errors, make_folder, sync_folder, write_file

FORMAT: Final = 1
LOG: Final = "_log"
STAGING: Final = "_staging"
LOCK: Final = "_lock"
SNAPSHOT_EVERY: Final = 100

_ENTRY: Final = re.compile(r"(\d{12})(\.intent|\.state)?\.json")
_CRC: Final = b',"crc32":'
_TRIES: Final = 5
# Any tool may read a lake, if the umask lets it.
_FOLDER_MODE: Final = 0o777
_FILE_MODE: Final = 0o666

_T = TypeVar("_T", "LakeBatch", "LakeState")


class LakeFile(msgspec.Struct, frozen=True):
    """A data file of the lake."""

    table: str  # such as `events` or `types/Traffic/Speed`
    path: str
    rows: int
    octets: int


class StagedFile(msgspec.Struct, frozen=True):
    """A staged file and its destination."""

    staged: str
    path: str
    table: str | None = None  # None for files without rows, such as schemas
    rows: int = 0
    octets: int = 0


class LakeBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A set of changes that is committed atomically."""

    batch: int
    kind: str  # `take`: load segments; `compact`: merge files
    staging: str
    at_us: int
    upto_seal: int
    """Every seal up to this one has been loaded, except damaged files."""
    adds: tuple[StagedFile, ...] = ()
    removes: tuple[str, ...] = ()
    damaged: dict[str, str] = {}  # segments left out, and what is wrong with them
    retaken: tuple[str, ...] = ()
    """Damaged segments that have now been loaded, or are gone for good."""
    gaps: tuple[str, ...] = ()  # what the archive no longer had
    archive: str = ""  # identifies the archive
    format: int = FORMAT


class LakeState(msgspec.Struct, frozen=True, kw_only=True):
    """State of a lake after a batch."""

    batch: int = 0
    upto_seal: int = 0
    archive: str = ""
    files: dict[str, LakeFile] = {}
    damaged: dict[str, str] = {}
    format: int = FORMAT

    def after(self, batch: LakeBatch) -> LakeState:
        """Return the state after one more batch."""
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

    def rows_by_table(self) -> dict[str, int]:
        """Return the number of rows of each table that has some, sorted by name."""
        rows: dict[str, int] = {}
        for file in sorted(self.files.values(), key=lambda file: file.table):
            rows[file.table] = rows.get(file.table, 0) + file.rows
        return rows

    def files_of(self, table: str) -> list[LakeFile]:
        """Return the files of a table, sorted."""
        return [file for _, file in sorted(self.files.items()) if file.table == table]


class LakeLog:
    """The log of a lake: one writer, any number of readers."""

    def __init__(self, tree: LakeTree) -> None:
        self._tree = tree

    def state(self) -> LakeState:
        """Return the state after the last committed batch."""
        for _ in range(_TRIES):
            found = self._state()
            if found is not None:
                return found
        raise PipelineFailed(f"the log {self._tree.path(LOG)} changes while it is read; try again")

    def _state(self) -> LakeState | None:
        """Read the state; None if the writer has just removed an entry that was to be read."""
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
        """Complete or remove what a crashed writer left, and return what was done."""
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
        """Return a staging folder with an unused name: a dying writer may still add to its own."""
        return f"{STAGING}/{batch:012d}-{new_origin()}"

    @contextmanager
    def staging(self, batch: int) -> Iterator[str]:
        """Provide a staging folder; it is removed after an error, by the next run if need be."""
        folder = self.new_staging(batch)
        try:
            yield folder
        except BaseException:
            with suppress(StoreError):
                self._tree.remove(folder)
            raise

    def commit(self, batch: LakeBatch) -> None:
        """Commit a batch."""
        self._tree.sync(add.staged for add in batch.adds)
        self._tree.write(f"{LOG}/{_name(batch.batch, '.intent')}", _octets(batch))
        self._finish(batch)

    def _finish(self, batch: LakeBatch) -> None:
        for path in batch.removes:
            self._tree.remove(path)
        for add in batch.adds:
            if self._tree.exists(add.staged):
                self._tree.rename(add.staged, add.path)
            elif not self._tree.exists(add.path):
                raise PipelineFailed(
                    f"batch {batch.batch} of the lake names {self._tree.path(add.path)}, which is "
                    f"neither there nor in {add.staged}: somebody has removed it"
                )
        name = f"{LOG}/{_name(batch.batch, '.intent')}"
        self._tree.rename(name, f"{LOG}/{_name(batch.batch)}")
        self._tree.remove(batch.staging)
        if batch.batch % SNAPSHOT_EVERY == 0:
            self._snapshot()

    def _snapshot(self) -> None:
        """Write a snapshot and remove entries older than the previous snapshot."""
        state = self.state()
        self._tree.write(f"{LOG}/{_name(state.batch, '.state')}", _octets(state))
        numbers, snapshots, _ = self._entries()
        if len(snapshots) < 2:
            return
        oldest_kept = snapshots[-2]
        # Snapshots last: as long as one exists, the batches it covers are not needed.
        old = [_name(n) for n in numbers if n <= oldest_kept]
        for name in (*old, *(_name(number, ".state") for number in snapshots[:-2])):
            self._tree.remove(f"{LOG}/{name}")

    def _entries(self) -> tuple[list[int], list[int], list[int]]:
        """Return the numbers of batches, snapshots and intents, each sorted."""
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


def locked_message(place: Path, holder: bytes) -> str:
    """Return the error message for a second writer."""
    try:
        said = json.loads(holder)
        who = f"process {said['pid']} on {said['host']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return (
        f"{who} is writing to the lake {place}; a lake has one writer at a time: wait for it "
        "or stop it"
    )


class LakeTree:
    """The folder of a lake; names are relative to it, and missing files are mostly no error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str) -> str:
        """Return a URI for Spark, so that it is not resolved on the cluster's file system."""
        return "file:" + str(self._folder / name)

    def read(self, name: str) -> bytes | None:
        """Read a file; None if it is missing."""
        path = self._folder / name
        with _failing(f"{path} cannot be read"):
            try:
                return path.read_bytes()
            except FileNotFoundError:  # a writer may remove it at any moment
                return None

    def write(self, name: str, octets: bytes) -> None:
        """Write a file atomically and durably."""
        path = self._folder / name
        with _failing(f"{path} cannot be written"):
            _make_folder(path.parent)
            write_file(path, octets, _FILE_MODE)

    def names(self, folder: str) -> list[str]:
        """List files and folders, sorted, without unfinished files."""
        with _failing(f"{self._folder / folder} cannot be listed"):
            try:
                # Not glob: it takes a folder that cannot be read for an empty one.
                found = sorted(path.name for path in (self._folder / folder).iterdir())
            except FileNotFoundError:
                return []
        return [name for name in found if not name.endswith(UNFINISHED)]

    def files(self, folder: str) -> dict[str, int]:
        """Return all files below a folder, with their sizes."""
        top = self._folder / folder
        with _failing(f"{top} cannot be listed"):
            return {
                str(path.relative_to(self._folder)): path.stat().st_size
                for path in sorted(top.rglob("*"))
                if path.is_file() and not path.name.endswith(UNFINISHED)
            }

    def exists(self, name: str) -> bool:
        """Whether a file or folder exists."""
        return (self._folder / name).exists()

    def rename(self, old: str, new: str) -> None:
        """Move a file durably; create folders and replace an existing file."""
        source, target = self._folder / old, self._folder / new
        with _failing(f"{source} cannot become {target}"):
            _make_folder(target.parent)
            source.replace(target)
            sync_folder(target.parent)

    def remove(self, name: str) -> None:
        """Remove a file or a folder tree."""
        path = self._folder / name
        with _failing(f"{path} cannot be removed"):
            if path.is_dir():
                # The next run removes what a dying writer adds meanwhile.
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def sync(self, names: Iterable[str]) -> None:
        """Sync files that another process has written."""
        for name in names:
            path = self._folder / name
            with _failing(f"{path} cannot be made durable"), path.open("rb") as file:
                os.fsync(file.fileno())

    def rows(self, name: str) -> int:
        """Return the number of rows in a Parquet footer."""
        path = self._folder / name
        try:
            return int(pq.read_metadata(path).num_rows)
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{path} is no whole Parquet file: {error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock out other writers. The operating system releases the lock when the process dies."""
        path = self._folder / LOCK
        with _failing(f"{path} cannot be written"):
            _make_folder(self._folder)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise PipelineFailed(locked_message(self._folder, path.read_bytes())) from error
            os.truncate(handle, 0)
            holder = {"host": socket.gethostname(), "pid": os.getpid()}
            os.pwrite(handle, json.dumps(holder).encode(), 0)
            yield
        finally:
            os.close(handle)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        make_folder(folder, _FOLDER_MODE)


def _failing(what: str) -> AbstractContextManager[None]:
    return disk_errors(what, "; the lake is unharmed")
