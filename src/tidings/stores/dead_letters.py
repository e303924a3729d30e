"""Dead letters in the catalog, each with its event, readable without the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from tidings.channel.effects import Cause
from tidings.stores.catalog_file import Statements, translating
from tidings.stores.payloads import StoredDeadLetter

# A letter must not grow with each failed redelivery: keep the first cause and
# the newest of the others.
MOST_CAUSES: Final = 32


_DEAD = (
    "SELECT id, channel, seq, proxy, at, causes, expiry, priority, flags, arrival, plan, event "
    "FROM dead_letters"
)
_causes_of = msgspec.json.Decoder(tuple[Cause, ...]).decode


class DeadLetterRow(NamedTuple):
    """A dead letter; its id is never reused and survives a rebuild of the catalog."""

    id: int
    channel: int
    seq: int
    letter: StoredDeadLetter


class DeadLetters(Statements):
    """The dead letters of all channels; a part of `Catalog`."""

    def add_dead(self, channel: int, seq: int, letter: StoredDeadLetter) -> int:
        """Store a dead letter, or add new causes to the copy's existing one; return its id."""
        with self.batch():
            old = self.find_dead(channel, letter.proxy, seq)
            if old is None:
                proxy, at, causes, *rest, number = letter
                values = (number or None, channel, seq, proxy, at, _written(causes), *rest)
                [[id]] = self._rows(
                    "INSERT INTO dead_letters (id, channel, seq, proxy, at, causes, expiry,"
                    " priority, flags, arrival, plan, event)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                    values,
                )
                return int(id)
            known = old.letter.causes
            causes = known + tuple(cause for cause in letter.causes if cause not in known)
            self._change(
                "UPDATE dead_letters SET at = max(at, ?), causes = ? WHERE id = ?",
                (letter.at, _written(causes), old.id),
            )
            return old.id

    def number_dead_after(self, number: int) -> None:
        """Give new letters numbers higher than this."""
        table = ("dead_letters",)
        with self.batch():
            [[last]] = self._rows("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", table)
            if number > (last or 0):
                self._change("DELETE FROM sqlite_sequence WHERE name = ?", table)
                self._change("INSERT INTO sqlite_sequence VALUES (?, ?)", (*table, number))

    def dead_letters(
        self,
        channel: int | None = None,
        proxy: int | None = None,
        after_id: int = 0,
        limit: int = 100,
    ) -> list[DeadLetterRow]:
        """Return dead letters by id, of all channels or of one, after an id."""
        wanted = {"channel": channel, "proxy": proxy}
        given = {name: value for name, value in wanted.items() if value is not None}
        tests = "".join(f" AND {name} = ?" for name in given)
        return self._letters(f"id > ?{tests} ORDER BY id LIMIT ?", after_id, *given.values(), limit)

    def dead_letter(self, id: int) -> DeadLetterRow | None:
        """Return one dead letter."""
        return next(iter(self._letters("id = ?", id)), None)

    def find_dead(self, channel: int, proxy: int, seq: int) -> DeadLetterRow | None:
        """Return the dead letter of a consumer's copy of an event."""
        test = "channel = ? AND proxy = ? AND seq = ?"
        return next(iter(self._letters(test, channel, proxy, seq)), None)

    def take_dead(self, id: int) -> DeadLetterRow | None:
        """Remove and return a dead letter; None if it does not exist."""
        with self.batch():
            row = self.dead_letter(id)
            self._change("DELETE FROM dead_letters WHERE id = ?", (id,))
        return row

    def trim_dead(self, most: int) -> list[DeadLetterRow]:
        """Remove and return the oldest dead letters beyond `most`."""
        with self.batch():
            rows = self.dead_letters(limit=max(0, self.count_dead() - most))
            if rows:
                self._change("DELETE FROM dead_letters WHERE id <= ?", (rows[-1].id,))
        return rows

    def count_dead(self) -> int:
        """Return the number of dead letters."""
        [[count]] = self._rows("SELECT count(*) FROM dead_letters")
        return int(count)

    def _letters(self, test: str, *values: int) -> list[DeadLetterRow]:
        rows = self._rows(f"{_DEAD} WHERE {test}", values)
        with translating():
            return [
                DeadLetterRow(
                    id,
                    channel,
                    seq,
                    StoredDeadLetter._make((proxy, at, _causes_of(causes), *rest, id)),
                )
                for id, channel, seq, proxy, at, causes, *rest in rows
            ]


def _written(causes: Sequence[Cause]) -> bytes:
    if len(causes) > MOST_CAUSES:
        causes = (causes[0], *causes[1 - MOST_CAUSES :])
    return msgspec.json.encode(causes)
