"""What a power cut may leave and what it may not: histories made by hand, many draws each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.real.faults.power.check import chosen_cuts, find_problems
from tests.real.faults.power.disk import SECTOR, Folder, torn
from tests.real.faults.power.oplog import Kind, Operation, read_log
from tests.real.faults.power.recording import NotJudged, Recording

DRAWS = 150

Disk = dict[str, bytes | None]  # path: content, None for folders
Disks = Callable[..., list[Disk]]

FILES = {"a": (1, 1), "b": (1, 2), "c": (1, 3), "new": (1, 4)}


def create(path: str, file: str = "a") -> Operation:
    return Operation(Kind.CREATE, path, identity=FILES[file])


def write(file: str, offset: int, data: bytes) -> Operation:
    return Operation(Kind.WRITE, file, identity=FILES[file], offset=offset, data=data)


def truncate(file: str, length: int) -> Operation:
    return Operation(Kind.TRUNCATE, file, identity=FILES[file], length=length)


def sync(file: str) -> Operation:
    return Operation(Kind.SYNC, file, identity=FILES[file])


def rename(old: str, new: str) -> Operation:
    return Operation(Kind.RENAME, old, new)


def mkdir(path: str) -> Operation:
    return Operation(Kind.MKDIR, path)


def sync_folder(path: str = "") -> Operation:
    return Operation(Kind.SYNC_FOLDER, path)


DURABLE_A = [create("a"), sync_folder(), write("a", 0, b"old"), sync("a")]


def content(folder: Path) -> Disk:
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def disks(tmp_path: Path) -> Disks:
    """All disks that a cut at the end of a history, or earlier, may leave."""

    def draw(*operations: Operation, cut: int | None = None) -> list[Disk]:
        recording = Recording(list(operations), Folder(), {})
        at = len(operations) if cut is None else cut
        found: list[Disk] = []
        for number in range(DRAWS):
            recording.disk_at(at, Random(number), tmp_path / "disk")
            disk = content(tmp_path / "disk")
            if disk not in found:
                found.append(disk)
            shutil.rmtree(tmp_path / "disk")
        return found

    return draw


def test_what_is_synced_is_there_whatever_is_drawn(disks: Disks) -> None:
    assert disks(*DURABLE_A) == [{"a": b"old"}]


def test_an_unsynced_write_is_there_or_not(disks: Disks) -> None:
    found = [disk["a"] for disk in disks(*DURABLE_A, write("a", 3, b" and new"))]
    assert b"old" in found
    assert b"old and new" in found
    assert all(octets is not None and octets.startswith(b"old") for octets in found)


def test_a_sync_counts_only_if_it_came_back_before_the_cut(disks: Disks) -> None:
    history = [*DURABLE_A, write("a", 3, b"!"), sync("a")]
    assert disks(*history) == [{"a": b"old!"}]
    assert {"a": b"old"} in disks(*history, cut=len(history) - 1)


def test_a_lost_write_before_a_kept_one_leaves_zeroes(disks: Disks) -> None:
    found = disks(*DURABLE_A, write("a", 3, b"one"), write("a", 6, b"two"))
    assert {"a": b"old\0\0\0two"} in found
    assert {"a": b"oldonetwo"} in found
    assert {"a": b"oldone"} in found


def test_an_unsynced_change_of_size_is_there_or_not(disks: Disks) -> None:
    assert disks(*DURABLE_A, truncate("a", 1)) in (
        [{"a": b"old"}, {"a": b"o"}],
        [{"a": b"o"}, {"a": b"old"}],
    )
    longer = Operation(Kind.ALLOCATE, "a", identity=FILES["a"], offset=2, length=3)
    assert {"a": b"old\0\0"} in disks(*DURABLE_A, longer)


def test_a_new_file_needs_a_sync_of_its_folder_too(disks: Disks) -> None:
    history = [create("a"), write("a", 0, b"new"), sync("a")]
    assert sorted(map(len, disks(*history))) == [0, 1]
    assert disks(*history, sync_folder()) == [{"a": b"new"}]


def test_a_name_that_is_synced_says_nothing_about_the_content(disks: Disks) -> None:
    found = disks(create("a"), write("a", 0, b"new"), sync_folder())
    assert {"a": b""} in found
    assert {"a": b"new"} in found


def test_a_renaming_is_undone_or_there_and_nothing_between(disks: Disks) -> None:
    durable = [*DURABLE_A, create("new", "b"), write("b", 0, b"new"), sync("b"), sync_folder()]
    found = disks(*durable, rename("new", "a"))
    assert len(found) == 2
    assert {"a": b"old", "new": b"new"} in found
    assert {"a": b"new"} in found
    assert disks(*durable, rename("new", "a"), sync_folder()) == [{"a": b"new"}]


def test_a_name_is_not_used_again_before_it_was_left(disks: Disks) -> None:
    found = disks(*DURABLE_A, rename("a", "kept"), create("a", "b"))
    assert all(b"old" in disk.values() for disk in found)
    assert {"kept": b"old", "a": b""} in found


def test_a_removed_file_may_come_back_until_its_folder_is_synced(disks: Disks) -> None:
    gone = Operation(Kind.UNLINK, "a")
    assert {"a": b"old"} in disks(*DURABLE_A, gone)
    assert disks(*DURABLE_A, gone, sync_folder()) == [{}]


def test_each_removal_is_there_or_not_by_itself(disks: Disks) -> None:
    history = [create("a"), create("b", "b"), sync_folder()]
    gone = [Operation(Kind.UNLINK, name) for name in "ab"]
    assert {frozenset(disk) for disk in disks(*history, *gone)} == {
        frozenset(names) for names in ("", "a", "b", "ab")
    }


def test_what_lies_in_a_folder_needs_the_name_of_the_folder(disks: Disks) -> None:
    history = [mkdir("in"), create("in/a"), write("a", 0, b"new"), sync("a"), sync_folder("in")]
    assert {} in disks(*history)
    assert disks(*history, sync_folder()) == [{"in": None, "in/a": b"new"}]


def test_between_folders_a_renaming_needs_both_synced(disks: Disks) -> None:
    history = [mkdir("in"), *DURABLE_A, sync_folder(), rename("a", "in/a")]
    whole: Disk = {"in": None, "in/a": b"old"}
    for folders in ([""], ["in"]):
        found = disks(*history, *map(sync_folder, folders))
        assert {"a": b"old", "in": None} in found
        assert whole in found
    assert disks(*history, sync_folder("in"), sync_folder()) == [whole]


def test_a_folder_that_is_gone_took_nothing_with_it(disks: Disks) -> None:
    history = [mkdir("in"), create("in/a"), sync_folder("in"), sync_folder()]
    found = disks(*history, rename("in/a", "b"), Operation(Kind.RMDIR, "in"))
    assert all("b" in disk or "in/a" in disk for disk in found)
    assert {"b": b""} in found


def test_a_second_name_means_the_same_file(disks: Disks) -> None:
    link = Operation(Kind.LINK, "a", "b")
    changed = [link, write("a", 0, b"OLD"), sync("a"), sync_folder()]
    assert disks(*DURABLE_A, *changed) == [{"a": b"OLD", "b": b"OLD"}]


def test_an_inode_that_is_used_again_is_another_file(disks: Disks) -> None:
    again = [Operation(Kind.UNLINK, "a"), create("b", "a"), sync_folder()]
    assert disks(*DURABLE_A, *again) == [{"b": b""}]


def test_what_was_there_before_is_durable(tmp_path: Path) -> None:
    before = tmp_path / "before"
    (before / "in").mkdir(parents=True)
    (before / "in" / "a").write_bytes(b"old")
    recording = Recording([], Folder.found(before, {}), {})
    recording.disk_at(0, Random(1), tmp_path / "disk")
    assert content(tmp_path / "disk") == content(before)


def test_a_torn_write_is_spoilt_by_whole_sectors_and_touches_nothing_else() -> None:
    offset, data = SECTOR - 12, Random(1).randbytes(3 * SECTOR)
    edges = [0, 12, 12 + SECTOR, 12 + 2 * SECTOR, 3 * SECTOR]
    shorter, zeroed, garbled = 0, 0, 0
    for seed in range(DRAWS):
        found = torn(offset, data, Random(seed))
        assert found != data
        if len(found) < len(data):
            assert len(found) in edges
            assert data.startswith(found)
            shorter += 1
            continue
        for start, end in pairwise(edges):
            zeroed += found[start:end] == bytes(end - start)
            garbled += found[start:end] not in {bytes(end - start), data[start:end]}
    assert min(shorter, zeroed, garbled) > 20


def test_only_the_last_write_is_torn(disks: Disks) -> None:
    first, last = b"1" * 2 * SECTOR, b"2" * 2 * SECTOR
    found = disks(*DURABLE_A, write("a", SECTOR, first), write("a", 3 * SECTOR, last))
    starts = {(disk["a"] or b"")[SECTOR : 3 * SECTOR] for disk in found}
    assert starts <= {b"", first, bytes(2 * SECTOR)}
    assert any(len(disk["a"] or b"") == 4 * SECTOR for disk in found)


def test_the_same_draw_gives_the_same_disk(tmp_path: Path) -> None:
    history = [*DURABLE_A, write("a", 3, b"x" * 5_000), rename("a", "b"), create("c", "c")]
    for name in ("one", "two"):
        Recording(history, Folder(), {}).disk_at(len(history), Random(77), tmp_path / name)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_earlier_cuts_may_be_asked_for_after_later_ones(disks: Disks, tmp_path: Path) -> None:
    history = [*DURABLE_A, write("a", 0, b"second"), sync("a")]
    recording = Recording(history, Folder(), {})
    for cut, expected in [(6, b"second"), (4, b"old"), (6, b"second")]:
        recording.disk_at(cut, Random(1), tmp_path / "disk")
        assert content(tmp_path / "disk") == {"a": expected}
        shutil.rmtree(tmp_path / "disk")


def test_answers_are_those_before_the_cut() -> None:
    said = [Operation(Kind.ANSWER, "/ledger", data=octets) for octets in (b"one ", b"two ")]
    recording = Recording([said[0], *DURABLE_A, said[1]], Folder(), {})
    assert [recording.answers_before(cut) for cut in (0, 1, 5, 6)] == [
        b"",
        b"one ",
        b"one ",
        b"one two ",
    ]
    assert recording.cut_points() == range(7)


@pytest.mark.parametrize(
    "operation",
    [
        Operation(Kind.MAPPED, "a", identity=FILES["a"]),
        Operation(Kind.UNSEEN, "a", identity=FILES["a"]),
        rename("/elsewhere/b", "b"),
        write("b", 0, b"made out of sight"),
        sync_folder("made out of sight"),
    ],
    ids=str,
)
def test_what_cannot_be_followed_is_not_judged(operation: Operation) -> None:
    with pytest.raises(NotJudged, match=r"not known|cannot be told|out of sight"):
        Recording([*DURABLE_A, operation], Folder(), {})


def test_the_shared_memory_of_sqlite_may_be_mapped(disks: Disks) -> None:
    mapped = Operation(Kind.MAPPED, "x-shm", identity=FILES["a"])
    assert disks(create("x-shm"), sync_folder(), mapped) == [{"x-shm": b""}]


def test_all_turning_points_are_cut_and_others_drawn() -> None:
    history = [*DURABLE_A, *(write("a", at, b"x") for at in range(50)), sync("a")]
    recording = Recording(history, Folder(), {})
    turns = [0, 1, 2, 3, 4, 54, 55]
    assert recording.turning_points() == turns
    assert chosen_cuts(recording, 0, 1) == turns
    assert len(chosen_cuts(recording, 30, 1)) == len(turns) + 30
    assert chosen_cuts(recording, 30, 1) == chosen_cuts(recording, 30, 1)
    assert chosen_cuts(recording, 30, 1) != chosen_cuts(recording, 30, 2)
    assert set(chosen_cuts(recording, 0, 1, most_turns=3)) < set(turns)


def test_a_problem_can_be_looked_at_again(tmp_path: Path) -> None:
    history = [*DURABLE_A, write("a", 3, b"x" * 2_000)]
    recording = Recording(history, Folder(), {})

    def verify(disk: Path, answers: bytes) -> str | None:
        assert not answers
        return None if (disk / "a").exists() else f"no a, but {content(disk)}"

    problems = find_problems(recording, 40, 3, verify, tmp_path)
    assert problems
    assert problems == find_problems(recording, 40, 3, verify, tmp_path)
    for problem in problems:
        recording.disk_at(problem.cut, Random(problem.draw), tmp_path / "again")
        assert verify(tmp_path / "again", b"") == problem.what
        shutil.rmtree(tmp_path / "again")


def test_an_exception_is_a_problem(tmp_path: Path) -> None:
    def verify(disk: Path, _: bytes) -> str | None:
        return (disk / "nowhere").read_text()

    [problem] = find_problems(Recording([], Folder(), {}), 1, 1, verify, tmp_path)
    assert str(problem).startswith("cut 0, Random('1 0 0'): FileNotFoundError")


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for octets, why in [(b"", "is empty"), (b"?" * 100, "no log of the power shim")]:
        log.write_bytes(octets)
        with pytest.raises(ValueError, match=why):
            read_log(log)
