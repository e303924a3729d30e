"""`tidings context …`: named services, replacing --url, --token-file, --ca, --cert and --key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from tidings.cli.options import command, commands, group
from tidings.errors import InvalidUsage, StoreError
from tidings.names import checked_name
from tidings.terminal import render

FILE: Final = "TIDINGS_CONTEXTS"
"""The environment variable that names another file."""

app = commands()
context = group(app, "context", "Services by name, for --context.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The context.")]


class Context(msgspec.Struct, frozen=True, omit_defaults=True):
    """Connection data of one service, without the token itself."""

    url: str
    token_file: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


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
    found = current_context(name)
    return None if found is None else found[1]


def current_context(name: str | None, url: str | None = None) -> tuple[str, Context] | None:
    """Return the named context with its name, else the current one; None if there is none.

    A URL without a name stands for no context.
    """
    known = read_contexts()
    chosen = name or ("" if url else known.current)
    return (chosen, known.find(chosen)) if chosen else None


def keep_token_file(name: str, file: Path | None) -> None:
    """Have a context use the token in a file, or none."""
    known = read_contexts()
    known.contexts[name] = msgspec.structs.replace(known.find(name), token_file=_whole(file))
    _write(known)


def tokens_folder() -> Path:
    """Return the folder of tokens from logins."""
    return contexts_file().parent / "tokens"


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


@command(
    context,
    "tidings context add prod --url https://tidings.example:8443 --token-file ~/.tidings/prod",
    "tidings tree --context prod",
    json=False,
)
def add(
    name: Name,
    url: str,
    token_file: Path | None = None,
    ca: Path | None = None,
    cert: Path | None = None,
    key: Path | None = None,
) -> None:
    """Add a context, or change it; the first one is used by commands that name none.

    Files are named by their whole path; the token stays in its own file.

    Options:
        url URL: Where the service is.
        token_file FILE: A file with the token to show.
        ca FILE: Authorities to trust, as PEM.
        cert FILE: A certificate to show, as PEM.
        key FILE: Its private key, as PEM, if it is in a file of its own.
    """
    if not checked_name(name):
        raise InvalidUsage("a context needs a name; this one is empty")
    if not url.startswith(("http://", "https://", "corbaloc:", "corbaname:", "IOR:")):
        raise InvalidUsage(f"{url!r:.80} is not the address of a service: https://host:port")
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise InvalidUsage("a URL has no user or password in it: the token goes into a file")
    known = read_contexts()
    known.contexts[name] = Context(url, *map(_whole, (token_file, ca, cert, key)))
    known.current = known.current or name
    _write(known)
    render.say(f"context {name}: {url}" + (", used by default" if known.current == name else ""))


def _whole(path: Path | None) -> str | None:
    return None if path is None else str(path.expanduser().absolute())


@command(context, "tidings context list", name="list")
def list_() -> None:
    """List the contexts; * marks the one that is used by default."""
    known = read_contexts()
    data = [
        {"name": name, "current": name == known.current, **msgspec.to_builtins(one)}
        for name, one in known.contexts.items()
    ]
    rows = [
        ("*" if name == known.current else "", name, one.url, one.token_file or "", one.ca or "")
        for name, one in known.contexts.items()
    ]
    headings = ("", "name", "url", "token file", "ca")
    render.listing(headings, rows, (), data, "there are no contexts")


@command(context, "tidings context use prod", json=False)
def use(name: Name) -> None:
    """Use a context in commands that name none."""
    known = read_contexts()
    known.find(name)
    known.current = name
    _write(known)


@command(context, "tidings context remove prod", json=False)
def remove(name: Name) -> None:
    """Remove a context; its token's file stays."""
    known = read_contexts()
    known.find(name)
    del known.contexts[name]
    known.current = "" if known.current == name else known.current
    _write(known)
