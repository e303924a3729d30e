"""The service that a command asks: options that select it, and the client of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from tidings.cli.contexts import chosen_context
from tidings.cli.options import JSON, add_command, parameters_of
from tidings.cli.reading import reason, shown_name
from tidings.errors import InvalidUsage, TidingsError, Unauthenticated, Unreachable
from tidings.names import checked_name
from tidings.terminal import render

if TYPE_CHECKING:
    import ssl

    from tidings.cli.contexts import Context
    from tidings.client.client import Client

DEFAULT_URL: Final = "http://127.0.0.1:8080"
URL: Final = "TIDINGS_URL"
TOKEN: Final = "TIDINGS_TOKEN"

_OPTIONS_OF_ACCESS: Final = ("token_file", "ca", "cert", "key", "context")
# Timeout of shell completion.
_COMPLETION_SECONDS: Final = 0.3
_PATIENCE: Final = 5.0


@dataclass(frozen=True, slots=True)
class Service:
    """The selected service; `patience` is the seconds to wait while it is unreachable."""

    url: str = DEFAULT_URL
    token: str | None = None
    patience: float = _PATIENCE
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


@asynccontextmanager
async def connected(service: Service) -> AsyncIterator[Client]:
    """Yield a client of the service; report lost connections on standard error."""
    from tidings.client.connecting import connect

    cuts = _Cuts(service.url)
    try:
        client = await connect(
            service.url,
            token=service.token,
            patience=service.patience,
            on_connection=cuts.tell,
            tls=trusting(service.ca, service.cert, service.key),
        )
    except Unreachable as error:
        way_out = "`tidings serve` starts a service, --url says where one is"
        raise Unreachable(f"{error}; {way_out}") from error
    except Unauthenticated as error:
        if service.token is not None:
            raise
        raise Unauthenticated(
            f"the service at {service.url} wants a token: give its file with --token-file, or the "
            f"token in {TOKEN}; `tidings login NAME` gets one for a password"
        ) from error
    async with client:
        yield client
        cuts.over = True


class _Cuts:
    """Reports of lost and restored connections to the service."""

    def __init__(self, url: str) -> None:
        self.over = False
        self._url = url
        self._away = False

    def tell(self, reached: bool, why: str) -> None:
        if self.over or reached is not self._away:
            return
        self._away = not reached
        if render.is_json():
            render.as_json({"connection": "back" if reached else "cut", "why": why}, stderr=True)
        elif reached:
            render.note(f"{self._url} is back{f'; {why}' if why else ''}", "" if why else "dim")
        else:
            render.note(f"{self._url} is away ({why}); waiting for it", "dim")


def chosen_service(
    url: str | None = None,
    token_file: str | None = None,
    ca: str | None = None,
    cert: str | None = None,
    key: str | None = None,
    context: str | None = None,
    patience: Annotated[float, typer.Option(min=0.5)] = _PATIENCE,
) -> Service:
    """Select the service: options override the environment, which overrides the context.

    Options:
        url URL $TIDINGS_URL: Where the service is. [default: that of the context, or
            http://127.0.0.1:8080]
        token_file FILE: A file with the token to show. [default: TIDINGS_TOKEN in the environment]
        ca FILE $TIDINGS_CA: For https: certificates of the authorities to trust, as PEM. [default:
            the system's]
        cert FILE $TIDINGS_CERT: For https: a certificate to show, as PEM.
        key FILE $TIDINGS_KEY: Its private key, as PEM, if it is in a file of its own.
        context NAME $TIDINGS_CONTEXT: Which service, by the name that `tidings context add` has
            given it.
        patience SECONDS: How long to wait for a service that is away.
    """
    named = {"url": url, "ca": ca, "cert": cert, "key": key, "context": context}
    service, found = service_without_token(patience=patience, **named)
    token = shown_token(token_file)
    kept = None if found is None or url not in (None, found.url) else found.token_file
    return replace(service, token=shown_token(kept) if token is None and kept else token)


def service_without_token(
    *,
    url: str | None,
    ca: str | None,
    cert: str | None,
    key: str | None,
    context: str | None,
    patience: float,
) -> tuple[Service, Context | None]:
    """Return the service that options and context select, and the context."""
    found = chosen_context(context) if context is not None or url is None else None
    if found is None:
        return Service(url or DEFAULT_URL, None, patience, ca, cert, key), None
    if cert is None and url in (None, found.url):  # what says who asks is for no other service
        cert, key = found.cert, found.key
    return Service(url or found.url, None, patience, ca or found.ca, cert, key), found


def shown_token(file: str | None) -> str | None:
    """Return the token from a file's first line or the environment, or None."""
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidUsage(f"{shown_name(file)}: {reason(error)}") from error
    if not lines or not lines[0].strip():
        raise InvalidUsage(f"{shown_name(file)}: the first line should be the token, and is empty")
    return lines[0].strip()


def trusting(
    file: str | None, cert: str | None = None, key: str | None = None
) -> ssl.SSLContext | None:
    """Return an SSL context that trusts a file's authorities, and shows a certificate.

    None stands for the system's authorities, and no certificate.
    """
    if cert is None and key is not None:
        raise InvalidUsage("--key is the key of a certificate: give that with --cert")
    if file is None and cert is None:
        return None
    import ssl

    try:
        made = ssl.create_default_context(cafile=file)
    except ssl.SSLError as error:
        raise InvalidUsage(f"{shown_name(str(file))}: this is not a certificate in PEM") from error
    except OSError as error:
        raise InvalidUsage(f"{shown_name(str(file))}: {reason(error)}") from error
    if cert is not None:
        try:
            made.load_cert_chain(cert, key, lambda: "")  # never asks at the terminal
        except (ssl.SSLError, OSError) as error:
            files = shown_name(cert) if key is None else f"{shown_name(cert)}, {shown_name(key)}"
            what = "this is not a certificate in PEM with its key, without a password"
            raise InvalidUsage(
                f"{files}: {what if isinstance(error, ssl.SSLError) else reason(error)}"
            ) from error
    return made


SERVICE_OPTIONS: Final = [*JSON, *parameters_of(chosen_service)]

_Command: TypeAlias = Callable[..., Coroutine[Any, Any, None]]


def service_command(
    app: typer.Typer, *examples: str, name: str | None = None
) -> Callable[[_Command], _Command]:
    """Turn a coroutine function whose first argument is a client into a command.

    The command has the function's other arguments, the options that select the service, and
    --json.
    """

    def made(function: _Command) -> _Command:
        async def ask(service: Service, given: dict[str, Any]) -> None:
            async with connected(service) as client:
                await function(client, **given)

        def call(given: dict[str, Any], json: bool, **options: Any) -> None:  # noqa: ANN401
            asyncio.run(ask(chosen_service(**options), given))

        return add_command(app, examples, name, function, SERVICE_OPTIONS, call)

    return made


def _channel_names(context: typer.Context, incomplete: str) -> list[str]:
    """Return the channel names for shell completion if the service answers quickly."""
    import tidings.client.connecting  # noqa: F401 -- so that only the service is timed

    given = {key: context.params.get(key) for key in _OPTIONS_OF_ACCESS}
    url = context.params.get("url") or os.environ.get(URL)
    try:
        service = chosen_service(url, **given, patience=_COMPLETION_SECONDS)
        names = asyncio.run(asyncio.wait_for(_names(service), _COMPLETION_SECONDS))
    except (TidingsError, OSError, TimeoutError):
        return []
    return [name for name in names if name.startswith(incomplete)]


async def _names(service: Service) -> list[str]:
    async with connected(service) as client:
        return sorted(info.name for info in await client.channels() if info.name)


def new_name(text: str, what: str) -> str:
    """Check a new object's name; a name of only digits would be read as an id."""
    if not text:
        raise InvalidUsage(f"a {what} needs a name; this one is empty")
    return checked_name(text)


def channel_key(text: str) -> int | str:
    """Parse a channel argument: an id if it is a number, else a name."""
    return int(text) if text.isascii() and text.isdecimal() else text


Channel = Annotated[
    str,
    typer.Argument(
        metavar="CHANNEL", help="The channel, by name or id.", autocompletion=_channel_names
    ),
]
