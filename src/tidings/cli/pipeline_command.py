"""Shared parts of the pipeline commands: options, Spark, and output."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer

from tidings.cli import render
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.pipeline.page import Figure, Page, Section, Sheet
    from tidings.pipeline.times import Span

ARCHIVE = "TIDINGS_ARCHIVE"

Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="Events from then on: 2026-11-15T08:30:00Z (UTC if no zone is named), or 2h ago "
        "(s, m, h, d, w).",
    ),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Events before then; as --since.")
]
Channels = Annotated[
    list[str] | None,
    typer.Option("--channel", metavar="CHANNEL", help="Only this channel's events. Repeatable."),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write one page with charts there, too."),
]

_OPTIONS: dict[str, tuple[object, object]] = {
    "archive": (
        Annotated[
            str | None,
            typer.Option(
                "--archive",
                envvar=ARCHIVE,
                metavar="DIR",
                help="The archive. [default: archive.dir of the settings]",
            ),
        ],
        None,
    ),
    "master": (
        Annotated[
            str,
            typer.Option(
                "--master",
                metavar="MASTER",
                help="Where Spark runs: this machine, or spark://host:7077.",
            ),
        ],
        "local[*]",
    ),
    "python": (
        Annotated[
            str | None,
            typer.Option(
                "--python",
                metavar="FILE",
                help="The executors' interpreter. [default: this one]",
            ),
        ],
        None,
    ),
    "memory": (
        Annotated[
            str,
            typer.Option(
                "--memory", metavar="SIZE", help="Of the driver and of each executor: 512m, 4g."
            ),
        ],
        "2g",
    ),
    "conf": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--conf", metavar="NAME=VALUE", help="A setting of Spark's own. Repeatable."
            ),
        ],
        None,
    ),
    "verbose": (
        Annotated[bool, typer.Option("--verbose", help="Show Spark's own log.")],
        False,
    ),
}


@dataclass(frozen=True, slots=True)
class Job:
    """A pipeline command's archive and output format."""

    archive: str
    json: bool
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
        with render.steps(silent=self.json) as progress:
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


def _archive(given: str | None) -> str:
    """Return the given archive, or that of the settings."""
    if given:
        return given
    from tidings.server.layers import Sources

    found = Sources(None, None, {}).load().settings.archive.dir
    if found is None:
        raise InvalidUsage(
            f"which archive? --archive DIR names it, or {ARCHIVE} in the environment, or "
            "archive.dir in tidings.toml; `tidings serve --archive DIR` writes one"
        )
    return str(found)


_Command: TypeAlias = Callable[..., None]


def pipeline_command(
    app: typer.Typer, name: str | None = None, *, epilog: str
) -> Callable[[_Command], _Command]:
    """Turn a function whose first argument is a `Job` into a command.

    The command has the function's other arguments, and the options for the archive and Spark.
    """

    def made(function: _Command) -> _Command:
        hints = get_type_hints(function, include_extras=True)
        own = list(inspect.signature(function).parameters.values())[1:]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            *(one.replace(annotation=hints[one.name]) for one in own),
            *(
                inspect.Parameter(key, keyword, default=default, annotation=kind)
                for key, (kind, default) in _OPTIONS.items()
            ),
        ]

        @wraps(function)
        def command(**given: Any) -> None:  # noqa: ANN401 -- whatever the function takes
            shared = {key: given.pop(key) for key in _OPTIONS}
            archive, conf = _archive(shared.pop("archive")), shared.pop("conf") or ()
            json = given.get("json", False)
            function(Job(archive=archive, json=json, conf=conf, **shared), **given)

        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        app.command(name, epilog=epilog)(command)
        return command

    return made


def span_of(since: str | None, until: str | None) -> Span:
    """Parse a time range; raise InvalidUsage if it is invalid or empty."""
    from tidings.clock import SystemClock
    from tidings.pipeline.times import span

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
    from tidings.clock import SystemClock
    from tidings.pipeline.page import write_page
    from tidings.pipeline.times import moment_text

    now = moment_text(SystemClock().now() // 1_000_000 * 1_000_000)
    made = f"Made by Tidings {tidings.__version__} on {now}, in {seconds:.1f} s."
    write_page(path, page(made))
    render.note(f"the page is {path}")


def warn(problems: Sequence[str], most: int = 10) -> None:
    """Report what could not be read."""
    for problem in problems[:most]:
        render.warning(problem)
    if len(problems) > most:
        render.warning(f"{len(problems) - most:,} more problems: --json or --html has them all")


def show_figures(figures: Sequence[Figure]) -> None:
    """Show the key figures, one per line."""
    rows = [(one.title, one.value, one.note) for one in figures]
    render.table(("what", "value", ""), rows, numbers=(1,))


def show_sections(sections: Sequence[Section], most: int = 40) -> None:
    """Show tables with their titles, limited to the first `most` rows."""
    for section in sections:
        if section.sheet is None:
            continue
        render.say()
        render.say(section.title, "bold")
        _show_sheet(section.sheet, most)


def _show_sheet(sheet: Sheet, most: int) -> None:
    render.table(sheet.headings, sheet.rows[:most], numbers=tuple(sheet.numbers))
    if len(sheet.rows) > most:
        render.say(f"… {len(sheet.rows) - most:,} more: --json or --html", "dim")
