"""`tidings context …`: named services, replacing --url, --token-file and --ca."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from tidings.cli import render
from tidings.cli.options import Json, examples
from tidings.errors import InvalidUsage, StoreError
from tidings.names import checked_name

FILE: Final = "TIDINGS_CONTEXTS"
"""The environment variable that names another file."""

app = typer.Typer(
    help="Services by name, for --context.", no_args_is_help=True, rich_markup_mode=None
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The context.")]


class Context(msgspec.Struct, frozen=True, omit_defaults=True):
    """Connection data of one service, without the token itself."""

    url: str
    token_file: str | None = None
    ca: str | None = None


class Contexts(msgspec.Struct, omit_defaults=True):
    """All contexts by name; `current` is the default one, or empty."""

    current: str = ""
    contexts: dict[str, Context] = {}

    def find(self, name: str) -> Context:
        """Return a context by name; raise InvalidUsage if it does not exist."""
        if name not in self.contexts:
            known = ", ".join(self.contexts) or "none; `tidings context add` adds one"
            raise InvalidUsage(f"there is no context {name!r:.60}: there are {known}")
        return self.contexts[name]


def contexts_file() -> Path:
    """Return the path of the contexts file."""
    if named := os.environ.get(FILE):
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "tidings" / "contexts.json"


def read_contexts() -> Contexts:
    """Read all contexts; raise InvalidUsage if the file is unreadable."""
    path = contexts_file()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Contexts)
    except FileNotFoundError:
        return Contexts()
    except OSError as error:
        raise InvalidUsage(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise InvalidUsage(f"{path} does not hold contexts: {error}") from error


def chosen_context(name: str | None) -> Context | None:
    """Return the named context, else the current one, else None."""
    known = read_contexts()
    chosen = name or known.current
    return known.find(chosen) if chosen else None


def _write(contexts: Contexts) -> None:
    path = contexts_file()
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(contexts)) + b"\n")
        unfinished.chmod(0o600)
        unfinished.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


@app.command(
    epilog=examples(
        "tidings context add prod --url https://tidings.example:8443 --token-file ~/.tidings/prod",
        "tidings tree --context prod",
    )
)
def add(
    name: Name,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Where the service is.")],
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="A file with the token to show."),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="Authorities to trust, as PEM."),
    ] = None,
) -> None:
    """Add a context, or change it; the first one is used by commands that name none.

    Files are named by their whole path; the token stays in its own file.
    """
    if not checked_name(name):
        raise InvalidUsage("a context needs a name; this one is empty")
    if not url.startswith(("http://", "https://", "corbaloc:", "corbaname:", "IOR:")):
        raise InvalidUsage(f"{url!r:.80} is not the address of a service: https://host:port")
    known = read_contexts()
    known.contexts[name] = Context(url, _whole(token_file), _whole(ca))
    known.current = known.current or name
    _write(known)
    render.say(f"context {name}: {url}" + (", used by default" if known.current == name else ""))


def _whole(path: Path | None) -> str | None:
    return None if path is None else str(path.expanduser().absolute())


@app.command("list", epilog=examples("tidings context list"))
def list_(json: Json = False) -> None:
    """List the contexts; * marks the one that is used by default."""
    known = read_contexts()
    if json:
        for name, one in known.contexts.items():
            plain = msgspec.to_builtins(one)
            render.as_json({"name": name, "current": name == known.current, **plain})
        return
    rows = [
        ("*" if name == known.current else "", name, one.url, one.token_file or "", one.ca or "")
        for name, one in known.contexts.items()
    ]
    render.table(("", "name", "url", "token file", "ca"), rows)


@app.command(epilog=examples("tidings context use prod"))
def use(name: Name) -> None:
    """Use a context in commands that name none."""
    known = read_contexts()
    known.find(name)
    known.current = name
    _write(known)


@app.command(epilog=examples("tidings context remove prod"))
def remove(name: Name) -> None:
    """Remove a context; its token's file stays."""
    known = read_contexts()
    known.find(name)
    del known.contexts[name]
    known.current = "" if known.current == name else known.current
    _write(known)
