"""`tidings filter …`: check constraints, match events, list a service's filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli import render, showing, why
from tidings.cli.checking import Checking
from tidings.cli.connection import service_command
from tidings.cli.matching import BadLines, Matching, compiled
from tidings.cli.options import (
    Against,
    Count,
    Events,
    Expressions,
    Files,
    Format,
    Invert,
    Json,
    Most,
    Now,
    Strict,
    Types,
    clock,
    examples,
    tell_if_waiting,
)
from tidings.cli.reading import (
    STDIN,
    Decoder,
    Line,
    Written,
    constraints_in_file,
    decoder,
    events_in,
    opened,
    shown_name,
)
from tidings.errors import InvalidUsage, TidingsError
from tidings.events.fields import Fields, fields_of
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, event_type
from tidings.filters.explain import explain as explained_tree

if TYPE_CHECKING:
    from tidings.channel.views import FilterInfo, MappingInfo
    from tidings.client.client import Client

# Filters per request.
_PAGE: Final = 1_000

app = typer.Typer(
    help="Check constraints, match events, explain the answer; list a service's filters.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(
    epilog=examples(
        "tidings filter check '$rate > 50 and 17 in $zones'",
        "tidings filter check --against events.jsonl '$rte > 50'",
        "tidings filter check --strict -f constraints.txt",
    )
)
def check(
    constraints: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONSTRAINT", help="Constraints; - reads standard input."),
    ] = None,
    file: Files = None,
    against: Against = None,
    format_: Format = "json",
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Say whether constraints can be used, and what seems odd about them.

    Without CONSTRAINT and --file they are read from standard input, one per line; a line that
    begins with a blank continues the one before, and # begins a comment line.

    With --json each constraint gives an object with ok, and message, line and column of the
    error, or printed (the constraint with no more parentheses than it needs) and warnings.

    Exit code: 0 all can be used, 1 warnings with --strict, 2 errors.
    """
    given = list(constraints or ())
    written = [Written(text) for text in given if text != STDIN]
    sources = [*(file or ()), *(text for text in given if text == STDIN)]
    if not given and not sources:
        sources = [STDIN]
    for source in sources:
        tell_if_waiting([source], "constraints")
        written += constraints_in_file(source)
    run = Checking(as_json=json, strict=strict)
    run.run(written, against, decoder(format_) if against else None)
    raise typer.Exit(run.exit_code)


@app.command(
    epilog=examples(
        "tidings filter match '$rate > 50 and 17 in $zones' < events.jsonl",
        "tidings filter match --type 'Telecom::Comm*' '$Priority >= 4' mon.jsonl tue.jsonl",
        "tail -f events.jsonl | tidings filter match -e '$rate > 50' -e 'exist $alarm'",
        "tidings filter match --count -f constraints.txt events.jsonl",
    )
)
def match(  # noqa: PLR0913, PLR0917 -- one argument for each option
    constraint: Annotated[
        str | None,
        typer.Argument(
            metavar="CONSTRAINT", help="The constraint; with -e or -f, a file of events."
        ),
    ] = None,
    events: Events = None,
    expression: Expressions = None,
    file: Files = None,
    type: Types = None,
    invert: Invert = False,
    count: Count = False,
    most: Most = None,
    format_: Format = "json",
    now: Now = None,
    json: Json = False,
) -> None:
    """Write the events that match, octet for octet as they came, one per line.

    Several constraints: an event matches if one of them does. How many matched is told on
    standard error, and so are lines that are no events, with file and line.

    With --json each match is an object with file, line, matched (the constraints) and event,
    and standard error gets JSON lines too: an object for each bad line, and the counts.

    Exit code, as grep: 0 something matched, 1 nothing did, 2 something could not be read.
    """
    arguments = [*([] if constraint is None else [constraint]), *(events or ())]
    written, files = _constraints_and_files(arguments, expression or [], file or [])
    patterns = [event_type(text) for text in type or ()]
    asked = [compiled(one, patterns) for one in written]
    run = Matching(asked, decoder(format_), clock(now), invert, count, most or 0, json)
    sources = files or [STDIN]
    tell_if_waiting(sources, "events")
    try:
        run.run(sources)
    except KeyboardInterrupt:  # the way to end an endless stream
        run.report()
        raise
    run.report()
    raise typer.Exit(run.exit_code)


@app.command(
    epilog=examples(
        "tidings filter explain '$rate > 60 or not exist $zones' event.json",
        "head -3 events.jsonl | tidings filter explain '$rate > 60'",
        "tidings filter explain '$rate > 60' \\",
        '  \'{"domain": "Traffic", "type": "Speed", "data": {"rate": 57.5}}\'',
    )
)
def explain(
    constraint: Annotated[str, typer.Argument(metavar="CONSTRAINT", help="The constraint.")],
    events: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EVENTS",
            help="Events as JSON, or files of them; - or none reads standard input.",
        ),
    ] = None,
    type: Types = None,
    format_: Format = "json",
    now: Now = None,
    json: Json = False,
) -> None:
    """Show why an event did or did not match: the answer, then the constraint as a tree.

    Each test stands with the values of its fields. An error (a missing field, a value of the
    wrong kind, a division by zero) makes the whole constraint FALSE.

    With --json each event gives an object with file, line, matches, verdict and tree.

    Exit code: 0 all was explained, 2 something could not be read.
    """
    patterns = [event_type(text) for text in type or ()]
    asked = compiled(Written(constraint), patterns)
    bad = BadLines(json)
    sources = events or [STDIN]
    tell_if_waiting(sources, "events")
    explainer = _Explainer(asked, decoder(format_), clock(now), json, bad)
    for source in sources:
        explainer.read(source)
    raise typer.Exit(2 if bad.count else 0)


class _Explainer:
    """An explainer of one constraint for each event."""

    def __init__(
        self,
        asked: Constraint,
        decode: Decoder,
        now: Callable[[], int],
        as_json: bool,
        bad: BadLines,
    ) -> None:
        self.asked = asked
        self.decode = decode
        self.now = now
        self.as_json = as_json
        self.bad = bad
        self.shown = 0

    def read(self, source: str) -> None:
        """Explain an event given on the command line, or all events of a file."""
        if _is_event(source):
            self._explain(Line("", 0, source.encode(errors="surrogateescape")))
            return
        with opened(source) as stream:
            for line in events_in(stream, source):
                self._explain(line)

    def _explain(self, line: Line) -> None:
        try:
            event = line.event(self.decode)
            fields = fields_of(event, self.now())
        except TidingsError as error:
            self.bad.add(line, error)
            return
        # A constraint for other event types is not evaluated, so it has no tree.
        tried = self.asked.is_tried(*fields.event_type)
        tree = explained_tree(self.asked.tree, fields) if tried else None
        verdict = _not_tried(self.asked, fields) if tree is None else why.verdict(tree)
        matches = tree is not None and tree.matches
        if self.as_json:
            data = {"file": shown_name(line.source), "line": line.number} if line.source else {}
            whole = None if tree is None else why.as_data(tree)
            render.as_json(data | {"matches": matches, "verdict": verdict, "tree": whole})
            return
        if self.shown:
            render.say()
        self.shown += 1
        where = "  ".join(filter(None, (line.where if line.source else "", _named(event))))
        render.explanation(verdict, matches, where, None if tree is None else why.branch_of(tree))


def _is_event(text: str) -> bool:
    return text.lstrip().startswith("{")


def _named(event: StructuredEvent) -> str:
    return " ".join(filter(None, (f"{event.domain}::{event.type}", event.name)))


def _not_tried(asked: Constraint, fields: Fields) -> str:
    wanted = ", ".join(f"{pattern.domain}::{pattern.type}" for pattern in asked.event_types)
    return f"does not match: the event type {'::'.join(fields.event_type)} is not {wanted}"


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


@service_command(
    app, "list", epilog=examples("tidings filter list", "tidings filter list --unheld --json")
)
async def list_(
    client: Client,
    unheld: Annotated[
        bool, typer.Option("--unheld", help="Only those that no admin or proxy holds.")
    ] = False,
    json: Json = False,
) -> None:
    """List the filters of a service: who made them, and how many admins and proxies hold them.

    A filter that nobody holds ends when nobody has used it for some time
    (rules.unused_filter_lifetime).
    """
    found: list[FilterInfo | MappingInfo] = []
    while page := await client.filters(after=found[-1].id if found else 0, most=_PAGE):
        found += page
    shown = [info for info in found if not (unheld and info.holders)]
    if json:
        for info in shown:
            render.as_json(showing.as_data(info))
    elif shown:
        headings = ("id", "kind", "holders", "constraints", "owner")
        render.table(headings, [_row(info) for info in shown], numbers=(0, 2, 3))
    else:
        render.note("there are no such filters")


def _row(info: FilterInfo | MappingInfo) -> tuple[str, ...]:
    data = showing.as_data(info)
    parts = len(data["mapped"] if "mapped" in data else data["constraints"])
    return str(info.id), str(data["kind"]), str(info.holders), str(parts), info.owner
