"""IDL at run time: compiled, generated and executed in one step."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from tidings.idl.compile import compile_source
from tidings.idl.faults import Source
from tidings.idl.generate import all_here, generate
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.names import Homes
from tidings.idl.sources import Folders


def load_idl(
    text_or_path: str | Path,
    include_dirs: Iterable[Path | str] = (),
    homes: Homes | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ModuleType:
    """A Python module made from IDL, as if it had been generated before.

    What is included becomes part of it too, with the names of its modules in front.

    Args:
        text_or_path: The text, or the path of a file.
        include_dirs: Where included files are looked for, besides the file's own folder.
        homes: Which Python module stands for an included file; None for this one.
        limits: What it may cost.

    Raises:
        InvalidIdl: With file, line, column, caret and, where there is one, a hint.
        BadInput: The file cannot be read.
    """
    files = Folders(include_dirs, limits.octets)
    if isinstance(text_or_path, Path) or _is_path(text_or_path):
        source = files.opened(Path(text_or_path))
    else:
        source = Source("text.idl", text_or_path)
    model = compile_source(source, files, limits)
    text = generate(model, homes or all_here, limits)
    made = ModuleType(f"idl_{Path(source.name).stem}")
    exec(compile(text, f"<generated from {source.name}>", "exec"), made.__dict__)  # noqa: S102, RUF100 - it is our own text
    return made


def _is_path(text: str) -> bool:
    """Whether a text is the path of a file: IDL itself never ends so."""
    return text.endswith(".idl") and "\n" not in text
