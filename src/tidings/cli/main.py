"""The command tree, and error reporting for all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

import tidings
from tidings.cli.interrupts import ended_at_once
from tidings.cli.reading import reason
from tidings.errors import TidingsError
from tidings.terminal import render

ERROR = 2
INTERRUPTED = 130  # a shell's exit code for a program ended by Ctrl-C
BROKEN_PIPE = 141  # the same for a broken pipe

# Set this variable to debug Tidings itself.
TRACEBACK = "TIDINGS_TRACEBACK"


# Each command in the order of the help text, and the module whose `app` has it.
COMMANDS: Final = {
    "serve": "serve",
    "publish": "publishing",
    "subscribe": "history",
    "tree": "tree",
    "top": "tree",
    "peek": "history",
    "replay": "history",
    "trail": "trails",
    "changes": "changes",
    "export": "configuration",
    "apply": "configuration",
    "call": "call",
    "status": "status",
    "filter": "filters",
    "bench": "bench",
    "demo": "demo",
    "pipeline": "pipeline",
    "settings": "serve",
    "channel": "channels",
    "subscription": "subscriptions",
    "dead-letter": "dead_letters",
    "journal": "journal",
    "gateway": "gateways",
    "network": "networks",
    "trader": "trader",
    "service-changes": "service_changes",
    "live": "live",
    "ior": "corba",
    "idl": "corba",
    "tls": "serve",
    "principal": "principals",
    "grant": "principals",
    "token": "logins",
    "password": "logins",
    "login": "logins",
    "logout": "logins",
    "whoami": "logins",
    "context": "contexts",
}


class _Commands(Mapping[str, Any]):
    """All commands by name; imports a command's module on first use."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> object:
        if name not in self._loaded:
            self._loaded.update(_commands_in(COMMANDS[name]))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _commands_in(module: str) -> Mapping[str, Any]:
    with ended_at_once():
        part = import_module(f"tidings.cli.{module}")
    return get_group(part.app).commands


class _Root(TyperGroup):
    """The root group: exceptions become messages and exit codes, never a traceback."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 -- what typer hands over
        super().__init__(**attributes)
        self.commands = _Commands()  # type: ignore[assignment] # nobody adds one later

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 -- typer does not export its type
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # here a broken pipe is still ours to handle
        except TidingsError as error:
            render.failure(error)
            raise typer.Exit(ERROR) from error
        except BrokenPipeError as error:
            render.forget_output()
            raise typer.Exit(BROKEN_PIPE) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error
        except OSError as error:  # the disk under standard output is full, for instance
            render.error(reason(error))
            render.forget_output()
            raise typer.Exit(ERROR) from error
        finally:
            render.use_json(False)  # an option of one command


app = typer.Typer(
    name="tidings",
    cls=_Root,
    help="Tidings, a federated notification service.",
    epilog="Every command has --help with examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        render.say(f"tidings {tidings.__version__}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    """What can be asked of `tidings` itself."""


def main() -> None:
    """Run the `tidings` command."""
    render.prepare()
    try:
        app(prog_name="tidings")
    except Exception as fault:  # a bug of ours; users need its message, not its traceback
        if os.environ.get(TRACEBACK):
            raise
        render.error(
            f"this is a fault in Tidings: {type(fault).__name__}: {fault}\n"
            f"  {TRACEBACK}=1 in the environment shows where"
        )
        sys.exit(ERROR)
