from __future__ import annotations

import pickle

import pytest

from tidings.errors import TidingsError
from tidings.orb import exceptions
from tidings.orb.exceptions import (
    BAD_PARAM,
    MARSHAL,
    OMG,
    UNKNOWN,
    Completion,
    SystemException,
    UserException,
    system_exception,
)

NAMES = [
    "UNKNOWN",
    "BAD_PARAM",
    "NO_MEMORY",
    "IMP_LIMIT",
    "COMM_FAILURE",
    "INV_OBJREF",
    "NO_PERMISSION",
    "INTERNAL",
    "MARSHAL",
    "INITIALIZE",
    "NO_IMPLEMENT",
    "BAD_TYPECODE",
    "BAD_OPERATION",
    "NO_RESOURCES",
    "NO_RESPONSE",
    "PERSIST_STORE",
    "BAD_INV_ORDER",
    "TRANSIENT",
    "FREE_MEM",
    "INV_IDENT",
    "INV_FLAG",
    "INTF_REPOS",
    "BAD_CONTEXT",
    "OBJ_ADAPTER",
    "DATA_CONVERSION",
    "OBJECT_NOT_EXIST",
    "TRANSACTION_REQUIRED",
    "TRANSACTION_ROLLEDBACK",
    "INVALID_TRANSACTION",
    "INV_POLICY",
    "CODESET_INCOMPATIBLE",
    "REBIND",
    "TIMEOUT",
    "TRANSACTION_UNAVAILABLE",
    "TRANSACTION_MODE",
    "BAD_QOS",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_standard_exception_is_there(name: str) -> None:
    made = getattr(exceptions, name)()
    assert isinstance(made, SystemException)
    assert name == made.NAME
    assert made.id == made.corba_id == f"IDL:omg.org/CORBA/{name}:1.0"
    assert (made.minor, made.completed, made.why) == (0, Completion.NO, "")


def test_an_exception_comes_back_from_its_id() -> None:
    made = system_exception(BAD_PARAM().id, OMG | 23, Completion.MAYBE)
    assert type(made) is BAD_PARAM
    assert (made.minor, made.completed) == (OMG | 23, Completion.MAYBE)


def test_an_unknown_id_becomes_unknown() -> None:
    made = system_exception("IDL:acme/ODD:1.0", 7, Completion.YES)
    assert type(made) is UNKNOWN
    assert (made.minor, made.completed) == (OMG | 2, Completion.YES)
    assert "IDL:acme/ODD:1.0" in str(made)


def test_an_exception_says_what_it_knows() -> None:
    assert str(MARSHAL()) == "MARSHAL (completed NO)"
    assert str(MARSHAL(why="too short")) == "MARSHAL (completed NO): too short"
    said = str(BAD_PARAM(OMG | 25, Completion.YES, "9 is no color"))
    assert said == "BAD_PARAM (OMG minor 25: enum value out of range, completed YES): 9 is no color"


def test_exceptions_are_in_the_one_tree() -> None:
    assert issubclass(SystemException, TidingsError)
    assert issubclass(UserException, TidingsError)


def test_an_exception_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(MARSHAL(5, Completion.MAYBE, "why")))
    assert (type(again), again.minor, again.completed, again.why) == (
        MARSHAL,
        5,
        Completion.MAYBE,
        "why",
    )


def test_a_special_case_of_an_exception_travels_as_it() -> None:
    class Lost(MARSHAL):
        """A case of its own."""

    assert Lost().id == MARSHAL().id
    assert type(system_exception(Lost().id, 0, Completion.NO)) is MARSHAL
