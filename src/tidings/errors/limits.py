"""What is well-formed, and still more than we take or have."""

from __future__ import annotations

from tidings.errors.base import CHANNEL_ADMIN, SYSTEM, TidingsError


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
