"""Ship the package and its dependencies to executors, as one archive per process.

Executors on other machines need an interpreter with pyspark, pyarrow and pandas; Tidings and the
rest arrive with the session. Some dependencies are compiled, so those machines must have the same
platform and Python version as this one.
"""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

import tidings
from tidings.errors import PipelineFailed

DIRECT: Final = ("msgspec", "httpx2", "websockets", "pydantic")
"""Direct imports of the client, events, filters and archive; their dependencies are resolved."""

# Installed with pyspark, or too large to ship.
_THERE: Final = frozenset({"pyspark", "pyarrow", "pandas", "numpy", "py4j"})
_UNPACKED: Final = "tidings_shipped"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TELL: Final = (
    "import sys, sysconfig; "
    "print(sys.implementation.cache_tag, sysconfig.get_platform(), sep='\\n')"
)
_SECONDS: Final = 60.0


class Shipment(NamedTuple):
    """The files to ship."""

    folder: Path  # the package and its dependencies, for a Python path
    archive: Path  # the same as one file


@functools.cache
def shipment() -> Shipment:
    """Return the shipment of this process, which is removed when the process ends."""
    made = tempfile.mkdtemp(prefix="tidings-ship-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return build_shipment(Path(made))


def build_shipment(target: Path) -> Shipment:
    """Build a shipment in an empty folder."""
    folder = target / "package"
    try:
        shutil.copytree(
            Path(tidings.__file__).parent,
            folder / "tidings",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for distribution in needed_distributions(DIRECT):
            _copy(distribution, folder)
        archive = shutil.make_archive(str(target / _UNPACKED), "zip", folder)
    except OSError as error:
        raise PipelineFailed(
            f"the package cannot be put together for the executors in {target}: {error}"
        ) from error
    return Shipment(folder, Path(archive))


def needed_distributions(names: Iterable[str]) -> list[metadata.Distribution]:
    """Return installed distributions with all dependencies, without extras."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    named = set(waiting)
    while waiting:
        name = waiting.pop()
        if _normal(name) in found or _normal(name) in _THERE:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError as error:
            if name in named:
                raise PipelineFailed(
                    f"{name}, which executors need, is not installed here: pip install {name}"
                ) from error
            continue  # for another platform or Python version
        found[_normal(name)] = distribution
        for text in distribution.requires or ():
            required = _NAME.match(text)
            if required and "extra ==" not in text.partition(";")[2]:
                waiting.append(required[0])
    return list(found.values())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _copy(distribution: metadata.Distribution, folder: Path) -> None:
    copied = False
    for file in distribution.files or ():
        # Scripts are outside of site-packages; bytecode is for one interpreter.
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        source = Path(str(file.locate()))
        if source.is_file():
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            copied = copied or file.suffix in (".py", ".so", ".pyd")
    if not copied:
        raise PipelineFailed(
            f"{distribution.name} cannot be sent to executors: its files are not known, as after "
            "an editable install; install it from a wheel"
        )


def check_interpreter(python: str) -> None:
    """Check that another interpreter can load what is compiled for this one."""
    try:
        told = subprocess.run(
            [python, "-c", _TELL], capture_output=True, check=True, text=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise PipelineFailed(f"the interpreter {python} cannot be started: {error}") from error
    theirs = told.stdout.split()
    ours = [sys.implementation.cache_tag, sysconfig.get_platform()]
    if theirs != ours:
        raise PipelineFailed(
            f"{python} is {' on '.join(theirs)}, and the package is sent as {' on '.join(ours)}: "
            "use the same Python and platform for the executors as here"
        )


def shipping_settings(shipped: Shipment, settings: Mapping[str, str]) -> dict[str, str]:
    """Add a shipment to Spark settings; Spark unpacks it where the executor's Python starts."""
    archives = settings.get("spark.archives", "")
    path = settings.get("spark.executorEnv.PYTHONPATH", "")
    return {
        "spark.archives": ",".join(
            part for part in (f"{shipped.archive}#{_UNPACKED}", archives) if part
        ),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(part for part in (_UNPACKED, path) if part),
    }
