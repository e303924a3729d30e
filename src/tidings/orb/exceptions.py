"""The exceptions of CORBA: those of the broker, and those of objects.

A `SystemException` is sent as a repository id, a minor code and a completion. A `UserException`
is declared in IDL; its class is generated.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tidings.errors import TidingsError

if TYPE_CHECKING:
    from tidings.events.typecode import TypeCode
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer


OMG: Final = 0x4F4D0000
"""The vendor part of the minor codes that the standard itself gives."""

_VENDORS: Final = {0x4F4D0: "OMG", 0x41540: "omniORB", 0x54410: "TAO", 0x4A430: "JacORB"}

_MEANINGS: Final = {
    ("UNKNOWN", 1): "user exception that the operation does not list",
    ("UNKNOWN", 2): "unknown system exception",
    ("BAD_PARAM", 7): "bad scheme of an object URL",
    ("BAD_PARAM", 8): "bad address in an object URL",
    ("BAD_PARAM", 9): "bad part of an object URL after its scheme",
    ("BAD_PARAM", 10): "text that names no object",
    ("BAD_PARAM", 13): "incomplete TypeCode",
    ("BAD_PARAM", 23): "wide characters without an agreed code set",
    ("BAD_PARAM", 25): "enum value out of range",
    ("IMP_LIMIT", 1): "no usable profile",
    ("INV_OBJREF", 1): "the target takes no wide characters",
    ("INV_OBJREF", 2): "the reference must tell its code sets",
    ("MARSHAL", 1): "no value factory",
    ("MARSHAL", 4): "local object",
    ("MARSHAL", 5): "wide characters from a GIOP 1.0 client",
    ("MARSHAL", 6): "wide characters from a GIOP 1.0 server",
    ("NO_IMPLEMENT", 3): "no usable profile",
    ("BAD_OPERATION", 2): "operation unknown to the target",
    ("BAD_INV_ORDER", 4): "the ORB has shut down",
    ("TRANSIENT", 1): "discarded for want of resources",
    ("TRANSIENT", 2): "no usable profile",
    ("TRANSIENT", 3): "cancelled",
    ("TRANSIENT", 4): "the object adapter is gone",
    ("DATA_CONVERSION", 1): "character outside the code set",
    ("OBJECT_NOT_EXIST", 1): "unknown object id",
    ("OBJECT_NOT_EXIST", 2): "object adapter not found",
    ("INTF_REPOS", 1): "no interface repository",
    ("INTF_REPOS", 2): "no entry in the interface repository",
    ("CODESET_INCOMPATIBLE", 1): "no common code set",
    ("CODESET_INCOMPATIBLE", 2): "unsupported code set in a context",
}


def meaning(name: str, minor: int) -> str:
    """A minor code in words, if known; empty for 0."""
    if not minor:
        return ""
    vendor = _VENDORS.get(minor >> 12)
    if vendor is None:
        return f"minor 0x{minor:08x}"
    number = minor & 0xFFF
    said = _MEANINGS.get((name, number)) if vendor == "OMG" else None
    return f"{vendor} minor {number}: {said}" if said else f"{vendor} minor {number}"


class Completion(IntEnum):
    """Whether the operation had completed when the exception was raised."""

    YES = 0
    NO = 1
    MAYBE = 2


class CorbaError(TidingsError):
    """Everything the broker raises, and everything objects raise through it."""

    code = "corba"
    http_status = 502


class FramingError(CorbaError):
    """Octets that are not a GIOP message: nothing after them can be trusted."""

    code = "corba_framing"
    corba_id = "IDL:omg.org/CORBA/COMM_FAILURE:1.0"


class UserException(CorbaError):
    """An exception declared in IDL.

    A generated class has its members as attributes, and functions that write and read them.
    """

    ID: ClassVar[str] = ""
    TYPE: ClassVar[TypeCode]
    write: ClassVar[staticmethod[[Writer, Any], None]]
    read: ClassVar[staticmethod[[Reader], Any]]


class SystemException(CorbaError):
    """A standard exception of CORBA.

    Args:
        minor: The reason as a number, the vendor in the upper 20 bits.
        completed: Whether the operation had completed.
        why: The reason in words. It is not sent.
    """

    NAME: ClassVar[str] = "UNKNOWN"

    def __init_subclass__(cls) -> None:
        """Name the exception by its class; a special case of one keeps its name."""
        super().__init_subclass__()
        if SystemException not in cls.__bases__:
            return
        cls.NAME = cls.__name__
        cls.corba_id = f"IDL:omg.org/CORBA/{cls.__name__}:1.0"
        cls.code = f"corba_{cls.__name__.lower()}"
        _BY_ID[cls.corba_id] = cls

    def __init__(
        self, minor: int = 0, completed: Completion = Completion.NO, why: str = ""
    ) -> None:
        super().__init__(minor, completed, why)
        self.minor = minor
        self.completed = completed
        self.why = why

    @property
    def id(self) -> str:
        """The repository id."""
        return f"IDL:omg.org/CORBA/{self.NAME}:1.0"

    def __str__(self) -> str:
        said = meaning(self.NAME, self.minor)
        done = f"completed {self.completed.name}"
        head = f"{self.NAME} ({said}, {done})" if said else f"{self.NAME} ({done})"
        return f"{head}: {self.why}" if self.why else head


_BY_ID: Final[dict[str, type[SystemException]]] = {}


class UNKNOWN(SystemException):
    """Something went wrong that has no better name."""


class BAD_PARAM(SystemException):
    """An argument is outside the rules."""


class IMP_LIMIT(SystemException):
    """A limit of the implementation is reached."""


class COMM_FAILURE(SystemException):
    """The connection broke while a call was under way."""


class INV_OBJREF(SystemException):
    """An object reference is malformed."""


class NO_PERMISSION(SystemException):
    """The caller lacks the right."""


class MARSHAL(SystemException):
    """Octets do not hold the value they should hold."""


class NO_IMPLEMENT(SystemException):
    """What is asked for is not implemented."""


class BAD_OPERATION(SystemException):
    """The object has no such operation."""


class NO_RESOURCES(SystemException):
    """A resource ran out."""


class PERSIST_STORE(SystemException):
    """The store does not do what it is asked."""


class BAD_INV_ORDER(SystemException):
    """The call came at the wrong time."""


class TRANSIENT(SystemException):
    """It does not work now; it may work later."""


class INTF_REPOS(SystemException):
    """The interface repository does not answer."""


class DATA_CONVERSION(SystemException):
    """A character does not fit the code set."""


class OBJECT_NOT_EXIST(SystemException):
    """The object is gone for good, or never was."""


class CODESET_INCOMPATIBLE(SystemException):
    """The two sides share no code set."""


class TIMEOUT(SystemException):
    """The answer came too late, or not at all."""


# The others of the standard: nothing here raises them, but peers may.
_OTHERS: Final = """
    BAD_CONTEXT BAD_QOS BAD_TYPECODE FREE_MEM INITIALIZE INTERNAL INVALID_TRANSACTION INV_FLAG
    INV_IDENT INV_POLICY NO_MEMORY NO_RESPONSE OBJ_ADAPTER REBIND TRANSACTION_MODE
    TRANSACTION_REQUIRED TRANSACTION_ROLLEDBACK TRANSACTION_UNAVAILABLE
"""
for _name in _OTHERS.split():
    type(_name, (SystemException,), {"__doc__": f"CORBA::{_name}."})


def system_exception(id: str, minor: int, completed: Completion) -> SystemException:
    """The exception of a reply; an unknown id becomes UNKNOWN."""
    known = _BY_ID.get(id)
    if known is None:
        why = f"the peer raised {id!r}, which is not a system exception of CORBA"
        return UNKNOWN(OMG | 2, completed, why)
    return known(minor, completed)
