"""Clients of a service that runs elsewhere."""

from __future__ import annotations

import asyncio
import ssl

from tidings.channel.questions import SeeFilter
from tidings.client.client import Client
from tidings.client.sync import SyncClient
from tidings.client.transports.backoff import ONE_TRY, PATIENCE, checked_patience
from tidings.client.transports.http.socket import OnConnection
from tidings.client.transports.http.transport import HttpTransport
from tidings.client.transports.iiop.scheme import is_corba
from tidings.errors import FilterNotFound, InvalidUsage, NotFound, TidingsError, Unreachable

_NO_HTTP = (
    "is a CORBA address, over which there is no token, on_connection or tls; commands of tidings "
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
    """A client of the service at a URL; it comes back by itself after a cut or a restart.

    A subscription with a name belongs to whoever came last. A client that was cut comes back to
    it, too: if another one has taken it over meanwhile, it takes it back, and the other's loop
    ends as after any take-over.

    Over CORBA there are no names, and none of the arguments but `patience` and `listen` counts.
    A push whose answer was lost is not made again there: `Unreachable` says that its fate is
    unknown. What else CORBA has no words for raises `NotOverCorba`.

    Args:
        url: Of the service, such as ``http://localhost:8080``; with a path, such as
            ``https://example.org/tidings``, if it stands behind another server. The factory of
            channels of a CORBA service: ``iiop://localhost:2809``, or what begins with
            ``corbaloc:``, ``corbaname:`` or ``IOR:``.
        token: What shows who asks; not needed on the machine of the service.
        patience: How long whoever asks waits for a service that is away, in seconds; then
            `Unreachable` is raised. One try is always made, and may take a second. Connecting
            takes no longer than that, even if somebody is there and never answers. Subscriptions
            wait without end.
        on_connection: Called with ``(True, "")`` when events can flow, and with ``(False, why)``
            when they no longer can.
        tls: For ``https``; what the system trusts if None.
        listen: Where a CORBA service calls back, ``host:port``; None for a free port of the
            address of this machine that leads to it.

    Raises:
        InvalidUsage: The URL is none, or the patience no number of seconds.
        Unreachable: Nobody is there, even after `patience`, or somebody else is.
        Unauthenticated: The token is missing or wrong.
    """
    seconds = max(checked_patience(patience), ONE_TRY)
    if is_corba(url):
        if token is not None or on_connection is not None or tls is not None:
            raise InvalidUsage(f"{url} {_NO_HTTP}")
        connecting = _connect_corba(url, listen, patience)
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
        # Whoever may not come in, or finds nobody, hears it here; no filter has this number.
        await transport.request(SeeFilter(0))
    except FilterNotFound:
        pass
    except BaseException as error:
        await transport.close()
        if isinstance(error, NotFound) or type(error) is TidingsError:
            raise Unreachable(f"{url} is no Tidings service: {error}") from error
        raise
    return Client(transport)


async def _connect_corba(url: str, listen: str | None, patience: float) -> Client:
    from tidings.client.transports.iiop.transport import IiopTransport

    return Client(await IiopTransport.open(url, listen=listen, patience=patience))


def connect_sync(
    url: str,
    *,
    token: str | None = None,
    patience: float = PATIENCE,
    on_connection: OnConnection | None = None,
    tls: ssl.SSLContext | None = None,
    listen: str | None = None,
) -> SyncClient:
    """The same for plain threads; `on_connection` is called on a thread of the client's."""
    return SyncClient(
        lambda: connect(
            url,
            token=token,
            patience=patience,
            on_connection=on_connection,
            tls=tls,
            listen=listen,
        )
    )
