"""The owner's token: given, read from a file, or made by the service."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tidings.errors import InvalidUsage, StoreError
from tidings.names import new_origin
from tidings.server.files import write_secret
from tidings.server.settings import AUTO, TOKEN_WORDS, ServerSettings, is_token

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
