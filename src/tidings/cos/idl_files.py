"""The package's IDL files, and loading IDL that includes them."""

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
"""The folder of the IDL files."""

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
    "CosTrading",
    "CosTradingRepos",
    "CosTradingDynamic",
    "scnmesg",
    "scncomm",
    "scnmanager",
    "SCSModule",
    "NotificationServiceAgent",
    "Advertising",
)
"""All modules in order of dependency; module `X` is in X.idl and X_auto.py."""


def module_of(source: Source) -> str | None:
    """Return the Python module of one of these files, or None for another file."""
    name = Path(source.name).stem
    ours = name in MODULES and Path(source.name).resolve() == (FOLDER / f"{name}.idl").resolve()
    return f"{__package__}.{name}_auto" if ours else None


def generated(module: str) -> str:
    """Generate the Python source of one of these modules."""
    model = compile_file(FOLDER / f"{module}.idl", [FOLDER])
    return generate(model, lambda source: None if source is model.main else module_of(source))


def load_idl(text_or_path: str | Path, include_dirs: Iterable[Path | str] = ()) -> ModuleType:
    """Compile IDL (text or a path) that may include the package's files to a module."""
    return load_plain(text_or_path, (*include_dirs, FOLDER), module_of)
