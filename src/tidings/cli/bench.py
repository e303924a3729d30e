"""`tidings bench …`: run benchmarks and report the results."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any

import typer

from tidings.cli.options import JSON, Count, add_command, commands, group, option
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

        text, options, declared = cleandoc(function.__doc__ or "").partition("\n\nOptions:\n")
        function.__doc__ = f"{text}\n\n{_EXIT_CODE}{options}{declared}"
        return add_command(benches, examples, None, function, JSON, call)

    return made


Events = Annotated[int, option("--events", "Events per round.", min=1)]
Rounds = Annotated[int, option("--rounds", "Interleaved rounds; medians count.", min=1)]
Folder = Annotated[
    Path | None,
    option(
        "--folder",
        "Where data is written; removed afterwards. [default: the working directory]",
        exists=True,
        file_okay=False,
    ),
]


@_bench(
    "tidings bench match",
    "tidings bench match --workload W1 --workload W2 --subscriptions 10000 --json",
)
def match(
    workloads: list[str] | None = None,
    subscriptions: Count = 100_000,
    seed: int = 1,
    rounds: Rounds = 5,
    events: Events = 300,
) -> None:
    """Measure the match index against asking every constraint in turn.

    W1: an equality and a range, few matches. W2: a mix of equalities, ranges, substrings and
    small trees. W3: tests that a tenth of all events pass.

    Options:
        workloads --workload NAME: Which one: W1, W2 or W3. Repeatable. [default: all three]
        subscriptions: How many subscriptions.
        seed: The same seed gives the same data.
    """


@_bench(
    "tidings bench channel", "tidings bench channel --events 2000 --consumers 100 --rounds 1 --json"
)
def channel(
    events: Events = 20_000, consumers: Count = 10_000, fan_out: Count = 100, rounds: Rounds = 5
) -> None:
    """Measure events through a channel in memory, beside a bare dictionary dispatch.

    Awaited one by one, in batches of 100 to filtered consumers of which one matches, and to many
    consumers without a filter. What they get is checked.

    Options:
        consumers: The most filtered consumers.
        fan_out: Consumers that get everything.
    """


@_bench("tidings bench persist", "tidings bench persist --events 640 --rounds 1 --json")
def persist(events: Count = 8_000, rounds: Rounds = 7, folder: Folder = None) -> None:
    """Measure events that survive a crash, beside rows in a raw SQLite file.

    One pusher and 64 at once, each waiting until its event is on the disk. Both are read back.

    Options:
        events: Events per round of 64 pushers.
    """


@_bench("tidings bench recover", "tidings bench recover --events 5000 --proxies 50 --json")
def recover(
    events: Count = 1_000_000,
    proxies: Annotated[list[int] | None, typer.Option(min=1)] = None,
    folder: Folder = None,
) -> None:
    """Measure a start with very many events that wait: time to the first event, and memory.

    Options:
        events: How many events wait.
        proxies: For how many consumers. Repeatable. [default: 10000 and 10]
    """


@_bench("tidings bench memory", "tidings bench memory --proxies 1000 --json")
def memory(proxies: Count = 100_000) -> None:
    """Measure what an idle proxy takes in memory, without a filter and with one.

    Options:
        proxies: How many idle proxies.
    """


@_bench(
    "tidings bench web",
    "tidings bench web --events 300 --subscriptions 1 --subscriptions 9 --consumers 5 --json",
)
def web(
    events: Events = 3_000,
    rounds: Rounds = 5,
    subscriptions: Annotated[list[int] | None, typer.Option(min=1)] = None,
    consumers: Count = 1_000,
) -> None:
    """Measure events through WebSockets, beside the same server answering without the machine.

    The service runs in a process of its own, and so does the floor. Of the filtered subscriptions
    one matches. What comes is checked.

    Options:
        subscriptions: Filtered ones. Repeatable. [default: 1, 100, 1000 and 10000]
        consumers: WebSockets of the fan-out.
    """


@_bench(
    "tidings bench attack", 'tidings bench attack --attack "100,000 constraints" --seconds 1 --json'
)
def attack(
    attacks: list[str] | None = None, seconds: Annotated[float, typer.Option(min=0.1)] = 2.0
) -> None:
    """Measure what another client feels while somebody attacks the service.

    The service runs in a process of its own, and so does each attack, one at a time: bodies,
    frames, filters and CORBA messages that cost most for their size, and publishers in bulk. The
    other client publishes, receives and asks; its waits and the service's memory are reported.

    Options:
        attacks --attack: Which attack, by its name. Repeatable. [default: all of them]
        seconds: How long each attack lasts.
    """


@_bench("tidings bench pipeline --quick", "tidings bench pipeline --rounds 3 --json")
def pipeline(
    events: Count = 10_000_000, rounds: Rounds = 5, quick: bool = False, folder: Folder = None
) -> None:
    """Measure the data pipeline on Spark, beside what Spark itself needs.

    Whole plans matched against events, equality subscriptions and a mix; the data source as a
    stream; the time from publishing to the lake at a steady rate. Pairs are checked.

    Options:
        events: Events that are matched.
        quick: Few events, one round: that it works, not how fast.
    """


@_bench("tidings bench iiop --quick", "tidings bench iiop --rounds 3 --json")
def iiop(rounds: Rounds = 5, quick: bool = False) -> None:
    """Measure events through CORBA, beside Debian's omniEvents in the same run.

    The load is a C++ program on omniORB, compiled first: Debian's g++, omniidl, libomniorb4-dev,
    omniorb-nameserver and omnievents are needed. What comes is checked.

    Options:
        quick: Few events: that it works, not how fast.
    """


@_bench("tidings bench trader", "tidings bench trader --offers 1000 --rounds 1 --json")
def trader(
    offers: Annotated[list[int] | None, typer.Option(min=1)] = None,
    queries: Count = 300,
    rounds: Rounds = 5,
    subscribers: int = 1_000,
    seed: int = 1,
) -> None:
    """Measure queries and exports of the trader, beside a scan of all offers.

    Equalities, narrow ranges, and a mix of both. Answers are compared with the scan's. Then
    changes of an offer, at growing rates, and how late they reach so many subscribers.

    Options:
        subscribers: Subscribers to changes of services; 0 leaves that out.
        offers: How many offers there are. Repeatable. [default: 1000, 10000 and 100000]
        queries: Queries of each kind per round.
        seed: The same seed gives the same data.
    """


@_bench("tidings bench access", "tidings bench access --grants 1000 --rounds 1 --json")
def access(
    events: Count = 5_000, grants: Count = 10_000, connections: Count = 300, rounds: Rounds = 5
) -> None:
    """Measure what access control costs: a permission check beside a push, and TLS.

    A check with ten grants and with many; its share of the processor time that a service needs for
    a push over WebSocket and over IIOP; connections a second with TLS and without.

    Options:
        grants: Grants of the principal whose pushes are checked.
        connections: Connections per round.
    """


@_bench(
    "tidings bench console",
    "tidings bench console --channels 20 --proxies 200 --rate 1000 --rounds 1 --seconds 5 --json",
)
def console(
    channels: Count = 1_000,
    proxies: Count = 10_000,
    rate: Count = 20_000,
    rounds: Rounds = 5,
    round_seconds: Annotated[float, typer.Option(min=0.1)] = 10.0,
    seconds: Annotated[float, typer.Option(min=0.1)] = 600.0,
) -> None:
    """Measure the console in Chromium, and what it costs the service.

    The service runs in a process of its own. How fast the tree is painted and scrolled, how much
    the service does while nobody looks, and beside each page; the memory of a page that stays open.

    Options:
        channels: How many channels.
        proxies: How many proxies in all of them.
        rate: Events a second.
        round_seconds: How long each page is measured in a round.
        seconds: How long the memory of the page is watched.
    """


@_bench(
    "tidings bench federation",
    "tidings bench federation --pairs mqtt --pairs nats --events 1000 --rounds 1 --json",
)
def federation(
    pairs: list[str] | None = None,
    events: Events = 3_000,
    paced: Count = 200,
    links: Count = 100,
    rounds: Rounds = 3,
) -> None:
    """Measure gateways between Tidings and each other kind of service, beside a plain relay.

    The relay joins the same two client libraries in twenty lines, which are shown. Events a second
    and processor time, added latency at a low rate, memory, and events that need not cross. What
    comes is checked. A broker that is not installed is left out.

    Options:
        pairs --pairs KIND: What is joined with Tidings. Repeatable. [default: every kind]
        paced: Events whose time is taken, in each direction.
        links: Gateways whose memory is measured.
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
