"""The shipment: an interpreter with nothing of ours can import the package from it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tidings.errors import PipelineFailed
from tidings.pipeline.shipping import (
    DIRECT,
    Shipment,
    build_shipment,
    check_interpreter,
    needed_distributions,
    shipping_settings,
)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Shipment:
    return build_shipment(tmp_path_factory.mktemp("shipment"))


def test_an_interpreter_without_packages_can_use_it(shipped: Shipment) -> None:
    # -S leaves out site-packages, so everything must come from the shipment.
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "import tidings, tidings.client.connecting, tidings.filters.constraint as c;"
        "print(tidings.__file__, c.constraint('$a > 1').text, hasattr(tidings, 'connect'))"
    )
    told = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code, str(shipped.folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == [
        str(shipped.folder / "tidings/__init__.py"),
        "$a",
        ">",
        "1",
        "True",
    ]


def test_the_archive_holds_the_same(shipped: Shipment) -> None:
    with ZipFile(shipped.archive) as archive:
        inside = {name for name in archive.namelist() if not name.endswith("/")}
    assert inside == {
        str(path.relative_to(shipped.folder))
        for path in shipped.folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_what_is_needed_is_followed() -> None:
    names = {found.name.lower().replace("_", "-") for found in needed_distributions(DIRECT)}
    assert {"msgspec", "httpx2", "websockets", "pydantic", "pydantic-core", "h11"} <= names
    assert not names & {"pyspark", "pyarrow", "pytest", "fastapi"}


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(PipelineFailed, match="no-such-thing, which executors need"):
        needed_distributions(["no-such-thing"])


def test_settings_go_beside_what_is_set() -> None:
    settings = shipping_settings(
        Shipment(Path("/a"), Path("/b.zip")),
        {"spark.archives": "mine.zip#mine", "spark.executorEnv.PYTHONPATH": "there"},
    )
    assert settings == {
        "spark.archives": "/b.zip#tidings_shipped,mine.zip#mine",
        "spark.executorEnv.PYTHONPATH": "tidings_shipped:there",
    }


def test_an_interpreter_must_fit(tmp_path: Path) -> None:
    check_interpreter(sys.executable)
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho cpython-27; echo amiga\n")
    other.chmod(0o755)
    with pytest.raises(PipelineFailed, match="is cpython-27 on amiga, and the package is sent as"):
        check_interpreter(str(other))
    with pytest.raises(PipelineFailed, match="cannot be started"):
        check_interpreter(str(tmp_path / "none"))
