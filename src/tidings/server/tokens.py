"""Tokens that the machine itself gives out: the owner's, and one for whoever is locked out."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Final

from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import InvalidUsage, StoreError
from tidings.grants.core import RECOVERY
from tidings.grants.model import NO_LIMITS, Verb
from tidings.grants.requests import (
    ChangePrincipal,
    CreateGrant,
    CreatePrincipal,
    CreateToken,
    SeePrincipals,
)
from tidings.names import new_origin
from tidings.server.files import write_secret
from tidings.server.settings import AUTO, TOKEN_WORDS, ServerSettings, is_token

log = logging.getLogger(__name__)

TOKEN_FILE: Final = "owner.token"
"""The name of the file in the data folder that holds a token the service has made."""


def token_path(settings: ServerSettings) -> Path | None:
    """The file the token is in; None if it is in no file."""
    http = settings.http
    if http.token is not None and http.token.get_secret_value() == AUTO:
        return settings.store.dir / TOKEN_FILE
    return http.token_file


def owner_token(settings: ServerSettings) -> str | None:
    """The token that requests must show; None if they need none."""
    path = token_path(settings)
    if path is not None:
        return _read(path)
    secret = settings.http.token
    return None if secret is None else secret.get_secret_value()


def make_token(settings: ServerSettings) -> Path | None:
    """Make the service's own token if it needs one; return its file if it was made now.

    Only the file's owner can read it, from its first moment on.
    """
    path = token_path(settings)
    if path is None or settings.http.token_file is not None or path.exists():
        return None
    try:
        write_secret(path, new_origin())
    except OSError as error:
        raise StoreError(f"the token cannot be written to {path}: {error.strerror}") from error
    return path


def recovered_path(settings: ServerSettings, name: str) -> Path:
    """The new file for the token of `recover_access`; raise InvalidUsage if there can be none."""
    if settings.store.memory:
        raise InvalidUsage("--recover-access: nothing is kept in memory, and nobody locked out")
    if not name or name in (".", "..") or not name.isprintable() or "/" in name:
        raise InvalidUsage(f"--recover-access: {name[:64]!r} cannot be the name of a principal")
    path = settings.store.dir / f"recovered-{name}.token"
    if path.exists():
        raise InvalidUsage(
            f"--recover-access: {path} has a token already: use it, or remove the file"
        )
    return path


async def recover_access(host: Host, name: str, path: Path) -> None:
    """Make a principal an administrator with a new token, which goes into a file.

    Whoever may start the service on its data could do anything with them anyway.
    """
    door = LocalDoor(host, Caller(RECOVERY, is_owner=True))
    if not await door.request(SeePrincipals(principal=name)):
        await door.ask(CreatePrincipal(name))
    await door.ask(ChangePrincipal(name, limits=NO_LIMITS, disabled=False))
    await door.ask(CreateGrant(name, (Verb.ADMINISTER, Verb.MANAGE, Verb.INSPECT)))
    made = await door.request(CreateToken(name, RECOVERY))
    try:
        await asyncio.to_thread(write_secret, path, made.token)
    except OSError as error:
        raise StoreError(f"the token cannot be written to {path}: {error.strerror}") from error
    log.warning(
        "access recovered: %s administers access by credential %d, whose token is in %s; "
        "start without --recover-access from now on",
        *(name, made.credential, path),
    )


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.readline(1_000).strip()
    except OSError as error:
        raise InvalidUsage(f"the token file {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidUsage(f"the token file {path} is no text") from error
    if not is_token(text) or text == AUTO:
        raise InvalidUsage(
            f"the first line of the token file {path} is no token: it has {TOKEN_WORDS}"
        )
    return text


def open_to_others(path: Path) -> bool:
    """Whether others on this machine can read a file."""
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False
