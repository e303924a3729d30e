"""The settings of the archive, and what becomes of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from tidings.engine.archiving import ArchivePlan
from tidings.errors import InvalidUsage
from tidings.server.kinds import Duration, Octets, OptionalDuration, OptionalOctets, OptionalPath
from tidings.server.rules import LIVE_FIELD, Section

_SECOND: Final = 1_000_000
_PLAN: Final = ArchivePlan(Path())


class ArchiveSection(Section):
    """Files for analysis, written from the journal by a process of their own."""

    dir: OptionalPath = Field(
        default=None,
        description="The folder of the archive, made if it is missing; none for no archive.",
    )
    seal_after: Annotated[Duration, Field(gt=0)] = Field(
        default=_PLAN.seal_seconds,
        description="How long an event may be in the journal before it is in the archive.",
        json_schema_extra=LIVE_FIELD,
    )
    seal_size: Octets = Field(
        default=_PLAN.seal_octets,
        description="When so much has come, a file is finished earlier.",
        json_schema_extra=LIVE_FIELD,
    )
    seal_rows: Annotated[int, Field(ge=1)] = Field(
        default=_PLAN.seal_rows,
        description="The same for the number of events and outcomes.",
        json_schema_extra=LIVE_FIELD,
    )
    retention_age: OptionalDuration = Field(
        default=None,
        description="Files older than this go; none keeps them whatever their age.",
        json_schema_extra=LIVE_FIELD,
    )
    retention_size: OptionalOctets = Field(
        default=_PLAN.keep_octets,
        description="When the archive is larger, its oldest files go; none keeps all.",
        json_schema_extra=LIVE_FIELD,
    )
    hold: Octets = Field(
        default=_PLAN.hold,
        description="How much of the journal waits for an archive that is behind. Beyond, old "
        "segments go as store.retention_size and store.retention_age say, and the archive has a "
        "gap.",
        json_schema_extra=LIVE_FIELD,
    )


def archive_problem(archive: ArchiveSection, data: Path, memory: bool) -> str:
    """Why these settings do not go together with those of the store; empty if they do."""
    folder = archive.dir
    if folder is None:
        return ""
    if memory:
        return (
            "archive.dir is set, and store.memory is true: the archive is written from the "
            "journal on disk, which there is not then"
        )
    if folder.resolve() == data.resolve():
        return f"archive.dir and store.dir are both {folder}: the archive needs a folder of its own"
    return ""


def archive_plan(archive: ArchiveSection) -> ArchivePlan | None:
    """Where the archive is and how it is kept; None if there is none."""
    if archive.dir is None:
        return None
    if find_spec("pyarrow") is None:
        raise InvalidUsage(
            f"archive.dir is {archive.dir}, and pyarrow, which writes the archive, is not "
            "installed: pip install tidings[arrow]"
        )
    age = archive.retention_age
    return ArchivePlan(
        archive.dir,
        archive.seal_after,
        archive.seal_size,
        archive.seal_rows,
        archive.retention_size,
        None if age is None else round(age * _SECOND),
        archive.hold,
    )
