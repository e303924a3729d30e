"""What the shim wrote: every call that changed the watched folder, in the order it happened."""

from __future__ import annotations

import os
import struct
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

__all__ = ["Identity", "Kind", "Operation", "read_log"]

# As in shim.c: mark, kind, device, inode, offset, length, and how long path, other and data are.
_HEAD = struct.Struct("<8sQQQqqQQQ")
_MARK = b"TDPOWER1"

Identity = tuple[int, int]  # device and inode


class Kind(IntEnum):
    """What a call did; numbered as in shim.c."""

    BEGIN = 1
    CREATE = 2
    WRITE = 3
    TRUNCATE = 4
    ALLOCATE = 5
    RENAME = 6
    LINK = 7
    UNLINK = 8
    MKDIR = 9
    RMDIR = 10
    SYNC = 11
    SYNC_FOLDER = 12
    MAPPED = 13
    UNSEEN = 14
    ANSWER = 15


class Operation(NamedTuple):
    """One call that succeeded; its order number is its place in the log.

    Attributes:
        kind: What it did.
        path: Which name, inside the watched folder unless it begins with ``/``; for what works
            on descriptors the name the file had then.
        other: The new name of `Kind.RENAME` and `Kind.LINK`.
        identity: The file, for what works on contents.
        offset: Where the octets of `Kind.WRITE` and `Kind.ALLOCATE` begin.
        length: The new size after `Kind.TRUNCATE`; how much `Kind.ALLOCATE` asked for.
        data: What was written.
    """

    kind: Kind
    path: str
    other: str = ""
    identity: Identity = (0, 0)
    offset: int = 0
    length: int = 0
    data: bytes = b""

    def __str__(self) -> str:
        name = f"{self.path} to {self.other}" if self.other else self.path
        if self.kind is Kind.WRITE:
            return f"write {name} at {self.offset}, {len(self.data)} octets"
        return f"{self.kind.name.lower()} {name}"


def read_log(path: Path) -> list[Operation]:
    """All operations; an unfinished record at the end, of a killed process, does not count.

    Raises:
        ValueError: The log is empty, is damaged, or tells of two folders.
    """
    octets = path.read_bytes()
    operations: list[Operation] = []
    folder = ""
    at = 0
    while at + _HEAD.size <= len(octets):
        mark, kind, device, inode, offset, length, *sizes = _HEAD.unpack_from(octets, at)
        if mark != _MARK:
            raise ValueError(f"{path} is no log of the power shim from octet {at} on")
        start = at + _HEAD.size
        ends = start + sizes[0], start + sizes[0] + sizes[1], start + sum(sizes)
        if ends[2] > len(octets):
            break
        first = os.fsdecode(octets[start : ends[0]])
        second = os.fsdecode(octets[ends[0] : ends[1]])
        at = ends[2]
        if kind == Kind.BEGIN:
            if folder not in {"", first}:
                raise ValueError(f"{path} tells of two folders, {folder} and {first}")
            folder = first
            continue
        data = octets[ends[1] : ends[2]]
        names = _inside(folder, first), _inside(folder, second)
        operations.append(Operation(Kind(kind), *names, (device, inode), offset, length, data))
    if not folder:
        raise ValueError(f"{path} is empty: the program did not run under the power shim")
    return operations


def _inside(folder: str, path: str) -> str:
    return "" if path == folder else path.removeprefix(f"{folder}/")
