"""Clients of a service that runs elsewhere."""

from __future__ import annotations

import ssl

from tidings.client.client import Client
from tidings.client.sync import SyncClient
from tidings.client.transports.http import PATIENCE, HttpTransport
from tidings.client.transports.http_socket import OnConnection
from tidings.errors import FilterNotFound, NotFound, Unreachable

__all__ = ["connect", "connect_sync"]


async def connect(
    url: str,
    *,
    token: str | None = None,
    patience: float = PATIENCE,
    on_connection: OnConnection | None = None,
    tls: ssl.SSLContext | None = None,
) -> Client:
    """A client of the service at a URL; it comes back by itself after a cut or a restart.

    Args:
        url: Of the service, such as ``http://localhost:8080``.
        token: What shows who asks; not needed on the machine of the service.
        patience: How long whoever asks waits for a service that is away, in seconds; then
            `Unreachable` is raised. Subscriptions wait without end.
        on_connection: Called with ``(True, "")`` when events can flow, and with ``(False, why)``
            when they no longer can.
        tls: For ``https``; what the system trusts if None.

    Raises:
        InvalidUsage: The URL is none.
        Unreachable: Nobody is there, even after `patience`.
        Unauthenticated: The token is missing or wrong.
    """
    transport = HttpTransport(
        url, token=token, patience=patience, on_connection=on_connection, tls=tls
    )
    try:
        # Whoever may not come in, or finds nobody, hears it here; no filter has this number.
        await transport.filter(0)
    except FilterNotFound:
        pass
    except NotFound as error:
        await transport.close()
        raise Unreachable(f"{url} is no Tidings service") from error
    except BaseException:
        await transport.close()
        raise
    return Client(transport)


def connect_sync(
    url: str,
    *,
    token: str | None = None,
    patience: float = PATIENCE,
    on_connection: OnConnection | None = None,
    tls: ssl.SSLContext | None = None,
) -> SyncClient:
    """The same for plain threads; `on_connection` is called on a thread of the client's."""
    return SyncClient(
        lambda: connect(url, token=token, patience=patience, on_connection=on_connection, tls=tls)
    )
