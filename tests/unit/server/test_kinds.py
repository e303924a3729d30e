"""Times and sizes with units, and what is right in words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tidings.server.kinds import (
    Duration,
    Octets,
    OptionalDuration,
    OptionalOctets,
    OptionalPath,
    OptionalSecret,
    OptionalText,
    from_text,
    is_secret,
    right,
    shown,
)
from tidings.server.rules import Section


class Sample(Section):
    flag: bool = False
    count: Annotated[int, Field(ge=2, le=9)] = 3
    least: Annotated[int, Field(ge=2)] = 3
    any_number: int = 3
    word: Literal["one", "two"] = "one"
    text: str = ""
    path: OptionalPath = None
    names: Annotated[tuple[str, ...], Field(strict=False)] = ()
    table: dict[str, int] = Field(default={})
    time: Duration = 1.0
    size: Octets = 1
    spare_time: OptionalDuration = None
    spare_size: OptionalOctets = None
    spare_text: OptionalText = None
    secret: OptionalSecret = None


def field(name: str) -> FieldInfo:
    return Sample.model_fields[name]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30 s", 30), ("500ms", 0.5), ("5 min", 300), ("5m", 300), ("12 h", 43_200), ("7 d", 604_800),
     ("3", 3), ("1.5 h", 5_400), ("20 us", 2e-5), ("20 µs", 2e-5), (4, 4), (0.25, 0.25), (0, 0)],
)  # fmt: skip
def test_times(text: object, seconds: float) -> None:
    assert Sample(time=text).time == pytest.approx(seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", "s", "-3 s", "3 fortnights", "3 S", "nan", "inf", "1e400", "3 s 4", True, -1,
             float("inf"), float("nan"), [], None, "9999999 d"]
)  # fmt: skip
def test_what_is_no_time(text: object) -> None:
    with pytest.raises(ValidationError):
        Sample(time=text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "octets"),
    [("64 MiB", 2**26), ("1.5 GiB", 3 * 2**29), ("10 GB", 10**10), ("512KiB", 2**19), ("7", 7),
     ("7 B", 7), ("3 kB", 3_000), ("2 TiB", 2**41), (5, 5)],
)  # fmt: skip
def test_sizes(text: object, octets: int) -> None:
    assert Sample(size=text).size == octets  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["0", 0, -1, "1.5 B", "4 mib", True, 3.5, "MiB", None, 2**63])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(ValidationError):
        Sample(size=text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["path", "spare_time", "spare_size", "spare_text", "secret"]
)  # fmt: skip
def test_none_is_written_as_a_word(name: str) -> None:
    assert getattr(Sample.model_validate({name: "none"}), name) is None
    assert shown(field(name), None) == "none"


@given(st.integers(1, 2**62))
def test_a_size_that_is_shown_can_be_written_like_that(octets: int) -> None:
    assert TypeAdapter(Octets).validate_python(shown(field("size"), octets)) == octets


@given(st.integers(0, 10**14))
def test_a_time_that_is_shown_can_be_written_like_that(microseconds: int) -> None:
    seconds = microseconds / 1_000_000
    read = TypeAdapter(Duration).validate_python(shown(field("time"), seconds))
    assert round(read * 1_000_000) == microseconds


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("time", 60.0, "1 min"), ("time", 90.0, "90 s"), ("time", 604_800.0, "7 d"),
     ("time", 0.0, "0 s"), ("time", 0.25, "250 ms"), ("size", 2**30, "1 GiB"),
     ("size", 10**7, "10 MB"), ("size", 1, "1"), ("size", 10_088_385_526, "10088385526"),
     ("flag", True, "true"), ("count", 5, "5"),
     ("names", ("a", "b"), '["a", "b"]'), ("table", {"a": 1}, '{"a": 1}'),
     ("path", Path("a/b"), "a/b"), ("secret", SecretStr("swordfish"), "***")],
)  # fmt: skip
def test_shown(name: str, value: object, text: str) -> None:
    assert shown(field(name), value) == text


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("flag", "true", True), ("flag", "False", False), ("flag", "yes", "yes"), ("count", " 5", 5),
     ("count", "five", "five"), ("count", "9" * 50, "9" * 50), ("names", "a, b,", ["a", "b"]),
     ("names", '["a,b"]', ["a,b"]), ("names", "[a", "[a"), ("table", '{"a": 1}', {"a": 1}),
     ("table", "a=1", "a=1"), ("time", "3 s", "3 s"), ("word", "two", "two")],
)  # fmt: skip
def test_texts_of_the_environment(name: str, text: str, value: object) -> None:
    assert from_text(field(name), text) == value


@pytest.mark.parametrize(
    ("name", "words"),
    [("flag", "true or false"), ("count", "a whole number from 2 to 9"),
     ("least", "a whole number from 2 on"), ("any_number", "a whole number"),
     ("word", "one of one, two"), ("text", "a text"), ("path", "a path"),
     ("names", "a list of texts")],
)  # fmt: skip
def test_what_is_right(name: str, words: str) -> None:
    assert right(field(name)) == words


def test_what_is_right_in_brief() -> None:
    assert right(field("spare_time")).startswith("a time such as")
    assert right(field("spare_time"), brief=True) == "a time or none"
    assert right(field("size"), brief=True) == "a size"


def test_secrets() -> None:
    assert [name for name in Sample.model_fields if is_secret(field(name))] == ["secret"]
