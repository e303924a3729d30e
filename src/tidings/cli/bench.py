"""`tidings bench …`: run benchmarks and report the results."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from tidings.cli import render
from tidings.cli.options import Json, examples

app = typer.Typer(
    help="Measure Tidings on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Rounds = Annotated[int, typer.Option(min=1, help="Interleaved rounds; medians count.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Where data is written; removed afterwards. [default: the working directory]",
    ),
]


class Workload(StrEnum):
    """The workloads of the match bench."""

    W1 = "W1"
    W2 = "W2"
    W3 = "W3"


@app.command(
    epilog=examples(
        "tidings bench match",
        "tidings bench match --workload W1 --workload W2 --subscriptions 10000 --json",
    )
)
def match(
    workload: Annotated[
        list[Workload] | None,
        typer.Option(help="Which workload. Repeatable. [default: all three]"),
    ] = None,
    subscriptions: Annotated[int, typer.Option(min=1, help="How many subscriptions.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same data.")] = 1,
    rounds: Rounds = 5,
    events: Annotated[int, typer.Option(min=1, help="Events per round.")] = 300,
    json: Json = False,
) -> None:
    """Measure the match index against asking every constraint in turn.

    W1: an equality and a range, few matches. W2: a mix of equalities, ranges, substrings and
    small trees. W3: tests that a tenth of all events pass.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    from tidings.bench.match import run

    results: list[dict[str, Any]] = []
    for one in workload or list(Workload):
        if not json:
            render.note(f"measuring {one} with {subscriptions:,} subscriptions", "dim")
        measured = run(one.value, subscriptions, seed=seed, rounds=rounds, events=events)
        results += measured["results"]
    _show({"bench": "match", "results": results}, json)


@app.command(
    epilog=examples(
        "tidings bench channel",
        "tidings bench channel --events 2000 --consumers 100 --rounds 1 --json",
    )
)
def channel(
    events: Annotated[int, typer.Option(min=1, help="Events per round.")] = 20_000,
    consumers: Annotated[int, typer.Option(min=1, help="The most filtered consumers.")] = 10_000,
    fan_out: Annotated[int, typer.Option(min=1, help="Consumers that get everything.")] = 100,
    rounds: Rounds = 5,
    json: Json = False,
) -> None:
    """Measure events through a channel in memory, beside a bare dictionary dispatch.

    Awaited one by one, in batches of 100 to filtered consumers of which one matches, and to many
    consumers without a filter. What they get is checked.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("channel", json, events=events, consumers=consumers, fan_out=fan_out, rounds=rounds)


@app.command(
    epilog=examples("tidings bench persist", "tidings bench persist --events 640 --rounds 1 --json")
)
def persist(
    events: Annotated[int, typer.Option(min=1, help="Events per round of 64 pushers.")] = 8_000,
    rounds: Rounds = 7,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Measure events that survive a crash, beside rows in a raw SQLite file.

    One pusher and 64 at once, each waiting until its event is on the disk. Both are read back.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("persist", json, events=events, rounds=rounds, folder=folder)


@app.command(
    epilog=examples(
        "tidings bench recover",
        "tidings bench recover --events 5000 --proxies 50 --json",
    )
)
def recover(
    events: Annotated[int, typer.Option(min=1, help="How many events wait.")] = 1_000_000,
    proxies: Annotated[
        list[int] | None,
        typer.Option(min=1, help="For how many consumers. Repeatable. [default: 10000 and 10]"),
    ] = None,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Measure a start with very many events that wait: time to the first event, and memory.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("recover", json, events=events, proxies=proxies or [10_000, 10], folder=folder)


@app.command(
    epilog=examples("tidings bench memory", "tidings bench memory --proxies 1000 --json"),
)
def memory(
    proxies: Annotated[int, typer.Option(min=1, help="How many idle proxies.")] = 100_000,
    json: Json = False,
) -> None:
    """Measure what an idle proxy takes in memory, without a filter and with one.

    Exit code: 0 whatever the figures.
    """
    _run("memory", json, proxies=proxies)


@app.command(
    epilog=examples(
        "tidings bench web",
        "tidings bench web --events 300 --subscriptions 1 --subscriptions 9 --consumers 5 --json",
    )
)
def web(
    events: Annotated[int, typer.Option(min=1, help="Events per round.")] = 3_000,
    rounds: Rounds = 5,
    subscriptions: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Filtered ones. Repeatable. [default: 1, 100, 1000 and 10000]"),
    ] = None,
    consumers: Annotated[int, typer.Option(min=1, help="WebSockets of the fan-out.")] = 1_000,
    json: Json = False,
) -> None:
    """Measure events through WebSockets, beside the same server answering without the machine.

    The service runs in a process of its own, and so does the floor. Of the filtered subscriptions
    one matches. What comes is checked.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    counts = sorted(subscriptions or [1, 100, 1_000, 10_000])
    _run("web", json, events=events, rounds=rounds, subscriptions=counts, consumers=consumers)


@app.command(
    epilog=examples(
        "tidings bench attack",
        'tidings bench attack --attack "100,000 constraints" --seconds 1 --json',
    )
)
def attack(
    attack: Annotated[
        list[str] | None,
        typer.Option(help="Which attack, by its name. Repeatable. [default: all of them]"),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each attack lasts.")] = 2.0,
    json: Json = False,
) -> None:
    """Measure what another client feels while somebody attacks the service.

    The service runs in a process of its own, and so does each attack, one at a time: bodies,
    frames, filters and CORBA messages that cost most for their size, and publishers in bulk. The
    other client publishes, receives and asks; its waits and the service's memory are reported.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("attack", json, attacks=attack or [], seconds=seconds)


@app.command(
    epilog=examples("tidings bench pipeline --quick", "tidings bench pipeline --rounds 3 --json")
)
def pipeline(
    events: Annotated[int, typer.Option(min=1, help="Events that are matched.")] = 10_000_000,
    rounds: Rounds = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few events, one round: that it works, not how fast.")
    ] = False,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Measure the data pipeline on Spark, beside what Spark itself needs.

    Whole plans matched against events, equality subscriptions and a mix; the data source as a
    stream; the time from publishing to the lake at a steady rate. Pairs are checked.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("pipeline", json, events=events, rounds=rounds, quick=quick, folder=folder)


@app.command(epilog=examples("tidings bench iiop --quick", "tidings bench iiop --rounds 3 --json"))
def iiop(
    rounds: Rounds = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few events: that it works, not how fast.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure events through CORBA, beside Debian's omniEvents in the same run.

    The load is a C++ program on omniORB, compiled first: Debian's g++, omniidl, libomniorb4-dev,
    omniorb-nameserver and omnievents are needed. What comes is checked.

    Exit code: 0 whatever the figures; `ok` in the result says whether the targets were met.
    """
    _run("iiop", json, rounds=rounds, quick=quick)


def _run(bench: str, json: bool, **settings: object) -> None:
    """Run a bench, imported only now, and show its report."""
    found = import_module(f"tidings.bench.{bench}")
    progress = _silent if json else _tell
    _show(found.run(**settings, progress=progress), json)


def _tell(step: str) -> None:
    render.note(step, "dim")


def _silent(step: str) -> None:
    """Ignore a progress step."""


def _show(report: dict[str, Any], json: bool) -> None:
    if json:
        render.as_json(report)
        return
    rows = [
        (str(r["name"]), _figure(r["value"]), str(r["unit"]), _target(r), _met(r))
        for r in report["results"]
    ]
    render.table(("what", "value", "unit", "target", "met"), rows, numbers=[1])


def _figure(value: object) -> str:
    if isinstance(value, float):
        if 0 < abs(value) < 1:
            return f"{value:.4f}"
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _target(result: dict[str, Any]) -> str:
    target = result.get("target")
    return "" if target is None else str(target)


def _met(result: dict[str, Any]) -> str:
    if result.get("target") is None:
        return ""
    return "yes" if result.get("ok") else "no"
