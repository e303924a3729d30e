"""Plants a fault in every Python program that has this folder on its path.

The environment names the module and a file with its wrong source; without that nothing happens.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

# Not TIDINGS_…: those are settings, and a service refuses one that it does not know.
MODULE, SOURCE = "PLANTED_FAULT_MODULE", "PLANTED_FAULT_SOURCE"
# Of a file of the console, which the tests' browser gets instead of the right one.
FILE = "PLANTED_FAULT_FILE"


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        text = Path(os.environ[SOURCE]).read_text(encoding="utf-8")
        code: CodeType = compile(text, self.path, "exec", dont_inherit=True)
        return code


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, _target: object = None) -> ModuleSpec | None:
        if fullname != os.environ.get(MODULE):
            return None
        spec = PathFinder.find_spec(fullname, path)  # type: ignore[arg-type]
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def plant() -> None:
    """Has the module come from the wrong source from now on, if the environment names one."""
    if MODULE in os.environ:
        sys.meta_path.insert(0, _Finder())


if __name__ == "sitecustomize":
    plant()
