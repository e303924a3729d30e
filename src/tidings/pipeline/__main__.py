"""`python -m tidings.pipeline FOLDER ARCHIVE MEMORY`: the process of a job that the service runs.

The folder has what is asked for, `request.json`, and gets what was found: `result.json`, short, and
`page.html`. Lines of JSON on standard output tell how far it is, and why it ends
(`engine/job_runner.py`). When its input ends, the service has ended: so does all of its group.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

import tidings
from tidings.clock import SystemClock, moment_text
from tidings.errors import TidingsError
from tidings.jobs import JobFigure, JobKind, JobResult, JobTable
from tidings.stores.files import disk_errors, write_file

# Rows of a table, and characters of a cell, that the service shows itself; the page has more.
_MOST_ROWS: Final = 100
_MOST_SAMPLES: Final = 20
_MOST_PROBLEMS: Final = 20
_MOST_CHARACTERS: Final = 2_000


class _Kind(NamedTuple):
    """A kind of job: the option that `most` is, and what it has counted."""

    most: str
    counts: Callable[[Any], Mapping[str, int]]


_KINDS: Final[Mapping[JobKind, _Kind]] = {
    JobKind.BACKTEST: _Kind(
        "samples", lambda found: {"events": found.events, "matched": found.matched}
    ),
    JobKind.REPORT: _Kind("top", lambda found: {"events": found.events}),
    JobKind.AUDIT: _Kind(
        "sample",
        lambda found: {
            "events": sum(one.events for one in found.accounts),
            "faults": len(found.faults),
        },
    ),
}


def main() -> int:
    """Run the job; return the exit code."""
    told = os.dup(1)
    os.dup2(2, 1)  # whatever else prints here must not stand between the lines
    threading.Thread(target=_end_with_service, daemon=True).start()
    return work(sys.argv[1:], told)


def _end_with_service() -> None:
    """Wait for the end of the input, then end this process and what it has started."""
    while os.read(0, 4_096):
        pass
    if os.getpgrp() == os.getpid():  # else the group is that of whoever tries this by hand
        os.killpg(os.getpgrp(), signal.SIGTERM)
    os._exit(1)


def work(arguments: Sequence[str], told: int = 1) -> int:
    """Run a job, and tell about it on the descriptor `told`; return the exit code."""

    def say(**words: object) -> None:
        os.write(told, json.dumps(words).encode() + b"\n")

    try:
        folder, archive, memory = arguments
        _run(Path(folder), archive, memory, say)
    except TidingsError as error:
        say(error=str(error))
        return 2
    return 0


def _run(folder: Path, archive: str, memory: str, say: Callable[..., None]) -> None:
    from tidings.pipeline.session.job import require_spark, spark_job

    def progress(step: str, done: float) -> None:
        say(percent=round(100 * done), step=step)

    progress("starting Spark", 0.0)
    require_spark()  # before importing what needs its packages
    from tidings.pipeline.archive import Archive
    from tidings.pipeline.session import SparkOptions

    asked = json.loads((folder / "request.json").read_bytes())
    kind = JobKind(asked["kind"])
    package = import_module(f"tidings.pipeline.{kind.value}")
    options = getattr(package, f"{kind.value.title()}Options")(archive, **_options(kind, asked))
    Archive(archive).manifest()  # fail before Spark starts, which takes a while
    with spark_job(SparkOptions(memory=memory)) as spark:
        found = getattr(package, f"run_{kind.value}")(spark, options, progress)
    _write(folder, kind, found)


def _options(kind: JobKind, asked: Mapping[str, Any]) -> dict[str, Any]:
    options = {
        "channels": tuple(asked["channels"]),
        "since_us": asked["since"],
        "until_us": asked["until"],
        _KINDS[kind].most: asked["most"],
    }
    if kind is JobKind.BACKTEST:
        options |= {"constraint": asked["constraint"], "live": asked["live"]}
        options["event_types"] = tuple(asked["types"])
    return options


def _write(folder: Path, kind: JobKind, found: Any) -> None:  # noqa: ANN401 -- of any kind
    from tidings.pipeline.page import write_page

    view = import_module(f"tidings.pipeline.{kind.value}.view")
    now = moment_text(SystemClock().now() // 1_000_000 * 1_000_000)
    made = f"Made by Tidings {tidings.__version__} on {now}, in {found.seconds:.1f} s."
    write_page(folder / "page.html", getattr(view, f"{kind.value}_page")(found, made))
    result = JobResult(
        tuple(
            JobFigure(one.title, one.value, one.note)
            for one in getattr(view, f"{kind.value}_figures")(found)
        ),
        tuple(_tables(getattr(view, f"{kind.value}_sections")(found))),
        tuple(map(_cut, getattr(found, "problems", ())[:_MOST_PROBLEMS])),
        _KINDS[kind].counts(found),
    )
    with disk_errors(f"{folder} cannot be written"):
        write_file(folder / "result.json", msgspec.json.encode(result))


def _tables(sections: Iterable[Any]) -> Iterable[JobTable]:
    for section in sections:
        sheet = section.sheet
        if sheet is None:
            continue
        # Samples have whole events.
        most = _MOST_SAMPLES if "event" in sheet.headings else _MOST_ROWS
        yield JobTable(
            section.title,
            section.text,
            tuple(sheet.headings),
            tuple(sorted(sheet.numbers)),
            tuple(tuple(map(_cut, row)) for row in sheet.rows[:most]),
            max(0, len(sheet.rows) - most),
        )


def _cut(text: str) -> str:
    cut = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    return cut.encode("utf-8", "backslashreplace").decode()


if __name__ == "__main__":
    sys.exit(main())
