"""Programs of another ORB, built once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tidings.bench.iiop_load import built_once
from tidings.cos.idl_files import FOLDER

SOURCES = Path(__file__).parent / "cpp"
# The last one is used by nobody's code: it adds TLS to the transports.
LIBRARIES = (
    *("-lomniORB4", "-lomniDynamic4", "-lomnithread"),
    *("-Wl,--no-as-needed", "-lomnisslTP4"),
)
# Where Debian has the IDL of the standard's services: not ours, but those of others.
STANDARD = Path("/usr/share/idl/omniORB")


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of `client` and `server`, on omniORB."""

    def make(folder: Path) -> None:
        _stubs(folder, "interop")
        for program in ("client", "server"):
            _linked(folder, program, "interop")

    return _built("interop", make)


@pytest.fixture(scope="session")
def notify() -> Path:
    """The program `notify`, a client of the services on omniORB."""
    if not (STANDARD / "COS" / "CosNotifyChannelAdmin.idl").exists():
        pytest.skip("needs the IDL of omniORB: tools/system_packages.sh tests")

    def make(folder: Path) -> None:
        # Of our own files only those that the standard has not.
        includes = (STANDARD / "COS", STANDARD, FOLDER)
        _stubs(folder, "notify", "-Wbinline", *(f"-I{each}" for each in includes))
        _linked(folder, "notify", "notify")

    return _built("notify", make) / "notify"


@pytest.fixture(scope="session")
def trading() -> Path:
    """The program `trading`, a client of the trader on omniORB."""
    if not (STANDARD / "COS" / "CosTrading.idl").exists():
        pytest.skip("needs the IDL of omniORB: tools/system_packages.sh tests")

    def make(folder: Path) -> None:
        (folder / "orb.idl").write_text("// TypeCode is known without it.")
        _stubs(folder, "trading", "-Wbinline", "-I.", f"-I{STANDARD / 'COS'}")
        _linked(folder, "trading", "trading")

    return _built("trading", make) / "trading"


@pytest.fixture(scope="session")
def notices() -> Path:
    """The program `notices`, a subscriber of change notices on omniORB."""

    def make(folder: Path) -> None:
        _stubs(folder, "notices", "-Wbinline", f"-I{FOLDER}")
        _linked(folder, "notices", "notices")

    return _built("notices", make) / "notices"


def _built(name: str, make: Callable[[Path], None]) -> Path:
    if not shutil.which("omniidl") or not shutil.which("g++"):
        pytest.skip("needs omniORB and g++: tools/system_packages.sh tests")
    return built_once(name, [Path(__file__), SOURCES, FOLDER], make)


def _stubs(folder: Path, idl: str, *options: str) -> None:
    _run(folder, "omniidl", "-bcxx", "-Wba", *options, str(SOURCES / f"{idl}.idl"))
    for stub in (f"{idl}SK", f"{idl}DynSK"):
        _run(folder, "g++", "-c", f"{stub}.cc")


def _linked(folder: Path, program: str, idl: str) -> None:
    _run(
        folder,
        *("g++", "-std=c++17", "-Wall", "-I.", f"-I{SOURCES}", str(SOURCES / f"{program}.cc")),
        *(f"{idl}SK.o", f"{idl}DynSK.o", "-o", program, *LIBRARIES),
    )


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
