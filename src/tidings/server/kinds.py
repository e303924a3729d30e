"""Kinds of values in the settings: times and sizes with units, and what is right in words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo

_T = TypeVar("_T")

_NUMBER: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-zµ]*)\s*")

# The first name of a unit is the one we write.
_TIMES: Final = {"d": 86_400.0, "h": 3_600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_TIME_NAMES: Final = {**_TIMES, "": 1.0, "m": 60.0, "µs": 1e-6}
_MICROSECONDS: Final = {name: round(worth * 1e6) for name, worth in _TIMES.items()}
_SIZES: Final = {
    "TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10,
    "TB": 10**12, "GB": 10**9, "MB": 10**6, "kB": 10**3,
}  # fmt: skip
_SIZE_NAMES: Final = {**_SIZES, "B": 1, "": 1}
# The journal counts microseconds in 63 bits.
_LONGEST: Final = 100 * 365 * 86_400.0

NONE: Final = "none"
"""The word for a setting without a value: TOML has no other."""


@dataclass(frozen=True, slots=True)
class Right:
    """What a right value of a setting is, in a message and, `brief`, in a table; and its unit."""

    words: str
    brief: str = ""
    unit: Literal["", "time", "size"] = ""


LIVE_MARK: Final = "live"
Live: TypeAlias = Annotated[_T, LIVE_MARK]
"""A setting that a reload applies; the others need a restart."""


class Section(BaseModel):
    """A section of the settings: nothing unknown, nothing of another type, nothing changed.

    The docstring of a section describes each of its settings, as an attribute.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _measured(value: object, units: dict[str, float] | dict[str, int]) -> object:
    """A number with a unit as a number; anything else as it is, for the model to refuse."""
    if not isinstance(value, str):
        return value
    match = _NUMBER.fullmatch(value)
    if match is None or match[2] not in units:
        return value
    number = float(match[1]) if "." in match[1] else int(match[1])
    return number * units[match[2]]


def _seconds(value: object) -> object:
    found = _measured(value, _TIME_NAMES)
    return found if isinstance(found, bool) or not isinstance(found, int) else float(found)


def _octets(value: object) -> object:
    found = _measured(value, _SIZE_NAMES)
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _none(value: object) -> object:
    return None if value == NONE else value


_TIME_RIGHT: Final = "a time such as 500 ms, 30 s, 5 min, 12 h or 7 d; a number is seconds"
_SIZE_RIGHT: Final = "a size such as 512 KiB, 64 MiB or 10 GB; a number is octets"

Duration = Annotated[
    float,
    Right(_TIME_RIGHT, "a time", "time"),
    BeforeValidator(_seconds),
    Field(ge=0, le=_LONGEST, allow_inf_nan=False),
]
"""Seconds."""
PositiveDuration = Annotated[Duration, Field(gt=0)]

Octets = Annotated[
    int,
    Right(_SIZE_RIGHT, "a size", "size"),
    BeforeValidator(_octets),
    Field(ge=1, lt=2**63),
]
"""A number of octets."""
Count = Annotated[int, Field(ge=1)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]
AnyPath = Annotated[Path, Field(strict=False)]

OptionalDuration = Annotated[
    Duration | None,
    Right(f"{_TIME_RIGHT}; or none", "a time or none", "time"),
    BeforeValidator(_none),
]
OptionalOctets = Annotated[
    Octets | None,
    Right(f"{_SIZE_RIGHT}; or none", "a size or none", "size"),
    BeforeValidator(_none),
]
OptionalCount = Annotated[
    Count | None, Right("a whole number from 1 on; or none"), BeforeValidator(_none)
]
"""A number, or none for one that is derived from others."""
OptionalText = Annotated[str | None, Right("a text"), BeforeValidator(_none)]
OptionalPath = Annotated[AnyPath | None, Right("a path"), BeforeValidator(_none)]
OptionalSecret = Annotated[SecretStr | None, BeforeValidator(_none)]


def _kinds(annotation: object) -> tuple[object, ...]:
    """What an annotation allows, without None and without its metadata."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (UnionType, Union):
        return tuple(k for one in get_args(annotation) for k in _kinds(one) if k is not NoneType)
    return (annotation,)


def from_text(field: FieldInfo, text: str) -> object:
    """The value that the text of an environment variable stands for.

    What cannot be read stays a text, for the model to refuse.
    """
    kind = _kinds(field.annotation)[0]
    if kind is bool:
        return {"true": True, "false": False}.get(text.strip().lower(), text)
    if kind is int and re.fullmatch(r"\s*[-+]?\d{1,30}\s*", text):
        return int(text)
    if get_origin(kind) is tuple and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    if get_origin(kind) in (tuple, dict):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def is_secret(field: FieldInfo) -> bool:
    """Whether the values of a setting must not be shown."""
    return SecretStr in _kinds(field.annotation)


def _right(field: FieldInfo) -> Right | None:
    return next((one for one in field.metadata if isinstance(one, Right)), None)


def right(field: FieldInfo, brief: bool = False) -> str:
    """What a right value of a setting is, in words."""
    told = _right(field)
    if told is not None:
        return told.brief if brief and told.brief else told.words
    kind = _kinds(field.annotation)[0]
    if kind is bool:
        return "true or false"
    if kind is int:
        return _range(field)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        return "a list of texts"
    if kind is Path:
        return "a path"
    return "a text"


def _range(field: FieldInfo) -> str:
    bounds: dict[str, Any] = {}
    for one in field.metadata:
        bounds |= {name: getattr(one, name) for name in ("ge", "le") if hasattr(one, name)}
    if "le" in bounds:
        return f"a whole number from {bounds['ge']} to {bounds['le']}"
    return f"a whole number from {bounds['ge']} on" if bounds else "a whole number"


def shown(field: FieldInfo, value: object) -> str:
    """A value as one could write it into the settings; a secret stays one."""
    if value is None:
        return NONE
    if isinstance(value, SecretStr):
        return "***"
    if isinstance(value, bool):
        return str(value).lower()
    about = _right(field)
    if about is not None and about.unit and isinstance(value, int | float):
        return _with_unit(round(value), _SIZES) if about.unit == "size" else _time_shown(value)
    if isinstance(value, tuple | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _time_shown(seconds: float) -> str:
    microseconds = round(seconds * 1e6)
    return _with_unit(microseconds, _MICROSECONDS) if microseconds else "0 s"


def _with_unit(value: int, units: dict[str, int]) -> str:
    """The value in the largest unit that needs no fraction."""
    for name, worth in units.items():
        if value % worth == 0:
            return f"{value // worth} {name}"
    return str(value)
