"""Finding Java: which one is taken, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import JavaNotFound
from tidings.pipeline.java import Java, find_java, java_version


def java(home: Path, version: str, words: str = "openjdk") -> Path:
    """A program that tells a version as Java does."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{words} version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return home


def environ(home: Path | None = None, path: Path | None = None) -> dict[str, str]:
    found = {"PATH": str(path) if path else "/nowhere"}
    return found if home is None else {**found, "JAVA_HOME": str(home)}


def test_java_home_comes_first(tmp_path: Path) -> None:
    named, other = java(tmp_path / "named", "21.0.1"), java(tmp_path / "other", "17.0.1")
    found = find_java(environ(named, other / "bin"), ())
    assert found == Java(named, "21.0.1")
    assert find_java(environ(None, other / "bin"), ()) == Java(other, "17.0.1")


def test_one_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old = java(tmp_path / "old", "1.8.0_402")
    new = java(tmp_path / "jvm" / "new", "25-ea")
    java(tmp_path / "jvm" / "broken", "no number")
    assert find_java(environ(old), (f"{tmp_path}/jvm/*",)) == Java(new, "25-ea")


def test_what_to_install_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(JavaNotFound, match="openjdk-17-jre-headless") as told:
        find_java(environ(tmp_path / "nothing"), ())
    assert "\n" not in str(told.value)
    old = java(tmp_path / "old", "11.0.2")
    with pytest.raises(JavaNotFound, match=r"there is 11\.0\.2 at "):
        find_java(environ(old), ())


@pytest.mark.parametrize(
    ("version", "feature"), [("17.0.15", 17), ("1.8.0_402", 8), ("25-ea", 25), ("21", 21)]
)
def test_the_number_people_call_it_by(version: str, feature: int) -> None:
    assert Java(Path(), version).feature == feature


def test_a_program_that_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert java_version(tmp_path / "java") is None
    (tmp_path / "java").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "java").chmod(0o755)
    assert java_version(tmp_path / "java") is None
