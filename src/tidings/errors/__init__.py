"""The one exception tree of Tidings.

::

    TidingsError
    ├── BadInput                    what was handed in is wrong; nothing was changed
    │   ├── InvalidEvent            an event, or the text or octets of one
    │   ├── InvalidTypeCode         a type description that describes no type
    │   ├── InvalidConstraint       a constraint, with the place of the fault
    │   ├── InvalidGrammar          a constraint language nobody here speaks
    │   ├── InvalidEventType        an event-type pattern outside the rules
    │   ├── InvalidMappingValue     a mapping value of another type than its filter's
    │   ├── InvalidUsage            a command line or setting outside the rules
    │   ├── UnsupportedMedia        a media type nobody reads here
    │   └── UnsupportedProperties   properties that cannot be set so, every one listed
    │       ├── UnsupportedQoS      of the quality of service
    │       └── UnsupportedAdmin    of the administration of a channel
    ├── LimitExceeded               well-formed, but larger than we take
    │   ├── AdminLimitExceeded      more proxies than the channel's admin properties allow
    │   ├── TooManyObjects          more channels, admins, proxies or filters than the service keeps
    │   └── ChannelFull             more waiting events than a channel or the service keeps
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
    │   └── CursorNotFound          a place in the journal that retention has dropped
    ├── WrongState                  the object is not in the state for this; nothing was changed
    │   ├── AlreadyConnected
    │   ├── NotConnected
    │   ├── ConnectionAlreadyActive
    │   ├── ConnectionAlreadyInactive
    │   ├── Disconnected            events cannot go through this proxy
    │   ├── WrongClient             a client of a kind the proxy cannot serve
    │   ├── NameTaken               a name that something else has
    │   └── NumberTooOld            a producer's number that nobody can judge any more
    ├── Stopping                    the service takes nothing more
    ├── Forbidden                   whoever asks may not
    ├── Unauthenticated             nobody can tell who asks
    ├── Unreachable                 the service does not answer; raised by clients
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

from tidings.errors.base import (
    BadInput,
    TidingsError,
)
from tidings.errors.inputs import (
    InvalidConstraint,
    InvalidEvent,
    InvalidEventType,
    InvalidGrammar,
    InvalidMappingValue,
    InvalidTypeCode,
    InvalidUsage,
    UnsupportedMedia,
)
from tidings.errors.limits import (
    AdminLimitExceeded,
    ChannelFull,
    JavaNotFound,
    LimitExceeded,
    MissingExtra,
    PipelineFailed,
    TooManyObjects,
)
from tidings.errors.lookups import (
    AdminNotFound,
    CallbackNotFound,
    ChannelNotFound,
    ConstraintNotFound,
    CursorNotFound,
    FilterNotFound,
    NotFound,
    ProxyNotFound,
)
from tidings.errors.properties import (
    PropertyError,
    PropertyErrorCode,
    UnsupportedAdmin,
    UnsupportedProperties,
    UnsupportedQoS,
)
from tidings.errors.states import (
    AlreadyConnected,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    Disconnected,
    Forbidden,
    NameTaken,
    NotConnected,
    NotOverCorba,
    NumberTooOld,
    Stopping,
    Unauthenticated,
    Unreachable,
    WrongClient,
    WrongState,
)
from tidings.errors.stores import (
    ArchiveDamaged,
    ArchiveNotFound,
    DiskFull,
    JournalBroken,
    JournalInUse,
    JournalTooNew,
    StoreError,
)

__all__ = [
    "AdminLimitExceeded",
    "AdminNotFound",
    "AlreadyConnected",
    "ArchiveDamaged",
    "ArchiveNotFound",
    "BadInput",
    "CallbackNotFound",
    "ChannelFull",
    "ChannelNotFound",
    "ConnectionAlreadyActive",
    "ConnectionAlreadyInactive",
    "ConstraintNotFound",
    "CursorNotFound",
    "Disconnected",
    "DiskFull",
    "FilterNotFound",
    "Forbidden",
    "InvalidConstraint",
    "InvalidEvent",
    "InvalidEventType",
    "InvalidGrammar",
    "InvalidMappingValue",
    "InvalidTypeCode",
    "InvalidUsage",
    "JavaNotFound",
    "JournalBroken",
    "JournalInUse",
    "JournalTooNew",
    "LimitExceeded",
    "MissingExtra",
    "NameTaken",
    "NotConnected",
    "NotFound",
    "NotOverCorba",
    "NumberTooOld",
    "PipelineFailed",
    "PropertyError",
    "PropertyErrorCode",
    "ProxyNotFound",
    "Stopping",
    "StoreError",
    "TidingsError",
    "TooManyObjects",
    "Unauthenticated",
    "Unreachable",
    "UnsupportedAdmin",
    "UnsupportedMedia",
    "UnsupportedProperties",
    "UnsupportedQoS",
    "WrongClient",
    "WrongState",
]

# One name for each, in tracebacks as in imports: how the tree is spread over files is no promise.
for _name in __all__:
    globals()[_name].__module__ = __name__
