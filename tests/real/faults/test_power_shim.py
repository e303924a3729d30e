"""The shim sees every call: small programs that do known things to a watched folder."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.real.faults.power.check import find_problems
from tests.real.faults.power.oplog import Kind, Operation, read_log
from tests.real.faults.power.recording import NotJudged, Recording
from tests.real.faults.power.run import record

START = """
import ctypes, mmap, os, sys
from pathlib import Path
folder = Path(sys.argv[1])
os.chdir(folder)
libc = ctypes.CDLL(None, use_errno=True)
def called(name, *args):
    assert getattr(libc, name)(*args) >= 0, (name, ctypes.get_errno())
def answer(text):
    with open(os.environ["TIDINGS_POWER_ANSWERS"], "ab", buffering=0) as ledger:
        ledger.write(text)
"""

Run = Callable[[str], Recording]


@pytest.fixture
def run(power_shim: Path, tmp_path: Path) -> Run:
    """Runs a program with the watched folder as its working directory."""

    def recorded(program: str) -> Recording:
        watched = tmp_path / "watched"
        command = [sys.executable, "-c", START + dedent(program), str(watched)]
        return record(power_shim, command, watched, tmp_path / "scratch")

    return recorded


def told(recording: Recording) -> list[tuple[object, ...]]:
    """What a recording says without identities."""
    return [_told(operation) for operation in recording.operations]


def _told(operation: Operation) -> tuple[object, ...]:
    kind, path, other, _, offset, length, data = operation
    if kind is Kind.WRITE:
        return (kind, path, offset, data)
    if kind is Kind.TRUNCATE:
        return (kind, path, length)
    if kind is Kind.ALLOCATE:
        return (kind, path, offset, length)
    if kind in {Kind.RENAME, Kind.LINK}:
        return (kind, path, other)
    return (kind, path)


def test_writes_are_told_with_where_they_went(run: Run) -> None:
    recording = run("""
        a = os.open("a", os.O_RDWR | os.O_CREAT)
        os.write(a, b"one")
        os.lseek(a, 10, 0)
        os.write(os.dup(a), b"two")
        os.pwrite(a, b"three", 20)
        os.writev(a, [b"fo", b"", b"ur"])
        os.pwritev(a, [b"fi", b"ve"], 40)
        called("pwrite64", a, b"six", 3, ctypes.c_long(50))
        called("pwrite", a, b"seven", 5, ctypes.c_long(60))
        b = os.open("b", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(b, b"long enough")
        os.pwrite(b, b"end", 2)
        Path("c").write_text("eight")
    """)
    assert told(recording) == [
        (Kind.CREATE, "a"),
        (Kind.WRITE, "a", 0, b"one"),
        (Kind.WRITE, "a", 10, b"two"),
        (Kind.WRITE, "a", 20, b"three"),
        (Kind.WRITE, "a", 13, b"four"),
        (Kind.WRITE, "a", 40, b"five"),
        (Kind.WRITE, "a", 50, b"six"),
        (Kind.WRITE, "a", 60, b"seven"),
        (Kind.CREATE, "b"),
        (Kind.WRITE, "b", 0, b"long enough"),
        (Kind.WRITE, "b", 11, b"end"),  # the system appends whatever the offset says
        (Kind.CREATE, "c"),
        (Kind.WRITE, "c", 0, b"eight"),
    ]


def test_sizes_and_syncs_are_told(run: Run) -> None:
    recording = run("""
        a = os.open(folder / "a", os.O_RDWR | os.O_CREAT)
        os.ftruncate(a, 100)
        os.truncate("a", 50)
        called("ftruncate", a, ctypes.c_long(40))
        called("truncate", b"a", ctypes.c_long(30))
        os.posix_fallocate(a, 20, 30)
        called("fallocate64", a, 0, ctypes.c_long(50), ctypes.c_long(10))
        called("fallocate", a, 1, ctypes.c_long(500), ctypes.c_long(10))
        os.fsync(a)
        os.fdatasync(a)
        os.open("a", os.O_WRONLY | os.O_TRUNC)
        os.open("a", os.O_WRONLY | os.O_CREAT)
        called("creat", b"b", 0o600)
        called("creat64", b"b", 0o600)
        called("open", b"c", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        called("openat", -100, b"d", os.O_CREAT | os.O_RDWR, 0o600)
        os.fsync(os.open(".", os.O_RDONLY))
    """)
    assert told(recording) == [
        (Kind.CREATE, "a"),
        (Kind.TRUNCATE, "a", 100),
        (Kind.TRUNCATE, "a", 50),
        (Kind.TRUNCATE, "a", 40),
        (Kind.TRUNCATE, "a", 30),
        (Kind.ALLOCATE, "a", 20, 30),
        (Kind.ALLOCATE, "a", 50, 10),
        (Kind.SYNC, "a"),
        (Kind.SYNC, "a"),
        (Kind.TRUNCATE, "a", 0),
        (Kind.CREATE, "b"),
        (Kind.TRUNCATE, "b", 0),
        (Kind.CREATE, "c"),
        (Kind.CREATE, "d"),
        (Kind.SYNC_FOLDER, ""),
    ]


def test_names_are_told_as_the_system_sees_them(run: Run) -> None:
    recording = run("""
        os.mkdir("in")
        Path("in/a").touch()
        inner = os.open("in", os.O_RDONLY)
        os.rename("in/../in/a", "./b")
        os.rename("b", "c", src_dir_fd=None, dst_dir_fd=inner)
        called("renameat2", inner, b"c", inner, b"d", 1)
        os.link("in/d", folder / "e")
        os.unlink("e")
        os.unlink("d", dir_fd=inner)
        os.mkdir("deeper", dir_fd=inner)
        os.rename("in", "out/")
        Path("out/deeper/x").touch()
        os.unlink("out/deeper/x")
        os.rmdir("out/deeper/")
        os.fsync(inner)
    """)
    assert told(recording) == [
        (Kind.MKDIR, "in"),
        (Kind.CREATE, "in/a"),
        (Kind.RENAME, "in/a", "b"),
        (Kind.RENAME, "b", "in/c"),
        (Kind.RENAME, "in/c", "in/d"),
        (Kind.LINK, "in/d", "e"),
        (Kind.UNLINK, "e"),
        (Kind.UNLINK, "in/d"),
        (Kind.MKDIR, "in/deeper"),
        (Kind.RENAME, "in", "out"),
        (Kind.CREATE, "out/deeper/x"),
        (Kind.UNLINK, "out/deeper/x"),
        (Kind.RMDIR, "out/deeper"),
        (Kind.SYNC_FOLDER, "out"),
    ]


def test_calls_that_fail_and_files_elsewhere_are_not_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "watched-not").mkdir()
    recording = run("""
        other = folder.parent / "watched-not"
        (other / "a").write_bytes(b"elsewhere")
        (other / "a").rename(other / "b")
        read, write = os.pipe()
        os.write(write, b"nowhere")
        failing = [
            lambda: os.open("none/a", os.O_CREAT), lambda: os.rename("a", "b"),
            lambda: os.unlink("a"), lambda: os.truncate("a", 1), lambda: os.fsync(999),
            lambda: os.mkdir("none/in"), lambda: os.rmdir("none"), lambda: os.write(999, b"x"),
        ]
        for call in failing:
            try:
                call()
            except OSError as error:
                assert error.errno in {2, 9}, error
            else:
                raise AssertionError("it did not fail")
    """)
    assert told(recording) == []


def test_answers_stand_in_the_order_of_the_calls(run: Run) -> None:
    recording = run("""
        Path("a").write_bytes(b"1")
        answer(b"one ")
        Path("a").write_bytes(b"2")
        answer(b"two ")
    """)
    kinds = [operation.kind for operation in recording.operations]
    one, two = (place for place, kind in enumerate(kinds) if kind is Kind.ANSWER)
    assert recording.answers_before(one) == b""
    assert recording.answers_before(two) == b"one "
    assert recording.answers_before(len(kinds)) == b"one two "
    assert kinds[one + 1 : two] == [Kind.TRUNCATE, Kind.WRITE]


def test_threads_and_processes_share_one_order(run: Run) -> None:
    """Where the log had another order than the calls, it would not lead to the same file."""
    recording = run("""
        import contextlib
        from threading import Thread
        def work():
            for number in range(150):
                file = os.open(f"x{number % 3}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.write(file, b"%d %d\\n" % (os.getpid(), number))
                os.close(file)
                if number % 10 == 0:
                    with contextlib.suppress(FileNotFoundError):  # another was faster
                        os.replace("x0", "x1")
        children = []
        for _ in range(2):
            if not (child := os.fork()):
                work()
                os._exit(0)
            children.append(child)
        threads = [Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
    """)
    kinds = Counter(operation.kind for operation in recording.operations)
    assert kinds[Kind.WRITE] == 5 * 150


def test_a_program_started_by_the_program_is_recorded(run: Run) -> None:
    recording = run("""
        import subprocess
        subprocess.run([sys.executable, "-c", "open('a', 'w').write('x')"], check=True)
    """)
    assert told(recording) == [(Kind.CREATE, "a"), (Kind.WRITE, "a", 0, b"x")]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (
            """
            Path("a").write_bytes(bytes(100))
            mmap.mmap(os.open("a", os.O_RDWR), 100)
            """,
            "a is written through memory",
        ),
        (
            """
            a = os.open("a", os.O_RDWR | os.O_CREAT)
            os.sendfile(a, os.open(sys.executable, os.O_RDONLY), 0, 100)
            """,
            "a is changed out of sight",
        ),
        (
            """
            (folder.parent / "outer").touch()
            os.rename("../outer", "inner")
            """,
            "inner came from outside",
        ),
        ("os.symlink('b', 'a'); Path('b').touch()", "not recorded: a"),
        (
            """
            libc.fopen.restype = ctypes.c_void_p
            file = ctypes.c_void_p(libc.fopen(b"a", b"w"))
            called("fputs", b"x", file)
            called("fclose", file)
            """,
            "not recorded: a",
        ),
    ],
    ids=["mmap", "sendfile", "from outside", "symlink", "stdio"],
)
def test_what_the_shim_cannot_follow_is_not_judged(run: Run, program: str, why: str) -> None:
    with pytest.raises(NotJudged, match=why):
        run(program)


def test_a_program_that_fails_is_told(run: Run) -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        run("sys.exit(3)")


def test_an_unfinished_record_at_the_end_does_not_count(run: Run, tmp_path: Path) -> None:
    recording = run("Path('a').write_bytes(b'x' * 100)")
    log = tmp_path / "scratch" / "power.log"
    whole = log.read_bytes()
    for missing in (1, 50, 101, 120):
        log.write_bytes(whole[:-missing])
        assert read_log(log) == recording.operations[:1]


def rows(disk: Path, answers: bytes) -> str | None:
    """Whether all rows that were committed are there."""
    if not answers:
        return None
    database = sqlite3.connect(disk / "db")
    try:
        found = {number for (number,) in database.execute("select number from t")}
    finally:
        database.close()
    missing = set(map(int, answers.split())) - found
    return f"lost: {missing}" if missing else None


@pytest.mark.parametrize(
    ("mode", "synchronous", "keeps"),
    [
        ("wal", "full", True),
        ("wal", "normal", False),
        ("wal", "off", False),
        ("delete", "extra", True),
        ("delete", "full", False),  # the folder is not synced after the journal's removal
    ],
)
def test_sqlite_keeps_what_its_settings_promise(
    run: Run, mode: str, synchronous: str, *, keeps: bool, tmp_path: Path
) -> None:
    """A foreign program whose promises are known: the kit agrees with them."""
    recording = run(f"""
        import sqlite3
        database = sqlite3.connect("db", isolation_level=None)
        database.execute("pragma journal_mode={mode}")
        database.execute("pragma synchronous={synchronous}")
        database.execute("pragma wal_autocheckpoint=8")
        database.execute("create table t (number integer, filling text)")
        for number in range(30):
            database.execute("insert into t values (?, ?)", (number, "x" * 300))
            answer(b"%d " % number)
    """)
    problems = find_problems(recording, 60, 1, rows, tmp_path, most_turns=60)
    assert bool(problems) is not keeps, problems[:3]
