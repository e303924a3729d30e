"""What is asked for does not fit what the object is doing, or is not allowed."""

from __future__ import annotations

from tidings.errors.base import CHANNEL_ADMIN, EVENT_ADMIN, EVENT_COMM, SYSTEM, TidingsError


class WrongState(TidingsError):
    """The object is not in the state for this; nothing was changed."""

    code = "wrong_state"
    http_status = 409
    corba_id = SYSTEM.format("BAD_INV_ORDER")


class AlreadyConnected(WrongState):
    """The proxy has its client already."""

    code = "already_connected"
    corba_id = EVENT_ADMIN.format("AlreadyConnected")


class NotConnected(WrongState):
    """The proxy has no client that could be suspended or resumed."""

    code = "not_connected"
    corba_id = CHANNEL_ADMIN.format("NotConnected")


class ConnectionAlreadyActive(WrongState):
    """The connection is not suspended."""

    code = "connection_already_active"
    corba_id = CHANNEL_ADMIN.format("ConnectionAlreadyActive")


class ConnectionAlreadyInactive(WrongState):
    """The connection is suspended already."""

    code = "connection_already_inactive"
    corba_id = CHANNEL_ADMIN.format("ConnectionAlreadyInactive")


class Disconnected(WrongState):
    """Events cannot go through a proxy that is not connected, or not any more."""

    code = "disconnected"
    corba_id = EVENT_COMM.format("Disconnected")


class WrongClient(WrongState):
    """The client is of a kind the proxy cannot serve."""

    code = "wrong_client"
    corba_id = EVENT_ADMIN.format("TypeError")


class NameTaken(WrongState):
    """Something else has the name already."""

    code = "name_taken"
    corba_id = SYSTEM.format("BAD_PARAM")


class NumberTooOld(WrongState):
    """Nobody knows any more whether a producer's number was accepted; the event was refused."""

    code = "number_too_old"


class Stopping(TidingsError):
    """The service is stopping, or has stopped; it takes nothing more."""

    code = "stopping"
    http_status = 503
    corba_id = SYSTEM.format("TRANSIENT")


class Forbidden(TidingsError):
    """Whoever asks may not do this."""

    code = "forbidden"
    http_status = 403
    corba_id = SYSTEM.format("NO_PERMISSION")


class Unauthenticated(TidingsError):
    """Nobody can tell who asks: the token is missing or wrong."""

    code = "unauthenticated"
    http_status = 401
    corba_id = SYSTEM.format("NO_PERMISSION")


class Unreachable(TidingsError):
    """The service does not answer; raised by clients."""

    code = "unreachable"
    http_status = 503
    corba_id = SYSTEM.format("COMM_FAILURE")


class NotOverCorba(TidingsError):
    """CORBA's interfaces have no words for it; raised by clients that came that way."""

    code = "not_over_corba"
    http_status = 501
    corba_id = SYSTEM.format("NO_IMPLEMENT")
