"""Faults in the lake, and a check without Spark that must catch each.

``python -m tests.faults.lake_faults <package folder>`` runs the check on the package in a folder;
it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tidings
from tests.faults.fault import Fault
from tests.unit.pipeline import (
    test_lake_compaction,
    test_lake_log,
    test_lake_names,
    test_lake_schemas,
    test_lake_segments,
    test_lake_tree,
)
from tidings.errors import PipelineFailed
from tidings.pipeline.lake_tree import LocalTree

CAUGHT = "caught:"
LOG = "pipeline/lake_log.py"
TREE = "pipeline/lake_tree.py"
NAMES = "pipeline/lake_names.py"
SCHEMAS = "pipeline/lake_schemas.py"
SEGMENTS = "pipeline/lake_segments.py"
COMPACTION = "pipeline/lake_compaction.py"

_REMOVES = "        for path in batch.removes:\n            self._tree.remove(path)\n"
_ADDS = "        for add in batch.adds:\n            self._bring(add, batch.batch)\n"

LAKE_FAULTS = [
    Fault("new files come before old ones go", LOG, _REMOVES + _ADDS, _ADDS + _REMOVES),
    Fault(
        "a decided batch is not finished after a crash",
        LOG,
        "                self._finish(batch)\n",
        "",
    ),
    Fault(
        "what was begun stays after a crash",
        LOG,
        '            self._tree.remove(f"{STAGING}/{folder}")\n',
        "",
    ),
    Fault("all tries share a staging folder", LOG, "-{new_origin()}", ""),
    Fault(
        "an intent counts as a batch",
        LOG,
        'return found[None], found[".state"]',
        'return sorted(found[None] + found[".intent"]), found[".state"]',
    ),
    Fault("a lost file is not missed", LOG, "elif not self._tree.exists(add.path)", "elif False"),
    Fault("the log is not checked", LOG, 'check != b"%d}" % crc32(body)', "False"),
    Fault("a missing batch is passed over", LOG, "number != state.batch + 1", "False"),
    Fault("compacted files still count", LOG, "if path not in removed}", "}"),
    Fault("damaged segments are forgotten", LOG, "damaged | batch.damaged", "damaged"),
    Fault("repaired segments stay damaged", LOG, "if path not in retaken}", "}"),
    Fault("snapshots drop what they do not hold", LOG, "n <= oldest_kept", "n > oldest_kept"),
    Fault(
        "files are written in place",
        TREE,
        'target.with_name("." + target.name + _HALF_WRITTEN)',
        "target",
    ),
    Fault("two writers at a time", TREE, "fcntl.LOCK_EX |", "fcntl.LOCK_SH |"),
    Fault("no room is any failure", TREE, "{errno.ENOSPC, errno.EDQUOT}", "set()"),
    Fault("Spark does not see a folder", NAMES, 'if made[0] in "._"', 'if made[0] in "."'),
    Fault("names that differ in case share a column", NAMES, "return name.lower()", "return name"),
    Fault("large integers lose digits", SCHEMAS, "return not is_wide", "return True"),
    Fault("a conflict is not counted", SCHEMAS, "if kept != main:", "if False:"),
    Fault(
        "our columns are overwritten", SCHEMAS, "elif same_column(made) in _TAKEN:", "elif False:"
    ),
    Fault("another archive is taken", SEGMENTS, "    _check_same_archive(manifest, state)\n", ""),
    Fault("a gap is not told", SEGMENTS, "(), _gaps(manifest, after, upto))", "(), ())"),
    Fault(
        "a large seal stops the lake", SEGMENTS, "rows > most_rows and files", "rows > most_rows"
    ),
    Fault("large files are compacted", COMPACTION, "if file.octets < small:", "if True:"),
]

Check = Callable[[Path], object]


def _two_writers(folder: Path) -> None:
    try:
        with LocalTree(folder).locked(), LocalTree(folder).locked():
            raise AssertionError("two writers at a time")
    except PipelineFailed:
        return


def _patched(test: Callable[[Path, pytest.MonkeyPatch], None]) -> Check:
    def check(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            test(folder, patch)

    return check


def _column(test: Callable[[], None]) -> Check:
    return lambda _: test()


def _folders(_: Path) -> None:
    for name, folder in (("_x", "%5Fx"), ("", "_"), (".", "%2E")):
        test_lake_names.test_folders(name, folder)


CHECKS: list[Check] = [
    *(lambda folder, n=n: test_lake_log.steps_until_done(folder, n) for n in range(4)),
    test_lake_log.test_recovery_says_what_it_did,
    test_lake_log.test_what_a_dying_writer_adds_later_is_not_taken_for_ours,
    test_lake_log.test_state_says_which_files_count,
    _column(test_lake_log.test_damaged_segments_are_kept_until_they_are_retaken),
    _patched(test_lake_log.test_snapshots_replace_old_batches),
    test_lake_log.test_a_changed_log_is_refused,
    test_lake_log.test_a_missing_batch_is_refused,
    test_lake_log.test_a_file_that_somebody_removed_is_named,
    _patched(test_lake_tree.test_half_a_file_is_none),
    _patched(test_lake_tree.test_no_room_is_told_apart),
    _two_writers,
    _folders,
    _column(test_lake_names.test_a_taken_column_gets_a_number),
    _column(test_lake_schemas.test_integers_fit_into_doubles),
    _column(test_lake_schemas.test_another_kind_gets_a_column_of_its_own_and_is_a_conflict),
    _column(test_lake_schemas.test_odd_names_lose_nothing),
    test_lake_segments.test_another_archive_is_refused,
    test_lake_segments.test_what_retention_has_removed_is_a_gap,
    test_lake_segments.test_seals_come_together_up_to_a_number_of_rows,
    _column(test_lake_compaction.test_small_files_of_one_partition_are_put_together),
]


def main(package: Path) -> int:
    """Runs the checks, in a folder that is removed."""
    assert Path(tidings.__file__).is_relative_to(package)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as scratch:
        # Processes are killed here, machines are not.
        patch.setattr(os, "fsync", lambda _: None)
        for number, check in enumerate(CHECKS):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            try:
                check(folder)
            except BaseException as error:  # noqa: BLE001 -- even the death of the process
                sys.stdout.write(f"{CAUGHT} {type(error).__name__}: {error}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
