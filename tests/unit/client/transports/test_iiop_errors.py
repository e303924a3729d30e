"""Exceptions of a CORBA service, as errors of the one tree."""

from __future__ import annotations

import pytest

from tidings import Any, errors
from tidings.client.transports.iiop_errors import told
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.CosNotification_auto import EventType
from tidings.events import typecode as tc
from tidings.orb import exceptions as corba
from tidings.orb.exceptions import CorbaError

EXPRESSION = filters.ConstraintExp((), "$price >")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (event_admin.AlreadyConnected(), errors.AlreadyConnected),
        (event_admin.TypeError(), errors.WrongClient),
        (event_comm.Disconnected(), errors.Disconnected),
        (channel_admin.AdminNotFound(), errors.AdminNotFound),
        (channel_admin.ConnectionAlreadyActive(), errors.ConnectionAlreadyActive),
        (filters.InvalidConstraint(EXPRESSION), errors.InvalidConstraint),
        (filters.ConstraintNotFound(7), errors.ConstraintNotFound),
        (filters.InvalidValue(EXPRESSION, "high"), errors.InvalidMappingValue),
        (comm.InvalidEventType(EventType("a", "b")), errors.InvalidEventType),
        (filters.UnsupportedFilterableData(), errors.TidingsError),
        (corba.OBJECT_NOT_EXIST(), errors.FilterNotFound),
        (corba.NO_PERMISSION(), errors.Forbidden),
        (corba.IMP_LIMIT(), errors.LimitExceeded),
        (corba.BAD_PARAM(), errors.InvalidUsage),
        (corba.TRANSIENT(), errors.Unreachable),
        (corba.COMM_FAILURE(), errors.Unreachable),
        (corba.TIMEOUT(), errors.Unreachable),
        (corba.BAD_INV_ORDER(), errors.WrongState),
        (corba.PERSIST_STORE(), errors.StoreError),
        (corba.UNKNOWN(), errors.TidingsError),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, CorbaError) else "",
)
def test_each_has_its_error(raised: CorbaError, expected: type[Exception]) -> None:
    found = told(raised, "filter 3", "destroy", errors.FilterNotFound)
    assert type(found) is expected
    assert not isinstance(found, CorbaError)


def test_a_limit_is_told_with_its_name_and_value() -> None:
    limit = channel_admin.AdminLimit("MaxConsumers", Any(tc.LONG, 3))
    raised = channel_admin.AdminLimitExceeded(limit)
    found = told(raised, "admin 0", "obtain", errors.AdminNotFound)
    assert isinstance(found, errors.AdminLimitExceeded)
    assert (found.name, found.limit) == ("MaxConsumers", 3)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (corba.IMP_LIMIT(), errors.ChannelFull),
        (corba.BAD_PARAM(), errors.InvalidEvent),
        (corba.MARSHAL(), errors.InvalidEvent),
        (corba.DATA_CONVERSION(), errors.InvalidEvent),
        (corba.TRANSIENT(), errors.Unreachable),
    ],
)
def test_while_an_event_is_pushed_it_is_the_event_or_the_room_for_it(
    raised: CorbaError, expected: type[Exception]
) -> None:
    found = told(raised, "proxy 1", "push_structured_event", errors.ProxyNotFound)
    assert type(found) is expected


def test_a_message_says_what_was_called_and_how_it_ended() -> None:
    found = told(corba.NO_PERMISSION(), "channel 3", "destroy", errors.ChannelNotFound)
    assert str(found).startswith("channel 3: destroy: NO_PERMISSION")
    gone = told(corba.OBJECT_NOT_EXIST(), "channel 3", "destroy", errors.ChannelNotFound)
    assert str(gone) == "there is no channel 3"
