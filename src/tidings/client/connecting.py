"""Connecting to a remote service."""

from __future__ import annotations

import asyncio
import ssl
from typing import Final

from tidings.channel.questions import SeeFilter
from tidings.client.client import Client
from tidings.client.sync import for_threads
from tidings.client.transports.backoff import ONE_TRY, PATIENCE, checked_patience
from tidings.client.transports.http.socket import OnConnection
from tidings.client.transports.http.transport import HttpTransport
from tidings.errors import FilterNotFound, InvalidUsage, NotFound, TidingsError, Unreachable

_SCHEMES: Final = ("corbaloc:", "corbaname:", "ior:", "iiop:")


def is_corba(url: str) -> bool:
    """Tell whether a URL names a CORBA object."""
    return url.strip().lower().startswith(_SCHEMES)


_NO_HTTP = (
    "is a CORBA address, over which there is no token or on_connection; commands of tidings "
    "speak HTTP: write http://host:port"
)


async def connect(
    url: str,
    *,
    token: str | None = None,
    patience: float = PATIENCE,
    on_connection: OnConnection | None = None,
    tls: ssl.SSLContext | None = None,
    listen: str | None = None,
) -> Client:
    """Connect to the service at a URL; the client reconnects by itself.

    A named subscription belongs to the client that connected last. A client that reconnects
    takes its subscriptions back, and the loop of the client that held them meanwhile ends.

    Over CORBA there are no names, and only `patience`, `tls` and `listen` apply. A push whose
    reply is lost is not retried there: it raises `Unreachable`, and the event may or may not have
    been accepted. Operations that CORBA cannot express raise `NotOverCorba`.

    Args:
        url: Such as ``http://localhost:8080``, or ``https://example.org/tidings`` behind a
            reverse proxy. For CORBA, the channel factory: ``iiop://localhost:2809``, or a
            ``corbaloc:``, ``corbaname:`` or ``IOR:`` reference.
        token: Authenticates the client; not needed on the service's own machine.
        patience: Seconds to retry while the service is unreachable before raising
            `Unreachable`; also limits connecting. At least one try is made, which may take a
            second. Subscriptions retry without limit.
        on_connection: Called with ``(True, missed)`` when events can flow, and with
            ``(False, reason)`` when they no longer can. `missed` describes events that
            subscriptions missed; usually it is empty.
        tls: For ``https``, and for CORBA with TLS (``corbaloc:ssliop:``, or a reference that names
            a port for it); None to use the system's trusted certificates. A CORBA service then
            calls back over the client's connection.
        listen: The ``host:port`` where a CORBA service calls back; None for a free port on this
            machine's address towards it.

    Raises:
        InvalidUsage: The URL or the patience is invalid, or an argument does not fit the URL.
        Unreachable: No Tidings service answered within `patience`.
        Unauthenticated: The token is missing or wrong.
    """
    seconds = max(checked_patience(patience), ONE_TRY)
    if is_corba(url):
        if token is not None or on_connection is not None:
            raise InvalidUsage(f"{url} {_NO_HTTP}")
        connecting = _connect_corba(url, listen, patience, tls)
    elif listen is not None:
        raise InvalidUsage("only a CORBA service calls back: listen is for none but these")
    else:
        connecting = _connect_http(
            HttpTransport(
                url, token=token, patience=patience, on_connection=on_connection, tls=tls
            ),
            url,
        )
    try:
        async with asyncio.timeout(seconds):
            return await connecting
    except TimeoutError as error:
        raise Unreachable(f"{url:.200} gave no answer within {seconds:g} s") from error


async def _connect_http(transport: HttpTransport, url: str) -> Client:
    try:
        # Check access and reachability now; no filter has the id 0.
        await transport.request(SeeFilter(0))
    except FilterNotFound:
        pass
    except BaseException as error:
        await transport.close()
        if isinstance(error, NotFound) or type(error) is TidingsError:
            raise Unreachable(f"{url} is no Tidings service: {error}") from error
        raise
    return Client(transport)


async def _connect_corba(
    url: str, listen: str | None, patience: float, tls: ssl.SSLContext | None
) -> Client:
    from tidings.client.transports.iiop.transport import IiopTransport

    return Client(await IiopTransport.open(url, listen=listen, patience=patience, tls=tls))


connect_sync = for_threads(connect)
"""Connect as `connect` does, for threads; `on_connection` runs on the client's own thread."""
