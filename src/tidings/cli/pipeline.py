"""`tidings pipeline …`: jobs on Spark over the archive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from tidings.cli.connection import Service, channel_key, chosen_service, connected, shown_token
from tidings.cli.options import (
    JSON,
    Count,
    Types,
    add_command,
    commands,
    group,
    option,
    parameters_of,
)
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.clock import Span
    from tidings.pipeline.lake import LakeResult
    from tidings.pipeline.page import Figure, Page, Section
    from tidings.pipeline.replay import ReplayResult

REFUSED: Final = 2
_PATIENCE: Final = 30.0
# Rows of a table, and problems, that are shown.
_MOST_ROWS: Final = 40
_MOST_PROBLEMS: Final = 10

app = commands()
pipeline = group(app, "pipeline", "Ask all history, and move it: jobs on Spark over the archive.")

Since = Annotated[
    str | None,
    option(
        "--since TIME",
        "Events from then on: 2026-11-15T08:30:00Z (UTC if no zone is named), or 2h ago "
        "(s, m, h, d, w).",
    ),
]
Until = Annotated[str | None, option("--until TIME", "Events before then; as --since.")]
Channels = Annotated[
    list[str] | None, option("--channel CHANNEL", "Only this channel's events. Repeatable.")
]
Html = Annotated[Path | None, option("--html FILE", "Write one page with charts there, too.")]


@dataclass(frozen=True, slots=True)
class Job:
    """A pipeline command's archive, and how Spark runs."""

    archive: str
    master: str
    python: str | None
    memory: str
    conf: Sequence[str]
    verbose: bool

    @contextmanager
    def session(self, *, waits: bool = False) -> Iterator[tuple[Any, Callable[[str, float], None]]]:
        """Yield a Spark session and a progress callback; both end with the job.

        With `waits`, the archive need not exist yet.
        """
        from tidings.pipeline.session.job import check_options, require_spark, spark_job

        require_spark()  # before importing what needs its packages
        from tidings.pipeline.archive import Archive
        from tidings.pipeline.session import SparkOptions

        options = SparkOptions(self.master, self.python, self.memory, _settings(self.conf))
        check_options(options)
        archive = Archive(self.archive)
        if not waits:
            archive.manifest()  # fail before Spark starts, which takes a while
        with render.steps() as progress:
            progress("starting Spark", 0.0)
            with spark_job(options, verbose=self.verbose) as spark:
                yield spark, progress


def _settings(given: Sequence[str]) -> dict[str, str]:
    made: dict[str, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise InvalidUsage(f"--conf {text!r} should be NAME=VALUE, such as spark.cores.max=4")
        made[name.strip()] = value.strip()
    return made


def _job(
    archive: str | None = None,
    master: str = "local[*]",
    python: str | None = None,
    memory: str = "2g",
    conf: list[str] | None = None,
    verbose: bool = False,
) -> Job:
    """Return the job of a command, on the given archive or that of the settings.

    Options:
        archive DIR $TIDINGS_ARCHIVE: The archive. [default: archive.dir of the settings]
        master MASTER: Where Spark runs: this machine, or spark://host:7077.
        python FILE: The executors' interpreter. [default: this one]
        memory SIZE: Of the driver and of each executor: 512m, 4g.
        conf NAME=VALUE: A setting of Spark's own. Repeatable.
        verbose: Show Spark's own log.
    """
    if not archive:
        from tidings.server.layers import Sources

        found = Sources(None, None, {}).load().settings.archive.dir
        if found is None:
            raise InvalidUsage(
                "which archive? --archive DIR names it, or TIDINGS_ARCHIVE in the environment, or "
                "archive.dir in tidings.toml; `tidings serve --archive DIR` writes one"
            )
        archive = str(found)
    return Job(archive, master, python, memory, conf or (), verbose)


_Command: TypeAlias = Callable[..., None]
_OPTIONS: Final = [*JSON, *parameters_of(_job)]


def pipeline_command(*examples: str, name: str | None = None) -> Callable[[_Command], _Command]:
    """Turn a function whose first argument is a `Job` into a command.

    The command has the function's other arguments, the options for the archive and Spark, and
    --json.
    """

    def made(function: _Command) -> _Command:
        def call(given: dict[str, Any], json: bool, **options: Any) -> None:  # noqa: ANN401
            function(_job(**options), **given)

        return add_command(pipeline, examples, name, function, _OPTIONS, call)

    return made


def span_of(since: str | None, until: str | None) -> Span:
    """Parse a time range; raise InvalidUsage if it is invalid or empty."""
    from tidings.clock import SystemClock, span

    return span(since, until, SystemClock().now())


def check_html(path: Path | None) -> None:
    """Raise InvalidUsage before the work if a page could not be written."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InvalidUsage(f"--html {path}: it should be a file in a folder that is there")


def write_html(path: Path | None, page: Callable[[str], Page], seconds: float) -> None:
    """Write a page if a path is given; `page` receives a line about when it was made."""
    if path is None:
        return
    import tidings
    from tidings.clock import SystemClock, moment_text
    from tidings.pipeline.page import write_page

    now = moment_text(SystemClock().now() // 1_000_000 * 1_000_000)
    made = f"Made by Tidings {tidings.__version__} on {now}, in {seconds:.1f} s."
    write_page(path, page(made))
    render.note(f"the page is {path}")


def warn(problems: Sequence[str]) -> None:
    """Report what could not be read."""
    for problem in problems[:_MOST_PROBLEMS]:
        render.warning(problem)
    if len(problems) > _MOST_PROBLEMS:
        more = len(problems) - _MOST_PROBLEMS
        render.warning(f"{more:,} more problems: --json or --html has them all")


def show_result(
    found: object, figures: Sequence[Figure], sections: Sequence[Section], most: int = _MOST_ROWS
) -> None:
    """Show the key figures and tables of a result, or all of it as JSON."""
    if render.is_json():
        render.as_json(found)
        return
    rows = [(one.title, one.value, one.note) for one in figures]
    render.table(("what", "value", ""), rows, numbers=(1,))
    show_sections(sections, most)


def show_sections(sections: Sequence[Section], most: int = _MOST_ROWS) -> None:
    """Show tables with their titles, limited to the first `most` rows."""
    for section in sections:
        sheet = section.sheet
        if sheet is None:
            continue
        render.heading(section.title)
        render.table(sheet.headings, sheet.rows[:most], numbers=tuple(sheet.numbers))
        if len(sheet.rows) > most:
            render.say(f"… {len(sheet.rows) - most:,} more: --json or --html", "dim")


def _analyse(job: Job, kind: str, html: Path | None, *given: object, **options: object) -> Any:  # noqa: ANN401
    """Run the job of a kind with its options, write its page, and show what it found."""
    check_html(html)
    with job.session() as (spark, progress):
        package = import_module(f"tidings.pipeline.{kind}")
        view = import_module(f"tidings.pipeline.{kind}.view")
        asked = getattr(package, f"{kind.title()}Options")(job.archive, *given, **options)
        found = getattr(package, f"run_{kind}")(spark, asked, progress)
    warn(getattr(found, "problems", ()))
    write_html(html, partial(getattr(view, f"{kind}_page"), found), found.seconds)
    figures, sections = getattr(view, f"{kind}_figures"), getattr(view, f"{kind}_sections")
    show_result(found, figures(found), list(sections(found)))
    return found


@pipeline_command(
    "tidings pipeline report --archive /srv/archive",
    "tidings pipeline report --since 24h --channel auction --html report.html",
    "tidings pipeline report --since 2026-11-01 --until 2026-12-01 --json",
)
def report(
    job: Job,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    top: Count = 20,
    html: Html = None,
) -> None:
    """Report volumes, rates, latencies, suppliers and consumers.

    Per hour, channel and type; with fan-out, outcomes, dead letters, and which part of its
    channel's events each consumer's filters let pass.

    Exit code: 0 done, 2 it could not be done.

    Options:
        top N: Rows of long lists.
    """
    span = span_of(since, until)
    _analyse(job, "report", html, channels=tuple(channel or ()), **span._asdict(), top=top)


@pipeline_command(
    "tidings pipeline backtest '$price < 10' --since 7d",
    "tidings pipeline backtest '$rate > 120' --type Traffic::Speed --samples 3",
    "tidings pipeline backtest '$price < 10' --live --html backtest.html",
    "tidings pipeline backtest '$price < 10' --live --url http://127.0.0.1:8080",
)
def backtest(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    constraint: str,
    type: Types = None,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    samples: Annotated[int, typer.Option(min=0)] = 10,
    live: bool = False,
    url: str | None = None,
    token_file: str | None = None,
    html: Html = None,
) -> None:
    """Tell what a filter would have matched, before it goes live.

    By hour and type, with samples.

    Exit code: 0 done, whatever matched; 2 it could not be done.

    Options:
        constraint <CONSTRAINT>: What a filter would say.
        samples N: Events to show, the newest.
        live: Ask all present subscriptions, too, side by side.
        url URL: With --live: the service whose subscriptions are meant. [default: those that the
            archive has last]
        token_file FILE: A file with the token to show. [default: TIDINGS_TOKEN in the environment]
    """
    from tidings.filters.constraint import constraint as read

    read(constraint, type or ())  # fail early if it is invalid
    span = span_of(since, until)
    token = shown_token(token_file) if url else None
    _analyse(
        job, "backtest", html, constraint, tuple(type or ()), samples, live, url, token,
        channels=tuple(channel or ()), **span._asdict(),
    )  # fmt: skip


@pipeline_command(
    "tidings pipeline audit --archive /srv/archive",
    "tidings pipeline audit --channel auction --since 24h --html audit.html",
    "tidings pipeline audit --json",
)
def audit(
    job: Job,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    sample: Count = 20,
    html: Html = None,
) -> None:
    """Prove that every event was accounted for.

    The rules in force are asked of every event again, and compared with what became of it: each
    copy was delivered, expired, discarded, dead-lettered, refused, or waits.

    Exit code: 0 all is explained, 1 something is not, 2 it could not be done.

    Options:
        sample N: Events to name in a finding.
    """
    span = span_of(since, until)
    found = _analyse(
        job, "audit", html, channels=tuple(channel or ()), **span._asdict(), sample=sample
    )
    if found.status:
        raise typer.Exit(found.status)


@pipeline_command(
    "tidings pipeline lake /srv/lake --archive /srv/archive",
    "tidings pipeline lake /srv/lake --follow",
    "tidings pipeline lake /srv/lake --checks checks.py --compact-every 20 --json",
)
def lake(
    job: Job,
    folder: str,
    follow: bool = False,
    every: Annotated[float, typer.Option(min=0.1)] = 2.0,
    checks: Path | None = None,
    compact_every: Annotated[int, typer.Option(min=0)] = 0,
    retry_damaged: bool = False,
) -> None:
    """Bring a lake of tables up to its archive.

    Partitioned Parquet tables, one for each event type, that anybody can read. Every event is in
    it once, however often this is run or killed.

    Exit code: 0 done, 2 it could not be done.

    Options:
        folder <LAKE>: The folder of the tables.
        follow: Go on with what is sealed, until Ctrl-C.
        every SECONDS: With --follow: between two looks.
        checks FILE: A Python file with a list EXPECTATIONS; events that fail go to quarantine.
        compact_every N: Join small files after N batches; 0 never.
        retry_damaged: Try segments again that were damaged before.
    """
    if checks is not None and not checks.is_file():
        raise InvalidUsage(f"--checks {checks}: there is no such file")
    with job.session(waits=follow) as (spark, progress):
        from tidings.pipeline.expectations import load_expectations
        from tidings.pipeline.lake import LakeOptions, run_lake

        options = LakeOptions(
            job.archive, folder, once=not follow, every=every, compact_every=compact_every,
            expectations=load_expectations(checks) if checks else (), retry_damaged=retry_damaged,
        )  # fmt: skip
        found = run_lake(spark, options, progress)
    if render.is_json():
        render.as_json(found)
    else:
        _show_lake(found)


def _show_lake(found: LakeResult) -> None:
    for path, problem in found.damaged.items():
        render.warning(f"{path} is left out: {problem}")
    for gap in found.gaps:
        render.warning(gap)
    for conflict in found.conflicts:
        render.warning(
            f"{conflict.domain}::{conflict.type}: {conflict.rows:,} events have {conflict.name} "
            f"as {conflict.kind}; they are whole in the table events"
        )
    render.say(
        f"{found.events:,} events and {found.outcomes:,} outcomes in {found.batches:,} batches, "
        f"up to seal {found.upto_seal:,}, in {found.seconds:.1f} s"
    )
    if found.quarantined:
        render.say(f"{found.quarantined:,} events are in quarantine")
    for heading, counts in (("table", found.rows_by_table), ("check", found.failed_checks)):
        if counts:
            render.say()
            numbers = "rows" if heading == "table" else "failed"
            rows = [(name, f"{count:,}") for name, count in counts.items()]
            render.table((heading, numbers), rows, numbers=(1,))


@pipeline_command(
    "tidings pipeline replay --into auction-test --since 1h",
    "tidings pipeline replay '$price < 10' --into cheap --channel auction --speed max",
    "tidings pipeline replay --into rehearsal --speed 10 --run monday",
)
def replay(  # noqa: PLR0913, PLR0917 -- one argument for each option
    job: Job,
    constraint: str = "",
    into: str = "",
    type: Types = None,
    channel: Channels = None,
    since: Since = None,
    until: Until = None,
    speed: str = "1",
    run: str = "",
    stamp: bool = False,
    url: str | None = None,
    token_file: str | None = None,
    patience: Annotated[float, typer.Option(min=0.5)] = _PATIENCE,
) -> None:
    """Publish history into a channel, at any speed.

    Each channel's order is kept. In one run the channel gets each event once: a replay that was
    broken off goes on with --run and its name.

    Exit code: 0 done, 2 an event was not accepted, or it could not be done.

    Options:
        constraint <CONSTRAINT>: Only events that match.
        into CHANNEL: The channel that gets them.
        speed N: As fast as they came, times this; max for no pauses.
        run NAME: Go on with a replay that was broken off. [default: new]
        stamp: Let each event's header tell which one it was.
        patience SECONDS: How long to wait for a service that is away or a channel that is full.
        url URL $TIDINGS_URL: Where the service is. [default: that of the context, or
            http://127.0.0.1:8080]
        token_file FILE: A file with the token to show. [default: TIDINGS_TOKEN in the environment]
    """
    from tidings.filters.constraint import constraint as read

    read(constraint, type or ())  # fail early if it is invalid
    if not into:
        raise InvalidUsage("--into CHANNEL says where the events go")
    span, pace = span_of(since, until), _speed(speed)
    service = chosen_service(url, token_file)
    asyncio.run(_check(service, into))
    with job.session() as (spark, progress):
        from tidings.pipeline.replay import ReplayOptions, run_replay

        options = ReplayOptions(
            job.archive, into, service.url, service.token, run, constraint, pace, stamp, patience,
            channels=tuple(channel or ()), types=tuple(type or ()), **span._asdict(),
        )  # fmt: skip
        found = run_replay(spark, options, progress)
    if render.is_json():
        render.as_json(found)
    else:
        _show_replay(found)
    if found.refused:
        raise typer.Exit(REFUSED)


def _speed(text: str) -> float | None:
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise InvalidUsage(f"--speed {text!r} should be a number above 0, such as 1 or 10, or max")
    return speed


async def _check(service: Service, into: str) -> None:
    """Check that the channel exists before starting Spark."""
    async with connected(service) as client:
        await client.channel(channel_key(into))


def _show_replay(found: ReplayResult) -> None:
    warn(found.problems)
    for reason in found.reasons:
        render.error(reason)
    counts = {
        "sent before": found.before,
        "accepted": found.accepted,
        "stopped by a filter": found.stopped,
        "refused": found.refused,
    }
    words = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    render.say(f"into {found.into}: {words or 'nothing'}, in {found.seconds:.1f} s")
    if found.behind_ms > 1_000:
        render.note(f"it was up to {found.behind_ms / 1_000:.1f} s behind its pace")
    render.note(f"this was run {found.run}")


@pipeline_command(
    "tidings pipeline run speeding.py --archive /srv/archive",
    "tidings pipeline run speeding.py --once --json",
    "tidings pipeline run speeding.py --checkpoint /srv/queries --every 5",
    name="run",
)
def run_file(
    job: Job,
    file: Path,
    url: str | None = None,
    token_file: str | None = None,
    checkpoint: Path = Path("tidings-queries"),
    once: bool = False,
    every: Annotated[float, typer.Option(min=0.05)] = 1.0,
) -> None:
    """Run continuous queries: they read channels from the archive and publish derived events.

    The file's functions with @query (from tidings.pipeline.derive) are asked about every batch
    of sealed segments. Stopped or killed anywhere, the next run goes on: each derived event is
    published once.

    Exit code: 0 done, or ended by Ctrl-C or SIGTERM; 2 it could not be done.

    Options:
        file <FILE>: A Python file with queries.
        checkpoint DIR: Where it is kept how far each query has come.
        once: End when all that is archived was asked about.
        every SECONDS: How often to look for more.
        url URL $TIDINGS_URL: Where the service is. [default: that of the context, or
            http://127.0.0.1:8080]
        token_file FILE: A file with the token to show. [default: TIDINGS_TOKEN in the environment]
    """
    service = chosen_service(url, token_file)
    stopping = Event()
    with job.session() as (spark, progress):
        from tidings.pipeline.derive import RunOptions, load_queries, run_queries
        from tidings.pipeline.session.job import stopped_by_signals

        queries = load_queries(file)
        options = RunOptions(job.archive, service.url, checkpoint, service.token, once, every)
        with stopped_by_signals(stopping):
            found = run_queries(spark, queries, options, progress, stopping.is_set)
    warn([problem for one in found.queries for problem in one.problems])
    if render.is_json():
        render.as_json(found)
        return
    rows = [
        (
            *(one.query, ", ".join(one.reads), one.writes),
            *map(str, (one.batches, one.events, one.published, one.seal)),
        )
        for one in found.queries
    ]
    names = ("query", "reads", "writes", "batches", "events", "published", "up to seal")
    render.table(names, rows, range(3, 7))
