"""`tidings filter match`: match a stream of events against constraints, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from tidings.cli import render
from tidings.cli.reading import (
    Decoder,
    Line,
    Written,
    bytes_ahead,
    lines_in,
    opened,
    shown_name,
)
from tidings.errors import BadInput, InvalidConstraint, TidingsError, caret_report
from tidings.events.fields import Fields, fields_of
from tidings.filters.constraint import Constraint, EventTypePattern, constraint

# From this many constraints on, the index is faster than a loop.
_MANY_CONSTRAINTS = 32

# In a file of something else than events, every line is bad.
_BAD_LINES_SHOWN = 100


def compiled(written: Written, event_types: Iterable[EventTypePattern] = ()) -> Constraint:
    """Compile a constraint; an error in a file is BadInput with its position."""
    try:
        return constraint(written.text, event_types)
    except InvalidConstraint as error:
        if not written.file:
            raise
        place = written.place(error.line, error.column)
        report = caret_report(f"{place}: {error.problem}", error.text, error.position, error.hint)
        raise BadInput(report) from error


class BadLines:
    """A counter of invalid lines that shows the first of them."""

    def __init__(self, as_json: bool) -> None:
        self.count = 0
        self._as_json = as_json

    def add(self, line: Line, error: TidingsError) -> None:
        """Count an invalid line."""
        self.count += 1
        if self._as_json:
            place = {"file": shown_name(line.source), "line": line.number}
            render.as_json(render.fault_data(error) | place, stderr=True)
        elif self.count <= _BAD_LINES_SHOWN:
            render.error(line.fault(error))
        elif self.count == _BAD_LINES_SHOWN + 1:
            render.error("further lines that are no events are only counted")

    def summary(self) -> str:
        """Return the end of a summary sentence."""
        if not self.count:
            return ""
        return "; 1 line is no event" if self.count == 1 else f"; {self.count} lines are no events"


@dataclass(slots=True)
class Matching:
    """One run over some input; an event matches if one constraint does.

    `most` selected lines end the run; 0 is no limit.
    """

    constraints: Sequence[Constraint]
    decode: Decoder
    now: Callable[[], int]
    invert: bool = False
    count_only: bool = False
    most: int = 0
    as_json: bool = False
    events: int = 0
    taken: int = 0
    unread_files: int = 0
    bad: BadLines = field(init=False)
    _hits: Callable[[Fields], Sequence[int]] = field(init=False)
    _writer: render.Writer = field(init=False)

    def __post_init__(self) -> None:
        self.bad = BadLines(self.as_json)
        self._hits = (
            self._by_index() if len(self.constraints) > _MANY_CONSTRAINTS else self._by_loop
        )
        self._writer = render.Writer()

    def _by_loop(self, fields: Fields) -> Sequence[int]:
        found = []
        for number, one in enumerate(self.constraints):
            if one.matches(fields):
                found.append(number)
                if not self.as_json:  # only JSON output names the constraint
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
                    render.failure(str(error), render.fault_data(error) if self.as_json else None)

    def _read(self, source: str, advance: Callable[[int], None]) -> None:
        with opened(source) as stream:
            for line in lines_in(stream, source):
                advance(len(line.octets))
                if not line.blank:
                    self._judge(line)
                    if self._done():
                        return

    def _done(self) -> bool:
        return bool(self.most) and self.taken >= self.most

    def _judge(self, line: Line) -> None:
        try:
            fields = fields_of(line.event(self.decode), self.now())
        except TidingsError as error:
            self.bad.add(line, error)
            return
        self.events += 1
        hits = self._hits(fields)
        if bool(hits) is not self.invert:
            self.taken += 1
            if not self.count_only:
                self._write(line, hits)

    def _write(self, line: Line, hits: Sequence[int]) -> None:
        octets = line.octets
        if self.as_json:
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
        if self.as_json:
            data = {"events": self.events, "matches": self.taken, "bad_lines": self.bad.count}
            render.as_json(data, stderr=not self.count_only)
            return
        if self.count_only:
            render.say(str(self.taken))
        verb = "do not match" if self.invert else "match"
        render.note(f"{self.taken} of {self.events} events {verb}{self.bad.summary()}")

    @property
    def exit_code(self) -> int:
        """Return as grep: 0 if lines were selected, 1 if none, 2 if something was unreadable."""
        if self.bad.count or self.unread_files:
            return 2
        return 0 if self.taken else 1
