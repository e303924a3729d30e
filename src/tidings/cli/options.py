"""How commands are declared: a function's arguments, and the options in its docstring.

A docstring ends with a line for each argument of the function that is not declared by its type:

    Options:
        into CHANNEL: Publish them there.         --into CHANNEL
        most --max N: End after N matches.        --max N, as the argument `most`
        archive DIR $TIDINGS_ARCHIVE: The folder. --archive DIR, or the environment variable
        file <FILE>: The IDL file.                FILE, without a name
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import wraps
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from tidings.cli.reading import STDIN, moment
from tidings.clock import SystemClock
from tidings.terminal import render

_Function: TypeAlias = Callable[..., Any]


def option(words: str, text: str, given: Any = None, **more: Any) -> Any:  # noqa: ANN401
    """Declare an option or an argument: the words as in a docstring, and its help text."""
    info = copy(given) or (typer.Argument if words.startswith("<") else typer.Option)(**more)
    info.help = text
    for word in words.split():
        if word.startswith("-"):
            info.param_decls = (*(info.param_decls or ()), word)
        elif word.startswith("$"):
            info.envvar = word[1:]
        else:
            info.metavar = word.removeprefix("<").removesuffix(">")
    return info


Json = Annotated[
    bool, typer.Option("--json", callback=render.use_json, help="Write JSON lines instead of text.")
]
Count = Annotated[int, typer.Option(min=1)]
Most = Annotated[int, option("--most N", "At most so many.", min=1)]
Format = Annotated[str, option("--format NAME", "How events are written: json or cloudevents.")]
Types = Annotated[
    list[str] | None,
    option(
        "--type PATTERN",
        "Only events of this type: Domain::Type or Type, * for any characters. Repeatable.",
    ),
]


def commands() -> typer.Typer:
    """Return a tree for the commands of a module."""
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


def group(tree: typer.Typer, name: str, text: str) -> typer.Typer:
    """Add a group of commands to a tree, with its help text."""
    made = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode=None)
    tree.add_typer(made, name=name)
    return made


def examples(*lines: str) -> str:
    """Format examples for a help text's end; the first character keeps line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def command(
    app: typer.Typer,
    *lines: str,
    name: str | None = None,
    json: bool = True,
    cls: type[TyperCommand] | None = None,
) -> Callable[[_Function], _Function]:
    """Turn a function into a command with examples, and with --json unless it has no data."""
    shared = JSON if json else ()

    def made(function: _Function) -> _Function:
        def call(given: dict[str, Any], json: bool = False) -> None:
            function(**given)

        return add_command(app, lines, name, function, shared, call, cls)

    return made


def add_command(
    app: typer.Typer,
    lines: Sequence[str],
    name: str | None,
    function: _Function,
    shared: Sequence[inspect.Parameter],
    call: _Function,
    cls: type[TyperCommand] | None = None,
) -> _Function:
    """Add a command with a function's arguments and shared options.

    `call` gets the former as a dictionary and the latter as keywords.
    """
    parameters = [*parameters_of(function), *shared]

    @wraps(function)
    def run(**given: Any) -> None:  # noqa: ANN401 -- whatever the function takes
        options = {one.name: given.pop(one.name) for one in shared}
        call(given, **options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__doc__ = _help(function)[0]
    app.command(name, cls=cls, epilog=examples(*lines))(run)
    return function


def parameters_of(function: _Function) -> list[inspect.Parameter]:
    """Return a command's parameters for a function's arguments, without what it works with."""
    hints = get_type_hints(function, localns={"Client": object}, include_extras=True)
    _, declared = _help(function)
    return [
        one.replace(
            kind=inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotated(one.name, hints[one.name], declared.get(one.name)),
        )
        for one in inspect.signature(function).parameters.values()
        if one.name not in {"client", "job", "services"}
    ]


def _help(function: _Function) -> tuple[str, Mapping[str, tuple[str, str]]]:
    """Return a docstring's help text, and by argument the words and the text of its option."""
    text, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n\nOptions:\n")
    parts = re.split(r"^ {4}(\w+)(.*?): ", rest, flags=re.MULTILINE)[1:]
    entries = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return text, {name: (words.strip(), " ".join(told.split())) for name, words, told in entries}


def _annotated(name: str, hint: Any, declared: tuple[str, str] | None) -> Any:  # noqa: ANN401
    """Return the type of a parameter with what its docstring declares."""
    if declared is None:
        return hint
    kind, *given = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    words, text = declared
    if "-" not in words and "<" not in words:
        words = f"--{name.rstrip('_').replace('_', '-')} {words}"
    return Annotated[kind, option(words, text, *given)]


def _json_only(json: Json = False) -> None: ...


JSON = parameters_of(_json_only)


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
