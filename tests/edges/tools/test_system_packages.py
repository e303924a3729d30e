"""The scripts that look for Python, on a made-up system whose only programs are ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[3] / "tools"

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
SAID = "sudo apt-get install --yes "


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


def test_a_python_that_is_new_enough_and_complete_is_found(system: System) -> None:
    system.add_python("python3", OLD)
    assert system.run("find_python.sh").returncode == 2
    system.add_python("python3.11", NO_VENV)
    assert system.run("find_python.sh").returncode == 1
    good = system.add_python("python3.12", GOOD)
    found = system.run("find_python.sh")
    assert (found.returncode, found.stdout.strip()) == (0, str(good))
    mine = system.add_python("mine", GOOD)
    assert system.run("find_python.sh", PYTHON=str(mine)).stdout.strip() == str(mine)


@pytest.mark.parametrize("asked", ["", "tests"])
def test_it_is_silent_where_all_is_there(system: System, asked: str) -> None:
    system.add_python("python3", GOOD)
    if not asked:  # what only the tests need is not asked for otherwise
        for name in FOR_TESTS:
            (system.programs / name).unlink()
    done = system.run("system_packages.sh", *asked.split())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("lacks", "instead", "packages"),
    [
        *(
            ("chromium", browser, "")
            for browser in ("chromium", "chromium-browser", "google-chrome")
        ),
        *(("chromium", "", " chromium"), ("java", "", " openjdk-17-jre-headless")),
        ("gcc", "", " gcc libc6-dev"),
        ("gcc", "gcc without headers", " gcc libc6-dev"),
    ],
)
def test_root_installs_what_the_tests_need(
    system: System, lacks: str, instead: str, packages: str
) -> None:
    system.add_python("python3", GOOD)
    system.add_apt(as_root=True)
    (system.programs / lacks).unlink()
    if instead:
        name, _, without = instead.partition(" ")
        system.add(name, "exit 1" if without else "exit 0")
    done = system.run("system_packages.sh", "tests")
    assert done.returncode == 0, done.stderr
    if packages:
        assert done.stdout.splitlines()[-1].endswith(packages)
    else:
        assert not done.stdout.endswith(" chromium\n")


@pytest.mark.parametrize(
    ("kind", "packages"), [(NO_VENV, "python3-venv"), (OLD, "python3 python3-venv")]
)
def test_a_plain_user_is_told_the_command(system: System, kind: str, packages: str) -> None:
    system.add_python("python3", kind)
    system.add_apt(as_root=False)
    done = system.run("system_packages.sh")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"    sudo apt-get update && {SAID}{packages}\n")
    (system.programs / "gcc").unlink()  # all together
    done = system.run("system_packages.sh", "tests")
    assert done.returncode == 1
    assert done.stderr.endswith(f"install --yes {packages} gcc libc6-dev\n")


def test_root_updates_then_installs(system: System) -> None:
    system.add_python("python3", NO_VENV)
    good = system.add_python("waiting", GOOD)
    system.add_apt(as_root=True, then=f"cp {good} {system.programs / 'python3'}")
    done = system.run("system_packages.sh")
    assert done.returncode == 0, done.stderr
    update, install = (line for line in done.stdout.splitlines() if "apt-get" in line)
    assert "update" in update
    assert install.endswith(" python3-venv")


@pytest.mark.parametrize("has_apt", [True, False])
def test_without_a_compiler_a_plain_user_goes_on(system: System, has_apt: bool) -> None:
    system.add_python("python3", GOOD)
    system.add_apt(as_root=False)
    if not has_apt:
        (system.programs / "apt-get").unlink()
    for name in FOR_TESTS:
        (system.programs / name).unlink()
    done = system.run("system_packages.sh", "tests")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith(
        f"{SAID}gcc libc6-dev chromium curl openjdk-17-jre-headless"
        " g++ libomniorb4-dev omniidl omniorb-idl omniorb-nameserver omnievents\n"
    )


def test_what_is_needed_is_said_where_it_cannot_be_had(system: System) -> None:
    done = system.run("system_packages.sh")
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
    system.add_python("python3", OLD)
    system.add_apt(as_root=True)
    done = system.run("system_packages.sh")
    assert done.returncode == 1
    assert "Still no Python of 3.11 or newer" in done.stderr


@pytest.mark.parametrize("script", ["find_python.sh", "system_packages.sh"])
def test_scripts_may_be_executed(script: str) -> None:
    assert os.access(TOOLS / script, os.X_OK)
