"""Faults in the engine, and for each the unit test that must catch it.

``python -m tests.faults.engine_faults <package folder> <test> ...`` runs tests on the package in a
folder, much quicker than pytest would start; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import inspect
import logging
import signal
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

import tidings
from tests.faults.fault import Fault

CAUGHT = "caught:"
PATCHING = pytest.MonkeyPatch.context
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 10

HOST, WRITING, PERFORM = "engine/host.py", "engine/writing.py", "engine/perform.py"
LEAVING, OUTBOX, SPILLING = "engine/leaving.py", "engine/outbox.py", "engine/spilling.py"
RECOVERY, RESUMING, DEAD = "engine/recovery.py", "engine/resuming.py", "engine/dead_letters.py"
MAILBOX, AUTHORITY, STORE = "engine/mailbox.py", "engine/authority.py", "engine/store.py"


class EngineFault(NamedTuple):
    """A fault, and which test catches it.

    Attributes:
        fault: What is wrong.
        test: The test, as `file::name` inside the engine's unit tests.
    """

    fault: Fault
    test: str


def _planted(name: str, module: str, old: str, new: str, test: str) -> EngineFault:
    return EngineFault(Fault(name, module, old, new), test)


ENGINE_FAULTS = [
    _planted(
        "an event overtakes one that failed",
        LEAVING,
        "        if key in self._failing:\n",
        "        if key in ():\n",
        "test_leaving_order.py::test_nothing_overtakes_an_event_that_failed",
    ),
    _planted(
        "a push is answered before the sync",
        PERFORM,
        "            write.answers += zip(posts, answers, strict=True)\n",
        "            for post, answer in zip(posts, answers, strict=True):\n"
        "                post.answer(answer)\n",
        "test_writing.py::test_many_pushes_share_one_sync_and_are_answered_only_after_it",
    ),
    _planted(
        "a delivery leaves before the sync",
        PERFORM,
        "return any(entry[4] & PERSISTENT for entry in entries)",
        "return False",
        "test_leaving.py::test_persistent_events_leave_after_their_sync",
    ),
    _planted(
        "every write waits for its own sync",
        WRITING,
        "            self._next.join(write)\n",
        "            self._host.submit_write(write.records, write.sync, self._written)\n",
        "test_writing.py::test_one_write_at_a_time_and_what_comes_meanwhile_goes_together",
    ),
    _planted(
        "BestEffort overtakes within a consumer",
        LEAVING,
        "        if whole and later is None and key not in self._outbox.lines:\n",
        "        if whole and later is None:\n",
        "test_leaving.py::test_besteffort_events_leave_at_once_but_never_overtake_within_one_consumer",
    ),
    _planted(
        "a refused event is not revoked",
        WRITING,
        "            self._host.revoke(Revoke(channel, [event.seq for event in group], marks))\n",
        "",
        "test_writing_refused.py::test_a_full_disk_refuses_each_event_and_the_next_try_begins_where_it_was",
    ),
    _planted(
        "the mark of a refused event stays",
        WRITING,
        "[event.seq for event in group], marks))",
        "[event.seq for event in group], []))",
        "test_writing_refused.py::test_a_full_disk_refuses_each_event_and_the_next_try_begins_where_it_was",
    ),
    _planted(
        "a refused event is delivered",
        OUTBOX,
        "                            ticket.messages[at] = REFUSED\n",
        "                            pass\n",
        "test_writing_refused.py::test_a_full_disk_refuses_each_event_and_the_next_try_begins_where_it_was",
    ),
    _planted(
        "a batch outruns the failed one before it",
        WRITING,
        "            write.join(self._next)\n            self._next = None\n",
        "            pass\n",
        "test_writing.py::test_what_gathered_behind_a_failed_write_is_refused_with_it",
    ),
    _planted(
        "what is owed is forgotten",
        WRITING,
        "ahead = [*self.owed, *self._riding]",
        "ahead = [*self._riding]",
        "test_writing.py::test_after_a_failed_write_the_rest_is_owed_and_goes_first",
    ),
    _planted(
        "an outcome is not recorded",
        PERFORM,
        "        if effect.durable and self._host.store is not None:\n",
        "        if False:\n",
        "test_perform.py::test_an_event_is_recorded_if_it_is_persistent",
    ),
    _planted(
        "a disk that refused once is never tried again",
        HOST,
        "            self.writer.try_again()\n",
        "            pass\n",
        "test_writing_refused.py::test_changes_are_refused_until_the_disk_takes_records_again",
    ),
    _planted(
        "an event nobody can record fails the whole batch",
        PERFORM,
        "                write.unwritable[channel, seq] = (effect.mark, _told(fault))\n",
        "                raise\n",
        "test_perform.py::test_an_event_no_record_can_hold_is_refused_and_no_other",
    ),
    _planted(
        "what comes after a restart is not marked",
        LEAVING,
        "        batch = Delivery(channel, proxy, messages, again, form)\n",
        "        batch = Delivery(channel, proxy, messages, frozenset(), form)\n",
        "test_resuming.py::test_persistent_connections_are_back_with_their_queues_and_the_others_are_gone",
    ),
    _planted(
        "recovery ignores outcomes",
        RECOVERY,
        "            Kind.OUTCOME: self._outcome,\n",
        "",
        "test_resuming.py::test_what_was_acknowledged_does_not_come_again",
    ),
    _planted(
        "recovery ignores reserved numbers",
        RECOVERY,
        "            Kind.RESERVED: self._reserved,\n",
        "",
        "test_resuming.py::test_numbers_are_never_used_twice_and_have_no_gap_after_a_stop_in_good_order",
    ),
    _planted(
        "numbers reserved before a crash are counted as events",
        RESUMING,
        "        channel.skipped = state.skipped + channel.seq - max(state.seq, state.used)\n",
        "",
        "test_resuming.py::test_numbers_are_never_used_twice_and_have_no_gap_after_a_stop_in_good_order",
    ),
    _planted(
        "recovery forgets the marks of events",
        RECOVERY,
        "channel.marks.record(ProducerMark.trusted(stored.producer, stored.number), seq)",
        "pass",
        "test_resuming.py::test_a_duplicate_is_answered_with_the_first_number",
    ),
    _planted(
        "a stop in good order leaves a gap",
        HOST,
        "                    self.writer.ride(last_words(self))\n",
        "                    last_words(self)\n",
        "test_resuming.py::test_numbers_are_never_used_twice_and_have_no_gap_after_a_stop_in_good_order",
    ),
    _planted(
        "who asks is not looked at",
        HOST,
        "            authorise(self, command, principal)\n",
        "            pass\n",
        "test_authority.py::test_who_may_not_is_refused_and_nothing_is_changed",
    ),
    _planted(
        "anyone may ask what only the engine asks",
        AUTHORITY,
        "return Verb.ADMINISTER, None",
        "return Verb.INSPECT, None",
        "test_authority.py::test_the_table",
    ),
    _planted(
        "a spilled event is placed for one consumer only",
        WRITING,
        "for wanted in asked.pop((channel, seq), ()):",
        "for wanted in asked.pop((channel, seq), ())[:1]:",
        "test_spilling.py::test_events_that_are_being_written_are_spilled_for_each_who_waits",
    ),
    _planted(
        "what comes back from the disk waits its turn",
        SPILLING,
        "self._host.at_once(Refilled(*key",
        "self._host.tell(Refilled(*key",
        "test_spilling.py::test_what_comes_back_is_not_forgotten_with_the_last_other_who_waited",
    ),
    _planted(
        "what waits to leave overtakes what failed",
        LEAVING,
        "behind = self.recall(*key)",
        "behind: list[int] = []",
        "test_leaving.py::test_what_waits_to_leave_does_not_overtake_what_failed",
    ),
    _planted(
        "one bad event makes the others unreadable",
        STORE,
        "            except StoreError:\n                if not found:\n",
        "            except StoreError:\n                if found:\n",
        "test_leaving.py::test_what_cannot_be_read_now_waits_and_comes_in_order",
    ),
    _planted(
        "an event that cannot be read now is lost",
        STORE,
        "        except CursorNotFound as error:\n",
        "        except StoreError as error:\n",
        "test_leaving.py::test_what_cannot_be_read_now_waits_and_comes_in_order",
    ),
    _planted(
        "a lost event counts as delivered",
        LEAVING,
        "self._host.tell(Lost(batch.channel, batch.proxy, lost))",
        "self._host.ack(batch.channel, batch.proxy, lost)",
        "test_leaving.py::test_an_event_that_cannot_be_read_is_reported_and_holds_up_nobody",
    ),
    _planted(
        "a lost event is not reported",
        LEAVING,
        "            self._host.lost(batch.channel, batch.proxy, lost)\n",
        "",
        "test_leaving.py::test_an_event_that_cannot_be_read_is_reported_and_holds_up_nobody",
    ),
    _planted(
        "an event that is read again is looked for where it was",
        LEAVING,
        "messages[at] = held.get(ticket.entries[at].seq, REFUSED)",
        "pass",
        "test_leaving.py::test_an_event_whose_read_is_repeated_is_found_where_retention_has_carried_it",
    ),
    _planted(
        "a pull that is given up takes its events",
        LEAVING,
        "                self._give_back(channel, proxy, seqs)\n",
        "                pass\n",
        "test_leaving.py::test_a_pull_that_is_given_up_takes_nothing",
    ),
    _planted(
        "damaged events are not named",
        RECOVERY,
        "                    channel.lost.add(seq)\n",
        "                    pass\n",
        "test_losses.py::test_an_event_whose_record_is_hit_is_named",
    ),
    _planted(
        "events in a hole are not named",
        RECOVERY,
        "channel.lost.update(range(first, min(seq, first + _MOST_MISSED)))",
        "pass",
        "test_losses.py::test_a_segment_that_is_missing_is_named_with_its_events",
    ),
    _planted(
        "history does not show what is lost",
        "engine/history.py",
        "lost=self._host.losses.between(channel, after or 0, page.next)",
        "lost=()",
        "test_losses.py::test_damage_that_comes_while_it_runs_is_named_and_the_outcome_is_lost",
    ),
    _planted(
        "who sends a few events waits behind thousands of others",
        MAILBOX,
        "            key = source or proxy\n",
        "            key = 1\n",
        "test_mailbox.py::test_a_few_events_do_not_wait_behind_thousands_of_others",
    ),
    _planted(
        "a part of a push is carried out though the whole was refused",
        MAILBOX,
        "                later.append(key)  # the part",
        "                old.append(key)  # the part",
        "test_mailbox.py::test_the_parts_of_a_whole_push_stand_in_different_slices",
    ),
    _planted(
        "a large push is limited part by part",
        MAILBOX,
        "return command.__class__ is not Push or post.parts is not None or self._fits(command)",
        "return True",
        "test_host.py::test_a_push_beyond_the_limit_or_with_wrong_marks_changes_nothing",
    ),
    _planted(
        "a dead letter that was dropped comes back",
        DEAD,
        "        self._host.writer.ride([partial(self._written_off, row)])\n",
        "        return\n",
        "test_dead_letters.py::test_a_dropped_letter_is_gone_for_good",
    ),
    _planted(
        "dead letters get other numbers at every start",
        DEAD,
        "            letter = letter._replace(number=store.bury(channel, seq, letter, most))\n",
        "            store.bury(channel, seq, letter, most)\n",
        "test_dead_letters.py::test_ids_stay_over_a_restart",
    ),
    _planted(
        "the number of a letter that is gone is given again",
        RECOVERY,
        "            catalog.number_dead_after(found.last_dead)\n",
        "",
        "test_dead_letters.py::test_ids_stay_over_a_restart",
    ),
    _planted(
        "the end does not wait for what is written",
        WRITING,
        "        while self.under_way:\n",
        "        while False:\n",
        "test_writing.py::test_finishing_waits_for_all_that_is_written",
    ),
    _planted(
        "who takes over does not end the other",
        HOST,
        "        if before is not None and before[0] is not endpoint:\n",
        "        if False:\n",
        "test_host.py::test_who_takes_a_connection_over_gets_what_was_not_acknowledged",
    ),
]


def cases(test: str) -> Iterator[partial[object]]:
    """A test, once for each of its parameters, without what pytest hands in."""
    file, _, name = test.partition("::")
    function = getattr(import_module(f"tests.unit.engine.{file.removesuffix('.py')}"), name)
    choices: dict[str, list[Any]] = {}
    for mark in getattr(function, "pytestmark", ()):
        if mark.name == "parametrize":
            choices[mark.args[0]] = list(mark.args[1])
    for chosen in product(*choices.values()):
        yield partial(function, **dict(zip(choices, chosen, strict=True)))


def _lost_patience(*_: object) -> None:
    raise TimeoutError("somebody waits for ever")


def main(package: str, *tests: str) -> int:
    """Runs tests on the package in a folder; 1 if one of them fails."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    signal.signal(signal.SIGALRM, _lost_patience)
    for test in tests:
        for case in cases(test):
            given: dict[str, object] = {}
            signal.alarm(PATIENCE)
            try:
                with (
                    TemporaryDirectory(dir=package) as folder,
                    pytest.MonkeyPatch.context() as patch,
                ):
                    fixtures = {"tmp_path": Path(folder) / "data", "monkeypatch": patch}
                    for name in fixtures.keys() & inspect.signature(case).parameters:
                        given[name] = fixtures[name]
                    case(**given)
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever it is
                sys.stdout.write(f"{CAUGHT} {test}: {error!r}\n")
                return 1
            finally:
                signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
