"""`tidings export` and `tidings apply`: a service's whole configuration as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from tidings.cli.connection import service_command
from tidings.cli.options import commands, tell_if_waiting
from tidings.cli.reading import STDIN, opened, replace_file, shown_name, whole
from tidings.errors import BadInput, TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client
    from tidings.client.configuration.applying import Applying
    from tidings.client.configuration.diff import Plan, Step
    from tidings.client.configuration.model import Configuration

DIFFERENT: Final = 1

_SIGNS: Final = {"create": ("+", "green"), "change": ("~", "yellow"), "delete": ("-", "red")}


app = commands()


@service_command(app, "tidings export tidings-service.toml", "tidings export | less")
async def export(client: Client, file: str | None = None) -> None:
    """Write a service's whole configuration as one file.

    It is TOML, and `tidings apply` reads it. Channels, admins, subscriptions with names, their
    quality of service, event types, filters and mapping filters; gateways with their standing
    requests; the trader's settings, service types, links, and the offers that no principal has
    exported. Things without a name, events, and what gateways make for themselves are no part of
    it.

    Options:
        file <FILE>: Where to; - or none is standard output.
    """
    from tidings.client.configuration.state import find_configuration
    from tidings.client.configuration.text import written

    found = await find_configuration(client.transport)
    text = written(found.configuration)
    left_out = len(found.unnamed)
    if file is None or file == STDIN:
        if render.is_json():
            render.as_json({"configuration": text, "unnamed_channels": left_out})
        else:
            render.Writer().line(text.encode())
    else:
        replace_file(file, text)
        channels = len(found.configuration.channels)
        if render.is_json():
            render.as_json({"file": file, "channels": channels, "unnamed_channels": left_out})
        else:
            render.note(f"{_count(channels, 'channel')} written to {shown_name(file)}")
    if left_out and not render.is_json():
        render.warning(f"{_count(left_out, 'channel')} without a name left out")


@service_command(
    app,
    "tidings apply tidings-service.toml --dry-run",
    "tidings apply tidings-service.toml",
    "tidings apply tidings-service.toml --prune",
)
async def apply(client: Client, file: str, dry_run: bool = False, prune: bool = False) -> None:
    """Make a service what a file says, and tell what was done.

    What differs is created or changed; what the file does not have stays, unless --prune is
    given. A file that says nothing of the trader leaves it alone. An event that is wanted before
    and after is not missed meanwhile. What would lose events, such as a subscription that becomes
    one of another kind, is refused as a whole, and so is what the service would refuse: all steps
    are rehearsed on a copy of its objects first.

    Exit code: 0 done, or with --dry-run nothing to do; 1 with --dry-run: there are differences;
    2 the file is wrong, or something was refused.

    Options:
        file <FILE>: The file; - is standard input.
        dry_run: Only tell what would be done.
        prune: Delete what the file does not have.
    """
    from tidings.client.configuration.applying import Applying, rehearse
    from tidings.client.configuration.state import find_configuration

    wanted = _read(file)
    found = await find_configuration(client.transport)
    applying = Applying(client.transport, wanted, found, prune=prune)
    from tidings.gateways.sides import checked_side

    await rehearse(wanted, found, prune=prune, check=checked_side)
    if dry_run:
        for step in applying.plan.steps:
            _tell(step)
    else:
        try:
            await applying.run(_tell)
        except TidingsError:
            _tell_stop(applying)
            raise
    _sum_up(applying.plan, dry_run)
    if dry_run and applying.plan.steps:
        raise typer.Exit(DIFFERENT)


def _tell_stop(applying: Applying) -> None:
    """Report what was done before the service stopped the plan."""
    steps, left = applying.plan.steps, list(applying.left.values())
    guarded = [str(step.guarded) for step in steps if step.guarded is not None]
    if render.is_json():
        data = {"done": len(steps) - len(left), "not_finished": [one.what for one in left]}
        render.as_json({**data, "lets_all_through": guarded}, stderr=True)
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
        faults = "\n".join(
            line if line.startswith(" ") else f"{shown_name(file)}: {line}"
            for line in str(error).split("\n")
        )
        raise BadInput(faults) from error


def _tell(step: Step) -> None:
    if render.is_json():
        data = {"do": step.verb, "what": step.what, "details": list(step.details)}
        render.as_json(data)
        return
    sign, style = _SIGNS[step.verb]
    render.say(f"{sign} {step.what}", style)
    for line in step.details:
        render.say(f"    {line}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _sum_up(plan: Plan, dry_run: bool) -> None:
    if render.is_json():
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
