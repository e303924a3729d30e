"""`tidings filter …`: check constraints, match events, explain; list a service's filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import (
    Format,
    Types,
    clock,
    command,
    commands,
    group,
    option,
    tell_if_waiting,
)
from tidings.cli.reading import (
    STDIN,
    EventReader,
    Line,
    Written,
    bytes_ahead,
    constraints_in_file,
    lines_in,
    opened,
    shown_name,
)
from tidings.errors import (
    BadInput,
    InvalidConstraint,
    InvalidUsage,
    TidingsError,
    caret_report,
    line_and_column,
)
from tidings.events.fields import Fields, fields_of
from tidings.events.structured import StructuredEvent
from tidings.filters.check import Caution, Checked, known_properties
from tidings.filters.check import check as check_constraint
from tidings.filters.constraint import Constraint, EventTypePattern, constraint, event_type
from tidings.filters.explain import explain as explained_tree
from tidings.filters.printing import print_tree
from tidings.filters.reasons import not_tried, verdict
from tidings.terminal import render, why

if TYPE_CHECKING:
    from tidings.channel.views import FilterInfo, MappingInfo
    from tidings.client.client import Client
    from tidings.filters.to_python import Predicate

# Filters per request.
_PAGE: Final = 1_000
# From this many constraints on, the index is faster than a loop.
_MANY_CONSTRAINTS: Final = 32

Files = Annotated[list[str] | None, option("-f --file FILE", "A file of constraints. Repeatable.")]
Now = Annotated[
    str | None,
    option("--now TIME", "What $curtime reads, such as 2026-11-15T08:30:00Z. [default: the clock]"),
]

app = commands()
filters = group(
    app, "filter", "Check constraints, match events, explain the answer; list a service's filters."
)


@command(
    filters,
    "tidings filter check '$rate > 50 and 17 in $zones'",
    "tidings filter check --against events.jsonl '$rte > 50'",
    "tidings filter check --strict -f constraints.txt",
)
def check(
    constraints: list[str] | None = None,
    file: Files = None,
    against: str | None = None,
    format_: Format = "json",
    strict: bool = False,
) -> None:
    """Say whether constraints can be used, and what seems odd about them.

    Without CONSTRAINT and --file they are read from standard input, one per line; a line that
    begins with a blank continues the one before, and # begins a comment line.

    With --json each constraint gives an object with ok, and message, line and column of the
    error, or printed (the constraint with no more parentheses than it needs) and warnings.

    Exit code: 0 all can be used, 1 warnings with --strict, 2 errors.

    Options:
        constraints <CONSTRAINT>: Constraints; - reads standard input.
        against EVENTS: Sample events, to find misspelt names in constraints.
        strict: Exit 1 if there are warnings.
    """
    given = list(constraints or ())
    written = [Written(text) for text in given if text != STDIN]
    sources = [*(file or ()), *(text for text in given if text == STDIN)]
    if not given and not sources:
        sources = [STDIN]
    for source in sources:
        tell_if_waiting([source], "constraints")
        written += constraints_in_file(source)
    run = Checking(EventReader(format_), strict)
    run.run(written, against)
    raise typer.Exit(run.exit_code)


@command(
    filters,
    "tidings filter match '$rate > 50 and 17 in $zones' < events.jsonl",
    "tidings filter match --type 'Telecom::Comm*' '$Priority >= 4' mon.jsonl tue.jsonl",
    "tail -f events.jsonl | tidings filter match -e '$rate > 50' -e 'exist $alarm'",
    "tidings filter match --count -f constraints.txt events.jsonl",
)
def match(  # noqa: PLR0913, PLR0917 -- one argument for each option
    constraint: str | None = None,
    events: list[str] | None = None,
    expression: list[str] | None = None,
    file: Files = None,
    type: Types = None,
    invert: bool = False,
    count: bool = False,
    most: Annotated[int | None, typer.Option(min=1)] = None,
    format_: Format = "json",
    now: Now = None,
) -> None:
    """Write the events that match, octet for octet as they came, one per line.

    Several constraints: an event matches if one of them does. How many matched is told on
    standard error, and so are lines that are no events, with file and line.

    With --json each match is an object with file, line, matched (the constraints) and event,
    and standard error gets JSON lines too: an object for each bad line, and the counts.

    Exit code, as grep: 0 something matched, 1 nothing did, 2 something could not be read.

    Options:
        constraint <CONSTRAINT>: The constraint; with -e or -f, a file of events.
        events <EVENTS>: Files of events; - or none reads standard input.
        expression -e --expression CONSTRAINT: A constraint. Repeatable.
        invert: Take what does not match.
        count: Write only how many match.
        most --max N: End after N matches.
    """
    arguments = [*([] if constraint is None else [constraint]), *(events or ())]
    written, files = _constraints_and_files(arguments, expression or [], file or [])
    patterns = [event_type(text) for text in type or ()]
    asked = [compiled(one, patterns) for one in written]
    run = Matching(asked, EventReader(format_), clock(now), invert, count, most or 0)
    sources = files or [STDIN]
    tell_if_waiting(sources, "events")
    try:
        run.run(sources)
    except KeyboardInterrupt:  # the way to end an endless stream
        run.report()
        raise
    run.report()
    raise typer.Exit(run.exit_code)


@command(
    filters,
    "tidings filter explain '$rate > 60 or not exist $zones' event.json",
    "head -3 events.jsonl | tidings filter explain '$rate > 60'",
    "tidings filter explain '$rate > 60' \\",
    '  \'{"domain": "Traffic", "type": "Speed", "data": {"rate": 57.5}}\'',
)
def explain(
    constraint: str,
    events: list[str] | None = None,
    type: Types = None,
    format_: Format = "json",
    now: Now = None,
) -> None:
    """Show why an event did or did not match: the answer, then the constraint as a tree.

    Each test stands with the values of its fields. An error (a missing field, a value of the
    wrong kind, a division by zero) makes the whole constraint FALSE.

    With --json each event gives an object with file, line, matches, verdict and tree.

    Exit code: 0 all was explained, 2 something could not be read.

    Options:
        constraint <CONSTRAINT>: The constraint.
        events <EVENTS>: Events as JSON, or files of them; - or none reads standard input.
    """
    patterns = [event_type(text) for text in type or ()]
    asked = compiled(Written(constraint), patterns)
    reader, time = EventReader(format_), clock(now)
    sources = events or [STDIN]
    tell_if_waiting(sources, "events")
    for number, (line, event) in enumerate(_given_events(reader, sources)):
        if number and not render.is_json():
            render.say()
        _explain(asked, line, event, time())
    raise typer.Exit(2 if reader.bad else 0)


def _given_events(
    reader: EventReader, sources: Sequence[str]
) -> Iterator[tuple[Line, StructuredEvent]]:
    """Yield events given on the command line, and those of files."""
    for source in sources:
        if source.lstrip().startswith("{"):
            yield from reader.decode([Line("", 0, source.encode(errors="surrogateescape"))])
        else:
            yield from reader.events_in(source)


def _explain(asked: Constraint, line: Line, event: StructuredEvent, now: int) -> None:
    fields = fields_of(event, now)
    # A constraint for other event types is not evaluated, so it has no tree.
    tree = explained_tree(asked.tree, fields) if asked.is_tried(*fields.event_type) else None
    answer = not_tried(asked, fields) if tree is None else verdict(tree)
    matches = tree is not None and tree.matches
    if render.is_json():
        data = {"file": shown_name(line.source), "line": line.number} if line.source else {}
        whole = None if tree is None else why.as_data(tree)
        render.as_json(data | {"matches": matches, "verdict": answer, "tree": whole})
        return
    where = "  ".join(filter(None, (line.where if line.source else "", showing.title(event))))
    render.explanation(answer, matches, where, None if tree is None else why.tree_of(tree))


def _constraints_and_files(
    arguments: Sequence[str], expressions: Sequence[str], files: Sequence[str]
) -> tuple[list[Written], Sequence[str]]:
    """Split the arguments: as with grep, -e and -f make all arguments files."""
    if not expressions and not files:
        if not arguments:
            raise InvalidUsage("give a constraint, or -e, or -f; --help shows examples")
        return [Written(arguments[0])], arguments[1:]
    written = [Written(text) for text in expressions]
    for source in files:
        written += constraints_in_file(source)
    return written, arguments


@service_command(filters, "tidings filter list", "tidings filter list --unheld --json", name="list")
async def list_(client: Client, unheld: bool = False) -> None:
    """List the filters of a service: who made them, and how many admins and proxies hold them.

    A filter that nobody holds ends when nobody has used it for some time
    (rules.unused_filter_lifetime).

    Options:
        unheld: Only those that no admin or proxy holds.
    """
    found: list[FilterInfo | MappingInfo] = []
    while page := await client.filters(after=found[-1].id if found else 0, most=_PAGE):
        found += page
    shown = [info for info in found if not (unheld and info.holders)]
    data = [showing.as_data(info) for info in shown]
    rows = [
        (
            str(info.id),
            str(one["kind"]),
            str(info.holders),
            str(len(one["mapped"] if "mapped" in one else one["constraints"])),
            info.owner,
        )
        for info, one in zip(shown, data, strict=True)
    ]
    headings = ("id", "kind", "holders", "constraints", "owner")
    render.listing(headings, rows, (0, 2, 3), data, "there are no such filters")


def compiled(written: Written, event_types: Iterable[EventTypePattern] = ()) -> Constraint:
    """Compile a constraint; an error in a file is BadInput with its position."""
    try:
        return constraint(written.text, event_types)
    except InvalidConstraint as error:
        if not written.file:
            raise
        raise BadInput(_report(written, error)) from error


def _report(written: Written, error: InvalidConstraint) -> str:
    place = written.place(error.line, error.column)
    return caret_report(f"{place}: {error.problem}", error.text, error.position, error.hint)


@dataclass(slots=True)
class Matching:
    """One run over some input; an event matches if one constraint does.

    `most` selected lines end the run; 0 is no limit.
    """

    constraints: Sequence[Constraint]
    reader: EventReader
    now: Callable[[], int]
    invert: bool = False
    count_only: bool = False
    most: int = 0
    events: int = 0
    taken: int = 0
    unread_files: int = 0
    _hits: Callable[[Fields], Sequence[int]] = field(init=False)
    _writer: render.Writer = field(default_factory=render.Writer)

    def __post_init__(self) -> None:
        many = len(self.constraints) > _MANY_CONSTRAINTS
        self._hits = self._by_index() if many else self._by_loop

    def _by_loop(self, fields: Fields) -> Sequence[int]:
        found = []
        for number, one in enumerate(self.constraints):
            if one.matches(fields):
                found.append(number)
                if not render.is_json():  # only JSON output names the constraint
                    break
        return found

    def _by_index(self) -> Callable[[Fields], Sequence[int]]:
        from tidings.filters.index import MatchIndex

        index: MatchIndex[int] = MatchIndex()
        for number, one in enumerate(self.constraints):
            index.add(number, (one,))
        return lambda fields: sorted(index.match(fields))

    def run(self, sources: Sequence[str]) -> None:
        """Read all sources, in order."""
        with render.progress(bytes_ahead(sources)) as advance:
            for source in sources:
                if self._done():
                    return
                try:
                    self._read(source, advance)
                except TidingsError as error:
                    self.unread_files += 1
                    render.failure(error)

    def _read(self, source: str, advance: Callable[[int], None]) -> None:
        with opened(source) as stream:
            for line, event in self.reader.decode(
                _with_progress(lines_in(stream, source), advance)
            ):
                self.events += 1
                hits = self._hits(fields_of(event, self.now()))
                if bool(hits) is not self.invert:
                    self.taken += 1
                    if not self.count_only:
                        self._write(line, hits)
                if self._done():
                    return

    def _done(self) -> bool:
        return bool(self.most) and self.taken >= self.most

    def _write(self, line: Line, hits: Sequence[int]) -> None:
        octets = line.octets
        if render.is_json():
            octets = msgspec.json.encode(
                {
                    "file": shown_name(line.source),
                    "line": line.number,
                    "matched": [self.constraints[number].text for number in hits],
                    "event": msgspec.Raw(line.content.strip()),
                }
            )
        self._writer.line(octets)

    def report(self) -> None:
        """Report the counts."""
        if render.is_json():
            data = {"events": self.events, "matches": self.taken, "bad_lines": self.reader.bad}
            render.as_json(data, stderr=not self.count_only)
            return
        if self.count_only:
            render.say(str(self.taken))
        verb = "do not match" if self.invert else "match"
        render.note(f"{self.taken} of {self.events} events {verb}{self.reader.summary()}")

    @property
    def exit_code(self) -> int:
        """Return as grep: 0 if lines were selected, 1 if none, 2 if something was unreadable."""
        if self.reader.bad or self.unread_files:
            return 2
        return 0 if self.taken else 1


def _with_progress(lines: Iterable[Line], advance: Callable[[int], None]) -> Iterator[Line]:
    """Yield lines, and report how much was read."""
    for line in lines:
        advance(len(line.octets))
        yield line


class Samples:
    """Statistics of sample events: properties with their kinds, and match counts."""

    def __init__(self, asked: dict[str, Predicate]) -> None:
        from tidings.events.schema import Catalogue

        self.events = 0
        self.matches = dict.fromkeys(asked, 0)
        self.errors = dict.fromkeys(asked, 0)
        self._asked = asked
        self._catalogue = Catalogue()

    def read(self, source: str, reader: EventReader) -> None:
        """Read a file of events."""
        with opened(source) as stream:
            for _, event in reader.decode(lines_in(stream, source)):
                self.events += 1
                self._catalogue.observe(event)
                fields = fields_of(event)
                for text, predicate in self._asked.items():
                    answer = predicate(fields)
                    self.matches[text] += answer is True
                    self.errors[text] += answer is None

    def counts(self, text: str) -> dict[str, int]:
        """Return how often a constraint matched, and how often it failed with an error."""
        return {"events": self.events, "matches": self.matches[text], "errors": self.errors[text]}

    def summary(self, text: str) -> str:
        """Return the same as text."""
        errors = f", errors on {self.errors[text]}" if self.errors[text] else ""
        return f"matches {self.matches[text]} of {self.events} events{errors}"

    def known(self) -> dict[str, set[str]] | None:
        """Return each property with its kinds; None if there are too many to track."""
        return known_properties(self._catalogue) if self.events else None


@dataclass(slots=True)
class Checking:
    """One run over some constraints; with `strict`, warnings fail it."""

    reader: EventReader
    strict: bool
    errors: int = 0
    cautions: int = 0

    def run(self, constraints: Sequence[Written], against: str | None) -> None:
        """Check every constraint; with sample events, also names and kinds of properties."""
        samples = None
        if against is not None:
            samples = Samples(_predicates(constraints))
            samples.read(against, self.reader)
        known = samples.known() if samples else None
        for written in constraints:
            try:
                checked = check_constraint(written.text, known)
            except InvalidConstraint as error:
                self.errors += 1
                self._refused(written, error)
            else:
                self.cautions += len(checked.cautions)
                self._accepted(written, checked, samples)

    def _refused(self, written: Written, error: InvalidConstraint) -> None:
        if render.is_json():
            render.as_json(_place(written) | {"ok": False} | render.fault_data(error))
            return
        render.error(_report(written, error))

    def _accepted(self, written: Written, checked: Checked, samples: Samples | None) -> None:
        if render.is_json():
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
        if self.errors or self.reader.bad:
            return 2
        return 1 if self.strict and self.cautions else 0


def _predicates(constraints: Sequence[Written]) -> dict[str, Predicate]:
    """Return what to match the sample events against, without invalid constraints."""
    found = {}
    for written in constraints:
        try:
            found[written.text] = constraint(written.text).predicate
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
