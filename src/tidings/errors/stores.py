"""The disk does not do what it is asked."""

from __future__ import annotations

from tidings.errors.base import SYSTEM, TidingsError


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
