"""What can be set about the web door."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Settings of the web door; times are in seconds.

    Attributes:
        token: The owner's token. None is for a loopback address only: whoever reaches it owns
            the service.
        open_loopback: Whether callers without a token own the service though there are principals.
        allowed_hosts: Without a token, names (``name`` or ``name:port``) beside those of the
            loopback that a request's ``Host`` may have.
        allowed_origins: Origins such as ``https://desk.example`` whose pages may use the API.
        session_idle: How long a login session lasts without a request.
        session_life: How long it lasts at most, and a token that a password was exchanged for.
        unnamed_lifetime: How long a proxy without a name stays after its last use.
        max_body: Octets; a stream of lines has no such bound, each of its lines has.
        max_batch: How many events one request or frame may bring.
        max_socket_octets: How much may wait to be written to one WebSocket.
        max_streams: How many tails and uploads of lines there may be at one time.
        read_patience: How long nothing may come of a request, or of a line, that has begun.
        body_patience: How long a body, or a line of an upload, may take in all.
        upload_pause: How long an upload of lines may pause between two lines.
        write_patience: How long a WebSocket may take nothing while something waits.
    """

    token: str | None = field(default=None, repr=False)
    open_loopback: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    session_idle: float = 1_800.0
    session_life: float = 43_200.0
    unnamed_lifetime: float = 60.0
    max_body: int = 16 * 1024 * 1024
    max_batch: int = 1_000
    max_wait: float = 60.0
    max_socket_octets: int = 16 * 1024 * 1024
    max_streams: int = 1_000
    read_patience: float = 30.0
    body_patience: float = 300.0
    upload_pause: float = 3_600.0
    write_patience: float = 30.0
    ping_interval: float = 20.0
    heart_beat: float = 15.0
