"""What servers and clients tell each other, and its octets.

A record is four octets with its length, the highest first, and a MessagePack array: its number,
then its fields. Whoever sends anything else is told why, and cut off. docs/adapters/siena.md
describes each record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Self, TypeAlias

import msgspec

from tidings.errors import BadInput
from tidings.filters.dialects.siena import AttributeTest, Operator, SienaFilter, is_name
from tidings.names import is_readable

VERSION: Final = 1
MOST_OCTETS: Final = 2**20
"""Of one record: a gateway's control event with a large body still passes."""
MOST_ATTRIBUTES: Final = 256
MOST_TESTS: Final = 64
"""Of one filter: covering compares each with each."""
MOST_TEXT: Final = 1_024
"""Characters of a text in a filter: servers keep filters, and only pass notifications on."""
MOST_SERVERS: Final = 1_000
"""Of one network."""
MAX_NAME: Final = 256
"""Characters of an attribute's name."""
MAX_SERVER_NAME: Final = 128
"""Characters of a server's name."""
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_LENGTH: Final = 4
_ORDERED: Final = (
    Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL,
)  # fmt: skip
_OF_TEXT: Final = (Operator.PREFIX, Operator.SUFFIX, Operator.SUBSTRING)


class SienaError(BadInput):
    """A record, a notification or a filter that SIENA servers do not take."""

    code = "siena_refused"


class Role(StrEnum):
    """What the sender of a `Hello` is for the receiver."""

    CLIENT = "client"
    CHILD = "child"
    """A server whose master the receiver is."""
    PEER = "peer"
    MASTER = "master"


class Record(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A message on a connection."""


class Hello(Record, frozen=True, tag=0):
    """Who the sender is: the first record of both sides."""

    role: Role
    name: str = ""
    version: int = VERSION


class Servers(Record, frozen=True, tag=1):
    """The servers that are reached by the sender, itself among them."""

    names: tuple[str, ...]


class OfFilter(Record, frozen=True):
    """A record with a filter: name, operator and value of each test."""

    tests: tuple[tuple[str, Operator, str | int | float | bool | None], ...]

    @classmethod
    def of(cls, wanted: SienaFilter) -> Self:
        """Make the record; SienaError if no server takes the filter."""
        made = cls(tuple((one.name, one.operator, one.value) for one in wanted))  # type: ignore[misc]
        check_filter(wanted)
        return made

    @property
    def filter(self) -> SienaFilter:
        """The filter, with its tests in an order that does not depend on the sender."""
        made = {AttributeTest(*test) for test in self.tests}
        return tuple(sorted(made, key=lambda one: (one.name, one.operator, repr(one.value))))


class Subscribe(OfFilter, frozen=True, tag=2):
    """The sender wants what matches a filter."""


class Unsubscribe(OfFilter, frozen=True, tag=3):
    """The sender no longer wants what only this filter matches."""


class Advertise(OfFilter, frozen=True, tag=4):
    """The sender will publish what matches a filter."""


class Unadvertise(OfFilter, frozen=True, tag=5):
    """The sender will no longer publish what only this filter matches."""


class Publish(Record, frozen=True, tag=6):
    """A notification, in both directions; `number` is the client's own, for `Refused`."""

    attributes: dict[str, str | int | float | bool]
    number: int = 0


class Refused(Record, frozen=True, tag=7):
    """The server has not taken the notification of this number; the connection goes on."""

    number: int
    cause: str


class Settle(Record, frozen=True, tag=8):
    """Asks for `Settled` when all records before this one have had their effect.

    Attributes:
        token: The asker's own, for the answer.
        near: Whether the receiver alone is meant, not the servers that it has asked in turn.
    """

    token: int
    near: bool = False


class Settled(Record, frozen=True, tag=9):
    """Answers `Settle`: `missing` of the network's configured links are down."""

    token: int
    missing: int


class Failed(Record, frozen=True, tag=10):
    """Why the sender ends the connection: the last record."""

    cause: str


AnyRecord: TypeAlias = (
    Hello
    | Servers
    | Subscribe
    | Unsubscribe
    | Advertise
    | Unadvertise
    | Publish
    | Refused
    | Settle
    | Settled
    | Failed
)
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(AnyRecord)


def encode(record: Record) -> bytes:
    """Return the octets of a record; SienaError if it is too large."""
    octets = _ENCODER.encode(record)
    if len(octets) > MOST_OCTETS:
        raise SienaError(f"a record has at most {MOST_OCTETS:,} octets, not {len(octets):,}")
    return len(octets).to_bytes(_LENGTH) + octets


class Splitter:
    """Reads records from octets as they come."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, octets: bytes) -> list[AnyRecord]:
        """Return the records that are whole now.

        Raises:
            SienaError: What has come is no record, or one beyond the limits.
        """
        self._waiting += octets
        view, at, found = memoryview(self._waiting), 0, []
        try:
            while at + _LENGTH <= len(view):
                end = at + _LENGTH + int.from_bytes(view[at : at + _LENGTH])
                if end - at - _LENGTH > MOST_OCTETS:
                    raise SienaError(
                        f"a record has at most {MOST_OCTETS:,} octets, not "
                        f"{end - at - _LENGTH:,}: this is not the protocol of our SIENA servers"
                    )
                if end > len(view):
                    break
                found.append(_decoded(view[at + _LENGTH : end]))
                at = end
        finally:
            view.release()
        del self._waiting[:at]
        return found


def _decoded(octets: memoryview) -> AnyRecord:
    try:
        record: AnyRecord = _DECODER.decode(octets)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SienaError(f"not a record: {error}") from error
    if isinstance(record, Publish):
        check_notification(record.attributes)
    elif isinstance(record, OfFilter):
        check_filter(record.filter)
    elif isinstance(record, Hello):
        _check_hello(record)
    elif isinstance(record, Servers):
        _check_servers(record)
    return record


def _check_hello(hello: Hello) -> None:
    if hello.version != VERSION:
        raise SienaError(f"version {hello.version} of the protocol; this server has {VERSION}")
    if hello.role is not Role.CLIENT:
        check_server_name(hello.name)


def _check_servers(servers: Servers) -> None:
    if len(servers.names) > MOST_SERVERS:
        raise SienaError(
            f"a network has at most {MOST_SERVERS:,} servers, not {len(servers.names):,}"
        )
    for name in servers.names:
        check_server_name(name)


def check_server_name(name: str) -> None:
    """Refuse a server's name that others cannot read, or none."""
    if not 0 < len(name) <= MAX_SERVER_NAME or not is_readable(name):
        raise SienaError(
            f"a server's name has 1 to {MAX_SERVER_NAME} readable characters; not {name!r:.60}"
        )


def address(url: str) -> tuple[str, int]:
    """Return host and port of `senp://host:port` or `host:port`; SienaError for anything else."""
    host, _, port = url.removeprefix("senp://").rstrip("/").rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise SienaError(f"a SIENA server is at senp://host:port, not at {url!r:.80}")
    return host.strip("[]"), int(port)


def check_notification(attributes: Mapping[str, str | int | float | bool]) -> None:
    """Refuse what no SIENA server carries; SienaError names the attribute."""
    if len(attributes) > MOST_ATTRIBUTES:
        raise SienaError(
            f"a notification has at most {MOST_ATTRIBUTES} attributes, not {len(attributes)}"
        )
    for name, value in attributes.items():
        check_name(name)
        _check_value(name, value)


def check_filter(wanted: SienaFilter) -> None:
    """Refuse a filter that no SIENA server takes; SienaError names the test."""
    if len(wanted) > MOST_TESTS:
        raise SienaError(f"a filter has at most {MOST_TESTS} tests, not {len(wanted)}")
    for test in wanted:
        check_name(test.name)
        operator, value = test.operator, test.value
        if (value is None) is not (operator is Operator.ANY):
            raise SienaError(f"test of {test.name}: any, and nothing else, goes without a value")
        if value is None:
            continue
        if isinstance(value, bytes):
            raise SienaError(f"test of {test.name}: values are string, int, double or bool")
        _check_value(test.name, value)
        if isinstance(value, str) and len(value) > MOST_TEXT:
            raise SienaError(
                f"test of {test.name}: a string has at most {MOST_TEXT:,} characters, not "
                f"{len(value):,}"
            )
        if operator in _OF_TEXT and not isinstance(value, str):
            raise SienaError(f"test of {test.name}: {operator} takes a string, not {value!r}")
        if operator in _ORDERED and isinstance(value, bool):
            raise SienaError(f"test of {test.name}: bool values have no order, so no {operator}")


def check_name(name: str) -> None:
    """Refuse what is no name of an attribute; SienaError says what is one."""
    if len(name) > MAX_NAME or not is_name(name):
        raise SienaError(
            f"an attribute's name has at most {MAX_NAME} characters: a letter, _ or $, then "
            f"letters, digits and _ $ . / (no hyphen); not {name!r:.60}"
        )


def _check_value(name: str, value: str | float) -> None:
    if type(value) is int and not _LOWEST <= value <= _HIGHEST:
        raise SienaError(f"attribute {name}: an int has 64 bits; {value} has more")
    if type(value) is float and not math.isfinite(value):
        raise SienaError(f"attribute {name}: a double is a finite number, not {value}")
