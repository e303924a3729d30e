"""Everything that can be set about the service, as one model; `docs/server.md` is made of it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from tidings.channel.catalogue import described
from tidings.engine.archiving import ArchivePlan
from tidings.engine.bodies import CACHE_OCTETS
from tidings.engine.job_runner import JobPlan
from tidings.engine.trail_file import TrailOptions
from tidings.errors import InvalidUsage
from tidings.federation.gateway import GatewayTimes
from tidings.jobs import JobLimits
from tidings.orb.aio import Address, Options, Targets
from tidings.orb.aio.targets import LOOPBACK, PEER
from tidings.orb.corbaloc import parse_name, parse_object_url
from tidings.orb.exceptions import CorbaError
from tidings.orb.limits import DEFAULT_LIMITS
from tidings.servants.endpoints import ClientOptions
from tidings.servants.naming import MAX_NAMES
from tidings.server.kinds import (
    LIVE_MARK,
    AnyPath,
    Count,
    Duration,
    Live,
    Octets,
    OptionalCount,
    OptionalDuration,
    OptionalOctets,
    OptionalPath,
    OptionalSecret,
    OptionalText,
    PositiveDuration,
    Right,
    Section,
    Texts,
    right,
    shown,
)
from tidings.server.rules import LimitsSection, RulesSection, channel_settings
from tidings.stores.journal import SEGMENT_OCTETS
from tidings.stores.retention import Retention
from tidings.web.options import WebOptions

AUTO: Final = "auto"
"""As `http.token`: the service makes a token of its own."""
CORBA_PORT: Final = 2809
"""Where an object URL without a port looks: `corbaloc::host/NameService`."""
CORBA_TLS_PORT: Final = 2810
TOKEN_WORDS: Final = "16 to 256 letters, digits and characters of ._~+-"

_RETAINED: Final = Retention()
_PLAN: Final = ArchivePlan(Path())
_JOBS: Final = JobLimits()
_JOB_PLAN: Final = JobPlan(Path(), None)
_TRAIL: Final = TrailOptions()
_TIMES: Final = GatewayTimes()
_WEB: Final = WebOptions()
_OPTIONS: Final = Options()
_CLIENTS: Final = ClientOptions()
_SECOND: Final = 1_000_000
# Such a token can stand in an Authorization header and in the name of a WebSocket subprotocol.
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+-]{16,256}", re.ASCII)
_ADDRESS: Final = re.compile(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:\[\]/@,]+))(?::([0-9]{1,5}))?")
_MOST_PORT: Final = 65_535

Port = Annotated[int, Field(ge=0, le=_MOST_PORT)]
HostName = Annotated[str, Field(min_length=1), Right("an address or the name of one")]


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


def read_address(text: str, port: int) -> Address | None:
    """Read an address such as `host`, `host:2809` or `[::1]:2809`; None if it is invalid."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return None
    address = Address(found[1] or found[2], port if found[3] is None else int(found[3]))
    return address if address.port <= _MOST_PORT else None


def _addresses(given: tuple[str, ...]) -> tuple[str, ...]:
    if any(read_address(text, CORBA_PORT) is None for text in given):
        raise ValueError("no address")
    return given


def _networks(given: tuple[str, ...]) -> tuple[str, ...]:
    Targets(given)
    return given


class StoreSection(Section):
    """Where the data is, and how much of it is kept.

    Attributes:
        dir: The folder of the journal, made if it is missing. One process uses it.
        memory: Keep everything in memory: nothing survives the process.
        retention_size: When the journal is longer, its oldest segments go; events that wait stay.
        retention_age: Segments older than this go; none keeps them whatever their age.
        disk_quota: When the journal is longer and nothing of it can go, Persistent events are
            refused.
        cache: How much content of events on the disk is kept in memory.
        segment_size: How long one file of the journal may be; old ones go whole.
        reserved_descriptors: File descriptors that no connection gets: for journal, catalog and
            archive, and for connections that are being accepted or closed.
    """

    dir: AnyPath = Path("tidings-data")
    memory: bool = False
    retention_size: Live[Octets] = _RETAINED.keep_octets
    retention_age: Live[OptionalDuration] = (_RETAINED.keep_microseconds or 0) / _SECOND
    disk_quota: Live[OptionalOctets] = None
    cache: Octets = CACHE_OCTETS
    segment_size: Octets = SEGMENT_OCTETS
    reserved_descriptors: Annotated[int, Field(ge=128)] = 256


class ArchiveSection(Section):
    """Files for analysis, written from the journal by a process of their own.

    Attributes:
        dir: The folder of the archive, made if it is missing; none for no archive.
        seal_after: How long an event may be in the journal before it is in the archive.
        seal_size: When so much has come, a file is finished earlier.
        seal_rows: The same for the number of events and outcomes.
        retention_age: Files older than this go; none keeps them whatever their age.
        retention_size: When the archive is larger, its oldest files go; none keeps all.
        hold: How much of the journal waits for an archive that is behind. Beyond, old segments go
            as store.retention_size and store.retention_age say, and the archive has a gap.
    """

    dir: OptionalPath = None
    seal_after: Live[PositiveDuration] = _PLAN.seal_seconds
    seal_size: Live[Octets] = _PLAN.seal_octets
    seal_rows: Live[Count] = _PLAN.seal_rows
    retention_age: Live[OptionalDuration] = None
    retention_size: Live[OptionalOctets] = _PLAN.keep_octets
    hold: Live[Octets] = _PLAN.hold


class JobsSection(Section):
    """Jobs over the archive that people start: backtests, reports, audits; each a process.

    Attributes:
        at_once: How many run at one time.
        waiting: How many may wait for that.
        keep: How many ended jobs are kept, with their results.
        keep_size: When the results are larger, the oldest go; the latest one stays.
        patience: How long a job may take.
        memory: How much memory Spark may use, as it writes that.
    """

    at_once: Count = _JOBS.at_once
    waiting: Count = _JOBS.waiting
    keep: Count = _JOBS.keep
    keep_size: Octets = _JOBS.keep_octets
    patience: PositiveDuration = _JOB_PLAN.patience
    memory: Annotated[
        str, Field(pattern=r"^[1-9][0-9]{0,5}[mgMG]$"), Right("such as 512m or 4g")
    ] = _JOB_PLAN.memory


class FederationSection(Section):
    """Gateways: how fast they notice what changes; the same for all of a federation.

    Attributes:
        hello: How often a gateway says that it is there, on every service that it joins.
        gone: After so long without a word another gateway counts as gone.
    """

    hello: PositiveDuration = _TIMES.hello / 1_000_000
    gone: PositiveDuration = _TIMES.gone / 1_000_000


class InterfacesSection(Section):
    """Interfaces of the services whose changes are told: IDL that is loaded at the start.

    Attributes:
        files: The IDL files. An interface that has changed since the last start gets a new version.
    """

    files: Annotated[Texts, Right("a list of paths")] = ()


class AuditSection(Section):
    """The audit trail: who changed what and who was refused, as lines in audit/trail.jsonl.

    Attributes:
        file_size: When the file would become longer, it gets a number and another one begins; some
            60,000 lines.
        old_files: How many of those with a number are kept. All together they have a year of a
            service with a change a minute.
    """

    file_size: Octets = _TRAIL.file_octets
    old_files: Count = _TRAIL.old_files


class HttpSection(Section):
    """The door for HTTP, WebSocket and server-sent events.

    Attributes:
        enabled: Whether there is this door.
        host: The address to listen on. Anything but the loopback needs a token.
        port: The port; 0 takes a free one, which is then told.
        tls: Whether this door speaks TLS, and only TLS: https:// and wss://.
        token: The owner's token, which every request must then show. auto makes one, in the file
            owner.token of store.dir.
        token_file: A file whose first line is the token; read again on reload.
        open_loopback: Without a token: whether callers on the loopback own the service although
            grants are enforced.
        allowed_hosts: Without a token: names a request may use for this service, beside those of
            the loopback.
        allowed_origins: Origins such as https://desk.example whose pages may use the service.
        max_connections: The most connections at one time. At this limit the oldest one without a
            valid request gives way, else the one that has been idle for longest; WebSockets and
            tails never do. none: what the limit of descriptors leaves, at most 10,000.
        max_connections_per_host: The same, from one address. none: half of all, and no limit for
            loopback.
        max_unauthenticated: The same, of connections that have not yet sent a request which may
            come in (with the token, if there is one). none: a quarter of all.
        session_idle: How long a session of somebody who has logged in lasts without a request.
        session_life: How long it lasts at most; also the life of a token from `tidings login`.
        unnamed_lifetime: How long a subscription without a name stays after its last use.
        max_body: The longest body of a request; also the longest frame of a WebSocket.
        max_batch: The most events in one request or frame.
        max_wait: How long a pull may wait.
        max_socket_octets: How much may wait to be written to one WebSocket before it is closed.
        read_patience: How long nothing may come of a request, or of a line, that has begun.
        body_patience: How long a body, or a line of an upload, may take in all: who sends an octet
            now and then holds a place.
        upload_pause: How long an upload of JSON lines may pause between two lines.
        max_streams: The most tails and uploads of JSON lines at one time, since they may last as
            long as their clients like; further ones are answered 503.
        write_patience: How long a WebSocket may take nothing while something waits for it.
        ping_interval: How often a WebSocket is asked whether it is still there.
        heart_beat: How often a tail shows that it is still there.
    """

    enabled: bool = True
    host: HostName = "127.0.0.1"
    port: Port = 8080
    tls: bool = False
    token: Live[
        Annotated[
            OptionalSecret,
            AfterValidator(_fit_token),
            Right(f"{TOKEN_WORDS}; or {AUTO}; or none"),
        ]
    ] = None
    token_file: Live[OptionalPath] = None
    open_loopback: bool = False
    allowed_hosts: Live[Texts] = ()
    allowed_origins: Live[Texts] = ()
    max_connections: OptionalCount = None
    max_connections_per_host: OptionalCount = None
    max_unauthenticated: OptionalCount = None
    session_idle: PositiveDuration = _WEB.session_idle
    session_life: PositiveDuration = _WEB.session_life
    unnamed_lifetime: Duration = _WEB.unnamed_lifetime
    max_body: Octets = _WEB.max_body
    max_batch: Annotated[int, Field(ge=1, le=1_000_000)] = _WEB.max_batch
    max_wait: Duration = _WEB.max_wait
    max_socket_octets: Octets = _WEB.max_socket_octets
    read_patience: PositiveDuration = _WEB.read_patience
    body_patience: PositiveDuration = _WEB.body_patience
    upload_pause: PositiveDuration = _WEB.upload_pause
    max_streams: Count = _WEB.max_streams
    write_patience: Duration = _WEB.write_patience
    ping_interval: PositiveDuration = _WEB.ping_interval
    heart_beat: PositiveDuration = _WEB.heart_beat


class IiopSection(Section):
    """The door for CORBA clients.

    Attributes:
        enabled: Whether there is this door.
        host: The address to listen on; 0.0.0.0 for all. Set advertise_host with it.
        port: The port; 0 takes a free one. References that clients keep name it.
        tls: Whether there is a port for TLS as well. References then name both.
        tls_port: The port for TLS; 0 takes a free one.
        tls_only: Whether clients are served with TLS alone: nothing listens on iiop.port.
        advertise_host: The host that references name, if it is not the one to listen on: behind
            address translation, or in a container.
        advertise_port: The port that references name; 0 for the one listened on.
        advertise_tls_port: The same of the port for TLS.
        alternates: Further addresses in references, tried after the first; without TLS.
        open_well_known: Whether clients of other machines may begin with a plain key such as
            NameService. Whoever reaches the port then manages the service, until grants decide.
        open_loopback: Whether callers on the loopback own the service although grants are
            enforced, as long as they use no reference that was issued for a principal.
        default_channel: The name of the channel behind the key DefaultEventChannel, made if it is
            missing; none for no such channel.
        bidirectional: Whose offer to be called back over their own connection is taken: that of
            nobody, of clients that tell the address they come from, of everybody. That of clients
            with TLS that listen nowhere is always taken.
        callback_networks: Where the service may connect to because a client gave it a reference:
            loopback is this machine, peer the address the reference came from. Callbacks over a
            connection that the client has opened need none of these.
        max_message: The longest message.
        max_connections: The most connections of clients at one time, and the most to clients. At
            this limit the oldest one that has called no object of the service gives way, else the
            one that has been idle for longest. none: what the limit of descriptors leaves, at most
            1,000.
        max_connections_per_host: The same, from one address. none: half of all, and no limit for
            loopback.
        max_unauthenticated: The same, of connections that have not yet called an object of the
            service. none: a quarter of all.
        max_requests: The most requests of one connection in progress; then it waits.
        max_output: How much may wait to be written to one client before it is cut off.
        max_names: The most names in the naming service, its own among them, and the most contexts.
        read_patience: How long a message that has begun may take, and the first one to come.
        write_patience: How long a client may read nothing while something waits for it.
        idle: How long a connection of a client stays open without work.
        connect_patience: How long the address of a client may take to answer.
        call_patience: How long a client may take for one call.
        ahead: How many events are made ready for one consumer ahead of its calls.
        probe_after: After so long a silence a client is asked whether it still exists.
    """

    enabled: bool = False
    host: HostName = "127.0.0.1"
    port: Port = CORBA_PORT
    tls: bool = False
    tls_port: Port = CORBA_TLS_PORT
    tls_only: bool = False
    advertise_host: OptionalText = None
    advertise_port: Port = 0
    advertise_tls_port: Port = 0
    alternates: Annotated[
        Texts, AfterValidator(_addresses), Right('a list of addresses such as "host:2809"')
    ] = ()
    open_well_known: bool = False
    open_loopback: bool = False
    default_channel: OptionalText = "default"
    bidirectional: Literal["never", "same-host", "always"] = "never"
    callback_networks: Annotated[
        Texts,
        AfterValidator(_networks),
        Right("a list of loopback, peer, and networks such as 10.0.0.0/8"),
    ] = (LOOPBACK, PEER)
    max_message: Octets = DEFAULT_LIMITS.message_size
    max_connections: OptionalCount = None
    max_connections_per_host: OptionalCount = None
    max_unauthenticated: OptionalCount = None
    max_requests: Count = _OPTIONS.max_requests
    max_output: Octets = _OPTIONS.max_output
    max_names: Annotated[int, Field(ge=100)] = MAX_NAMES
    read_patience: PositiveDuration = _OPTIONS.message_seconds
    write_patience: PositiveDuration = _OPTIONS.write_seconds
    idle: PositiveDuration = _OPTIONS.idle_seconds
    connect_patience: PositiveDuration = _OPTIONS.connect_seconds
    call_patience: PositiveDuration = _CLIENTS.call_seconds
    ahead: Count = _CLIENTS.window
    probe_after: PositiveDuration = _CLIENTS.probe_seconds


class IorFileSection(Section):
    """Files with the addresses of CORBA objects.

    Attributes:
        factory: Where to write the address of the EventChannelFactory.
        filter_factory: Where to write the address of the FilterFactory.
        agent: Where to write the address of the agent, which leads to both.
    """

    factory: OptionalPath = None
    filter_factory: OptionalPath = None
    agent: OptionalPath = None


class NamingSection(Section):
    """A CORBA naming service elsewhere.

    Attributes:
        enabled: Whether to register there.
        url: Where it is: IOR:…, corbaloc:… or corbaname:….
        factory: The name of the EventChannelFactory there: a/path/name.kind.
        filter_factory: The name of the FilterFactory there.
    """

    enabled: bool = False
    url: str = "corbaloc::127.0.0.1:2809/NameService"
    factory: OptionalText = None
    filter_factory: OptionalText = None


class TlsSection(Section):
    """Certificates of the service, and what clients show.

    Attributes:
        certificate: The service's certificate and its chain, as PEM; read again on reload.
        key: The private key of the certificate, as PEM without a password.
        minimum: The oldest version of TLS that is spoken.
        client_ca: Certificates, as PEM, of the authorities that sign those of clients.
        client_certificates: Whether clients are asked for a certificate, and whether they must show
            one.
        revoked: Lists of revoked certificates (CRL), as PEM: one of each authority in client_ca.
            Clients with a certificate of the list are refused.
    """

    certificate: Live[OptionalPath] = None
    key: Live[OptionalPath] = None
    minimum: Literal["1.2", "1.3"] = "1.2"
    client_ca: OptionalPath = None
    client_certificates: Literal["none", "optional", "required"] = "none"
    revoked: Live[OptionalPath] = None


class LogSection(Section):
    """What is logged, on standard error.

    Attributes:
        level: 0 nothing, 1 the factory, 2 channels too, 3 admins and their proxies too, 4
            everything, every request among it. From 1 on, warnings and errors of all parts.
        format: Lines for people or for programs.
    """

    level: Live[Annotated[int, Field(ge=0, le=4)]] = 1
    format: Live[Literal["text", "json"]] = "text"


class StopSection(Section):
    """How the service ends.

    Attributes:
        patience: How long events that were taken in may leave for their consumers.
    """

    patience: Live[Duration] = 10.0


class HelpSection(Section):
    """Help for people.

    Attributes:
        constraint_url: A page about the constraint language, linked from consoles.
    """

    constraint_url: OptionalText = None


class ServerSettings(Section):
    """All settings of the service."""

    store: StoreSection = StoreSection()
    archive: ArchiveSection = ArchiveSection()
    jobs: JobsSection = JobsSection()
    federation: FederationSection = FederationSection()
    interfaces: InterfacesSection = InterfacesSection()
    audit: AuditSection = AuditSection()
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
        problems = list(_problems(self))
        try:
            channel_settings(self.rules, self.limits)
        except InvalidUsage as error:
            problems.append(str(error))
        if problems:
            raise PydanticCustomError("unfit", "{problem}", {"problem": "\n".join(problems)})
        return self


def left_open(settings: ServerSettings) -> list[str]:
    """What the settings leave open, for the log, the console and `tidings status`."""
    http, iiop = settings.http, settings.iiop
    found = []
    if http.enabled and http.open_loopback and http.token is None and http.token_file is None:
        found.append(
            "http.open_loopback is set: whoever reaches HTTP from this machine may do everything, "
            "whatever is granted"
        )
    if iiop.enabled and iiop.open_loopback:
        found.append(
            "iiop.open_loopback is set: CORBA clients on this machine may do everything, whatever "
            "is granted"
        )
    return found


def _problems(settings: ServerSettings) -> Iterator[str]:
    """What does not fit together."""
    http, store, archive = settings.http, settings.store, settings.archive.dir
    is_auto = http.token is not None and http.token.get_secret_value() == AUTO
    if not http.enabled and not settings.iiop.enabled:
        yield (
            "http.enabled and iiop.enabled are false, and there is no other door: nobody could "
            "reach the service"
        )
    has_token = http.token is not None or http.token_file is not None
    if http.enabled and not has_token and not is_loopback(http.host):
        yield (
            f"http.host is {http.host}, which others can reach, and there is no token: set "
            'http.token = "auto" (the service then makes one), or put a token into a file and '
            "name that with http.token_file or --token-file; or listen on 127.0.0.1"
        )
    if http.token is not None and http.token_file is not None:
        yield "http.token and http.token_file are both set: only one of them can count"
    elif is_auto and store.memory:
        yield (
            'http.token = "auto" keeps the token in store.dir, and store.memory is true: give a '
            "token, or name a file with http.token_file"
        )
    if archive is not None and store.memory:
        yield (
            "archive.dir is set, and store.memory is true: the archive is written from the journal "
            "on disk, which there is not then"
        )
    elif archive is not None and archive.resolve() == store.dir.resolve():
        yield f"archive.dir and store.dir are both {archive}: the archive needs a folder of its own"
    if settings.iiop.enabled:
        yield from _corba_problems(settings.iiop, settings.ior_file, settings.naming)
    yield from _tls_problems(settings.tls, http.tls, settings.iiop.tls)


def _corba_problems(
    iiop: IiopSection, files: IorFileSection, naming: NamingSection
) -> Iterator[str]:
    if iiop.advertise_port and iiop.advertise_host is None:
        yield "iiop.advertise_port needs iiop.advertise_host: set both"
    if iiop.advertise_tls_port and not (iiop.tls and iiop.advertise_host is not None):
        yield "iiop.advertise_tls_port needs iiop.tls and iiop.advertise_host: set them as well"
    if iiop.tls_only and not iiop.tls:
        yield "iiop.tls_only is true, and iiop.tls is not: nobody could connect; set both"
    elif iiop.tls_only and (iiop.advertise_port or iiop.alternates):
        yield (
            "iiop.advertise_port and iiop.alternates are about calls without TLS, and "
            "iiop.tls_only takes none: leave them out, or iiop.tls_only"
        )
    named = [path for path in (files.factory, files.filter_factory, files.agent) if path]
    if len(set(named)) < len(named):
        yield "the settings of ior_file name one file twice: each object needs its own"
    names = [name for name in (naming.factory, naming.filter_factory) if name is not None]
    if naming.enabled and not names:
        yield "naming.enabled is true, and no name is set: set naming.factory"
    elif naming.enabled:
        try:
            parse_object_url(naming.url)
            for name in names:
                parse_name(name)
        except CorbaError as error:
            yield f"naming: {error}"


def _tls_problems(tls: TlsSection, http: bool, iiop: bool) -> Iterator[str]:
    if (http or iiop) and tls.certificate is None:
        wanting = "http.tls" if http else "iiop.tls"
        yield f"{wanting} needs a certificate: set tls.certificate and tls.key"
    elif (tls.certificate is None) != (tls.key is None):
        yield "tls.certificate and tls.key go together: set both"
    if tls.client_certificates != "none" and tls.client_ca is None:
        yield f"tls.client_certificates is {tls.client_certificates}: set tls.client_ca as well"
    elif tls.revoked is not None and tls.client_ca is None:
        yield "tls.revoked is about certificates of clients: set tls.client_ca as well"


WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "help.constraint_url": "no console",
}
"""Settings that are taken and kept, and what is missing until they act."""


def _sections() -> dict[str, type[Section]]:
    found: dict[str, Any] = {
        name: field.annotation for name, field in ServerSettings.model_fields.items()
    }
    return found


@cache
def setting_fields() -> dict[str, FieldInfo]:
    """Every setting by its whole name, such as `http.port`, in the order of the model."""
    return {
        f"{section}.{name}": field
        for section, kind in _sections().items()
        for name, field in kind.model_fields.items()
    }


LIVE: Final = frozenset(
    name for name, field in setting_fields().items() if LIVE_MARK in field.metadata
)
"""Settings that a reload applies; the others need a restart."""


def flat(settings: ServerSettings) -> Iterator[tuple[str, FieldInfo, object]]:
    """Every setting with its field and value."""
    for name, field in setting_fields().items():
        section, key = name.split(".")
        yield name, field, getattr(getattr(settings, section), key)


def tree_of(flat_settings: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Settings by their whole names as sections, for the model."""
    tree: dict[str, dict[str, object]] = {}
    for name, value in flat_settings.items():
        section, key = name.split(".")
        tree.setdefault(section, {})[key] = value
    return tree


def shown_settings(settings: ServerSettings) -> dict[str, str]:
    """Every setting as one could write it; secrets stay secret."""
    return {name: shown(field, value) for name, field, value in flat(settings)}


def setting_texts() -> dict[str, str]:
    """What each setting is, in words."""
    found = {
        f"{section}.{name}": text
        for section, kind in _sections().items()
        for name, text in described(kind)[1].items()
    }
    for name, missing in WITHOUT_EFFECT.items():
        found[name] += f" Without effect yet: {missing}."
    return found


def settings_table() -> str:
    """The settings as their page has them: a table for each section, in Markdown."""
    head = "| setting | default | what it is | right is | reload |\n|---|---|---|---|---|\n"
    texts = setting_texts()
    parts = []
    for section, kind in _sections().items():
        words = described(kind)[0]
        whole = {f"{section}.{name}": field for name, field in kind.model_fields.items()}
        rows = [_row(name, texts[name], field) for name, field in whole.items()]
        parts.append(f"### {section}\n\n{words}\n\n{head}" + "\n".join(rows))
    return "\n\n".join(parts)


def _row(name: str, words: str, field: FieldInfo) -> str:
    live = "yes" if name in LIVE else "restart"
    default = shown(field, field.get_default())
    cells = (f"`{name}`", f"`{default}`", words, right(field, brief=True), live)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
