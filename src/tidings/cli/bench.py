"""`tidings bench …`: measure, and say what was measured."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from tidings.cli import render
from tidings.cli.options import Json, examples

__all__ = ["app"]

app = typer.Typer(
    help="Measure Tidings on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Workload(StrEnum):
    """The workloads of the match bench."""

    W1 = "W1"
    W2 = "W2"
    W3 = "W3"


@app.callback()
def _benches() -> None:
    """Keeps `match` a word of its own while it is the only bench."""


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
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds; medians count.")] = 5,
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
    if json:
        render.as_json({"bench": "match", "results": results})
        return
    rows = [
        (str(r["name"]), _figure(r["value"]), str(r["unit"]), _target(r), _met(r)) for r in results
    ]
    render.table(("what", "value", "unit", "target", "met"), rows, numbers=[1])


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _target(result: dict[str, Any]) -> str:
    target = result.get("target")
    return "" if target is None else str(target)


def _met(result: dict[str, Any]) -> str:
    if result.get("target") is None:
        return ""
    return "yes" if result.get("ok") else "no"
