"""Checks what no linter does: lengths of functions, slivers, cycles, doors, machine paths, locks.

Exit 0 when all hold; otherwise each breach on its own line, and exit 1. The budgets and their
exceptions, each with its reason, stand in pyproject.toml under ``[tool.tidings.budgets]``.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MEASURED_FOLDERS = ("src", "tests", "tools")
GENERATED = "_auto.py"
# import-linter leaves imports under TYPE_CHECKING out, for all contracts or for none.
WITHOUT_CYCLES = ("src/tidings/channel", "src/tidings/engine")

# Doors use the host's methods and views; these are the parts it is made of.
DOORS = ("src/tidings/web/", "src/tidings/servants/", "src/tidings/federation/")
INNER_PART = re.compile(
    r"\bhost\.(?:_\w+|(?:bodies|disk|factory|out|recorder|spilling|storage|store|writer)\b)"
)

# Absolute paths that exist on one machine only; `example/root/x` and URLs are not meant.
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:root|work|home/[a-z]\w*|Users/[A-Za-z]\w*)/[\w.]")

# A lock names packages and hashes, and neither where they came from nor where they were stored.
LOCK_LINE = re.compile(
    r"[a-z0-9-]+==[\w.!+]+(?: ; .+)? \\"  # a pin; its hashes follow
    r"|    --hash=sha256:[0-9a-f]{64}(?: \\)?"
)


@dataclass(frozen=True)
class Budgets:
    """The limits, and who may pass them for which reason."""

    function_lines: int
    exceptions: dict[str, str] = field(default_factory=dict)
    sliver_lines: int = 0
    slivers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, pyproject: Path) -> Budgets:
        """Reads ``[tool.tidings.budgets]``."""
        table = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["tidings"]["budgets"]
        return cls(
            table["function_lines"],
            table.get("exceptions", {}),
            table.get("sliver_lines", 0),
            table.get("slivers", {}),
        )


@dataclass(frozen=True)
class TooLong:
    """A function over its budget; ``where`` is also its name in the exceptions."""

    where: str
    lines: int
    budget: int

    def __str__(self) -> str:
        return f"{self.where}: {self.lines} lines, the budget is {self.budget}"


def project_files(root: Path) -> list[Path]:
    """All files git tracks or would track; without git, all outside hidden folders."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            check=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        found = (path for path in root.rglob("*") if path.is_file())
        return sorted(p for p in found if not _is_hidden(p.relative_to(root)))
    paths = (root / name for name in listed.stdout.split("\0") if name)
    return sorted(path for path in paths if path.is_file())


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every function with its qualified name and its length in lines, without decorators."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{child.name}" if prefix else child.name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield name, (child.end_lineno or child.lineno) - child.lineno + 1
            waiting.append((name, child))


def too_long(path: str, text: str, budgets: Budgets) -> Iterator[TooLong]:
    """What in one Python file is over budget, exceptions not yet considered."""
    for name, length in functions(ast.parse(text, path)):
        if length > budgets.function_lines:
            yield TooLong(f"{path}::{name}", length, budgets.function_lines)


def length_breaches(files: Iterable[tuple[str, str]], budgets: Budgets) -> list[str]:
    """Everything over budget without an exception, and every exception nobody needs."""
    found = [long for path, text in files for long in too_long(path, text, budgets)]
    needed = {long.where for long in found}
    breaches = [str(long) for long in found if long.where not in budgets.exceptions]
    stale = sorted(budgets.exceptions.keys() - needed)
    unexplained = sorted(where for where, why in budgets.exceptions.items() if not why.strip())
    return [
        *breaches,
        *(f"{where}: is listed as an exception but keeps its budget" for where in stale),
        *(f"{where}: is listed as an exception without a reason" for where in unexplained),
    ]


def slivers(files: Iterable[tuple[str, str]], budgets: Budgets) -> list[str]:
    """Short modules that only one other imports, without a reason; reasons nobody needs."""
    texts = {path: text for path, text in files if path.startswith("src/")}
    importers = _importers(texts)
    found = {
        path
        for path, text in texts.items()
        if len(importers[path]) == 1
        and not path.endswith(("__init__.py", "__main__.py"))
        and len(text.splitlines()) < budgets.sliver_lines
    }
    new, stale = sorted(found - budgets.slivers.keys()), sorted(budgets.slivers.keys() - found)
    return [
        *(f"{path}: is short, and only one module imports it: merge them" for path in new),
        *(f"{path}: is listed as a sliver but is not one" for path in stale),
    ]


def _importers(texts: dict[str, str]) -> dict[str, set[str]]:
    """For each module its importers, by path."""
    names = {_module_name(path): path for path in texts}
    importers: dict[str, set[str]] = {path: set() for path in texts}
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    module = names.get(f"{node.module}.{alias.name}") or names.get(node.module)
                    if module is not None and module != path:
                        importers[module].add(path)
    return importers


def _module_name(path: str) -> str:
    plain = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    return plain.replace("/", ".")


def imported_modules(package: str, text: str) -> set[str]:
    """The modules of a package that a module's text imports, for type checking or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.removeprefix(f"{package}."))
        elif isinstance(node, ast.Import):
            found.update(alias.name.removeprefix(f"{package}.") for alias in node.names)
    return found


def import_cycles(folder: str, files: Iterable[tuple[str, str]]) -> list[str]:
    """What says which modules of a folder import each other, if any do."""
    package = folder.removeprefix("src/").replace("/", ".")
    texts = {
        path.removeprefix(f"{folder}/").removesuffix(".py"): text
        for path, text in files
        if path.rpartition("/")[0] == folder and path.endswith(".py")
    }
    graph = {
        name: imported_modules(package, text) & texts.keys() - {name}
        for name, text in texts.items()
    }
    while bare := [name for name, imported in graph.items() if not imported]:
        graph = {name: there - set(bare) for name, there in graph.items() if name not in bare}
    # What only leads to a cycle is no part of it.
    while graph and (last := graph.keys() - set().union(*graph.values())):
        graph = {name: there for name, there in graph.items() if name not in last}
    return [f"{folder}: {', '.join(sorted(graph))} import each other"] if graph else []


def inner_parts(path: str, text: str) -> list[str]:
    """Lines of a door that reach into the host."""
    return [
        f"{path}:{number}: a door reaches into the host: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), 1)
        if path.startswith(DOORS) and INNER_PART.search(line)
    ]


def machine_paths(path: str, text: str) -> list[str]:
    """Lines that name a place on one particular machine."""
    return [
        f"{path}:{number}: names a machine path: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]


def lock_breaches(path: str, text: str) -> list[str]:
    """Lines of a lock that are neither a pin nor a hash."""
    return [
        f"{path}:{number}: neither a pin nor a hash: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), 1)
        if not LOCK_LINE.fullmatch(line)
    ]


def read_text(path: Path) -> str | None:
    """The file's text, or None if it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def check(root: Path) -> list[str]:
    """All breaches in the project at ``root``."""
    read = ((path.relative_to(root).as_posix(), read_text(path)) for path in project_files(root))
    texts = {path: text for path, text in read if text is not None}
    measured = [
        (path, text)
        for path, text in texts.items()
        if path.endswith(".py")
        and not path.endswith(GENERATED)
        and path.split("/")[0] in MEASURED_FOLDERS
    ]
    budgets = Budgets.load(root / "pyproject.toml")
    breaches = length_breaches(measured, budgets) + slivers(measured, budgets)
    for folder in WITHOUT_CYCLES:
        breaches += import_cycles(folder, measured)
    for path, text in texts.items():
        breaches += inner_parts(path, text) + machine_paths(path, text)
        if path.startswith("requirements/") and path.endswith(".txt"):
            breaches += lock_breaches(path, text)
    return breaches


def main() -> int:
    """Checks the project this script belongs to."""
    breaches = check(Path(__file__).resolve().parent.parent)
    for breach in breaches:
        print(breach)
    print(f"Budgets: {len(breaches)} broken." if breaches else "Budgets: kept.")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
