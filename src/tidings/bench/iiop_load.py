"""The load of `tidings bench iiop`: a program in C++ on omniORB, built once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, NamedTuple, Self

from tidings.bench.figures import demand
from tidings.errors import InvalidUsage

_PACKAGES: Final = {
    "g++": "g++",
    "omniidl": "omniidl",
    "omniNames": "omniorb-nameserver",
    "omniEvents": "omnievents",
    "eventc": "omnievents",
}
"""By program, the Debian package it is in."""
_BESIDES: Final = ("libomniorb4-dev",)
# Debian keeps servers where only the administrator's search path leads.
_SBIN: Final = "/usr/sbin"
_LOCAL: Final = ("-ORBendPoint", "giop:tcp:127.0.0.1:")
_PATIENT: Final = ("-ORBclientCallTimeOutPeriod", "60000")


def program(name: str) -> str | None:
    """Where a program is; None if it is missing."""
    return shutil.which(name) or shutil.which(name, path=_SBIN)


def check_programs() -> None:
    """Lets pass if all is there that the bench needs beside Python.

    Raises:
        InvalidUsage: Something is missing; the message names it and the packages.
    """
    missing = [name for name in _PACKAGES if program(name) is None]
    if missing:
        raise InvalidUsage(
            f"the bench needs {', '.join(missing)}; on Debian: apt-get install {_packages()}"
        )


def _packages() -> str:
    return " ".join([*dict.fromkeys(_PACKAGES.values()), *_BESIDES])


def build() -> Path:
    """Compile the load, unless that was done before.

    Raises:
        InvalidUsage: It cannot be compiled; the message says why and names the packages.
    """
    with (
        as_file(files("tidings.bench") / "cpp") as sources,
        as_file(files("tidings.cos") / "idl") as idl,
    ):

        def make(folder: Path) -> None:
            _run(folder, "omniidl", "-bcxx", "-Wbinline", f"-I{idl}", str(sources / "load.idl"))
            _run(
                folder,
                *("g++", "-std=c++17", "-O2", "-w", "-I.", f"-I{sources}"),
                *(str(sources / "load.cc"), "loadSK.cc", "-o", "load"),
                *("-lomniORB4", "-lomniDynamic4", "-lomnithread"),
            )

        return built_once("load", [Path(__file__), sources, idl], make) / "load"


def built_once(name: str, sources: Iterable[Path], make: Callable[[Path], None]) -> Path:
    """The folder with a program in C++, kept in the user's cache for all processes.

    Args:
        name: What the folder's name begins with.
        sources: Files and folders; if one of them or the compiler changes, the program is built
            again. The caller is one of them, because it has the commands.
        make: Builds the program in an empty folder.
    """
    digest = hashlib.sha256()
    for command in (("g++", "--version"), ("omniidl", "-V")):
        said = subprocess.run(command, capture_output=True, check=False)
        digest.update(said.stdout + said.stderr)
    for source in sources:
        within = sorted(source.rglob("*.*")) if source.is_dir() else [source]
        for file in within:
            if file.suffix != ".pyc":
                digest.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidings" / "built"
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / f"{name}-{digest.hexdigest()[:20]}"
    with (cache / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with TemporaryDirectory(dir=cache) as temporary:
                folder = Path(temporary) / name
                folder.mkdir()
                make(folder)
                folder.rename(place)
    return place


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
        raise InvalidUsage(
            f"the load client cannot be built: {first.strip()}; "
            f"on Debian it needs: apt-get install {_packages()}"
        )


class Came(NamedTuple):
    """What came to a group of consumers."""

    events: int
    wrong: int
    last: int
    """When the last one came, in nanoseconds."""


class Load:
    """One process of the load, which ends with the context.

    Args:
        built: The program.
        options: For omniORB, such as where to listen.
    """

    def __init__(self, built: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [str(built), *_PATIENT, *(options or _LOCAL)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, *words: object) -> list[str]:
        """Has a command carried out; what the answer says.

        Raises:
            AssertionError: It failed; the message says why.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(" ".join(map(str, words)) + "\n")
        stdin.flush()
        state, *answer = stdout.readline().split() or ["error", "the load client has ended"]
        demand(state == "ok", f"{words[0]}: {' '.join(answer)}")
        return answer

    def number(self, *words: object) -> int:
        """Has a command carried out that is answered with a number."""
        return int(self.ask(*words)[0])

    def came(self, group: int, seconds: float) -> Came:
        """What has come to a group when all has, or when the time is over."""
        return Came(*map(int, self.ask("await", group, seconds)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
