"""`tidings journal …`: check a data folder, and accept losses of its journal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli.options import command, commands, group, option
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.stores.archive.archive_end import ArchiveEnd
    from tidings.stores.journal_check import JournalState
    from tidings.stores.segments import DamageReport

Data = Annotated[Path, option("<DIR>", "The service's data folder.")]
Archive = Annotated[Path | None, option("--archive DIR", "The archive of its journal.")]

app = commands()
journal = group(app, "journal", "Check the journal in a data folder, and go on after a loss.")

_WORDS = {
    "damaged": "segment {0}: {2} octets at {1} are damaged",
    "missing": "segment {0} is missing",
    "cut": "segment {0} is cut: {2} octets at {1} are missing",
    "replaced": "segment {0} does not end as segment {1} says: another file was put in its place",
    "headless": "the file `head` is missing: nobody knows whether a first or last segment is, too",
}


def _in_words(report: DamageReport) -> str:
    segment, offset, length, what, *_ = report
    second = segment + 1 if what == "replaced" else offset
    return _WORDS[what].format(segment, second, length)


@command(
    journal,
    "tidings journal check /var/lib/tidings",
    "tidings journal check /var/lib/tidings --archive /srv/archive --json",
)
def check(data: Data, archive: Archive = None) -> None:
    """Read every record of a journal and say what is damaged or missing; changes nothing.

    The service may be running. With --archive it also says what the archive holds that the
    journal does not.

    Exit code: 0 if all is good, 1 if something is damaged or missing, 2 if it cannot be read.
    """
    from tidings.engine.recovery import JOURNAL
    from tidings.stores.archive.archive_end import archive_end, journal_end
    from tidings.stores.journal_check import check_journal

    folder = data / JOURNAL
    end = None if archive is None else archive_end(_checked(archive))
    state = check_journal(folder, {} if end is None else end.present)
    behind = end is not None and end.cursor > journal_end(folder)[1]
    if render.is_json():
        _as_json(state, end, behind)
    else:
        for problem in () if end is None else end.problems:
            render.say(f"the archive: {problem}")
        _as_text(state, end if behind else None)
    if behind or not state.good or (end is not None and end.problems):
        raise typer.Exit(1)


def _checked(archive: Path) -> Path:
    from tidings.stores.archive.manifest import MANIFEST

    if not (archive / MANIFEST).is_file():
        raise InvalidUsage(
            f"there is no archive in {archive}: name the folder in the setting archive.dir"
        )
    return archive


def _as_json(state: JournalState, end: ArchiveEnd | None, behind: bool) -> None:
    alike = ("segments", "octets", "records", "unfinished", "channels", "known", "accepted")
    place = ("segment", "offset", "length", "what")
    render.as_json(
        {
            "good": state.good and not behind and not (end and end.problems),
            "journal": state.journal_id,
            **{name: getattr(state, name) for name in alike},
            "damage": [{name: getattr(one, name) for name in place} for one in state.damage],
            "events": [one._asdict() for one in state.events],
            "subscriptions": [{"channel": c, "id": proxy} for c, proxy in state.subscriptions],
            "behind_archive": behind,
            "archive": None if end is None else list(end.cursor),
            "archive_problems": [] if end is None else list(end.problems),
        }
    )


def _as_text(state: JournalState, end: ArchiveEnd | None) -> None:
    for report in state.damage:
        render.say(_in_words(report))
    if end is not None:
        render.say(
            f"the archive reaches segment {end.cursor.segment}, octet {end.cursor.offset}: "
            "the journal ends before"
        )
    for channel, first, last in state.events:
        upto = "on" if last is None else f"to {last}"
        render.say(f"channel {channel}: events from {first} {upto} may be lost")
    for channel in state.channels:
        render.say(f"channel {channel}: its own records are lost, and its subscriptions")
    for channel, proxy in state.subscriptions:
        render.say(f"channel {channel}: the record of subscription {proxy} is lost")
    for what in state.known:
        render.say(f"lost before: {what}")
    if state.accepted:
        render.say(f"{state.accepted} damaged or missing parts were accepted as lost")
    if state.unfinished:
        render.say(f"{state.unfinished} octets at the end are an unfinished write: no loss")
    verdict = "good" if state.good and end is None else "not whole"
    render.say(
        f"the journal is {verdict}: {state.records} records in {state.segments} segments, "
        f"{state.octets} octets"
    )


@command(
    journal,
    "tidings journal accept /var/lib/tidings",
    "tidings journal accept /var/lib/tidings --archive /srv/archive",
    json=False,
)
def accept(data: Data, archive: Archive = None) -> None:
    """Go on without what a journal has lost; the service must be stopped.

    It lists what is given up. The service is then ready without losses, and tells in a notice what
    was accepted; history still shows the gap. What the archive holds beyond the journal is not
    brought back: those events are not delivered again, and new ones get numbers that were never
    used. A journal that its archive is ahead of is accepted only with --archive.
    """
    from tidings.engine.accepting import accept_losses
    from tidings.errors import ArchiveDamaged
    from tidings.stores.archive.archive_end import archive_end

    end = None if archive is None else archive_end(_checked(archive))
    if end is not None and not end.journal_id:
        raise ArchiveDamaged(
            f"the books of the archive {archive} cannot be read, so its journal is not known: put "
            "them back from a copy, or move the archive away to begin a new one"
        )
    given_up = accept_losses(data, end)
    if not given_up.losses:
        render.say("nothing is lost that was not accepted before: there is nothing to accept")
        if archive is None:
            render.say("if the service has an archive, name it with --archive: it may hold more")
        return
    for what in given_up.losses:
        render.say(f"given up: {what}")
    render.say(f"accepted: the journal goes on in segment {given_up.segment}")
