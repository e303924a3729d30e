"""A recording: what a program did to a folder, and the folder as a power cut could leave it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Self

from tests.real.faults.power.disk import Fate, File, Folder, NameChange, kept_changes
from tests.real.faults.power.oplog import Identity, Kind, Operation, read_log

__all__ = ["NotJudged", "Recording"]

# SQLite writes these through memory, and makes them anew after a crash.
UNJUDGED_SUFFIX = "-shm"

_CONTENTS = {Kind.WRITE, Kind.TRUNCATE, Kind.ALLOCATE}
_NAMES = {Kind.CREATE, Kind.RENAME, Kind.LINK, Kind.UNLINK, Kind.MKDIR, Kind.RMDIR}
_SYNCS = {Kind.SYNC, Kind.SYNC_FOLDER}


class NotJudged(Exception):
    """The program did something the kit cannot follow, so it says nothing at all."""


class Recording:
    """The operations of one run.

    Args:
        operations: As the log has them.
        root: The watched folder when the run began.
        files: Its files by identity.

    Attributes:
        operations: In their order; the place in the list is the order number.

    Raises:
        NotJudged: Octets came into a file in a way that shows nowhere.
    """

    def __init__(
        self, operations: list[Operation], root: Folder, files: dict[Identity, File]
    ) -> None:
        self.operations = operations
        self._root = root
        self._files = files
        self._changes: list[NameChange] = []
        self._answers: list[tuple[int, bytes]] = []
        for order, operation in enumerate(operations):
            self._take(order, operation)

    @classmethod
    def load(
        cls, log: Path, root: Folder | None = None, files: dict[Identity, File] | None = None
    ) -> Self:
        """Reads a log.

        Args:
            log: What the shim wrote.
            root: The watched folder when the run began, from `Folder.found`; empty if None.
            files: Its files, from the same.
        """
        return cls(read_log(log), root or Folder(), files or {})

    def cut_points(self) -> range:
        """Every place for a cut: so many operations were done before it."""
        return range(len(self.operations) + 1)

    def turning_points(self) -> list[int]:
        """The cuts right before and after each sync, each change of names, and after answers."""
        cuts = set()
        for order, operation in enumerate(self.operations):
            if operation.kind in _SYNCS or operation.kind in _NAMES:
                cuts |= {order, order + 1}
            elif operation.kind is Kind.ANSWER:
                cuts.add(order + 1)
        return sorted(cuts)

    def answers_before(self, cut: int) -> bytes:
        """What the program had answered before the cut."""
        return b"".join(octets for order, octets in self._answers if order < cut)

    def disk_at(self, cut: int, rng: Random, target_folder: Path) -> None:
        """Makes a folder as the cut could have left the watched one.

        Args:
            cut: One of `cut_points`.
            rng: Decides what of the unsynced is there; the same state gives the same disk.
            target_folder: Made here; must not be there yet.
        """
        target_folder.mkdir()
        for path, content in self._rebuilt(cut, Fate(rng)):
            place = target_folder / path
            if content is None:
                place.mkdir()
            else:
                place.write_bytes(content)

    def differences(self, folder: Path) -> list[str]:
        """Where the whole recording does not lead to the real folder: calls that were missed."""
        expected = dict(self._rebuilt(len(self.operations), Fate(None)))
        found = {
            str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
            for path in folder.rglob("*")
        }
        return sorted(
            path
            for path in expected.keys() | found.keys()
            if path not in expected
            or path not in found
            or (expected[path] != found[path] and not path.endswith(UNJUDGED_SUFFIX))
        )

    def _rebuilt(self, cut: int, fate: Fate) -> Iterator[tuple[str, bytes | None]]:
        """Paths with contents, folders (None) before what is in them."""
        names: dict[Folder, dict[str, File | Folder]] = {}
        for change in kept_changes(self._changes, cut, fate):
            for (folder, name), node in change.names.items():
                inner = names.setdefault(folder, dict(folder.start))
                if node is None:
                    inner.pop(name, None)
                else:
                    inner[name] = node
        waiting = [("", self._root)]
        contents: dict[File, bytes] = {}  # a file with two names has one content
        while waiting:
            path, folder = waiting.pop()
            for name, node in sorted(
                names.get(folder, folder.start).items(), key=lambda pair: pair[0]
            ):
                if isinstance(node, Folder):
                    yield path + name, None
                    waiting.append((f"{path}{name}/", node))
                    continue
                if node not in contents:
                    contents[node] = node.content_at(cut, fate)
                yield path + name, contents[node]

    def _take(self, order: int, operation: Operation) -> None:
        kind = operation.kind
        if kind is Kind.ANSWER:
            self._answers.append((order, operation.data))
        elif kind is Kind.SYNC_FOLDER:
            self._folder(operation.path).syncs.append(order)
        elif kind is Kind.SYNC:
            self._file(operation).sync(order)
        elif kind in _CONTENTS:
            self._file(operation).change(order, operation)
        elif kind in _NAMES:
            self._take_names(order, operation)
        elif kind is Kind.MAPPED and operation.path.endswith(UNJUDGED_SUFFIX):
            return
        else:
            how = "is written through memory" if kind is Kind.MAPPED else "is changed out of sight"
            raise NotJudged(f"{operation.path} {how}: what is in it after a cut cannot be told")

    def _take_names(self, order: int, operation: Operation) -> None:
        kind, path, other = operation.kind, operation.path, operation.other
        touches: frozenset[tuple[Folder, str]] = frozenset()
        names: dict[tuple[Folder, str], File | Folder | None]
        if kind is Kind.CREATE:
            made = self._files[operation.identity] = File()
            names = {self._name(path): made}
        elif kind is Kind.MKDIR:
            names = {self._name(path): Folder()}
        elif kind in {Kind.RENAME, Kind.LINK}:
            names = self._moved(path, other, keep=kind is Kind.LINK)
        else:
            names = {self._name(path): None}
            if kind is Kind.RMDIR:  # it was empty only after all that happened in it
                gone = self._folder(path)
                touches = frozenset(
                    name for change in self._changes for name in change.names if name[0] is gone
                )
        for (folder, name), node in names.items():
            if node is None:
                del folder.live[name]
            else:
                folder.live[name] = node
        if names:
            self._changes.append(NameChange(order, names, touches))

    def _moved(
        self, old: str, new: str, *, keep: bool
    ) -> dict[tuple[Folder, str], File | Folder | None]:
        if old.startswith("/"):
            raise NotJudged(f"{new} came from outside, {old}: what is in it is not known")
        source = self._name(old)
        node = source[0].live[source[1]]
        if new.startswith("/"):
            return {source: None}
        target = self._name(new)
        if target[0].live.get(target[1]) is node:
            return {}  # the system does nothing if both names mean one file
        return {target: node} if keep else {source: None, target: node}

    def _file(self, operation: Operation) -> File:
        found = self._files.get(operation.identity)
        if found is None:
            raise NotJudged(f"{operation.path} was made out of sight: what is in it is not known")
        return found

    def _folder(self, path: str) -> Folder:
        folder = self._root
        for name in path.split("/") if path else []:
            inner = folder.live.get(name)
            if not isinstance(inner, Folder):
                raise NotJudged(f"the folder {path} was made out of sight")
            folder = inner
        return folder

    def _name(self, path: str) -> tuple[Folder, str]:
        parent, _, name = path.rpartition("/")
        return self._folder(parent), name
