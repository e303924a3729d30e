"""`tidings idl …`: compile IDL to Python modules."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli import render
from tidings.cli.options import Json, examples
from tidings.cli.reading import reason, shown_name
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.idl.faults import Source
    from tidings.idl.model import Model
    from tidings.idl.names import Homes

DIFFERENT = 1

app = typer.Typer(
    help="Compile IDL, the description of interfaces of CORBA objects.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _all_commands() -> None:
    """Compile IDL, the description of interfaces of CORBA objects."""


@app.command(
    "compile",
    epilog=examples(
        "tidings idl compile Bank.idl",
        "tidings idl compile Bank.idl -I ../idl -o src/bank --package bank",
        "tidings idl compile --check Bank.idl -o src/bank --package bank",
    ),
)
def compile_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The IDL file.")],
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "-I", "--include", metavar="DIR", help="Where included files are. Repeatable."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the module goes.")
    ] = Path(),
    package: Annotated[
        str,
        typer.Option(metavar="NAME", help="The package of the modules of included files."),
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say whether the module is up to date.")
    ] = False,
    json: Json = False,
) -> None:
    """Write the Python module for an IDL file: NAME.idl gives NAME_auto.py.

    It holds the types, constants and exceptions, and for every interface a stub to call objects
    with and a servant to make some. What FILE includes is imported, and so has to be compiled
    too; the files of the CORBA services are there already, and need no -I.

    With --json there is one object with file, module, definitions and changed.

    Exit code: 0 done, or with --check up to date; 1 with --check: not up to date; 2 the file
    is wrong.
    """
    from tidings.cos.idl_files import FOLDER
    from tidings.idl.compile import compile_file
    from tidings.idl.generate import generate

    model = compile_file(file, [*(include or ()), FOLDER])
    text = generate(model, _homes(model, package))
    path = output / f"{_stem(model.main)}_auto.py"
    changed = _text_of(path) != text
    if changed and not check:
        _write(path, text)
    own = sum(one.source is model.main for one in model.definitions)
    if json:
        data = {"file": str(file), "module": str(path), "definitions": own, "changed": changed}
        render.as_json(data)
    else:
        render.note(_told(path, own, changed, check))
    if changed and check:
        raise typer.Exit(DIFFERENT)


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


def _write(path: Path, text: str) -> None:
    """Replace the module atomically: a full disk leaves the old one."""
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InvalidUsage(f"{shown_name(str(path))}: {reason(error)}") from error
