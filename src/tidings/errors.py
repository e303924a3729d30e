"""The one exception tree of Tidings.

::

    TidingsError
    ├── BadInput                    what was handed in is wrong; nothing was changed
    │   ├── InvalidEvent            an event, or the text or octets of one
    │   ├── InvalidTypeCode         a type description that describes no type
    │   ├── InvalidConstraint       a constraint, with the place of the fault
    │   │   ├── IllegalConstraint   a constraint of the trading service
    │   │   └── IllegalPreference   a preference of the trading service
    │   ├── InvalidGrammar          a constraint language nobody here speaks
    │   ├── InvalidEventType        an event-type pattern outside the rules
    │   ├── InvalidMappingValue     a mapping value of another type than its filter's
    │   ├── InvalidUsage            a command line or setting outside the rules
    │   ├── UnsupportedMedia        a media type nobody reads here
    │   ├── BadTag                  the tag of a live object, or a pattern for tags
    │   ├── BadAttributeName        the name of a live object's attribute
    │   ├── IllegalTrading          what a trader was given is wrong; a class for each exception of
    │   │                           CosTrading and CosTradingRepos that says so
    │   └── UnsupportedProperties   properties that cannot be set so, every one listed
    │       ├── UnsupportedQoS      of the quality of service
    │       └── UnsupportedAdmin    of the administration of a channel
    ├── LimitExceeded               well-formed, but larger than we take
    │   ├── AdminLimitExceeded      more proxies than the channel's admin properties allow
    │   ├── ExceedSubscriberLimit   more subscribers to changes of services than may register
    │   ├── ExceedConnectSubscriberLimit    more than may connect
    │   ├── ExceedProxyLimit        more proxies than one of them may have
    │   ├── TooManyObjects          more channels, admins, proxies or filters than the service keeps
    │   ├── ChannelFull             more waiting events than a channel or the service keeps
    │   ├── RateExceeded            more events a second than the principal may publish
    │   └── TooManyConnections      more connections than the principal may have
    ├── MissingExtra                an optional part of Tidings that is not installed
    ├── JavaNotFound                Spark is asked for, and there is no Java that fits
    ├── PipelineFailed              a job of the data pipeline could not be done
    ├── NotFound                    an id that names nothing
    │   ├── ConstraintNotFound
    │   ├── CallbackNotFound
    │   ├── FilterNotFound
    │   ├── ChannelNotFound
    │   ├── AdminNotFound
    │   ├── ProxyNotFound
    │   ├── NotFoundSubscriberID    a subscriber to changes of services
    │   ├── NotFoundPublisherID     a service evolver
    │   ├── NotFoundProxy           a subscriber's proxy
    │   ├── UnknownTrading          a service type, offer, property or link; a class for each
    │   │                           exception that says so
    │   └── CursorNotFound          a place in the journal that retention has dropped
    ├── WrongState                  the object is not in the state for this; nothing was changed
    │   ├── AlreadyConnected
    │   ├── NotConnected
    │   ├── ConnectionAlreadyActive
    │   ├── ConnectionAlreadyInactive
    │   ├── Disconnected            events cannot go through this proxy
    │   ├── WrongClient             a client of a kind the proxy cannot serve
    │   ├── NameTaken               a name that something else has
    │   │   ├── DuplicatedSubscriberID
    │   │   └── DuplicatedPublisherID
    │   ├── AlreadyHaveTheType      a subscriber has a proxy of the type
    │   ├── AlreadyDisconnected     a subscriber is not connected to its proxy
    │   ├── RefusedTrading          what the trader's rules forbid now; a class for each exception
    │   └── NumberTooOld            a producer's number that nobody can judge any more
    ├── Stopping                    the service takes nothing more
    ├── Forbidden                   whoever asks may not
    │   └── InvalidPassword         the password of a subscriber or service evolver is wrong
    ├── Unauthenticated             nobody can tell who asks
    ├── TooManyAttempts             tokens or passwords failed too often; later one may be tried
    ├── Unreachable                 the service does not answer; raised by clients
    ├── TradingNotImplemented       the trader does not do this
    ├── NotOverCorba                CORBA has no words for it; raised by clients
    └── StoreError                  the disk does not do what it is asked
        ├── JournalInUse            another process has the journal open
        ├── JournalTooNew           written by a newer version; left as it is
        ├── JournalBroken           a write or sync failed for good; open it again
        ├── ArchiveNotFound         no archive is at this place
        ├── ArchiveDamaged          an archive, or a segment of it, is not as it was sealed
        └── DiskFull                no room; works again when there is

Every class carries a stable code, the HTTP status a web door answers with, and the
repository id of the exception a CORBA door raises. A message says what is wrong, where,
and what would be right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import ClassVar, NamedTuple

SYSTEM = "IDL:omg.org/CORBA/{}:1.0"
FILTER = "IDL:omg.org/CosNotifyFilter/{}:1.0"
NOTIFICATION = "IDL:omg.org/CosNotification/{}:1.0"
EVENT_ADMIN = "IDL:omg.org/CosEventChannelAdmin/{}:1.0"
EVENT_COMM = "IDL:omg.org/CosEventComm/{}:1.0"
CHANNEL_ADMIN = "IDL:omg.org/CosNotifyChannelAdmin/{}:1.0"
TRADING = "IDL:omg.org/CosTrading/{}:1.0"
LIVE = "IDL:org.omg/ODS/{}:1.0"
SERVICE_TYPES = "IDL:omg.org/CosTradingRepos/ServiceTypeRepository/{}:1.0"


class TidingsError(Exception):
    """Everything Tidings raises on purpose."""

    code: ClassVar[str] = "internal"
    http_status: ClassVar[int] = 500
    corba_id: ClassVar[str] = SYSTEM.format("INTERNAL")
    members: Mapping[str, object] = MappingProxyType({})
    """What the standard's exception carries, by its members; texts are sent over HTTP."""


class BadInput(TidingsError):
    """What was handed in is wrong; nothing was changed."""

    code = "bad_input"
    http_status = 400
    corba_id = SYSTEM.format("BAD_PARAM")


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column of an offset, both counted from 1."""
    line_start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - line_start + 1


# A terminal line holds about this much; longer lines are shown as a window around the caret.
_SHOWN = 72


def caret_report(headline: str, text: str, position: int, hint: str = "") -> str:
    """A headline, the faulty line with a caret under the fault, and a hint."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    at = position - start
    if len(line) > _SHOWN:
        left = max(0, min(at - _SHOWN // 2, len(line) - _SHOWN))
        head, tail = ("…" if left else ""), ("…" if left + _SHOWN < len(line) else "")
        line, at = head + line[left : left + _SHOWN] + tail, at - left + len(head)
    # A tab is one character but several columns wide: show it as a space, so the caret is right.
    # A lone surrogate cannot be printed at all.
    shown = "".join(" " if c < " " else "\ufffd" if "\ud800" <= c <= "\udfff" else c for c in line)
    lines = [headline, f"  {shown}", f"  {' ' * _columns(shown[:at])}^"]
    if hint:
        lines.append(f"  hint: {hint}")
    return "\n".join(lines)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: characters of East Asia take two each."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    # Accents that are characters of their own are drawn onto the one before.
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


class InvalidEvent(BadInput):
    """An event, or the text or octets of one, is outside the rules.

    Args:
        problem: What is wrong and what would be right.
        where: The place inside the event, such as ``data.zones[3]``; empty for the whole.
    """

    code = "invalid_event"
    http_status = 422

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(problem, where)
        self.problem = problem
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def inside(self, place: str) -> InvalidEvent:
        """The same fault seen from further outside; `place` goes before where it is.

        Decoders name places only once something is wrong: building names on the way down
        costs more than the decoding.
        """
        joint = "" if not self.where or self.where.startswith("[") else "."
        self.where = f"{place}{joint}{self.where}"
        self.args = (self.problem, self.where)
        return self


class InvalidTypeCode(BadInput):
    """A type description that describes no type."""

    code = "invalid_typecode"
    http_status = 422
    corba_id = SYSTEM.format("BAD_TYPECODE")


class InvalidConstraint(BadInput):
    """A constraint that cannot be used, with the place of the fault.

    Args:
        problem: What is wrong.
        text: The whole constraint.
        position: Offset into ``text`` of the first wrong character.
        hint: What would be right; may be empty.
    """

    code = "invalid_constraint"
    http_status = 422
    corba_id = FILTER.format("InvalidConstraint")

    def __init__(self, problem: str, text: str, position: int = 0, hint: str = "") -> None:
        self.problem = problem
        self.text = text
        self.position = position
        self.hint = hint
        self.line, self.column = line_and_column(text, position)
        super().__init__(problem, text, position, hint)

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """The message a person reads: place, problem, the line, a caret, the hint."""
        return caret_report(
            f"line {self.line}, column {self.column}: {self.problem}",
            self.text,
            self.position,
            self.hint,
        )


class InvalidGrammar(BadInput):
    """A constraint language nobody here speaks."""

    code = "invalid_grammar"
    corba_id = FILTER.format("InvalidGrammar")


class InvalidEventType(BadInput):
    """An event-type pattern outside the rules."""

    code = "invalid_event_type"
    http_status = 422
    corba_id = "IDL:omg.org/CosNotifyComm/InvalidEventType:1.0"


class InvalidMappingValue(BadInput):
    """A mapping value of another type than its filter's."""

    code = "invalid_mapping_value"
    http_status = 422
    corba_id = FILTER.format("InvalidValue")


class InvalidUsage(BadInput):
    """A command line or setting outside the rules."""

    code = "invalid_usage"


class UnsupportedMedia(BadInput):
    """What was sent is of a media type nobody reads here."""

    code = "unsupported_media"
    http_status = 415


class LimitExceeded(TidingsError):
    """Well-formed, but larger than we take."""

    code = "limit_exceeded"
    http_status = 413
    corba_id = SYSTEM.format("IMP_LIMIT")


class AdminLimitExceeded(LimitExceeded):
    """A channel has as many proxies as its admin properties allow.

    Args:
        name: The property, such as ``MaxConsumers``.
        limit: Its value.
    """

    code = "admin_limit_exceeded"
    http_status = 409
    corba_id = CHANNEL_ADMIN.format("AdminLimitExceeded")

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(name, limit)
        self.name = name
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.name} is {self.limit}: the channel has that many already"


class TooManyObjects(LimitExceeded):
    """The service has as many channels, admins, proxies or filters as it may."""

    code = "too_many_objects"
    http_status = 409


class ChannelFull(LimitExceeded):
    """As many events wait as may; the event was not accepted. Later it may be."""

    code = "channel_full"
    http_status = 429


class RateExceeded(LimitExceeded):
    """A principal publishes faster than it may; nothing was accepted. Later it is.

    Args:
        message: What a person reads.
        wait: After how many seconds to try again.
    """

    code = "rate_exceeded"
    http_status = 429

    def __init__(self, message: str, wait: float = 1.0) -> None:
        super().__init__(message, wait)
        self.message = message
        self.wait = wait

    def __str__(self) -> str:
        return self.message


class TooManyConnections(LimitExceeded):
    """A principal has as many open connections as it may."""

    code = "too_many_connections"
    http_status = 429


class MissingExtra(TidingsError):
    """An optional part of Tidings is needed that is not installed.

    Args:
        what: What needs it.
        extra: The name in ``pip install tidings[extra]``.
    """

    code = "missing_extra"
    http_status = 501
    corba_id = SYSTEM.format("NO_IMPLEMENT")

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(what, extra)
        self.what = what
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.what} is not installed with Tidings here: pip install tidings[{self.extra}]"


class JavaNotFound(TidingsError):
    """Spark needs Java 17 or newer, and there is none."""

    code = "java_not_found"
    http_status = 501
    corba_id = SYSTEM.format("NO_IMPLEMENT")


class PipelineFailed(TidingsError):
    """A job of the data pipeline could not be done; what was there before is unharmed."""

    code = "pipeline_failed"
    http_status = 500
    corba_id = SYSTEM.format("INTERNAL")


class NotFound(TidingsError):
    """An id that names nothing."""

    code = "not_found"
    http_status = 404
    corba_id = SYSTEM.format("OBJECT_NOT_EXIST")


class ConstraintNotFound(NotFound):
    """No constraint of the filter has this id."""

    code = "constraint_not_found"
    corba_id = FILTER.format("ConstraintNotFound")


class CallbackNotFound(NotFound):
    """No callback of the filter has this id."""

    code = "callback_not_found"
    corba_id = FILTER.format("CallbackNotFound")


class FilterNotFound(NotFound):
    """No filter has this id."""

    code = "filter_not_found"
    corba_id = FILTER.format("FilterNotFound")


class ChannelNotFound(NotFound):
    """No channel has this id."""

    code = "channel_not_found"
    corba_id = CHANNEL_ADMIN.format("ChannelNotFound")


class AdminNotFound(NotFound):
    """The channel has no such admin."""

    code = "admin_not_found"
    corba_id = CHANNEL_ADMIN.format("AdminNotFound")


class ProxyNotFound(NotFound):
    """The channel has no proxy with this id."""

    code = "proxy_not_found"
    corba_id = CHANNEL_ADMIN.format("ProxyNotFound")


class CursorNotFound(NotFound):
    """A place in the journal whose segment is not there (any more)."""

    code = "cursor_not_found"
    http_status = 410


class PropertyErrorCode(IntEnum):
    """Why a property cannot be set so (Notification Service 8.3), numbered as on the wire."""

    UNSUPPORTED_PROPERTY = 0
    UNAVAILABLE_PROPERTY = 1
    UNSUPPORTED_VALUE = 2
    UNAVAILABLE_VALUE = 3
    BAD_PROPERTY = 4
    BAD_TYPE = 5
    BAD_VALUE = 6


_REASONS = {
    PropertyErrorCode.UNSUPPORTED_PROPERTY: "cannot be set at this level",
    PropertyErrorCode.UNAVAILABLE_PROPERTY: "cannot be set given the other settings",
    PropertyErrorCode.UNSUPPORTED_VALUE: "this value is not supported here",
    PropertyErrorCode.UNAVAILABLE_VALUE: "this value is not possible given the other settings",
    PropertyErrorCode.BAD_PROPERTY: "no property has this name",
    PropertyErrorCode.BAD_TYPE: "the value is of the wrong type",
    PropertyErrorCode.BAD_VALUE: "this value is outside the legal range",
}


class PropertyError(NamedTuple):
    """One property that cannot be set so.

    Attributes:
        code: Why.
        name: Which one.
        low: The least value that would do; None where the reason is not the value.
        high: The greatest one.
    """

    code: PropertyErrorCode
    name: str
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        instead = "" if self.low is None else f"; use {self.low} to {self.high}"
        return f"{self.name}: {_REASONS[self.code]}{instead}"


class UnsupportedProperties(BadInput):
    """Properties that cannot be set so; none of the request was set.

    Args:
        errors: Every bad property, in the order of the request.
    """

    code = "unsupported_properties"
    http_status = 422

    def __init__(self, errors: Iterable[PropertyError]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class UnsupportedQoS(UnsupportedProperties):
    """Properties of the quality of service that cannot be set so."""

    code = "unsupported_qos"
    corba_id = NOTIFICATION.format("UnsupportedQoS")


class UnsupportedAdmin(UnsupportedProperties):
    """Properties of the administration of a channel that cannot be set so."""

    code = "unsupported_admin"
    corba_id = NOTIFICATION.format("UnsupportedAdmin")


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


class TooManyAttempts(TidingsError):
    """Too many tokens or passwords were wrong; later another one may be tried."""

    code = "too_many_attempts"
    http_status = 429
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


class StoreError(TidingsError):
    """The disk does not do what it is asked."""

    code = "store_error"
    http_status = 503
    corba_id = SYSTEM.format("PERSIST_STORE")


class JournalInUse(StoreError):
    """Another process has the journal open."""

    code = "journal_in_use"


class JournalTooNew(StoreError):
    """The journal was written by a newer version; it is left as it is."""

    code = "journal_too_new"


class JournalBroken(StoreError):
    """A write or sync failed for good: nothing is taken until the journal is opened again."""

    code = "journal_broken"


class DiskFull(StoreError):
    """There is no room on the disk; nothing was written, and it works again when there is."""

    code = "disk_full"
    http_status = 507
    corba_id = SYSTEM.format("IMP_LIMIT")


class ArchiveNotFound(StoreError):
    """There is no archive at this place."""

    code = "archive_not_found"
    http_status = 404
    corba_id = SYSTEM.format("OBJECT_NOT_EXIST")


class ArchiveDamaged(StoreError):
    """The archive, or a segment of it, is not as it was sealed."""

    code = "archive_damaged"


# The trading service (docs/trader.md): a class for each exception, by the standard's names.


class IllegalConstraint(InvalidConstraint):
    """A constraint of the trading service that cannot be used, with the place of the fault."""

    code = "illegal_constraint"
    corba_id = TRADING.format("IllegalConstraint")


class IllegalPreference(InvalidConstraint):
    """A preference of the trading service that cannot be used, with the place of the fault."""

    code = "illegal_preference"
    corba_id = TRADING.format("Lookup/IllegalPreference")


class BadTag(BadInput):
    """The tag of a live object, or a pattern for tags, has the wrong form."""

    code = "bad_tag"
    http_status = 422
    corba_id = LIVE.format("BadTag")


class BadAttributeName(BadInput):
    """The name of a live object's attribute is not an identifier."""

    code = "bad_attribute_name"
    http_status = 422
    corba_id = LIVE.format("BadAttributeName")


class IllegalTrading(BadInput):
    """What a trader was given is wrong; nothing was changed."""

    code = "illegal_trading"
    http_status = 422


class IllegalServiceType(IllegalTrading):
    """The name of a service type has the wrong form."""

    code = "illegal_service_type"
    corba_id = TRADING.format("IllegalServiceType")


class IllegalPropertyName(IllegalTrading):
    """The name of a property has the wrong form."""

    code = "illegal_property_name"
    corba_id = TRADING.format("IllegalPropertyName")


class DuplicatePropertyName(IllegalTrading):
    """A property is named twice."""

    code = "duplicate_property_name"
    corba_id = TRADING.format("DuplicatePropertyName")


class PropertyTypeMismatch(IllegalTrading):
    """A property's value has another type than its service type declares."""

    code = "property_type_mismatch"
    corba_id = TRADING.format("PropertyTypeMismatch")


class MissingMandatoryProperty(IllegalTrading):
    """An offer lacks a property that its service type demands."""

    code = "missing_mandatory_property"
    corba_id = TRADING.format("MissingMandatoryProperty")


class ReadonlyDynamicProperty(IllegalTrading):
    """A property that never changes cannot be dynamic."""

    code = "readonly_dynamic_property"
    corba_id = TRADING.format("ReadonlyDynamicProperty")


class InvalidLookupRef(IllegalTrading):
    """The reference of another trader is nil, or is not a reference."""

    code = "invalid_lookup_ref"
    corba_id = TRADING.format("InvalidLookupRef")


class IllegalOfferId(IllegalTrading):
    """The id of an offer has the wrong form."""

    code = "illegal_offer_id"
    corba_id = TRADING.format("IllegalOfferId")


class DuplicatePolicyName(IllegalTrading):
    """A policy is named twice."""

    code = "duplicate_policy_name"
    corba_id = TRADING.format("DuplicatePolicyName")


class IllegalPolicyName(IllegalTrading):
    """A query has a policy that there is not."""

    code = "illegal_policy_name"
    corba_id = TRADING.format("Lookup/IllegalPolicyName")


class PolicyTypeMismatch(IllegalTrading):
    """A policy's value has the wrong type."""

    code = "policy_type_mismatch"
    corba_id = TRADING.format("Lookup/PolicyTypeMismatch")


class InvalidPolicyValue(IllegalTrading):
    """A policy's value is of the right type, and cannot be used."""

    code = "invalid_policy_value"
    corba_id = TRADING.format("Lookup/InvalidPolicyValue")


class InvalidObjectRef(IllegalTrading):
    """The reference of an offered object is nil, or is not a reference."""

    code = "invalid_object_ref"
    corba_id = TRADING.format("Register/InvalidObjectRef")


class InterfaceTypeMismatch(IllegalTrading):
    """An offered object does not have the interface of its service type."""

    code = "interface_type_mismatch"
    corba_id = TRADING.format("Register/InterfaceTypeMismatch")


class IllegalTraderName(IllegalTrading):
    """The name of a trader has the wrong form."""

    code = "illegal_trader_name"
    corba_id = TRADING.format("Register/IllegalTraderName")


class IllegalLinkName(IllegalTrading):
    """The name of a link has the wrong form."""

    code = "illegal_link_name"
    corba_id = TRADING.format("Link/IllegalLinkName")


class DefaultFollowTooPermissive(IllegalTrading):
    """A link is followed by default more often than its limit allows."""

    code = "default_follow_too_permissive"
    corba_id = TRADING.format("Link/DefaultFollowTooPermissive")


class LimitingFollowTooPermissive(IllegalTrading):
    """A link's limit is more permissive than the trader allows."""

    code = "limiting_follow_too_permissive"
    corba_id = TRADING.format("Link/LimitingFollowTooPermissive")


class InterfaceNotDerived(IllegalTrading):
    """A service type's interface is not derived from its super type's."""

    code = "interface_not_derived"
    corba_id = SERVICE_TYPES.format("InterfaceTypeMismatch")


class ValueTypeRedefinition(IllegalTrading):
    """A property is declared again with another type, or a weaker mode."""

    code = "value_type_redefinition"
    corba_id = SERVICE_TYPES.format("ValueTypeRedefinition")


class DuplicateServiceTypeName(IllegalTrading):
    """A super type is named twice."""

    code = "duplicate_service_type_name"
    corba_id = SERVICE_TYPES.format("DuplicateServiceTypeName")


class UnknownTrading(NotFound):
    """A trader does not have what was named."""

    code = "unknown_trading"


class UnknownServiceType(UnknownTrading):
    """There is no service type of this name, or nothing can be exported under it."""

    code = "unknown_service_type"
    corba_id = TRADING.format("UnknownServiceType")


class UnknownOfferId(UnknownTrading):
    """There is no offer of this id."""

    code = "unknown_offer_id"
    corba_id = TRADING.format("UnknownOfferId")


class UnknownPropertyName(UnknownTrading):
    """The offer does not have this property."""

    code = "unknown_property_name"
    corba_id = TRADING.format("Register/UnknownPropertyName")


class NoMatchingOffers(UnknownTrading):
    """No offer of the service type matches the constraint."""

    code = "no_matching_offers"
    corba_id = TRADING.format("Register/NoMatchingOffers")


class UnknownTraderName(UnknownTrading):
    """There is no trader of this name."""

    code = "unknown_trader_name"
    corba_id = TRADING.format("Register/UnknownTraderName")


class UnknownLinkName(UnknownTrading):
    """There is no link of this name."""

    code = "unknown_link_name"
    corba_id = TRADING.format("Link/UnknownLinkName")


class UnknownMaxLeft(UnknownTrading):
    """Nobody can tell how many offers an iterator still has."""

    code = "unknown_max_left"
    corba_id = TRADING.format("UnknownMaxLeft")


class RefusedTrading(WrongState):
    """What the rules of a trader forbid as things are; nothing was changed."""

    code = "refused_trading"


class MandatoryProperty(RefusedTrading):
    """A property that the service type demands cannot be deleted."""

    code = "mandatory_property"
    corba_id = TRADING.format("Register/MandatoryProperty")


class ReadonlyProperty(RefusedTrading):
    """A property that never changes cannot be changed or deleted."""

    code = "readonly_property"
    corba_id = TRADING.format("Register/ReadonlyProperty")


class ProxyOfferId(RefusedTrading):
    """The offer is a proxy offer."""

    code = "proxy_offer_id"
    corba_id = TRADING.format("Register/ProxyOfferId")


class RegisterNotSupported(RefusedTrading):
    """The other trader takes no offers."""

    code = "register_not_supported"
    corba_id = TRADING.format("Register/RegisterNotSupported")


class DuplicateLinkName(RefusedTrading):
    """There is a link of this name already."""

    code = "duplicate_link_name"
    corba_id = TRADING.format("Link/DuplicateLinkName")


class ServiceTypeExists(RefusedTrading):
    """There is a service type of this name already."""

    code = "service_type_exists"
    corba_id = SERVICE_TYPES.format("ServiceTypeExists")


class HasSubTypes(RefusedTrading):
    """Other service types are derived from this one."""

    code = "has_sub_types"
    corba_id = SERVICE_TYPES.format("HasSubTypes")


class AlreadyMasked(RefusedTrading):
    """The service type is masked already."""

    code = "already_masked"
    corba_id = SERVICE_TYPES.format("AlreadyMasked")


class NotMasked(RefusedTrading):
    """The service type is not masked."""

    code = "not_masked"
    corba_id = SERVICE_TYPES.format("NotMasked")


class TradingNotImplemented(TidingsError):
    """The trader does not do this, by its settings or at all."""

    code = "trading_not_implemented"
    http_status = 501
    corba_id = TRADING.format("NotImplemented")


# Service change notification (docs/changes.md), by the names of its interfaces.

SCN = "IDL:scncomm/{}:1.0"


class ExceedSubscriberLimit(LimitExceeded):
    """As many subscribers are registered as may be."""

    code = "exceed_subscriber_limit"
    http_status = 409
    corba_id = SCN.format("ExceedSubscriberLimit")


class ExceedConnectSubscriberLimit(LimitExceeded):
    """As many subscribers are connected as may be."""

    code = "exceed_connect_subscriber_limit"
    http_status = 409
    corba_id = SCN.format("ExceedConnectSubscriberLimit")


class ExceedProxyLimit(LimitExceeded):
    """A subscriber has as many proxies as it may."""

    code = "exceed_proxy_limit"
    http_status = 409
    corba_id = SCN.format("ExceedProxyLimit")


class DuplicatedSubscriberID(NameTaken):
    """A subscriber of this id is registered already."""

    code = "duplicated_subscriber_id"
    corba_id = SCN.format("DuplicatedSubscriberID")


class DuplicatedPublisherID(NameTaken):
    """A service evolver of this id is registered already."""

    code = "duplicated_publisher_id"
    corba_id = SCN.format("DuplicatedPublisherID")


class AlreadyHaveTheType(WrongState):
    """The subscriber has a proxy of this type already."""

    code = "already_have_the_type"
    corba_id = SCN.format("AlreadyHaveTheType")


class AlreadyDisconnected(WrongState):
    """The subscriber is not connected to this proxy."""

    code = "already_disconnected"
    corba_id = SCN.format("AlreadyDisconnected")


class NotFoundSubscriberID(NotFound):
    """No subscriber of this id is registered."""

    code = "not_found_subscriber_id"
    corba_id = SCN.format("NotFoundSubscriberID")


class NotFoundPublisherID(NotFound):
    """No service evolver of this id is registered."""

    code = "not_found_publisher_id"
    corba_id = SCN.format("NotFoundPublisherID")


class NotFoundProxy(NotFound):
    """The subscriber has no such proxy."""

    code = "not_found_proxy"
    corba_id = SCN.format("NotFoundProxy")


class InvalidPassword(Forbidden):
    """The password of a subscriber or service evolver is wrong."""

    code = "invalid_password"
    corba_id = SCN.format("InvalidPassword")
