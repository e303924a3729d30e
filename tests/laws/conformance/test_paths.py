"""Paths against their case tables, `paths/*.cases`.

`value`, `event` or `boxed` (an event inside an any) is followed by typed JSON; below it stand
paths, and what each leads to: a kind with its JSON, `composite` or `missing`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path as FilePath

import pytest

from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event
from tidings.events.codecs.json_text import parse_json
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.fields import COMPOSITE, Char, EnumLabel, Plain, fields_of
from tidings.events.paths import (
    MISSING,
    Branch,
    DefaultActive,
    Discriminator,
    Element,
    Length,
    Name,
    Pair,
    Path,
    PathStep,
    Position,
    ReposId,
    TypeId,
)
from tidings.events.structured import StructuredEvent

FOLDER = FilePath(__file__).parent / "paths"
NOW = 7  # microseconds after 1970


@dataclass(frozen=True)
class Case:
    place: str
    subject: StructuredEvent | Value
    path: str
    expected: str


def all_cases() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.cases")):
        subject: StructuredEvent | Value = None
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("$"):
                path, expected = re.split(r" +", line.strip(), maxsplit=1)
                yield Case(f"{file.stem}:{number}:{path}", subject, path, expected)
            elif line and not line.startswith("#"):
                subject = read_subject(*line.split(" ", 1))


def read_subject(form: str, text: str) -> StructuredEvent | Value:
    if form == "value":
        return value_from_plain(parse_json(text))
    event = decode_event(text)
    assert form in ("event", "boxed")
    return event if form == "event" else event.as_any()


# The steps, each with its form; the last ones end a path.
STEPS: list[tuple[str, object]] = [
    (r"\._length", Length()),
    (r"\._d\?default", DefaultActive()),
    (r"\._d", Discriminator()),
    (r"\._type_id", TypeId()),
    (r"\._repos_id", ReposId()),
    (r"\.\(\)", Branch("default")),
    (r"\.\((-?\d+)\)", lambda text: Branch("int", int(text))),
    (r"\.\((TRUE|FALSE)\)", lambda text: Branch("bool", text == "TRUE")),
    (r"\.\('\\?(.)'\)", lambda text: Branch("str", text)),
    (r"\.\(\\?(\w+)\)", lambda text: Branch("enum", text)),
    (r"\.(\d+)", lambda text: Position(int(text))),
    (r"\.\\?(\w+)", Name),
    (r"\[(\d+)\]", lambda text: Element(int(text))),
    (r"\(\\?(\w+)\)", Pair),
]


def read_path(text: str) -> Path:
    root = re.match(r"\$\\?(\w*)", text)
    assert root is not None
    steps: list[PathStep] = []
    at = root.end()
    while at < len(text):
        for form, make in STEPS:
            match = re.compile(form).match(text, at)
            if match is not None:
                steps.append(make(match.group(1)) if callable(make) else make)  # type: ignore[arg-type]
                at = match.end()
                break
        else:
            raise AssertionError(f"no step at {text[at:]!r}")
    return Path(root.group(1) or None, steps)


def read_expected(text: str) -> Plain:
    if text in ("composite", "missing"):
        return COMPOSITE if text == "composite" else MISSING
    kind, _, rest = text.partition(" ")
    value = json.loads(rest)
    if kind == "sequence":
        return as_tuple(value)
    makers = {"char": Char, "enum": EnumLabel, "decimal": Decimal}
    if kind in makers:
        return makers[kind](value)  # type: ignore[no-any-return]
    types = {"number": (int, float), "string": (str,), "boolean": (bool,)}[kind]
    assert type(value) in types
    return value  # type: ignore[no-any-return]


def as_tuple(value: object) -> Plain:
    return tuple(map(as_tuple, value)) if isinstance(value, list) else value  # type: ignore[return-value]


CASES = list(all_cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.place)
def test_a_path_leads_where_the_table_says(case: Case) -> None:
    path = read_path(case.path)
    assert path == case.path
    found, expected = fields_of(case.subject, NOW)[path], read_expected(case.expected)
    assert found == expected
    assert type(found) is type(expected)


def test_every_step_leads_somewhere_and_nowhere() -> None:
    outcomes: dict[type[PathStep], set[bool]] = {}
    for case in CASES:
        for step in read_path(case.path).steps[-1:]:
            outcomes.setdefault(type(step), set()).add(case.expected == "missing")
    always_there = {TypeId, ReposId}  # every value has a type
    # By name: a class with slots is made twice, and the first of the two stays known.
    assert {s.__name__ for s in outcomes} == {s.__name__ for s in PathStep.__subclasses__()}
    assert {step for step, seen in outcomes.items() if seen != {True, False}} == always_there
