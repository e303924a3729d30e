from __future__ import annotations

import pytest

from tidings import errors
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.errors import PropertyError, PropertyErrorCode, TidingsError
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import (
    BAD_INV_ORDER,
    BAD_PARAM,
    BAD_TYPECODE,
    COMM_FAILURE,
    IMP_LIMIT,
    NO_IMPLEMENT,
    NO_PERMISSION,
    OBJECT_NOT_EXIST,
    OMG,
    PERSIST_STORE,
    TRANSIENT,
    UNKNOWN,
    Completion,
    SystemException,
    UserException,
)
from tidings.orb.stubs import Interface, Operation, Servant
from tidings.servants.faults import TypedErrors, partly, typed

MEMBERLESS: list[tuple[TidingsError, type[UserException]]] = [
    (errors.FilterNotFound("x"), filters.FilterNotFound),
    (errors.CallbackNotFound("x"), filters.CallbackNotFound),
    (errors.InvalidGrammar("x"), filters.InvalidGrammar),
    (errors.AdminNotFound("x"), channel_admin.AdminNotFound),
    (errors.ProxyNotFound("x"), channel_admin.ProxyNotFound),
    (errors.ChannelNotFound("x"), channel_admin.ChannelNotFound),
    (errors.NotConnected("x"), channel_admin.NotConnected),
    (errors.ConnectionAlreadyActive("x"), channel_admin.ConnectionAlreadyActive),
    (errors.ConnectionAlreadyInactive("x"), channel_admin.ConnectionAlreadyInactive),
    (errors.AlreadyConnected("x"), event_admin.AlreadyConnected),
    (errors.WrongClient("x"), event_admin.TypeError),
    (errors.Disconnected("x"), event_comm.Disconnected),
]


@pytest.mark.parametrize(("error", "told"), MEMBERLESS, ids=lambda one: type(one).__name__)
def test_an_error_is_told_as_the_exception_the_operation_declares(
    error: TidingsError, told: type[UserException]
) -> None:
    assert type(typed(error, (filters.InvalidConstraint, told))) is told


@pytest.mark.parametrize(
    ("error", "told", "minor"),
    [
        (errors.ProxyNotFound("x"), OBJECT_NOT_EXIST, OMG | 1),
        (errors.FilterNotFound("x"), OBJECT_NOT_EXIST, OMG | 1),
        (errors.NotFound("x"), OBJECT_NOT_EXIST, OMG | 1),
        (errors.Forbidden("x"), NO_PERMISSION, 0),
        (errors.Unauthenticated("x"), NO_PERMISSION, 0),
        (errors.LimitExceeded("x"), IMP_LIMIT, 0),
        (errors.AdminLimitExceeded("MaxConsumers", 2), IMP_LIMIT, 0),
        (errors.ChannelFull("x"), IMP_LIMIT, 0),
        (errors.DiskFull("x"), IMP_LIMIT, 0),
        (errors.StoreError("x"), PERSIST_STORE, 0),
        (errors.JournalBroken("x"), PERSIST_STORE, 0),
        (errors.BadInput("x"), BAD_PARAM, 0),
        (errors.InvalidUsage("x"), BAD_PARAM, 0),
        (errors.InvalidEvent("x"), BAD_PARAM, 0),
        (errors.InvalidEventType("x"), BAD_PARAM, 0),
        (errors.NameTaken("x"), BAD_PARAM, 0),
        (errors.InvalidTypeCode("x"), BAD_TYPECODE, 0),
        (errors.WrongState("x"), BAD_INV_ORDER, 0),
        (errors.Disconnected("x"), BAD_INV_ORDER, 0),
        (errors.Stopping("x"), TRANSIENT, OMG | 1),
        (errors.Unreachable("x"), COMM_FAILURE, 0),
        (errors.MissingExtra("x", "y"), NO_IMPLEMENT, 0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_an_operation_does_not_declare_is_a_system_exception(
    error: TidingsError, told: type[SystemException], minor: int
) -> None:
    found = typed(error)
    assert type(found) is told
    assert isinstance(found, SystemException)
    assert (found.minor, found.completed, found.why) == (minor, Completion.NO, str(error))


def test_a_fault_of_ours_may_have_happened_half() -> None:
    found = typed(TidingsError("what should not be"))
    assert isinstance(found, UNKNOWN)
    assert found.completed is Completion.MAYBE


def test_every_error_of_the_tree_has_an_exception_other_than_unknown() -> None:
    named = [getattr(errors, name) for name in errors.__all__]
    kinds = [one for one in named if isinstance(one, type) and issubclass(one, TidingsError)]
    known = [kind for kind in kinds if kind.corba_id != TidingsError.corba_id]
    made = [kind(*_ARGUMENTS.get(kind.__name__, ("x",))) for kind in known]
    assert len(made) > 30
    assert [error for error in made if isinstance(typed(error), UNKNOWN)] == []


_ARGUMENTS: dict[str, tuple[object, ...]] = {
    "AdminLimitExceeded": ("MaxConsumers", 1),
    "InvalidConstraint": ("bad", "$x ==", 5),
    "MissingExtra": ("x", "y"),
    "UnsupportedAdmin": ((),),
    "UnsupportedProperties": ((),),
    "UnsupportedQoS": ((),),
}


def test_bad_properties_are_all_told_with_their_ranges_in_their_types() -> None:
    bad = [
        PropertyError(PropertyErrorCode.BAD_VALUE, "Priority", -32767, 32767),
        PropertyError(PropertyErrorCode.BAD_TYPE, "Timeout"),
        PropertyError(PropertyErrorCode.BAD_PROPERTY, "Colour"),
    ]
    found = typed(errors.UnsupportedQoS(bad), (notification.UnsupportedQoS,))
    assert isinstance(found, notification.UnsupportedQoS)
    code, range_ = notification.QoSError_code, notification.PropertyRange
    assert tuple(found.qos_err) == (
        (code.BAD_VALUE, "Priority", range_(Any(tc.SHORT, -32767), Any(tc.SHORT, 32767))),
        (code.BAD_TYPE, "Timeout", range_(None, None)),
        (code.BAD_PROPERTY, "Colour", range_(None, None)),
    )


def test_bad_admin_properties_are_told_in_their_own_exception() -> None:
    bad = [PropertyError(PropertyErrorCode.BAD_VALUE, "MaxConsumers", 0, 5)]
    declared = (notification.UnsupportedQoS, notification.UnsupportedAdmin)
    found = typed(errors.UnsupportedAdmin(bad), declared)
    assert isinstance(found, notification.UnsupportedAdmin)
    (told,) = found.admin_err
    assert told.available_range == (Any(tc.LONG, 0), Any(tc.LONG, 5))


def test_a_limit_is_told_with_its_name_and_value() -> None:
    error = errors.AdminLimitExceeded("MaxSuppliers", 3)
    found = typed(error, (channel_admin.AdminLimitExceeded,))
    assert isinstance(found, channel_admin.AdminLimitExceeded)
    assert found.admin_property_err == ("MaxSuppliers", Any(tc.LONG, 3))


def test_what_cannot_be_told_from_the_error_alone_is_a_system_exception() -> None:
    error = errors.InvalidConstraint("bad", "$x ==", 5)
    assert isinstance(typed(error, (filters.InvalidConstraint,)), BAD_PARAM)


def test_exceptions_of_corba_stay_as_they_are() -> None:
    for error in (NO_IMPLEMENT(3), filters.ConstraintNotFound(4)):
        assert typed(error, (filters.FilterNotFound,)) is error


def _operation(name: str, *exceptions: type[UserException]) -> Operation:
    def nothing(*arguments: object) -> None:
        raise AssertionError

    return Operation(name, name, nothing, nothing, nothing, nothing, exceptions)  # type: ignore[arg-type]


def test_every_operation_of_a_servant_tells_its_errors_typed() -> None:
    operations = {
        "later": _operation("later", filters.FilterNotFound),
        "at_once": _operation("at_once"),
    }

    class Base(Servant):
        INTERFACE = Interface("IDL:x:1.0", "x", (), operations)

    class Made(TypedErrors, Base):
        async def later(self, name: str) -> str:
            raise errors.FilterNotFound(name)

        def at_once(self) -> str:
            raise errors.FilterNotFound("here")

        def no_operation(self) -> None:
            raise errors.FilterNotFound("here")

    class Derived(Made):
        pass

    made = Derived()
    with pytest.raises(filters.FilterNotFound) as told:
        made.later("x").send(None)
    assert isinstance(told.value.__cause__, errors.FilterNotFound)
    with pytest.raises(OBJECT_NOT_EXIST):
        made.at_once()
    with pytest.raises(errors.FilterNotFound):
        made.no_operation()


def test_what_was_done_in_part_may_be_completed() -> None:
    told = partly(errors.DiskFull("no room"))
    assert isinstance(told, SystemException)
    assert (told.completed, type(told)) == (Completion.MAYBE, type(typed(errors.DiskFull("x"))))
