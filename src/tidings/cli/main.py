"""The command tree, and what every command has in common: how errors are told."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import tidings
from tidings.cli import (
    bench,
    call,
    channels,
    configuration,
    dead_letters,
    demo,
    filters,
    history,
    idl,
    journal,
    pipeline,
    publishing,
    references,
    render,
    serve,
    subscribing,
    subscriptions,
    trails,
    tree,
)
from tidings.cli.matching import fault_data
from tidings.cli.options import JSON_ASKED
from tidings.cli.reading import reason
from tidings.errors import TidingsError

ERROR = 2
INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C ended
BROKEN_PIPE = 141  # the same for one whose reader went away

# Set by whoever looks for a fault in Tidings itself.
TRACEBACK = "TIDINGS_TRACEBACK"


class _Root(TyperGroup):
    """Turns what a command raises into a message and an exit code; never a traceback."""

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 -- typer does not export its type
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # here a broken pipe is still ours to handle
        except TidingsError as error:
            asked_json = ctx.meta.get(JSON_ASKED, False)
            render.failure(str(error), fault_data(error) if asked_json else None)
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


app = typer.Typer(
    name="tidings",
    cls=_Root,
    help="Tidings, a federated notification service.",
    epilog="Every command has --help with examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(filters.app, name="filter")
app.add_typer(bench.app, name="bench")
app.add_typer(demo.app, name="demo")
app.add_typer(pipeline.app, name="pipeline")
serve.add_to(app)
app.add_typer(channels.app, name="channel")
app.add_typer(subscriptions.app, name="subscription")
app.add_typer(dead_letters.app, name="dead-letter")
app.add_typer(journal.app, name="journal")
app.add_typer(references.app, name="ior")
app.add_typer(idl.app, name="idl")
for _commands in (publishing, subscribing, tree, history, trails, configuration, call):
    _commands.add_to(app)


def _version(asked: bool) -> None:
    if asked:
        render.say(f"tidings {tidings.__version__}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """What can be asked of `tidings` itself."""


def main() -> None:
    """The `tidings` command."""
    render.prepare()
    try:
        app(prog_name="tidings")
    except Exception as fault:  # a fault of ours; its message is worth more than its traceback
        if os.environ.get(TRACEBACK):
            raise
        render.error(
            f"this is a fault in Tidings: {type(fault).__name__}: {fault}\n"
            f"  {TRACEBACK}=1 in the environment shows where"
        )
        sys.exit(ERROR)
