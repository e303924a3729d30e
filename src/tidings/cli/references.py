"""`tidings ior …`: inspect object references, and check their addresses."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli import render
from tidings.cli.options import Json, examples
from tidings.cli.reading import STDIN, opened
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.aio.checking import CheckedAddress

NOT_FOUND = 1

# More than any reference takes; limits reading of other files.
_MOST_OCTETS = 1_000_000

app = typer.Typer(
    help="Look into references of CORBA objects, and ask whether anybody answers.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Url = Annotated[
    str,
    typer.Argument(
        metavar="REFERENCE",
        help="IOR:… or corbaloc:…; file:NAME or - reads it from a file or standard input.",
    ),
]
Seconds = Annotated[
    float,
    typer.Option("--timeout", min=0.01, metavar="SECONDS", help="How long to wait for answers."),
]


@app.command(
    epilog=examples(
        "tidings ior show corbaloc::naming.example.org/NameService",
        "tidings ior show file:channel.ior",
    )
)
def show(reference: Url, json: Json = False) -> None:
    """Show what a reference holds: type, addresses, object key, code sets.

    With --json there is one object with type_id, ior, and profiles: each with addresses, minor
    and key, the key in hexadecimal digits.
    """
    from tidings.orb.ior import describe

    found = _reference(reference)
    if json:
        render.as_json(_data(found))
        return
    for line in describe(found):
        render.say(line)


@app.command(
    epilog=examples(
        "tidings ior check corbaloc::naming.example.org/NameService",
        "tidings ior check --timeout 2 file:channel.ior",
    )
)
def check(reference: Url, timeout: Seconds = 5.0, json: Json = False) -> None:
    """Ask every address of a reference whether the object is there.

    Exit code 1 says that it is at none of them. With --json each address gives an object with
    address, found, said, and where callers are sent, if they are.
    """
    from tidings.orb.aio import Options
    from tidings.orb.aio.checking import check_reference

    found = _reference(reference)
    options = Options(connect_seconds=timeout, call_seconds=timeout, close_seconds=timeout)
    checked = asyncio.run(check_reference(found, options))
    for each in checked:
        _tell(each, json)
    if not any(each.found for each in checked):
        raise typer.Exit(NOT_FOUND)


def _tell(checked: CheckedAddress, json: bool) -> None:
    from tidings.orb.ior import describe, to_ior

    forward = checked.forward
    if json:
        data: dict[str, object] = {
            "address": str(checked.address),
            "found": checked.found,
            "said": checked.said,
        }
        if forward is not None:
            data["forward"] = to_ior(forward)
        render.as_json(data)
        return
    render.say(f"{checked.address}: {checked.said}", "" if checked.found else "red")
    for line in [] if forward is None else describe(forward):
        render.say(f"  {line}")


def _reference(text: str) -> Reference:
    from tidings.events.reference import Reference
    from tidings.orb.corbaloc import parse_object_url

    parsed = parse_object_url(_contents(text))
    if not isinstance(parsed, Reference):
        raise InvalidUsage(
            f"{text} is a name that only a naming service or an ORB can look up; "
            "give its IOR: or corbaloc: instead"
        )
    return parsed


def _contents(text: str) -> str:
    """Return the reference from a file, standard input, or the argument."""
    if text != STDIN and not text.lower().startswith("file:"):
        return text
    name = text[len("file:") :] if text != STDIN else text
    name = name.removeprefix("//") if name.startswith("///") else name
    with opened(name) as stream:
        return stream.read(_MOST_OCTETS).decode("latin-1")


def _data(reference: Reference) -> dict[str, object]:
    from tidings.orb.aio.options import Address
    from tidings.orb.ior import profiles_of, to_ior

    profiles = [
        {
            "addresses": [str(Address(*address)) for address in profile.addresses],
            "minor": profile.minor,
            "key": profile.key.hex(),
        }
        for profile in profiles_of(reference)
    ]
    return {"type_id": reference.type_id, "ior": to_ior(reference), "profiles": profiles}
