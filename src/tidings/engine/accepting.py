"""Accepts what a journal has lost: the losses stay on record, and no longer count."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from tidings.channel.factory import Factory
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.clock import SystemClock
from tidings.engine.losses import Losses, numbers_text, runs
from tidings.engine.recovery import JOURNAL, open_journal
from tidings.engine.resuming import note_losses
from tidings.errors import StoreError
from tidings.stores.archive.archive_end import ArchiveEnd, journal_end
from tidings.stores.chain import MISSING, read_head
from tidings.stores.journal import SEGMENT_OCTETS
from tidings.stores.loss_book import read_book, write_book

# One notice reports all that is accepted at once, up to so many parts.
_MOST_TOLD: Final = 20


class GivenUp(NamedTuple):
    """What was accepted, in words, and the segment where the journal goes on."""

    losses: list[str]
    segment: int


def accept_losses(data: Path, archive: ArchiveEnd | None) -> GivenUp:
    """Accept all that the journal of a stopped service has lost; JournalInUse if it runs."""
    folder = data / JOURNAL
    if archive is None and not (journal_end(folder)[1].segment or read_head(folder)):
        raise StoreError(f"there is no journal in {folder}: name the data folder of a service")
    behind = archive is not None and archive.cursor > journal_end(folder)[1]
    beyond = archive.head if archive is not None and behind else None
    journal, found = open_journal(data, DEFAULT_SETTINGS.limits, SEGMENT_OCTETS, beyond)
    with journal:
        now = SystemClock().now()
        factory = Factory(DEFAULT_SETTINGS, spills=True)
        passed_over = factory.restore(found.states, found.last_channel)
        origins = {id: origin.hex() for id, origin in found.origins().items()}
        book = read_book(folder, now)
        losses = Losses(book, origins, found.dropped_before(journal.segments[0]))
        archived = {} if archive is None else archive.present
        note_losses(losses, journal, found, factory, passed_over, archived, now)
        given_up = _in_words(losses, factory)
        if given_up:
            losses.accept()
            more = len(given_up) - _MOST_TOLD
            text = "; ".join([*given_up[:_MOST_TOLD], *([f"and {more} more"] if more > 0 else [])])
            book.note_accepted(now, text)
            write_book(folder, losses.written_down(journal.segments[0]).octets())
        return GivenUp(given_up, journal.end.segment)


def _in_words(losses: Losses, factory: Factory) -> list[str]:
    events = [
        f"events {numbers_text(found)} of channel {factory.channels[id].name or id}"
        for id, found in losses.runs.items()
    ]
    parts = [one for one in losses.found if one.is_part]
    missing = runs(sorted(one.segment for one in parts if one.key.endswith(MISSING)))
    others = [one.text for one in parts if not one.key.endswith(MISSING)]
    whole = [f"missing segments: {numbers_text(missing)}"] if missing else []
    return [*losses.objects, *events, *whole, *others]
