"""From files to a model in one step."""

from __future__ import annotations

from pathlib import Path

from tidings.idl.faults import Source
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.model import Model
from tidings.idl.parse import parse
from tidings.idl.resolve import resolve
from tidings.idl.sources import Files, Folders, Texts


def compile_source(source: Source, files: Files, limits: Limits = DEFAULT_LIMITS) -> Model:
    """What a file means, with all it includes.

    Raises:
        InvalidIdl: With file, line, column, caret and, where there is one, a hint.
    """
    return resolve(parse(source, files, limits), source, limits)


def compile_text(text: str, name: str = "text.idl", limits: Limits = DEFAULT_LIMITS) -> Model:
    """What a text means that includes nothing.

    Raises:
        InvalidIdl: As `compile_source` does.
    """
    return compile_source(Source(name, text), Texts(), limits)


def compile_file(
    path: Path | str, folders: list[Path] | None = None, limits: Limits = DEFAULT_LIMITS
) -> Model:
    """What a file on disk means.

    Args:
        path: The file.
        folders: Where included files are looked for, besides its own folder.
        limits: What it may cost.

    Raises:
        InvalidIdl: As `compile_source` does.
        BadInput: The file cannot be read.
    """
    files = Folders(folders or [], limits.octets)
    return compile_source(files.opened(Path(path)), files, limits)
