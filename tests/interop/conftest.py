"""Programs of another ORB, built once for all tests of a session."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "cpp"
LIBRARIES = ("-lomniORB4", "-lomniDynamic4", "-lomnithread")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `client` and `server`, on omniORB."""
    if not shutil.which("omniidl") or not shutil.which("g++"):
        pytest.skip("needs omniORB and g++: tools/system_packages.sh tests")
    folder = tmp_path_factory.mktemp("omniorb")
    _run(folder, "omniidl", "-bcxx", "-Wba", str(SOURCES / "interop.idl"))
    for stub in ("interopSK", "interopDynSK"):
        _run(folder, "g++", "-c", f"{stub}.cc")
    for program in ("client", "server"):
        _run(
            folder,
            *("g++", "-std=c++17", "-I.", f"-I{SOURCES}", str(SOURCES / f"{program}.cc")),
            *("interopSK.o", "interopDynSK.o", "-o", program, *LIBRARIES),
        )
    return folder


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
