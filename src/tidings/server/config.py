"""Everything that can be set about the service, as one model; `docs/server.md` is made of it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from tidings.engine.bodies import CACHE_OCTETS
from tidings.errors import InvalidUsage
from tidings.server.archive import ArchiveSection, archive_problem
from tidings.server.corba_settings import (
    IiopSection,
    IorFileSection,
    NamingSection,
    corba_problem,
)
from tidings.server.kinds import (
    Duration,
    Octets,
    OptionalCount,
    OptionalDuration,
    OptionalOctets,
    OptionalPath,
    OptionalSecret,
    OptionalText,
    Right,
    shown,
)
from tidings.server.rules import (
    LIVE_FIELD,
    LimitsSection,
    RulesSection,
    Section,
    channel_settings,
)
from tidings.server.tls import TlsSection, tls_problem
from tidings.stores.journal import SEGMENT_OCTETS
from tidings.stores.retention import Retention
from tidings.web.options import WebOptions

AUTO: Final = "auto"
"""As `http.token`: the service makes a token of its own."""

_RETAINED: Final = Retention()
_WEB: Final = WebOptions()
_SECOND: Final = 1_000_000
# Such a token can stand in an Authorization header and in the name of a WebSocket subprotocol.
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+-]{16,256}", re.ASCII)
_TOKEN_WORDS: Final = "16 to 256 letters, digits and characters of ._~+-"


def is_token(text: str) -> bool:
    """Whether a text can serve as the owner's token."""
    return _TOKEN.fullmatch(text) is not None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a service that listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _fit_token(secret: SecretStr | None) -> SecretStr | None:
    text = None if secret is None else secret.get_secret_value()
    if text is not None and text != AUTO and not is_token(text):
        raise ValueError("no token")  # never shown: the value could be a real token
    return secret


class StoreSection(Section):
    """Where the data is, and how much of it is kept."""

    dir: Annotated[Path, Field(strict=False)] = Field(
        default=Path("tidings-data"),
        description="The folder of the journal, made if it is missing. One process uses it.",
    )
    memory: bool = Field(
        default=False, description="Keep everything in memory: nothing survives the process."
    )
    retention_size: Octets = Field(
        default=_RETAINED.keep_octets,
        description="When the journal is longer, its oldest segments go; events that wait stay.",
        json_schema_extra=LIVE_FIELD,
    )
    retention_age: OptionalDuration = Field(
        default=(_RETAINED.keep_microseconds or 0) / _SECOND,
        description="Segments older than this go; none keeps them whatever their age.",
        json_schema_extra=LIVE_FIELD,
    )
    disk_quota: OptionalOctets = Field(
        default=None,
        description="When the journal is longer and nothing of it can go, Persistent events are "
        "refused.",
        json_schema_extra=LIVE_FIELD,
    )
    cache: Octets = Field(
        default=CACHE_OCTETS,
        description="How much content of events on the disk is kept in memory.",
    )
    segment_size: Octets = Field(
        default=SEGMENT_OCTETS,
        description="How long one file of the journal may be; old ones go whole.",
    )
    reserved_descriptors: Annotated[int, Field(ge=128)] = Field(
        default=256,
        description="File descriptors that no connection gets: for journal, catalog and archive, "
        "and for connections that are being accepted or closed.",
    )


class HttpSection(Section):
    """The door for HTTP, WebSocket and server-sent events."""

    enabled: bool = Field(default=True, description="Whether there is this door.")
    host: Annotated[str, Field(min_length=1), Right("an address or the name of one")] = Field(
        default="127.0.0.1",
        description="The address to listen on. Anything but the loopback needs a token.",
    )
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        default=8080, description="The port; 0 takes a free one, which is then told."
    )
    tls: bool = Field(
        default=False,
        description="Whether this door speaks TLS, and only TLS: https:// and wss://.",
    )
    token: Annotated[
        OptionalSecret, AfterValidator(_fit_token), Right(f"{_TOKEN_WORDS}; or {AUTO}; or none")
    ] = Field(
        default=None,
        description="The owner's token, which every request must then show. auto makes one, in "
        "the file owner.token of store.dir.",
        json_schema_extra=LIVE_FIELD,
    )
    token_file: OptionalPath = Field(
        default=None,
        description="A file whose first line is the token; read again on reload.",
        json_schema_extra=LIVE_FIELD,
    )
    allowed_hosts: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(),
        description="Without a token: names a request may use for this service, beside those of "
        "the loopback.",
        json_schema_extra=LIVE_FIELD,
    )
    allowed_origins: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(),
        description="Origins such as https://desk.example whose pages may use the service.",
        json_schema_extra=LIVE_FIELD,
    )
    max_connections: OptionalCount = Field(
        default=None,
        description="The most connections at one time. At this limit the oldest one without a "
        "valid request gives way, else the one that has been idle for longest; WebSockets and "
        "tails never do. none: what the limit of descriptors leaves, at most 10,000.",
    )
    max_connections_per_host: OptionalCount = Field(
        default=None,
        description="The same, from one address. none: half of all, and no limit for loopback.",
    )
    max_unauthenticated: OptionalCount = Field(
        default=None,
        description="The same, of connections that have not yet sent a request which may come in "
        "(with the token, if there is one). none: a quarter of all.",
    )
    unnamed_lifetime: Duration = Field(
        default=_WEB.unnamed_lifetime,
        description="How long a subscription without a name stays after its last use.",
    )
    max_body: Octets = Field(
        default=_WEB.max_body,
        description="The longest body of a request; also the longest frame of a WebSocket.",
    )
    max_batch: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=_WEB.max_batch,
        description="The most events in one request or frame.",
    )
    max_wait: Duration = Field(
        default=_WEB.max_wait,
        description="How long a pull may wait.",
    )
    max_socket_octets: Octets = Field(
        default=_WEB.max_socket_octets,
        description="How much may wait to be written to one WebSocket before it is closed.",
    )
    read_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_WEB.read_patience,
        description="How long nothing may come of a request, or of a line, that has begun.",
    )
    body_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_WEB.body_patience,
        description="How long a body, or a line of an upload, may take in all: who sends an octet "
        "now and then holds a place.",
    )
    upload_pause: Annotated[Duration, Field(gt=0)] = Field(
        default=_WEB.upload_pause,
        description="How long an upload of JSON lines may pause between two lines.",
    )
    max_streams: Annotated[int, Field(ge=1)] = Field(
        default=_WEB.max_streams,
        description="The most tails and uploads of JSON lines at one time, since they may last as "
        "long as their clients like; further ones are answered 503.",
    )
    write_patience: Duration = Field(
        default=_WEB.write_patience,
        description="How long a WebSocket may take nothing while something waits for it.",
    )
    ping_interval: Annotated[Duration, Field(gt=0)] = Field(
        default=_WEB.ping_interval,
        description="How often a WebSocket is asked whether it is still there.",
    )
    heart_beat: Annotated[Duration, Field(gt=0)] = Field(
        default=_WEB.heart_beat,
        description="How often a tail shows that it is still there.",
    )


class LogSection(Section):
    """What is logged, on standard error."""

    level: Annotated[int, Field(ge=0, le=4)] = Field(
        default=1,
        description="0 nothing, 1 the factory, 2 channels too, 3 admins and their proxies too, "
        "4 everything, every request among it. From 1 on, warnings and errors of all parts.",
        json_schema_extra=LIVE_FIELD,
    )
    format: Literal["text", "json"] = Field(
        default="text",
        description="Lines for people or for programs.",
        json_schema_extra=LIVE_FIELD,
    )


class StopSection(Section):
    """How the service ends."""

    patience: Duration = Field(
        default=10.0,
        description="How long events that were taken in may leave for their consumers.",
        json_schema_extra=LIVE_FIELD,
    )


class HelpSection(Section):
    """Help for people."""

    constraint_url: OptionalText = Field(
        default=None, description="A page about the constraint language, linked from consoles."
    )


class ServerSettings(Section):
    """All settings of the service."""

    store: StoreSection = StoreSection()
    archive: ArchiveSection = ArchiveSection()
    http: HttpSection = HttpSection()
    iiop: IiopSection = IiopSection()
    tls: TlsSection = TlsSection()
    log: LogSection = LogSection()
    stop: StopSection = StopSection()
    rules: RulesSection = RulesSection()
    limits: LimitsSection = LimitsSection()
    ior_file: IorFileSection = IorFileSection()
    naming: NamingSection = NamingSection()
    help: HelpSection = HelpSection()

    @model_validator(mode="after")
    def _fit_together(self) -> ServerSettings:
        problems = [
            _http_problem(self),
            _token_problem(self),
            archive_problem(self.archive, self.store.dir, self.store.memory),
            corba_problem(self.iiop, self.ior_file, self.naming),
            tls_problem(self.tls, ["http.tls"] if self.http.tls else []),
        ]
        try:
            channel_settings(self.rules, self.limits)
        except InvalidUsage as error:
            problems.append(str(error))
        problem = "\n".join(one for one in problems if one)
        if problem:
            raise PydanticCustomError("unfit", "{problem}", {"problem": problem})
        return self


def _http_problem(settings: ServerSettings) -> str:
    http = settings.http
    if not http.enabled:
        return (
            ""
            if settings.iiop.enabled
            else "http.enabled and iiop.enabled are false, and there is no other door: nobody "
            "could reach the service"
        )
    if not is_loopback(http.host) and http.token is None and http.token_file is None:
        return (
            f"http.host is {http.host}, which others can reach, and there is no token: set "
            'http.token = "auto" (the service then makes one), or put a token into a file and '
            "name that with http.token_file or --token-file; or listen on 127.0.0.1"
        )
    return ""


def _token_problem(settings: ServerSettings) -> str:
    http = settings.http
    if http.token is not None and http.token_file is not None:
        return "http.token and http.token_file are both set: only one of them can count"
    if http.token is not None and http.token.get_secret_value() == AUTO and settings.store.memory:
        return (
            'http.token = "auto" keeps the token in store.dir, and store.memory is true: give a '
            "token, or name a file with http.token_file"
        )
    return ""


WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "help.constraint_url": "no console",
}
"""Settings that are taken and kept, and what is missing until they act."""


def setting_fields() -> dict[str, FieldInfo]:
    """Every setting by its whole name, such as `http.port`, in the order of the model."""
    return {
        f"{section}.{name}": field
        for section, about in ServerSettings.model_fields.items()
        for name, field in _members(about).items()
    }


def _members(about: FieldInfo) -> dict[str, FieldInfo]:
    kind: Any = about.annotation
    found: dict[str, FieldInfo] = kind.model_fields
    return found


LIVE: Final = frozenset(
    name
    for name, field in setting_fields().items()
    if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("live")
)
"""Settings that a reload applies; the others need a restart."""


def flat(settings: ServerSettings) -> Iterator[tuple[str, FieldInfo, object]]:
    """Every setting with its field and value."""
    for name, field in setting_fields().items():
        section, key = name.split(".")
        yield name, field, getattr(getattr(settings, section), key)


def shown_settings(settings: ServerSettings) -> dict[str, str]:
    """Every setting as one could write it; secrets stay secret."""
    return {name: shown(field, value) for name, field, value in flat(settings)}
