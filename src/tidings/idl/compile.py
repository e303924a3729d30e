"""IDL files to a model, or to a Python module at run time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from tidings.idl.faults import DEFAULT_LIMITS, IdlLimits, Source
from tidings.idl.generate import all_here, generate
from tidings.idl.model import Model
from tidings.idl.names import Homes
from tidings.idl.parse import parse
from tidings.idl.resolve import Resolver
from tidings.idl.sources import Folders


def compile_source(source: Source, files: Folders, limits: IdlLimits = DEFAULT_LIMITS) -> Model:
    """Compile a file with all it includes."""
    return Resolver(limits).model(parse(source, files, limits), source)


def compile_file(path: Path | str, folders: Iterable[Path] = ()) -> Model:
    """Compile a file on disk; included files are looked for beside it, then in `folders`."""
    files = Folders(folders)
    return compile_source(files.opened(Path(path)), files)


def load_idl(
    text_or_path: str | Path,
    include_dirs: Iterable[Path | str] = (),
    homes: Homes = all_here,
) -> ModuleType:
    """Make a Python module from IDL, as if it had been generated before.

    What it includes becomes part of it, prefixed with the names of its modules, unless `homes`
    names a Python module that stands for that file.
    """
    files = Folders(include_dirs)
    if isinstance(text_or_path, Path) or _is_path(text_or_path):
        source = files.opened(Path(text_or_path))
    else:
        source = Source("text.idl", text_or_path)
    text = generate(compile_source(source, files), homes)
    made = ModuleType(f"idl_{Path(source.name).stem}")
    exec(compile(text, f"<generated from {source.name}>", "exec"), made.__dict__)  # noqa: S102, RUF100 - it is our own text
    return made


def _is_path(text: str) -> bool:
    return text.endswith(".idl") and "\n" not in text
