"""`tidings ior …` and `tidings idl …`: references of CORBA objects, and their interfaces."""

from __future__ import annotations

import asyncio
import keyword
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli import showing
from tidings.cli.options import command, commands, group, option
from tidings.cli.reading import STDIN, opened, reason, replace_file, shown_name
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.idl.faults import Source
    from tidings.idl.model import Model
    from tidings.idl.names import Homes
    from tidings.orb.aio.checking import CheckedAddress

NOT_FOUND: Final = 1
DIFFERENT: Final = 1

# More than any reference takes; limits reading of other files.
_MOST_OCTETS: Final = 1_000_000

app = commands()
ior = group(app, "ior", "Look into references of CORBA objects, and ask whether anybody answers.")
idl = group(app, "idl", "Compile and compare IDL, the description of interfaces of CORBA objects.")

Url = Annotated[
    str,
    option(
        "<REFERENCE>", "IOR:… or corbaloc:…; file:NAME or - reads it from a file or standard input."
    ),
]


@command(
    ior,
    "tidings ior show corbaloc::naming.example.org/NameService",
    "tidings ior show file:channel.ior",
)
def show(reference: Url) -> None:
    """Show what a reference holds: type, addresses, object key, code sets.

    With --json there is one object with type_id, ior, and profiles: each with addresses, minor
    and key, the key in hexadecimal digits.
    """
    from tidings.orb.ior import describe

    found = _reference(reference)
    if render.is_json():
        render.as_json(_data(found))
        return
    for line in describe(found):
        render.say(line)


@command(
    ior,
    "tidings ior check corbaloc::naming.example.org/NameService",
    "tidings ior check --timeout 2 file:channel.ior",
)
def check(reference: Url, timeout: Annotated[float, typer.Option(min=0.01)] = 5.0) -> None:
    """Ask every address of a reference whether the object is there.

    Exit code 1 says that it is at none of them. With --json each address gives an object with
    address, found, said, and where callers are sent, if they are.

    Options:
        timeout SECONDS: How long to wait for answers.
    """
    from tidings.orb.aio import Options
    from tidings.orb.aio.checking import check_reference

    found = _reference(reference)
    options = Options(connect_seconds=timeout, call_seconds=timeout, close_seconds=timeout)
    checked = asyncio.run(check_reference(found, options))
    for each in checked:
        _tell(each)
    if not any(each.found for each in checked):
        raise typer.Exit(NOT_FOUND)


def _tell(checked: CheckedAddress) -> None:
    from tidings.orb.ior import describe, to_ior

    address, forward = str(checked.address), checked.forward
    if render.is_json():
        sent = {} if forward is None else {"forward": to_ior(forward)}
        data = {"address": address, "found": checked.found, "said": checked.said}
        render.as_json({**data, **sent})
        return
    render.say(f"{address}: {checked.said}", "" if checked.found else "red")
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


@command(
    idl,
    "tidings idl compile Bank.idl",
    "tidings idl compile Bank.idl -I ../idl -o src/bank --package bank",
    "tidings idl compile --check Bank.idl -o src/bank --package bank",
    name="compile",
)
def compile_(
    file: Path,
    include: list[Path] | None = None,
    output: Path = Path(),
    package: str = "",
    check: bool = False,
) -> None:
    """Write the Python module for an IDL file: NAME.idl gives NAME_auto.py.

    It holds the types, constants and exceptions, and for every interface a stub to call objects
    with and a servant to make some. What FILE includes is imported, and so has to be compiled
    too; the files of the CORBA services are there already, and need no -I.

    With --json there is one object with file, module, definitions and changed.

    Exit code: 0 done, or with --check up to date; 1 with --check: not up to date; 2 the file
    is wrong.

    Options:
        file <FILE>: The IDL file.
        include -I --include DIR: Where included files are. Repeatable.
        output -o --output DIR: Where the module goes.
        package NAME: The package of the modules of included files.
        check: Write nothing; say whether the module is up to date.
    """
    from tidings.cos.idl_files import FOLDER
    from tidings.idl.compile import compile_file
    from tidings.idl.generate import generate

    model = compile_file(file, [*(include or ()), FOLDER])
    text = generate(model, _homes(model, package))
    path = output / f"{_stem(model.main)}_auto.py"
    changed = _text_of(path) != text
    if changed and not check:
        replace_file(str(path), text)
    own = sum(one.source is model.main for one in model.definitions)
    if render.is_json():
        data = {"file": str(file), "module": str(path), "definitions": own, "changed": changed}
        render.as_json(data)
    else:
        render.note(_told(path, own, changed, check))
    if changed and check:
        raise typer.Exit(DIFFERENT)


@command(
    idl,
    "tidings idl diff Bank.idl Bank-2.idl",
    "tidings idl diff Bank.idl Bank-2.idl --interface IDL:Bank/Account:1.0 --json",
)
def diff(before: Path, after: Path, interface: str = "", include: list[Path] | None = None) -> None:
    """Tell what changed between two versions of an IDL file, and whether old clients still work.

    Each change has the name of a rule; docs/compatibility.md has them all. With --json there is one
    object with compatible and differences: each with where, what, compatible, rule and text.

    Exit code: 0 old clients still work; 1 they do not; 2 a file is wrong.

    Options:
        before <OLD>: The file before.
        after <NEW>: The file after.
        interface ID: One interface with all it needs, by its repository id or its name; without,
            all that the files define.
        include -I --include DIR: Where included files are. Repeatable.
    """
    from tidings.cos.idl_files import FOLDER
    from tidings.idl.compile import compile_file
    from tidings.idl.diff import compare_models

    folders = [*(include or ()), FOLDER]
    old, new = (compile_file(path, folders) for path in (before, after))
    found = compare_models(old, new, interface)
    if render.is_json():
        render.as_json(showing.as_data(found))
    else:
        for one in found.differences:
            render.say(f"{_verdict(one.compatible):14}{one.where}: {one.text} ({one.rule})")
        render.say(_verdict(found.compatible) if found.differences else "nothing has changed")
    if not found.compatible:
        raise typer.Exit(DIFFERENT)


def _verdict(compatible: bool) -> str:
    return "compatible" if compatible else "incompatible"


def _told(path: Path, own: int, changed: bool, check: bool) -> str:
    name = shown_name(str(path))
    if not changed:
        return f"{name} is up to date"
    if check:
        return f"{name} is not what the file gives; nothing was written"
    return f"{own} definition{'' if own == 1 else 's'} written to {name}"


def _homes(model: Model, package: str) -> Homes:
    from tidings.cos.idl_files import module_of

    if package and not all(_is_name(part) for part in package.split(".")):
        raise InvalidUsage(f"--package {package}: this is no name of a package")

    def home(source: Source) -> str | None:
        if source is model.main:
            return None
        lead = f"{package}." if package else ""
        return module_of(source) or f"{lead}{_stem(source)}_auto"

    return home


def _stem(source: Source) -> str:
    stem = Path(source.name).stem
    if not _is_name(stem):
        raise InvalidUsage(
            f"{shown_name(source.name)}: a module cannot be called {stem}; rename the file, "
            "with letters, digits and underscores only"
        )
    return stem


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidUsage(f"{shown_name(str(path))}: {reason(error)}") from error
