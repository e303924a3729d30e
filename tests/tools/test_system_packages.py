"""The scripts that look for Python, on a made-up system whose only programs are ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent.parent / "tools"

OLD, NO_VENV, GOOD = "old", "no venv", "good"


@dataclass(frozen=True)
class System:
    """A folder that is the whole PATH."""

    programs: Path

    def add(self, name: str, script: str) -> Path:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def add_python(self, name: str, kind: str) -> Path:
        version, ensurepip = (1, 1) if kind == OLD else (0, 1 if kind == NO_VENV else 0)
        return self.add(
            name,
            f'case "$*" in *version_info*) exit {version} ;; *ensurepip*) exit {ensurepip} ;; esac',
        )

    def add_apt(self, *, as_root: bool, then: str = "true") -> None:
        self.add("id", f"echo {0 if as_root else 1000}")
        self.add("apt-get", f'echo "apt-get $*"; case "$1" in install) {then} ;; esac')

    def run(
        self, script: str, *arguments: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(TOOLS / script), *arguments],
            env={"PATH": str(self.programs), **environment},
            capture_output=True,
            text=True,
            check=False,
        )


FOR_TESTS = ("gcc", "chromium", "curl", "java", "g++", "omniidl", "omniNames", "eventc")


@pytest.fixture
def system(tmp_path: Path) -> System:
    for name in ("dirname", "cp"):
        real = shutil.which(name)
        assert real is not None
        (tmp_path / name).symlink_to(real)
    made_up = System(tmp_path)
    for name in FOR_TESTS:
        made_up.add(name, "exit 0")
    return made_up


class TestFindPython:
    def test_prints_a_python_that_is_new_enough_and_complete(self, system: System) -> None:
        system.add_python("python3", OLD)
        system.add_python("python3.11", NO_VENV)
        good = system.add_python("python3.12", GOOD)
        found = system.run("find_python.sh")
        assert (found.returncode, found.stdout.strip()) == (0, str(good))

    def test_takes_the_one_that_is_named(self, system: System) -> None:
        system.add_python("python3.11", GOOD)
        mine = system.add_python("mine", GOOD)
        assert system.run("find_python.sh", PYTHON=str(mine)).stdout.strip() == str(mine)

    @pytest.mark.parametrize(("kind", "code"), [(NO_VENV, 1), (OLD, 2)])
    def test_says_what_is_wrong_by_its_exit_code(
        self, system: System, kind: str, code: int
    ) -> None:
        system.add_python("python3", kind)
        assert system.run("find_python.sh").returncode == code


class TestSystemPackages:
    def test_is_silent_where_all_is_there(self, system: System) -> None:
        system.add_python("python3", GOOD)
        done = system.run("system_packages.sh", "tests")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_what_only_the_tests_need_is_not_asked_for_otherwise(self, system: System) -> None:
        system.add_python("python3", GOOD)
        for name in FOR_TESTS:
            (system.programs / name).unlink()
        done = system.run("system_packages.sh")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    @pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", ""])
    def test_root_installs_the_browser_of_the_tests(self, system: System, name: str) -> None:
        system.add_python("python3", GOOD)
        system.add_apt(as_root=True)
        (system.programs / "chromium").unlink()
        if name:
            system.add(name, "exit 0")
        done = system.run("system_packages.sh", "tests")
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith(" chromium\n") is not bool(name)

    @pytest.mark.parametrize(
        ("kind", "packages"), [(NO_VENV, "python3-venv"), (OLD, "python3 python3-venv")]
    )
    def test_a_plain_user_is_told_the_command(
        self, system: System, kind: str, packages: str
    ) -> None:
        system.add_python("python3", kind)
        system.add_apt(as_root=False)
        done = system.run("system_packages.sh")
        assert done.returncode == 1
        assert done.stderr.endswith(
            f"    sudo apt-get update && sudo apt-get install --yes {packages}\n"
        )
        assert done.stdout == ""

    def test_root_updates_then_installs(self, system: System) -> None:
        system.add_python("python3", NO_VENV)
        good = system.add_python("waiting", GOOD)
        system.add_apt(as_root=True, then=f"cp {good} {system.programs / 'python3'}")
        done = system.run("system_packages.sh")
        assert done.returncode == 0, done.stderr
        update, install = (line for line in done.stdout.splitlines() if "apt-get" in line)
        assert "update" in update
        assert install.endswith(" python3-venv")

    @pytest.mark.parametrize("compiler", ["none", "without headers"])
    def test_root_installs_the_compiler_of_the_tests(self, system: System, compiler: str) -> None:
        system.add_python("python3", GOOD)
        system.add_apt(as_root=True)
        if compiler == "none":
            (system.programs / "gcc").unlink()
        else:
            system.add("gcc", "exit 1")
        done = system.run("system_packages.sh", "tests")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].endswith(" gcc libc6-dev")

    def test_root_installs_the_java_of_the_tests(self, system: System) -> None:
        system.add_python("python3", GOOD)
        system.add_apt(as_root=True)
        (system.programs / "java").unlink()
        done = system.run("system_packages.sh", "tests")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].endswith(" openjdk-17-jre-headless")

    def test_python_and_compiler_are_installed_together(self, system: System) -> None:
        system.add_python("python3", NO_VENV)
        system.add_apt(as_root=False)
        (system.programs / "gcc").unlink()
        done = system.run("system_packages.sh", "tests")
        assert done.returncode == 1
        assert done.stderr.endswith("install --yes python3-venv gcc libc6-dev\n")

    @pytest.mark.parametrize("has_apt", [True, False])
    def test_without_a_compiler_a_plain_user_goes_on(self, system: System, has_apt: bool) -> None:
        system.add_python("python3", GOOD)
        system.add_apt(as_root=False)
        if not has_apt:
            (system.programs / "apt-get").unlink()
        for name in FOR_TESTS:
            (system.programs / name).unlink()
        done = system.run("system_packages.sh", "tests")
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.endswith(
            "sudo apt-get install --yes gcc libc6-dev chromium curl openjdk-17-jre-headless"
            " g++ libomniorb4-dev omniidl omniorb-idl omniorb-nameserver omnievents\n"
        )

    def test_a_python_that_stays_too_old_is_named(self, system: System) -> None:
        system.add_python("python3", OLD)
        system.add_apt(as_root=True)
        done = system.run("system_packages.sh")
        assert done.returncode == 1
        assert "Still no Python of 3.11 or newer" in done.stderr

    def test_without_apt_it_says_what_is_needed(self, system: System) -> None:
        done = system.run("system_packages.sh")
        assert done.returncode == 1
        assert "needs Python 3.11 or newer" in done.stderr


@pytest.mark.parametrize("script", ["find_python.sh", "system_packages.sh"])
def test_scripts_may_be_executed(script: str) -> None:
    assert os.access(TOOLS / script, os.X_OK)
