"""The settings of the CORBA door, and what they ask of the ORB."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from tidings.admission import AdmissionLimits
from tidings.orb.aio import Address, Bidirectional, Options, Targets
from tidings.orb.aio.targets import LOOPBACK, PEER
from tidings.orb.corbaloc import parse_name, parse_object_url
from tidings.orb.exceptions import CorbaError
from tidings.orb.limits import DEFAULT_LIMITS
from tidings.servants.endpoints import ClientOptions
from tidings.servants.naming import MAX_NAMES
from tidings.server.kinds import Duration, Octets, OptionalCount, OptionalPath, OptionalText, Right
from tidings.server.rules import Section

CORBA_PORT: Final = 2809
"""Where an object URL without a port looks: `corbaloc::host/NameService`."""

_OPTIONS: Final = Options()
_CLIENTS: Final = ClientOptions()
_ADDRESS: Final = re.compile(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:\[\]/@,]+))(?::([0-9]{1,5}))?")
_MOST_PORT: Final = 65_535
_BIDIRECTIONAL: Final = {
    "never": Bidirectional.NEVER,
    "same-host": Bidirectional.SAME_HOST,
    "always": Bidirectional.ALWAYS,
}

Port = Annotated[int, Field(ge=0, le=_MOST_PORT)]
HostName = Annotated[str, Field(min_length=1), Right("an address or the name of one")]


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


class IiopSection(Section):
    """The door for CORBA clients."""

    enabled: bool = Field(default=False, description="Whether there is this door.")
    host: HostName = Field(
        default="127.0.0.1",
        description="The address to listen on; 0.0.0.0 for all. Set advertise_host with it.",
    )
    port: Port = Field(
        default=CORBA_PORT,
        description="The port; 0 takes a free one. References that clients keep name it.",
    )
    advertise_host: OptionalText = Field(
        default=None,
        description="The host that references name, if it is not the one to listen on: behind "
        "address translation, or in a container.",
    )
    advertise_port: Port = Field(
        default=0, description="The port that references name; 0 for the one listened on."
    )
    alternates: Annotated[
        tuple[str, ...],
        Field(strict=False),
        AfterValidator(_addresses),
        Right('a list of addresses such as "host:2809"'),
    ] = Field(default=(), description="Further addresses in references, tried after the first.")
    open_well_known: bool = Field(
        default=False,
        description="Whether clients of other machines may begin with a plain key such as "
        "NameService. Whoever reaches the port then manages the service.",
    )
    default_channel: OptionalText = Field(
        default="default",
        description="The name of the channel behind the key DefaultEventChannel, made if it is "
        "missing; none for no such channel.",
    )
    bidirectional: Literal["never", "same-host", "always"] = Field(
        default="never",
        description="Whose offer to be called back over their own connection is taken: that of "
        "nobody, of clients that tell the address they come from, of everybody.",
    )
    callback_networks: Annotated[
        tuple[str, ...],
        Field(strict=False),
        AfterValidator(_networks),
        Right("a list of loopback, peer, and networks such as 10.0.0.0/8"),
    ] = Field(
        default=(LOOPBACK, PEER),
        description="Where the service may connect to because a client gave it a reference: "
        "loopback is this machine, peer the address the reference came from. Callbacks over a "
        "connection that the client has opened need none of these.",
    )
    max_message: Octets = Field(
        default=DEFAULT_LIMITS.message_size, description="The longest message."
    )
    max_connections: OptionalCount = Field(
        default=None,
        description="The most connections of clients at one time, and the most to clients. At "
        "this limit the oldest one that has called no object of the service gives way, else the "
        "one that has been idle for longest. none: what the limit of descriptors leaves, at most "
        "1,000.",
    )
    max_connections_per_host: OptionalCount = Field(
        default=None,
        description="The same, from one address. none: half of all, and no limit for loopback.",
    )
    max_unauthenticated: OptionalCount = Field(
        default=None,
        description="The same, of connections that have not yet called an object of the service. "
        "none: a quarter of all.",
    )
    max_requests: Annotated[int, Field(ge=1)] = Field(
        default=_OPTIONS.max_requests,
        description="The most requests of one connection in progress; then it waits.",
    )
    max_output: Octets = Field(
        default=_OPTIONS.max_output,
        description="How much may wait to be written to one client before it is cut off.",
    )
    max_names: Annotated[int, Field(ge=100)] = Field(
        default=MAX_NAMES,
        description="The most names in the naming service, its own among them, and the most "
        "contexts.",
    )
    read_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_OPTIONS.message_seconds,
        description="How long a message that has begun may take, and the first one to come.",
    )
    write_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_OPTIONS.write_seconds,
        description="How long a client may read nothing while something waits for it.",
    )
    idle: Annotated[Duration, Field(gt=0)] = Field(
        default=_OPTIONS.idle_seconds,
        description="How long a connection of a client stays open without work.",
    )
    connect_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_OPTIONS.connect_seconds,
        description="How long the address of a client may take to answer.",
    )
    call_patience: Annotated[Duration, Field(gt=0)] = Field(
        default=_CLIENTS.call_seconds, description="How long a client may take for one call."
    )
    ahead: Annotated[int, Field(ge=1)] = Field(
        default=_CLIENTS.window,
        description="How many events are made ready for one consumer ahead of its calls.",
    )
    probe_after: Annotated[Duration, Field(gt=0)] = Field(
        default=_CLIENTS.probe_seconds,
        description="After so long a silence a client is asked whether it still exists.",
    )


class IorFileSection(Section):
    """Files with the addresses of CORBA objects."""

    factory: OptionalPath = Field(
        default=None, description="Where to write the address of the EventChannelFactory."
    )
    filter_factory: OptionalPath = Field(
        default=None, description="Where to write the address of the FilterFactory."
    )
    agent: OptionalPath = Field(
        default=None, description="Where to write the address of the agent, which leads to both."
    )


class NamingSection(Section):
    """A CORBA naming service elsewhere."""

    enabled: bool = Field(default=False, description="Whether to register there.")
    url: str = Field(
        default="corbaloc::127.0.0.1:2809/NameService",
        description="Where it is: IOR:…, corbaloc:… or corbaname:….",
    )
    factory: OptionalText = Field(
        default=None, description="The name of the EventChannelFactory there: a/path/name.kind."
    )
    filter_factory: OptionalText = Field(
        default=None, description="The name of the FilterFactory there."
    )


def corba_problem(iiop: IiopSection, files: IorFileSection, naming: NamingSection) -> str:
    """What does not fit together; empty if all does."""
    if not iiop.enabled:
        return ""
    if iiop.advertise_port and iiop.advertise_host is None:
        return "iiop.advertise_port needs iiop.advertise_host: set both"
    told = [path for path in (files.factory, files.filter_factory, files.agent) if path is not None]
    if len(set(told)) < len(told):
        return "the settings of ior_file name one file twice: each object needs its own"
    if not naming.enabled:
        return ""
    if naming.factory is None and naming.filter_factory is None:
        return "naming.enabled is true, and no name is set: set naming.factory"
    try:
        parse_object_url(naming.url)
        for name in (naming.factory, naming.filter_factory):
            if name is not None:
                parse_name(name)
    except CorbaError as error:
        return f"naming: {error}"
    return ""


def orb_options(iiop: IiopSection, limits: AdmissionLimits) -> Options:
    """The options of the ORB."""
    advertise = iiop.advertise_host
    further = [read_address(text, CORBA_PORT) for text in iiop.alternates]
    return Options(
        limits=replace(DEFAULT_LIMITS, message_size=iiop.max_message),
        max_connections=limits.most,
        max_opened=limits.most,
        max_connections_per_host=limits.most_per_address,
        max_unauthenticated=limits.most_unauthenticated,
        limit_loopback=limits.limit_loopback,
        max_requests=iiop.max_requests,
        max_output=iiop.max_output,
        message_seconds=iiop.read_patience,
        write_seconds=iiop.write_patience,
        idle_seconds=iiop.idle,
        connect_seconds=iiop.connect_patience,
        call_seconds=iiop.call_patience,
        advertise=None if advertise is None else Address(advertise, iiop.advertise_port),
        alternates=tuple([address for address in further if address is not None]),
        accept_bidirectional=_BIDIRECTIONAL[iiop.bidirectional],
        targets=Targets(iiop.callback_networks, "iiop.callback_networks"),
    )


def client_options(iiop: IiopSection) -> ClientOptions:
    """How clients are called."""
    return ClientOptions(
        window=iiop.ahead, call_seconds=iiop.call_patience, probe_seconds=iiop.probe_after
    )
