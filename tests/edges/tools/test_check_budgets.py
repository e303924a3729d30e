"""The check of budgets: lengths of functions, machine paths and locks."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tools import check_budgets
from tools.check_budgets import (
    Budgets,
    check,
    functions,
    import_cycles,
    length_breaches,
    slivers,
)

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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@decorated\n@twice\n" + LONG_FUNCTION, {"f": 4}),  # counted from `def`
        (
            "class A:\n  async def b(self):\n    def c():\n      pass\n",
            {"A.b": 3, "A.b.c": 2},
        ),
        ("if x:\n  def f(): pass\n", {"f": 1}),
    ],
)
def test_functions_have_names_and_lengths(text: str, found: dict[str, int]) -> None:
    assert dict(functions(ast.parse(text))) == found


def test_modules_that_import_each_other_are_named_whatever_the_import_is_for() -> None:
    for_types = "if TYPE_CHECKING:\n    from tidings.part.a import A\n"
    files = {
        "above": "import tidings.part.a\n",
        "a": "from tidings.part import b, other\n",
        "b": "from tidings.part.c import C\n",
        "c": for_types,
        "below": "import ast\n",
    }
    placed = [(f"src/tidings/part/{name}.py", text) for name, text in files.items()]
    found = import_cycles("src/tidings/part", placed)
    assert found == ["src/tidings/part: a, b, c import each other"]
    straight = [(path, text.replace(for_types, "")) for path, text in placed]
    assert not import_cycles("src/tidings/part", straight)


@pytest.mark.parametrize(
    ("budgets", "text", "breach"),
    [
        (Budgets(4), LONG_FUNCTION, None),
        (Budgets(3), LONG_FUNCTION, "f: 4 lines, the budget is 3"),
        (Budgets(3, {"src/a.py::f": "a table"}), LONG_FUNCTION, None),
        (
            Budgets(3, {"src/a.py::g": "was long once"}),
            "x = 1\n",
            "g: is listed as an exception but keeps its budget",
        ),
        (
            Budgets(3, {"src/a.py::f": " "}),
            LONG_FUNCTION,
            "f: is listed as an exception without a reason",
        ),
    ],
)
def test_long_functions_need_a_reason(budgets: Budgets, text: str, breach: str | None) -> None:
    expected = [] if breach is None else [f"src/a.py::{breach}"]
    assert length_breaches([("src/a.py", text)], budgets) == expected


def test_machine_paths_are_found_with_their_lines() -> None:
    for parts in (("root", "x"), ("work", "main"), ("home", "ann", "x"), ("Users", "Ann", "x")):
        text = f"one\nsee `{place(*parts)}`\n"
        (breach,) = check_budgets.machine_paths("docs/a.md", text)
        assert breach.startswith("docs/a.md:2: names a machine path")
    others = ["the root/x folder", "https://host.example/root/x", "docs/work/plan.md"]
    for text in (*others, "/usr/bin/env"):
        assert check_budgets.machine_paths("docs/a.md", text) == []


def test_locks_have_pins_markers_and_hashes_only() -> None:
    good = f"a-b==1.2.3 \\\n{HASH} \\\n{HASH}\nc==1 ; sys_platform == 'win32' \\\n{HASH}\n"
    assert check_budgets.lock_breaches("requirements/x.txt", good) == []
    for line in (
        *("--index-url https://index.example/simple", "--find-links wheels"),
        *("a @ file:///wheels/a.whl", "a==1.0", "a>=1.0 \\"),
    ):
        assert len(check_budgets.lock_breaches("requirements/x.txt", line)) == 1, line


def test_planted_faults_are_all_found(project: Path) -> None:
    (project / "src" / "a.py").write_text(LONG_FUNCTION)
    (project / "README.md").write_text(f"cd {place('root', 'x')}\n")
    (project / "requirements").mkdir()
    (project / "requirements" / "test.txt").write_text("a==1\n")
    assert len(check(project)) == 3


def test_a_clean_project_has_no_breach(project: Path) -> None:
    """Exceptions are listed; what is generated, not measured or no text is left alone."""
    (project / "src" / "a.py").write_text(LONG_FUNCTION)
    (project / "pyproject.toml").write_text(pyproject('"src/a.py::f" = "a table"'))
    (project / "src" / "stubs_auto.py").write_text(LONG_FUNCTION)
    (project / "examples.py").write_text(LONG_FUNCTION)
    (project / "picture.bin").write_bytes(b"\xff\xfe\x00" * 10)
    assert check(project) == []


@pytest.mark.parametrize("with_git", [True, False])
def test_hidden_and_ignored_files_are_not_the_projects(project: Path, with_git: bool) -> None:
    if with_git:
        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
        (project / ".gitignore").write_text(".venv/\n")
    (project / ".venv").mkdir()
    (project / ".venv" / "x.txt").write_text(place("root", "x"))
    names = {path.name for path in check_budgets.project_files(project)} - {".gitignore"}
    assert names == {"pyproject.toml"}


def test_a_door_that_reaches_into_the_host_is_named(project: Path) -> None:
    for folder in ("web", "server"):
        (project / "src/tidings" / folder).mkdir(parents=True)
        text = "def f(host):\n    host.outcomes(host.out)\n"
        (project / "src/tidings" / folder / "a.py").write_text(text)
    assert check(project) == [
        "src/tidings/web/a.py:2: a door reaches into the host: host.outcomes(host.out)"
    ]


def test_a_short_module_with_one_importer_needs_a_reason() -> None:
    files = [
        ("src/a/__init__.py", ""),
        ("src/a/small.py", "X = 1\n"),
        ("src/a/shared.py", "X = 1\n"),
        ("src/a/long.py", "X = 1\n" * 9),
        ("src/a/user.py", "from a.small import X\nfrom a.long import X\nfrom a import shared\n"),
        ("src/a/other.py", "from a.shared import X\n"),
    ]
    [breach] = slivers(files, Budgets(9, sliver_lines=9))
    assert breach == "src/a/small.py: is short, and only one module imports it: merge them"
    reasons = {"src/a/small.py": "a reason", "src/a/long.py": "none is needed"}
    [breach] = slivers(files, Budgets(9, sliver_lines=9, slivers=reasons))
    assert breach == "src/a/long.py: is listed as a sliver but is not one"
