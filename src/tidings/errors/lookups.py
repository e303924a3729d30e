"""Ids that name nothing."""

from __future__ import annotations

from tidings.errors.base import CHANNEL_ADMIN, FILTER, SYSTEM, TidingsError


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
