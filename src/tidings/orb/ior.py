"""Object references: as profiles with their components, as text, and in words.

Components say what a reference tells about its server beside the address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntFlag
from typing import Final, NamedTuple

from tidings.events.reference import Reference
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OUR_COMPONENT, CodeSetComponent, code_set_name
from tidings.orb.exceptions import BAD_PARAM, INV_OBJREF, OMG, SystemException
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

TAG_IIOP: Final = 0
NIL: Final = Reference()

ORB_TYPE: Final = 0
CODE_SETS: Final = 1
ALTERNATE_ADDRESS: Final = 3
SSL_SEC_TRANS: Final = 20

OUR_ORB_TYPE: Final = 0x54494400
"""The number by which this ORB is told: `TID` in ASCII."""


class Component(NamedTuple):
    """A component: its tag and its octets."""

    tag: int
    data: bytes


def encapsulation_reader(octets: bytes) -> Reader:
    """A reader of octets that are an encapsulation."""
    reader = Reader(octets, little=bool(octets and octets[0] & 1))
    reader.octet()
    return reader


def encapsulation_writer() -> Writer:
    """A writer of an encapsulation; its byte order is written."""
    writer = Writer(little=False)
    writer.octet(0)
    return writer


def code_sets_component(sets: CodeSetComponent) -> Component:
    """The component with the code sets of a server."""
    writer = encapsulation_writer()
    for native, conversions in (
        (sets.char, sets.char_conversions),
        (sets.wchar, sets.wchar_conversions),
    ):
        writer.ulong(native)
        writer.ulong(len(conversions))
        writer.numbers("I", 4, conversions, "unsigned long")
    return Component(CODE_SETS, writer.getvalue())


def read_code_sets_component(data: bytes) -> CodeSetComponent:
    """The code sets of a server."""
    reader = encapsulation_reader(data)
    char = reader.ulong()
    chars = reader.numbers("I", 4, reader.length(4))
    wchar = reader.ulong()
    return CodeSetComponent(char, chars, wchar, reader.numbers("I", 4, reader.length(4)))


def alternate_component(host: str, port: int) -> Component:
    """The component with a further address of a server."""
    writer = encapsulation_writer()
    writer.latin(host)
    writer.ushort(port)
    return Component(ALTERNATE_ADDRESS, writer.getvalue())


def read_alternate(data: bytes) -> tuple[str, int]:
    """A further address of a server."""
    reader = encapsulation_reader(data)
    return reader.latin(), reader.ushort()


class Protection(IntFlag):
    """SSLIOP: what a server can do about, or wants for, the safety of calls."""

    NOTHING = 0x01
    INTEGRITY = 0x02
    CONFIDENTIALITY = 0x04
    SERVER_CERTIFICATE = 0x20
    CLIENT_CERTIFICATE = 0x40


class TlsPort(NamedTuple):
    """The port of a server's host where TLS is spoken: the SSLIOP component."""

    supports: Protection
    requires: Protection
    port: int


def tls_component(tls: TlsPort) -> Component:
    """The component with the port for TLS."""
    writer = encapsulation_writer()
    for number in tls:
        writer.ushort(number)
    return Component(SSL_SEC_TRANS, writer.getvalue())


def read_tls(data: bytes) -> TlsPort:
    """The port for TLS."""
    reader = encapsulation_reader(data)
    return TlsPort(Protection(reader.ushort()), Protection(reader.ushort()), reader.ushort())


@dataclass(frozen=True, slots=True)
class IiopProfile:
    """Where an object can be reached by TCP; `minor` is the highest of GIOP the server supports.

    Port 0 says that it is reached by TLS alone.
    """

    host: str
    port: int
    key: bytes
    minor: int = 2
    components: tuple[Component, ...] = ()

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """The address, and those to try after it, all without TLS."""
        more = [read_alternate(c.data) for c in self.components if c.tag == ALTERNATE_ADDRESS]
        return tuple(address for address in ((self.host, self.port), *more) if address[1])

    @property
    def tls(self) -> TlsPort | None:
        """The port for TLS, if there is one."""
        for component in self.components:
            if component.tag == SSL_SEC_TRANS:
                found = read_tls(component.data)
                return found if found.port else None
        return None

    @property
    def code_sets(self) -> CodeSetComponent | None:
        """The code sets of the server, if it names them."""
        for component in self.components:
            if component.tag == CODE_SETS:
                return read_code_sets_component(component.data)
        return None


def is_nil(reference: Reference) -> bool:
    """Whether a reference is to no object."""
    return not reference.profiles


def read_profile(octets: bytes, limits: MessageLimits = DEFAULT_LIMITS) -> IiopProfile:
    """Decode an IIOP profile."""
    try:
        reader = encapsulation_reader(octets)
        major, minor = reader.octet(), reader.octet()
        if major != 1:
            raise INV_OBJREF(why=f"an IIOP profile of version {major}.{minor}; 1.x is known")
        host, port, key = reader.latin(), reader.ushort(), reader.octets()
        components: list[Component] = []
        if minor:
            count = reader.length(8)
            if count > limits.components:
                why = f"a profile with {count} components; at most {limits.components} are accepted"
                raise INV_OBJREF(why=why)
            components = [Component(reader.ulong(), reader.octets()) for _ in range(count)]
    except INV_OBJREF:
        raise
    except SystemException as error:
        raise INV_OBJREF(why=f"a malformed IIOP profile: {error.why}") from error
    return IiopProfile(host, port, key, minor, tuple(components))


def key_of_profile(tag: int, octets: bytes) -> bytes:
    """The object key in a profile; empty if it is unknown."""
    if tag != TAG_IIOP:
        return b""
    try:
        return read_profile(octets).key
    except INV_OBJREF:
        return b""


def profiles_of(reference: Reference) -> Iterator[IiopProfile]:
    """The readable IIOP profiles of a reference, in order."""
    for tag, octets in reference.profiles:
        if tag == TAG_IIOP:
            try:
                yield read_profile(octets)
            except INV_OBJREF:
                continue


def profile_of(reference: Reference) -> IiopProfile | None:
    """The first readable IIOP profile of a reference."""
    return next(profiles_of(reference), None)


def make_profile(profile: IiopProfile) -> bytes:
    """The octets of an IIOP profile."""
    writer = encapsulation_writer()
    writer.octet(1)
    writer.octet(profile.minor)
    writer.latin(profile.host)
    writer.ushort(profile.port)
    writer.octets(profile.key)
    if profile.minor:
        writer.ulong(len(profile.components))
        for tag, data in profile.components:
            writer.ulong(tag)
            writer.octets(data)
    return writer.getvalue()


def our_components() -> tuple[Component, ...]:
    """The components in references to our objects: the ORB's number, and its code sets."""
    writer = encapsulation_writer()
    writer.ulong(OUR_ORB_TYPE)
    return Component(ORB_TYPE, writer.getvalue()), code_sets_component(OUR_COMPONENT)


def make_reference(
    type_id: str,
    host: str,
    port: int,
    key: bytes,
    components: Iterable[Component] | None = None,
    alternates: Iterable[tuple[str, int]] = (),
    minor: int = 2,
) -> Reference:
    """A reference to an object; `components` are our own by default."""
    told = our_components() if components is None else tuple(components)
    more = tuple([alternate_component(*address) for address in alternates])
    profile = IiopProfile(host, port, key, minor, (*told, *more) if minor else ())
    return Reference(type_id, [(TAG_IIOP, make_profile(profile))])


# ---------------------------------------------------------------- text


def to_ior(reference: Reference) -> str:
    """A reference as text: `IOR:` and hexadecimal digits."""
    writer = encapsulation_writer()
    writer.reference(reference)
    return f"IOR:{writer.getvalue().hex()}"


def from_ior(text: str, limits: MessageLimits = DEFAULT_LIMITS) -> Reference:
    """The reference in a text that begins with `IOR:`."""
    text = text.strip()
    if text[:4].upper() != "IOR:":
        raise BAD_PARAM(OMG | 7, why="a stringified reference begins with IOR:")
    if len(text) > limits.url_size:
        why = f"{len(text)} characters are more than the {limits.url_size} of a reference"
        raise BAD_PARAM(OMG | 10, why=why)
    try:
        octets = bytes.fromhex(text[4:])
    except ValueError as error:
        why = "after IOR: stand pairs of hexadecimal digits"
        raise BAD_PARAM(OMG | 10, why=why) from error
    try:
        return encapsulation_reader(octets).reference()
    except SystemException as error:
        raise BAD_PARAM(OMG | 10, why=f"the IOR holds no reference: {error.why}") from error


# ---------------------------------------------------------------- words

_TAGS: Final = {1: "multiple components", 3: "UIPMC"}
_COMPONENTS: Final = {
    2: "policies",
    33: "CSI security mechanisms",
    36: "TLS",
    100: "complete object key",
}
_ORBS: Final = {
    0x41545400: "omniORB",
    0x4A414300: "JacORB",
    0x54414F00: "TAO",
    OUR_ORB_TYPE: "Tidings",
}


def describe(reference: Reference) -> list[str]:
    """A reference in words, line by line; also a malformed one."""
    if is_nil(reference):
        return ["nil: a reference to no object"]
    lines = [f"type: {reference.type_id or 'not told'}"]
    for tag, octets in reference.profiles:
        if tag != TAG_IIOP:
            name = _TAGS.get(tag, "unknown")
            lines.append(f"profile {tag} ({name}): {len(octets)} octets")
            continue
        try:
            lines += _profile_lines(read_profile(octets))
        except INV_OBJREF as error:
            lines.append(f"IIOP profile that cannot be read: {error.why}")
    return lines


def _profile_lines(profile: IiopProfile) -> Iterator[str]:
    where = _address(profile.host, profile.port) if profile.port else f"{profile.host}, TLS only"
    yield f"IIOP 1.{profile.minor} at {where}"
    key = profile.key.decode("latin-1")
    shown = repr(key) if key.isascii() and key.isprintable() else profile.key.hex()
    yield f"  key: {shown}"
    for component in profile.components:
        try:
            yield f"  {_component_line(component)}"
        except SystemException as error:
            yield f"  component {component.tag} that cannot be read: {error.why}"


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _component_line(component: Component) -> str:
    tag, data = component
    if tag == ORB_TYPE:
        number = encapsulation_reader(data).ulong()
        return f"ORB: {_ORBS.get(number, 'unknown')} (0x{number:08x})"
    if tag == CODE_SETS:
        sets = read_code_sets_component(data)
        chars = ", ".join(map(code_set_name, (sets.char, *sets.char_conversions)))
        wchars = ", ".join(map(code_set_name, (sets.wchar, *sets.wchar_conversions)))
        return f"code sets: char {chars}; wchar {wchars}"
    if tag == ALTERNATE_ADDRESS:
        return f"also at {_address(*read_alternate(data))}"
    if tag == SSL_SEC_TRANS:
        tls = read_tls(data)
        return f"TLS at port {tls.port}: supports {tls.supports:#x}, requires {tls.requires:#x}"
    return f"component {tag} ({_COMPONENTS.get(tag, 'unknown')}): {len(data)} octets"
