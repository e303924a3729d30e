"""`tidings export` and `tidings apply`: a service's whole configuration as one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli import render
from tidings.cli.connection import service_command
from tidings.cli.options import Json, examples, tell_if_waiting
from tidings.cli.reading import STDIN, opened, reason, shown_name, whole
from tidings.errors import BadInput, InvalidUsage, TidingsError

if TYPE_CHECKING:
    from tidings.client.client import Client
    from tidings.client.configuration.applying import Applying
    from tidings.client.configuration.diff import Plan, Step
    from tidings.client.configuration.model import Configuration

DIFFERENT: Final = 1

_SIGNS: Final = {
    "create": ("+", "green"),
    "change": ("~", "yellow"),
    "delete": ("-", "red"),
}


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command tree."""
    service_command(
        app, epilog=examples("tidings export tidings-service.toml", "tidings export | less")
    )(export)
    service_command(
        app,
        epilog=examples(
            "tidings apply tidings-service.toml --dry-run",
            "tidings apply tidings-service.toml",
            "tidings apply tidings-service.toml --prune",
        ),
    )(apply)


async def export(
    client: Client,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Where to; - or none is standard output."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a service's whole configuration as one file.

    It is TOML, and `tidings apply` reads it. Channels, admins, subscriptions with names, their
    quality of service, event types, filters and mapping filters. Things without a name, and events,
    are no part of it.
    """
    from tidings.client.configuration.state import find_configuration
    from tidings.client.configuration.text import written

    found = await find_configuration(client.transport)
    text = written(found.configuration)
    left_out = len(found.unnamed)
    if file is None or file == STDIN:
        if json:
            render.as_json({"configuration": text, "unnamed_channels": left_out})
        else:
            render.Writer().line(text.encode())
    else:
        _write(file, text)
        channels = len(found.configuration.channels)
        if json:
            render.as_json({"file": file, "channels": channels, "unnamed_channels": left_out})
        else:
            render.note(f"{_count(channels, 'channel')} written to {shown_name(file)}")
    if left_out and not json:
        render.warning(f"{_count(left_out, 'channel')} without a name left out")


def _write(file: str, text: str) -> None:
    """Replace the file atomically: a full disk leaves the old one."""
    beside = Path(f"{file}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, file)  # noqa: PTH105 -- the name may not be a valid Path
    except (OSError, ValueError) as error:
        raise InvalidUsage(f"{shown_name(file)}: {reason(error)}") from error


async def apply(
    client: Client,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be done.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete what the file does not have.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a service what a file says, and tell what was done.

    What differs is created or changed; what the file does not have stays, unless --prune is
    given. An event that is wanted before and after is not missed meanwhile. What would lose
    events, such as a subscription that becomes one of another kind, is refused as a whole, and so
    is what the service would refuse: all steps are rehearsed on a copy of its objects first.

    Exit code: 0 done, or with --dry-run nothing to do; 1 with --dry-run: there are differences;
    2 the file is wrong, or something was refused.
    """
    from tidings.client.configuration.applying import Applying, rehearse
    from tidings.client.configuration.state import find_configuration

    wanted = _read(file)
    found = await find_configuration(client.transport)
    applying = Applying(client.transport, wanted, found, prune=prune)
    await rehearse(wanted, found, prune=prune)
    if dry_run:
        for step in applying.plan.steps:
            _tell(step, json)
    else:
        try:
            await applying.run(lambda step: _tell(step, json))
        except TidingsError:
            _tell_stop(applying, json)
            raise
    _sum_up(applying.plan, json, dry_run)
    if dry_run and applying.plan.steps:
        raise typer.Exit(DIFFERENT)


def _tell_stop(applying: Applying, json: bool) -> None:
    """Report what was done before the service stopped the plan."""
    steps, left = applying.plan.steps, list(applying.left.values())
    guarded = [str(step.guarded) for step in steps if step.guarded is not None]
    if json:
        told = {"done": len(steps) - len(left), "not_finished": [one.what for one in left]}
        render.as_json({**told, "lets_all_through": guarded}, stderr=True)
        return
    render.note(
        f"{len(steps) - len(left)} of {_count(len(steps), 'difference')} done; not finished:"
    )
    for step in left:
        render.note(f"{_SIGNS[step.verb][0]} {step.what}")
    for one in guarded:
        render.note(f"until all is done, {one} lets all events through")
    render.note("apply the file again to finish")


def _read(file: str) -> Configuration:
    from tidings.client.configuration.text import read_configuration

    tell_if_waiting([file], "a configuration")
    with opened(file) as stream:
        octets = whole(stream, file)
    try:
        return read_configuration(octets.decode())
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown_name(file)}: this is not UTF-8 text") from error
    except BadInput as error:
        # Lines that show an error's place are indented below it.
        faults = [
            line if line.startswith(" ") else f"{shown_name(file)}: {line}"
            for line in str(error).split("\n")
        ]
        told = "\n".join(faults)
        raise BadInput(told) from error


def _tell(step: Step, json: bool) -> None:
    if json:
        data = {"do": step.verb, "what": step.what, "details": list(step.details)}
        render.as_json(data)
        return
    sign, style = _SIGNS[step.verb]
    render.say(f"{sign} {step.what}", style)
    for line in step.details:
        render.say(f"    {line}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _sum_up(plan: Plan, json: bool, dry_run: bool) -> None:
    if json:
        render.as_json({"steps": len(plan.steps), "done": not dry_run, "kept": list(plan.kept)})
        return
    differences = _count(len(plan.steps), "difference")
    for what in plan.kept:
        render.note(f"kept, though not in the file: {what}")
    if not plan.steps:
        render.note("nothing to do: the service is as the file says")
    elif dry_run:
        render.note(f"{differences}; nothing was changed")
    else:
        render.note(f"{differences}, all done")
