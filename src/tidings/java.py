"""Java on this machine, which Spark needs: the pipeline and the service look for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tidings.errors import JavaNotFound

LOWEST_JAVA: Final = 17
"""Oldest Java that Spark 4 supports."""
_INSTALL: Final = (
    f"Spark needs Java {LOWEST_JAVA} or newer: install openjdk-17-jre-headless (Debian, Ubuntu), "
    "java-17-openjdk-headless (Fedora) or another JRE, or let JAVA_HOME name one"
)
# Where systems and installers put Java, in order of preference.
_USUAL_FOLDERS: Final = (
    "/usr/lib/jvm/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",
)
_SECONDS: Final = 30.0


class Java(NamedTuple):
    """A Java installation."""

    home: Path  # value for ``JAVA_HOME``
    version: str  # such as ``17.0.15``

    @property
    def feature(self) -> int:
        """Major version: 17 for ``17.0.15``, and 8 for ``1.8.0``."""
        numbers = [int(digits) for digits in re.findall(r"\d+", self.version)]
        return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def find_java(
    environ: Mapping[str, str] | None = None, folders: tuple[str, ...] = _USUAL_FOLDERS
) -> Java:
    """Find Java by ``JAVA_HOME``, by ``PATH``, or in the usual folders."""
    given = os.environ if environ is None else environ
    too_old: list[Java] = []
    for home in dict.fromkeys(_candidates(given, folders)):
        version = java_version(home / "bin" / "java")
        if version is None:
            continue
        found = Java(home, version)
        if found.feature >= LOWEST_JAVA:
            return found
        too_old.append(found)
    if too_old:
        seen = ", ".join(f"{java.version} at {java.home}" for java in too_old)
        raise JavaNotFound(f"{_INSTALL} (there is {seen})")
    raise JavaNotFound(_INSTALL)


def _candidates(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    named = environ.get("JAVA_HOME")
    if named:
        yield Path(named)
    on_path = shutil.which("java", path=environ.get("PATH", os.defpath))
    if on_path:
        yield Path(on_path).resolve().parent.parent
    for pattern in folders:
        anchor = Path(pattern).anchor
        yield from sorted(Path(anchor).glob(pattern.removeprefix(anchor)))


def java_version(program: Path) -> str | None:
    """Return the version that a ``java`` program reports; None if it cannot be started."""
    try:
        told = subprocess.run(
            [program, "-version"], capture_output=True, check=True, text=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r'version "(\d[^"]*)"', told.stderr + told.stdout)
    return version[1] if version else None
