"""The root of the exception tree, and the ids of CORBA exceptions."""

from __future__ import annotations

from typing import ClassVar

SYSTEM = "IDL:omg.org/CORBA/{}:1.0"
FILTER = "IDL:omg.org/CosNotifyFilter/{}:1.0"
NOTIFICATION = "IDL:omg.org/CosNotification/{}:1.0"
EVENT_ADMIN = "IDL:omg.org/CosEventChannelAdmin/{}:1.0"
EVENT_COMM = "IDL:omg.org/CosEventComm/{}:1.0"
CHANNEL_ADMIN = "IDL:omg.org/CosNotifyChannelAdmin/{}:1.0"


class TidingsError(Exception):
    """Everything Tidings raises on purpose."""

    code: ClassVar[str] = "internal"
    http_status: ClassVar[int] = 500
    corba_id: ClassVar[str] = SYSTEM.format("INTERNAL")


class BadInput(TidingsError):
    """What was handed in is wrong; nothing was changed."""

    code = "bad_input"
    http_status = 400
    corba_id = SYSTEM.format("BAD_PARAM")
