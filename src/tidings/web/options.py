"""What can be set about the web door."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Settings of the web door.

    Attributes:
        token: The owner's token. None is for a loopback address only: whoever reaches it owns
            the service.
        allowed_hosts: Without a token, names (``name`` or ``name:port``) beside those of the
            loopback that a request's ``Host`` may have.
        allowed_origins: Origins such as ``https://desk.example`` whose pages may use the API.
        unnamed_lifetime: How long a proxy without a name stays after its last use, in seconds.
        max_body: How many octets the body of a request may have; a stream of lines has no such
            bound, each of its lines has.
        max_batch: How many events one request or frame may bring.
        max_wait: How long a pull may wait, in seconds.
        max_socket_octets: How much may wait to be written to one WebSocket.
        max_streams: How many tails and uploads of lines there may be at one time.
        read_patience: How long nothing may come of a request, or of a line, that has begun, in
            seconds.
        body_patience: How long a body, or a line of an upload, may take in all, in seconds.
        upload_pause: How long an upload of lines may pause between two lines, in seconds.
        write_patience: How long a WebSocket may take nothing while something waits, in seconds.
        ping_interval: How often a WebSocket is asked whether it is still there, in seconds.
        heart_beat: How often a tail shows that it is still there, in seconds.
    """

    token: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
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
