"""`tidings bench …`: run benchmarks and report the results."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from tidings.cli.options import Json, add_command, commands, flag, group, option
from tidings.terminal import render

app = commands()
benches = group(app, "bench", "Measure Tidings on this machine.")

_EXIT_CODE = "Exit code: 0 whatever the figures; `ok` in the result says whether targets were met."


def _bench(*examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command that runs the bench of a function's name, with the function's options."""

    def made(function: Callable[..., None]) -> Callable[..., None]:
        def call(given: dict[str, Any], json: bool) -> None:
            bench = import_module(f"tidings.bench.{function.__name__}")
            options = {name: value for name, value in given.items() if value is not None}
            _show(bench.run(**options, progress=_tell))

        function.__doc__ = f"{function.__doc__}\n\n    {_EXIT_CODE}"
        return add_command(benches, examples, None, function, {"json": (Json, False)}, call)

    return made


def _number(name: str, text: str) -> Any:  # noqa: ANN401 -- typer's
    return option(name, None, text, min=1)


Events = Annotated[int, _number("--events", "Events per round.")]
Rounds = Annotated[int, _number("--rounds", "Interleaved rounds; medians count.")]
Folder = Annotated[
    Path | None,
    option(
        "--folder",
        None,
        "Where data is written; removed afterwards. [default: the working directory]",
        exists=True,
        file_okay=False,
    ),
]


class Workload(StrEnum):
    """The workloads of the match bench."""

    W1 = "W1"
    W2 = "W2"
    W3 = "W3"


@_bench(
    "tidings bench match",
    "tidings bench match --workload W1 --workload W2 --subscriptions 10000 --json",
)
def match(
    workloads: Annotated[
        list[Workload] | None,
        option("--workload", None, "Which workload. Repeatable. [default: all three]"),
    ] = None,
    subscriptions: Annotated[int, _number("--subscriptions", "How many subscriptions.")] = 100_000,
    seed: Annotated[int, option("--seed", None, "The same seed gives the same data.")] = 1,
    rounds: Rounds = 5,
    events: Events = 300,
) -> None:
    """Measure the match index against asking every constraint in turn.

    W1: an equality and a range, few matches. W2: a mix of equalities, ranges, substrings and
    small trees. W3: tests that a tenth of all events pass.
    """


@_bench(
    "tidings bench channel",
    "tidings bench channel --events 2000 --consumers 100 --rounds 1 --json",
)
def channel(
    events: Events = 20_000,
    consumers: Annotated[int, _number("--consumers", "The most filtered consumers.")] = 10_000,
    fan_out: Annotated[int, _number("--fan-out", "Consumers that get everything.")] = 100,
    rounds: Rounds = 5,
) -> None:
    """Measure events through a channel in memory, beside a bare dictionary dispatch.

    Awaited one by one, in batches of 100 to filtered consumers of which one matches, and to many
    consumers without a filter. What they get is checked.
    """


@_bench("tidings bench persist", "tidings bench persist --events 640 --rounds 1 --json")
def persist(
    events: Annotated[int, _number("--events", "Events per round of 64 pushers.")] = 8_000,
    rounds: Rounds = 7,
    folder: Folder = None,
) -> None:
    """Measure events that survive a crash, beside rows in a raw SQLite file.

    One pusher and 64 at once, each waiting until its event is on the disk. Both are read back.
    """


@_bench("tidings bench recover", "tidings bench recover --events 5000 --proxies 50 --json")
def recover(
    events: Annotated[int, _number("--events", "How many events wait.")] = 1_000_000,
    proxies: Annotated[
        list[int] | None,
        _number("--proxies", "For how many consumers. Repeatable. [default: 10000 and 10]"),
    ] = None,
    folder: Folder = None,
) -> None:
    """Measure a start with very many events that wait: time to the first event, and memory."""


@_bench("tidings bench memory", "tidings bench memory --proxies 1000 --json")
def memory(
    proxies: Annotated[int, _number("--proxies", "How many idle proxies.")] = 100_000,
) -> None:
    """Measure what an idle proxy takes in memory, without a filter and with one."""


@_bench(
    "tidings bench web",
    "tidings bench web --events 300 --subscriptions 1 --subscriptions 9 --consumers 5 --json",
)
def web(
    events: Events = 3_000,
    rounds: Rounds = 5,
    subscriptions: Annotated[
        list[int] | None,
        _number("--subscriptions", "Filtered ones. Repeatable. [default: 1, 100, 1000 and 10000]"),
    ] = None,
    consumers: Annotated[int, _number("--consumers", "WebSockets of the fan-out.")] = 1_000,
) -> None:
    """Measure events through WebSockets, beside the same server answering without the machine.

    The service runs in a process of its own, and so does the floor. Of the filtered subscriptions
    one matches. What comes is checked.
    """


@_bench(
    "tidings bench attack",
    'tidings bench attack --attack "100,000 constraints" --seconds 1 --json',
)
def attack(
    attacks: Annotated[
        list[str] | None,
        option("--attack", None, "Which attack, by its name. Repeatable. [default: all of them]"),
    ] = None,
    seconds: Annotated[
        float, option("--seconds", None, "How long each attack lasts.", min=0.1)
    ] = 2.0,
) -> None:
    """Measure what another client feels while somebody attacks the service.

    The service runs in a process of its own, and so does each attack, one at a time: bodies,
    frames, filters and CORBA messages that cost most for their size, and publishers in bulk. The
    other client publishes, receives and asks; its waits and the service's memory are reported.
    """


@_bench("tidings bench pipeline --quick", "tidings bench pipeline --rounds 3 --json")
def pipeline(
    events: Annotated[int, _number("--events", "Events that are matched.")] = 10_000_000,
    rounds: Rounds = 5,
    quick: Annotated[
        bool, flag("--quick", "Few events, one round: that it works, not how fast.")
    ] = False,
    folder: Folder = None,
) -> None:
    """Measure the data pipeline on Spark, beside what Spark itself needs.

    Whole plans matched against events, equality subscriptions and a mix; the data source as a
    stream; the time from publishing to the lake at a steady rate. Pairs are checked.
    """


@_bench("tidings bench iiop --quick", "tidings bench iiop --rounds 3 --json")
def iiop(
    rounds: Rounds = 5,
    quick: Annotated[bool, flag("--quick", "Few events: that it works, not how fast.")] = False,
) -> None:
    """Measure events through CORBA, beside Debian's omniEvents in the same run.

    The load is a C++ program on omniORB, compiled first: Debian's g++, omniidl, libomniorb4-dev,
    omniorb-nameserver and omnievents are needed. What comes is checked.
    """


def _tell(step: str) -> None:
    if not render.is_json():
        render.note(step, "dim")


def _show(report: dict[str, Any]) -> None:
    if render.is_json():
        render.as_json(report)
        return
    rows = [
        (str(r["name"]), _figure(r["value"]), str(r["unit"]), *_target(r))
        for r in report["results"]
    ]
    render.table(("what", "value", "unit", "target", "met"), rows, numbers=[1])


def _figure(value: object) -> str:
    if isinstance(value, float):
        if 0 < abs(value) < 1:
            return f"{value:.4f}"
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _target(result: dict[str, Any]) -> tuple[str, str]:
    target = result.get("target")
    if target is None:
        return "", ""
    return str(target), "yes" if result.get("ok") else "no"
