"""How commands are declared: groups, arguments, and options that several commands share."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from tidings.cli.reading import STDIN, moment
from tidings.clock import SystemClock
from tidings.terminal import render

_Function: TypeAlias = Callable[..., Any]


def commands() -> typer.Typer:
    """Return a tree for the commands of a module."""
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


def group(tree: typer.Typer, name: str, help: str) -> typer.Typer:  # noqa: A002 -- typer's word
    """Add a group of commands to a tree."""
    made = typer.Typer(help=help, no_args_is_help=True, rich_markup_mode=None)
    tree.add_typer(made, name=name)
    return made


def option(names: str, metavar: str | None, text: str, **more: Any) -> Any:  # noqa: ANN401
    """Declare an option; several names stand with blanks between them."""
    return typer.Option(*names.split(), metavar=metavar, help=text, **more)


def flag(name: str, text: str) -> Any:  # noqa: ANN401
    """Declare an option without a value."""
    return typer.Option(name, help=text)


def argument(metavar: str, text: str, **more: Any) -> Any:  # noqa: ANN401
    """Declare an argument."""
    return typer.Argument(metavar=metavar, help=text, **more)


Json = Annotated[
    bool,
    typer.Option("--json", callback=render.use_json, help="Write JSON lines instead of text."),
]
Format = Annotated[str, option("--format", "NAME", "How events are written: json or cloudevents.")]
Types = Annotated[
    list[str] | None,
    option(
        "--type",
        "PATTERN",
        "Only events of this type: Domain::Type or Type, * for any characters. Repeatable.",
    ),
]
Most = Annotated[int, option("--most", "N", "At most so many.", min=1)]


def examples(*lines: str) -> str:
    """Format examples for a help text's end; the first character keeps line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def command(
    app: typer.Typer, *lines: str, name: str | None = None, json: bool = True
) -> Callable[[_Function], _Function]:
    """Turn a function into a command with examples, and with --json unless it has no data."""
    shared: dict[str, tuple[object, object]] = {"json": (Json, False)} if json else {}

    def made(function: _Function) -> _Function:
        def call(given: dict[str, Any], json: bool = False) -> None:
            function(**given)

        return add_command(app, lines, name, function, shared, call)

    return made


def add_command(
    app: typer.Typer,
    lines: Sequence[str],
    name: str | None,
    function: _Function,
    shared: Mapping[str, tuple[object, object]],
    call: _Function,
    without_first: bool = False,
) -> _Function:
    """Add a command with a function's arguments and, by name, shared options.

    `call` gets the former as a dictionary and the latter as keywords. The function's first
    argument may not be one of the command's.
    """
    hints = get_type_hints(function, localns={"Client": object}, include_extras=True)
    own = list(inspect.signature(function).parameters.values())[int(without_first) :]
    parameters = [one.replace(annotation=hints[one.name]) for one in own] + [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for key, (kind, default) in shared.items()
    ]

    @wraps(function)
    def run(**given: Any) -> None:  # noqa: ANN401 -- whatever the function takes
        options = {key: given.pop(key) for key in shared}
        call(given, **options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    app.command(name, epilog=examples(*lines))(run)
    return function


def clock(now: str | None) -> Callable[[], int]:
    """Return a clock that is fixed to a given time, or the real one."""
    if now is None:
        return SystemClock().now
    fixed = moment(now)
    return lambda: fixed


def tell_if_waiting(sources: Sequence[str], what: str) -> None:
    """Tell a user who named no file that the command reads standard input."""
    if STDIN in sources and sys.stdin is not None and sys.stdin.isatty():
        render.note(f"reading {what} from the terminal, Ctrl-D ends", "dim")
