"""`tidings filter check`: check constraints, optionally against sample events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidings.cli import render
from tidings.cli.matching import BadLines
from tidings.cli.reading import Decoder, Written, lines_in, opened
from tidings.errors import InvalidConstraint, TidingsError, caret_report, line_and_column
from tidings.events.fields import fields_of
from tidings.events.schema import Catalogue, FieldSeen
from tidings.events.structured import StructuredEvent
from tidings.filters.check import Caution, Checked, check
from tidings.filters.printing import print_tree
from tidings.filters.to_python import Predicate, to_python

# Kinds that have another name in the catalogue than in the checker.
_CHECKED_KIND = {"character": "char", "null": "composite", "any": "composite"}


class Samples:
    """Statistics of sample events: properties with their kinds, and match counts."""

    def __init__(self, asked: dict[str, Predicate]) -> None:
        self.events = 0
        self.matches = dict.fromkeys(asked, 0)
        self.errors = dict.fromkeys(asked, 0)
        self._asked = asked
        self._catalogue = Catalogue()

    def read(self, source: str, decode: Decoder, bad: BadLines) -> None:
        """Read a file of events."""
        with opened(source) as stream:
            for line in lines_in(stream, source):
                if line.blank:
                    continue
                try:
                    event = line.event(decode)
                except TidingsError as error:
                    bad.add(line, error)
                    continue
                self._learn(event)

    def _learn(self, event: StructuredEvent) -> None:
        self.events += 1
        self._catalogue.observe(event)
        fields = fields_of(event)
        for text, predicate in self._asked.items():
            answer = predicate(fields)
            self.matches[text] += answer is True
            self.errors[text] += answer is None

    def counts(self, text: str) -> dict[str, int]:
        """Return how often a constraint matched, and how often it failed with an error."""
        return {
            "events": self.events,
            "matches": self.matches[text],
            "errors": self.errors[text],
        }

    def summary(self, text: str) -> str:
        """Return the same as text."""
        errors = f", errors on {self.errors[text]}" if self.errors[text] else ""
        return f"matches {self.matches[text]} of {self.events} events{errors}"

    def known(self) -> dict[str, set[str]] | None:
        """Return each property with its kinds; None if there are too many to track."""
        if not self.events or self._catalogue.other_events:
            return None
        known: dict[str, set[str]] = {}
        for noted in self._catalogue:
            if noted.other_fields:
                return None
            for fields in (noted.header, noted.data):
                for name, seen in fields.items():
                    known.setdefault(name, set()).update(_kinds(seen))
        return known


def _kinds(seen: FieldSeen) -> set[str]:
    """Return a field's kinds in the checker's terms; empty if not all are known."""
    if seen.other_types:
        return set()
    kinds = {type_.kind.partition(" ")[0] for type_ in seen.types.values()}
    return {_CHECKED_KIND.get(kind, kind) for kind in kinds}


@dataclass(slots=True)
class Checking:
    """One run over some constraints; with `strict`, warnings fail it."""

    as_json: bool = False
    strict: bool = False
    errors: int = 0
    cautions: int = 0
    bad: BadLines = field(init=False)

    def __post_init__(self) -> None:
        self.bad = BadLines(self.as_json)

    def run(
        self, constraints: Sequence[Written], against: str | None, decode: Decoder | None
    ) -> None:
        """Check every constraint; with sample events, also names and kinds of properties."""
        samples = None
        if against is not None and decode is not None:
            samples = Samples(_predicates(constraints))
            samples.read(against, decode, self.bad)
        known = samples.known() if samples else None
        for written in constraints:
            try:
                checked = check(written.text, known)
            except InvalidConstraint as error:
                self.errors += 1
                self._refused(written, error)
            else:
                self.cautions += len(checked.cautions)
                self._accepted(written, checked, samples)

    def _refused(self, written: Written, error: InvalidConstraint) -> None:
        if self.as_json:
            render.as_json(_place(written) | {"ok": False} | render.fault_data(error))
            return
        place = written.place(error.line, error.column)
        render.error(
            caret_report(f"{place}: {error.problem}", error.text, error.position, error.hint)
        )

    def _accepted(self, written: Written, checked: Checked, samples: Samples | None) -> None:
        if self.as_json:
            data = _place(written) | {"ok": True, "printed": print_tree(checked.tree)}
            data["warnings"] = [_caution_data(written, caution) for caution in checked.cautions]
            if samples is not None:
                data |= samples.counts(written.text)
            render.as_json(data)
            return
        place = f"{written.file}:{written.line}: " if written.file else ""
        found = f"   [{samples.summary(written.text)}]" if samples else ""
        render.say(f"ok: {place}{_one_line(written.text)}{found}")
        for caution in checked.cautions:
            where = written.place(*line_and_column(written.text, caution.position))
            render.warning(
                caret_report(
                    f"{where}: {caution.problem}", written.text, caution.position, caution.hint
                )
            )

    @property
    def exit_code(self) -> int:
        """Return 2 if a constraint or event is invalid, 1 for warnings if strict, else 0."""
        if self.errors or self.bad.count:
            return 2
        return 1 if self.strict and self.cautions else 0


def _predicates(constraints: Sequence[Written]) -> dict[str, Predicate]:
    """Return what to match the sample events against, without invalid constraints."""
    found = {}
    for written in constraints:
        try:
            found[written.text] = to_python(check(written.text).tree)
        except InvalidConstraint:
            continue
    return found


def _place(written: Written) -> dict[str, object]:
    place: dict[str, object] = {"constraint": written.text}
    if written.file:
        place |= {"file": written.file, "at_line": written.line}
    return place


def _caution_data(written: Written, caution: Caution) -> dict[str, object]:
    line, column = line_and_column(written.text, caution.position)
    data: dict[str, object] = {"message": caution.problem, "line": line, "column": column}
    return data | ({"hint": caution.hint} if caution.hint else {})


def _one_line(text: str, most: int = 72) -> str:
    shown = " ".join(text.split()) or "(empty, matches everything)"
    return shown if len(shown) <= most else shown[: most - 1] + "…"
