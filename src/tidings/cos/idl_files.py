"""The IDL files of this package, and IDL that includes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Final

from tidings.idl.compile import compile_file
from tidings.idl.compile import load_idl as load_plain
from tidings.idl.faults import Source
from tidings.idl.generate import generate

FOLDER: Final = Path(__file__).parent / "idl"
"""Where the files are."""

MODULES: Final = (
    "TimeBase",
    "CosEventComm",
    "CosEventChannelAdmin",
    "CosNotification",
    "CosNotifyComm",
    "CosNotifyFilter",
    "CosNotifyChannelAdmin",
    "CosNaming",
    "CosLifeCycle",
    "omniEvents",
    "NotificationServiceAgent",
    "Advertising",
)
"""The names of all modules, each after those it needs; `X` stands in X.idl and X_auto.py."""


def module_of(source: Source) -> str | None:
    """The Python module of one of these files, or None for another file."""
    name = Path(source.name).stem
    ours = name in MODULES and Path(source.name).resolve() == (FOLDER / f"{name}.idl").resolve()
    return f"{__package__}.{name}_auto" if ours else None


def generated(module: str) -> str:
    """What the Python module of one of these files must be."""
    model = compile_file(FOLDER / f"{module}.idl", [FOLDER])
    return generate(model, lambda source: None if source is model.main else module_of(source))


def load_idl(text_or_path: str | Path, include_dirs: Iterable[Path | str] = ()) -> ModuleType:
    """A Python module made from IDL that may include the files of this package.

    Args:
        text_or_path: The text, or the path of a file.
        include_dirs: Where included files are looked for first.

    Raises:
        InvalidIdl: With file, line, column, caret and, where there is one, a hint.
        BadInput: The file cannot be read.
    """
    return load_plain(text_or_path, (*include_dirs, FOLDER), module_of)
