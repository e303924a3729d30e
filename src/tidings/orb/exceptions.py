"""The exceptions of CORBA: what the broker raises, and what objects raise.

A `SystemException` travels as a repository id, a minor code and a completion. A
`UserException` is declared in IDL; its class is generated.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tidings.errors import TidingsError
from tidings.orb.minor_codes import OMG, meaning

if TYPE_CHECKING:
    from tidings.events.typecode import TypeCode
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer

__all__ = [
    "OMG",
    "Completion",
    "CorbaError",
    "FramingError",
    "SystemException",
    "UserException",
    "system_exception",
]


class Completion(IntEnum):
    """Whether an operation had been done when the exception was raised."""

    YES = 0
    NO = 1
    MAYBE = 2


class CorbaError(TidingsError):
    """Everything the broker raises, and everything objects raise through it."""

    code = "corba"
    http_status = 502


class FramingError(CorbaError):
    """Octets that are no GIOP message: nothing after them can be trusted."""

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
        minor: The reason as a number; the vendor stands in the upper 20 bits.
        completed: Whether the operation had been done.
        why: The reason in words. It does not travel.
    """

    NAME: ClassVar[str] = "UNKNOWN"

    def __init_subclass__(cls) -> None:
        """Names the exception by its class; a special case of one keeps its name."""
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


class NO_MEMORY(SystemException):
    """There is no memory for it."""


class IMP_LIMIT(SystemException):
    """A limit of the implementation is reached."""


class COMM_FAILURE(SystemException):
    """The connection broke while a call was under way."""


class INV_OBJREF(SystemException):
    """An object reference is malformed."""


class NO_PERMISSION(SystemException):
    """Whoever asks may not."""


class INTERNAL(SystemException):
    """The broker itself is at fault."""


class MARSHAL(SystemException):
    """Octets do not hold the value they should hold."""


class INITIALIZE(SystemException):
    """The broker could not be started."""


class NO_IMPLEMENT(SystemException):
    """What is asked for is not implemented."""


class BAD_TYPECODE(SystemException):
    """A TypeCode describes no type."""


class BAD_OPERATION(SystemException):
    """The object has no such operation."""


class NO_RESOURCES(SystemException):
    """A resource ran out."""


class NO_RESPONSE(SystemException):
    """The answer is not there yet."""


class PERSIST_STORE(SystemException):
    """The store does not do what it is asked."""


class BAD_INV_ORDER(SystemException):
    """The call came at the wrong time."""


class TRANSIENT(SystemException):
    """It does not work now; it may work later."""


class FREE_MEM(SystemException):
    """Memory could not be given back."""


class INV_IDENT(SystemException):
    """An identifier is malformed."""


class INV_FLAG(SystemException):
    """A flag is outside the rules."""


class INTF_REPOS(SystemException):
    """The interface repository does not answer."""


class BAD_CONTEXT(SystemException):
    """A context object is at fault."""


class OBJ_ADAPTER(SystemException):
    """The object adapter is at fault."""


class DATA_CONVERSION(SystemException):
    """A character does not fit the code set."""


class OBJECT_NOT_EXIST(SystemException):
    """The object is gone for good, or never was."""


class TRANSACTION_REQUIRED(SystemException):
    """The call needs a transaction."""


class TRANSACTION_ROLLEDBACK(SystemException):
    """The transaction was rolled back."""


class INVALID_TRANSACTION(SystemException):
    """The transaction is malformed."""


class INV_POLICY(SystemException):
    """Policies contradict each other."""


class CODESET_INCOMPATIBLE(SystemException):
    """The two sides share no code set."""


class REBIND(SystemException):
    """The object moved, and the policy forbids to follow."""


class TIMEOUT(SystemException):
    """The answer came too late, or not at all."""


class TRANSACTION_UNAVAILABLE(SystemException):
    """The transaction service does not answer."""


class TRANSACTION_MODE(SystemException):
    """The transaction does not fit the object."""


class BAD_QOS(SystemException):
    """The quality of service cannot be had."""


def system_exception(id: str, minor: int, completed: Completion) -> SystemException:
    """The exception a reply tells of; an id that nobody here knows becomes UNKNOWN."""
    known = _BY_ID.get(id)
    if known is None:
        why = f"the peer raised {id!r}, which is no system exception of CORBA"
        return UNKNOWN(OMG | 2, completed, why)
    return known(minor, completed)
