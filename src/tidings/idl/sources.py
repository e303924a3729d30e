"""Where the texts of IDL files come from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tidings.errors import BadInput
from tidings.idl.faults import DEFAULT_LIMITS, Source

_BUILT_IN = frozenset({"orb.idl"})  # what it declares, TypeCode, is known without it


class Folders:
    """Files on disk: beside the one that includes them, then in the given folders."""

    def __init__(self, folders: Iterable[Path | str] = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._read: dict[Path, Source] = {}

    def find(self, name: str, angled: bool, includer: Source) -> Source | None:
        """The first file of that name; `<name>` is not looked for beside the includer."""
        if name in _BUILT_IN:
            return Source(name, "")
        beside = [] if angled else [Path(includer.name).parent]
        for folder in (*beside, *self._folders):
            path = folder / name
            if path.is_file():
                return self.opened(path)
        return None

    def opened(self, path: Path) -> Source:
        """Read a file once, whichever way its path is written."""
        whole = path.resolve()
        if whole not in self._read:
            self._read[whole] = read_source(path)
        return self._read[whole]


class Only(Folders):
    """Files of given folders, by their plain names alone: for texts that strangers send."""

    def find(self, name: str, angled: bool, includer: Source) -> Source | None:
        """The first file of that name; no path leads elsewhere."""
        if name != Path(name).name or name in (".", ".."):
            return None
        return super().find(name, True, includer)


def read_source(path: Path | str, largest: int = DEFAULT_LIMITS.octets) -> Source:
    """Read a file."""
    try:
        with Path(path).open("rb") as stream:
            octets = stream.read(largest + 1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    if len(octets) > largest:
        raise BadInput(f"{path}: an IDL file has at most {largest} octets")
    try:
        return Source(str(path), octets.decode())
    except UnicodeDecodeError:
        return Source(str(path), octets.decode("latin-1"))  # as older files are written
