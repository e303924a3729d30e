from __future__ import annotations

import ast
import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.check_budgets import (
    Budgets,
    check,
    functions,
    length_breaches,
    lock_breaches,
    machine_paths,
    project_files,
)

if TYPE_CHECKING:
    from pathlib import Path

SMALL = Budgets(function_lines=3)
LONG_FUNCTION = "def f():\n    a = 1\n    b = 2\n    return a + b\n"
HASH = "    --hash=sha256:" + "0f" * 32


def place(*parts: str) -> str:
    """An absolute path, put together here so that this file itself names none."""
    return "/" + "/".join(parts)


def pyproject(exceptions: str = "") -> str:
    return (
        "[tool.tidings.budgets]\nfunction_lines = 3\n"
        f"[tool.tidings.budgets.exceptions]\n{exceptions}\n"
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(pyproject())
    (tmp_path / "src").mkdir()
    return tmp_path


class TestFunctions:
    def test_counts_lines_from_def_to_end_without_decorators(self) -> None:
        tree = ast.parse("@decorated\n@twice\n" + LONG_FUNCTION)
        assert list(functions(tree)) == [("f", 4)]

    def test_names_are_qualified_by_classes_and_functions(self) -> None:
        tree = ast.parse("class A:\n  async def b(self):\n    def c():\n      pass\n")
        assert dict(functions(tree)) == {"A.b": 3, "A.b.c": 2}

    def test_finds_functions_inside_other_statements(self) -> None:
        assert dict(functions(ast.parse("if x:\n  def f(): pass\n"))) == {"f": 1}


class TestLengths:
    def test_at_the_budget_is_kept(self) -> None:
        assert length_breaches([("src/a.py", LONG_FUNCTION)], Budgets(4)) == []

    def test_long_function_is_a_breach(self) -> None:
        assert length_breaches([("src/a.py", LONG_FUNCTION)], SMALL) == [
            "src/a.py::f: 4 lines, the budget is 3"
        ]

    def test_listed_exception_is_allowed(self) -> None:
        budgets = Budgets(3, {"src/a.py::f": "a table"})
        assert length_breaches([("src/a.py", LONG_FUNCTION)], budgets) == []

    def test_exception_that_nobody_needs_is_a_breach(self) -> None:
        budgets = Budgets(3, {"src/a.py::g": "was long once"})
        assert length_breaches([("src/a.py", "x = 1\n")], budgets) == [
            "src/a.py::g: is listed as an exception but keeps its budget"
        ]

    def test_exception_without_reason_is_a_breach(self) -> None:
        budgets = Budgets(3, {"src/a.py::f": " "})
        assert length_breaches([("src/a.py", LONG_FUNCTION)], budgets) == [
            "src/a.py::f: is listed as an exception without a reason"
        ]


class TestMachinePaths:
    @pytest.mark.parametrize(
        "path",
        [
            place("root", "x"),
            place("work", "main"),
            place("home", "ann", "x"),
            place("Users", "Ann", "x"),
        ],
    )
    def test_is_found_with_its_line(self, path: str) -> None:
        (breach,) = machine_paths("docs/a.md", f"one\nsee `{path}`\n")
        assert breach.startswith("docs/a.md:2: names a machine path")

    @pytest.mark.parametrize(
        "text",
        ["the root/x folder", "https://host.example/root/x", "docs/work/plan.md", "/usr/bin/env"],
    )
    def test_other_paths_are_fine(self, text: str) -> None:
        assert machine_paths("docs/a.md", text) == []


class TestLocks:
    def test_pins_markers_and_hashes_are_fine(self) -> None:
        text = f"a-b==1.2.3 \\\n{HASH} \\\n{HASH}\nc==1 ; sys_platform == 'win32' \\\n{HASH}\n"
        assert lock_breaches("requirements/x.txt", text) == []

    @pytest.mark.parametrize(
        "line",
        [
            "--index-url https://index.example/simple",
            "--find-links wheels",
            "a @ file:///wheels/a.whl",
            "a==1.0",
            "a>=1.0 \\",
        ],
    )
    def test_anything_else_is_a_breach(self, line: str) -> None:
        assert len(lock_breaches("requirements/x.txt", line)) == 1


class TestProject:
    def test_clean_project_has_no_breach(self, project: Path) -> None:
        (project / "src" / "a.py").write_text("x = 1\n")
        assert check(project) == []

    def test_planted_faults_are_all_found(self, project: Path) -> None:
        (project / "src" / "a.py").write_text(LONG_FUNCTION)
        (project / "README.md").write_text(f"cd {place('root', 'x')}\n")
        (project / "requirements").mkdir()
        (project / "requirements" / "test.txt").write_text("a==1\n")
        assert len(check(project)) == 3

    def test_generated_and_unmeasured_files_may_be_long(self, project: Path) -> None:
        (project / "src" / "stubs_auto.py").write_text("x = 1\n" * 7)
        (project / "examples.py").write_text("x = 1\n" * 7)
        assert check(project) == []

    def test_files_that_are_not_text_are_left_alone(self, project: Path) -> None:
        (project / "picture.bin").write_bytes(b"\xff\xfe\x00" * 10)
        assert check(project) == []

    def test_exceptions_come_from_pyproject(self, project: Path) -> None:
        (project / "src" / "a.py").write_text(LONG_FUNCTION)
        (project / "pyproject.toml").write_text(pyproject('"src/a.py::f" = "a table"'))
        assert check(project) == []

    @pytest.mark.parametrize("with_git", [True, False])
    def test_hidden_and_ignored_files_are_not_the_projects(
        self, project: Path, with_git: bool
    ) -> None:
        if with_git:
            subprocess.run(["git", "init", "-q"], cwd=project, check=True)
            (project / ".gitignore").write_text(".venv/\n")
        (project / ".venv").mkdir()
        (project / ".venv" / "x.txt").write_text(place("root", "x"))
        names = {path.name for path in project_files(project)} - {".gitignore"}
        assert names == {"pyproject.toml"}
