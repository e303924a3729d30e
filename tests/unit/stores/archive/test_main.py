"""The process that writes the archive, told what to do through pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.hosts import new_channel, publish, run, store_of, supplier
from tidings.engine.archive_plan import ArchivePlan, archive_command
from tidings.engine.host import Host
from tidings.stores.segments import Cursor

child = pytest.importorskip("tidings.stores.archive.__main__")

OPTIONS = '{"seal_rows": 1000}'


def journal_of(folder: Path, events: int = 20) -> tuple[Path, list[Cursor]]:
    """A journal with so many events, and where it ended after each ten."""

    async def work() -> tuple[Path, list[Cursor]]:
        host = await Host.open(folder / "data")
        channel = await new_channel(host)
        source = await supplier(host, channel)
        journal, ends = store_of(host).journal, []
        for first in range(0, events, 10):
            await publish(host, channel, source, *range(first, first + 10))
            ends.append(journal.synced)
        await host.close(0.05)
        return journal.folder, ends

    return run(work())


class Pipes:
    """What the process is told and what it says."""

    def __init__(self, arguments: list[str]) -> None:
        self._told, self._tell = os.pipe()
        heard, self._says = os.pipe()
        self.heard = os.fdopen(heard)
        self.code: int | None = None
        self._thread = threading.Thread(target=self._work, args=(arguments,), daemon=True)
        self._thread.start()

    def _work(self, arguments: list[str]) -> None:
        self.code = child.work(arguments, self._told, self._says)
        os.close(self._says)

    def tell(self, *lines: str) -> None:
        os.write(self._tell, "".join(f"{line}\n" for line in lines).encode())

    def next(self) -> Any:
        return json.loads(self.heard.readline())

    def end(self) -> list[Any]:
        """Ends its input; all that it says then."""
        os.close(self._tell)
        rest = [json.loads(line) for line in self.heard]
        self._thread.join(10)
        self.heard.close()
        os.close(self._told)
        return rest


def upto(place: Cursor) -> str:
    return f"upto {place.segment} {place.offset}"


def sealed(lines: list[Any]) -> list[Any]:
    return [line for line in lines if line.get("sealed")]


def test_it_reads_so_far_and_seals_when_its_input_ends(tmp_path: Path) -> None:
    journal, (first, second) = journal_of(tmp_path)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    assert pipes.next() == {"sealed": 0, "cursor": [0, 0], "rows": 0}
    pipes.tell(upto(first))
    *_, idle = lines = pipes.end()
    [seal] = sealed(lines)
    assert (seal["sealed"], seal["cursor"], pipes.code) == (1, list(first), 0)
    assert seal["rows"] >= 10
    assert idle == {"idle": list(first)}
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    assert pipes.next()["cursor"] == list(first)
    pipes.tell(upto(first), upto(second))
    [seal] = sealed(pipes.end())
    assert (seal["sealed"], seal["cursor"], seal["rows"]) == (2, list(second), 10)


def test_told_nothing_it_writes_nothing(tmp_path: Path) -> None:
    journal, _ = journal_of(tmp_path)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    assert len(pipes.end()) == 1
    assert pipes.code == 0


def test_it_seals_when_it_is_told_to_and_by_other_options(tmp_path: Path) -> None:
    journal, (first, second) = journal_of(tmp_path)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    pipes.next()
    pipes.tell(upto(first), "seal")
    assert pipes.next()["sealed"] == 1
    assert pipes.next() == {"idle": list(first)}
    pipes.tell('options {"seal_rows": 2}', upto(second))
    assert [pipes.next()["rows"] for _ in range(5)] == [2] * 5
    pipes.end()
    assert pipes.code == 0


def test_what_was_read_is_sealed_when_it_is_old_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_LOOK", 0.02)
    journal, (first, _) = journal_of(tmp_path)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), '{"seal_seconds": 0.05}'])
    pipes.next()
    pipes.tell(upto(first))
    assert pipes.next()["cursor"] == list(first)
    pipes.end()


def test_who_has_nobody_left_to_work_for_stops_at_the_next_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, (_, second) = journal_of(tmp_path)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), '{"seal_rows": 2}'])
    pipes.next()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    pipes.tell(upto(second))
    assert len(sealed(pipes.end())) == 1
    assert pipes.code == 0
    monkeypatch.undo()
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    pipes.tell(upto(second))
    [seal] = sealed(pipes.end())
    assert (seal["sealed"], seal["cursor"]) == (2, list(second))


@pytest.mark.parametrize(
    ("options", "line", "words"),
    [
        (OPTIONS, "dance", "told b'dance'"),
        (OPTIONS, "upto 1", "not enough values"),
        (OPTIONS, "options {", "Expecting"),
        ('{"seal_rows": 0}', "", "seal_rows is at least 1"),
        ('{"seal_cows": 0}', "", "seal_cows"),
    ],
)
def test_what_it_cannot_do_it_says_and_ends(
    tmp_path: Path, options: str, line: str, words: str
) -> None:
    journal, _ = journal_of(tmp_path, 10)
    pipes = Pipes([str(journal), str(tmp_path / "archive"), options])
    pipes.tell(line or "seal")
    [error] = [said["error"] for said in pipes.end() if "error" in said]
    assert words in error
    assert pipes.code == 1


def test_a_folder_that_cannot_be_used_is_told_of(tmp_path: Path) -> None:
    journal, _ = journal_of(tmp_path, 10)
    (tmp_path / "archive").write_text("a file")
    pipes = Pipes([str(journal), str(tmp_path / "archive"), OPTIONS])
    [said] = pipes.end()
    assert str(tmp_path / "archive") in said["error"]
    assert pipes.code == 1


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr(child._Worker, "_opened", missing)
    pipes = Pipes([str(tmp_path), str(tmp_path / "archive"), OPTIONS])
    assert pipes.end() == [{"error": "pyarrow is not installed: pip install tidings[arrow]"}]


def test_the_process_gives_way_and_only_its_input_ends_it(tmp_path: Path) -> None:
    journal, (first, _) = journal_of(tmp_path)
    pipe = subprocess.PIPE
    command = archive_command(ArchivePlan(tmp_path / "archive"), journal)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["rows"] == 0
        mine = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(mine + 5, 19)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.send_signal(number)
        process.stdin.write(f"{upto(first)}\n".encode())
        process.stdin.flush()
        out, error = process.communicate(timeout=20)
    assert (process.returncode, error) == (0, b"")
    [seal] = sealed([json.loads(line) for line in out.splitlines()])
    assert seal["cursor"] == list(first)


def test_nobody_who_listens_is_no_reason_to_lose_what_was_read(tmp_path: Path) -> None:
    journal, (_, second) = journal_of(tmp_path)
    command = archive_command(ArchivePlan(tmp_path / "archive"), journal)
    heard, says = os.pipe()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=says) as process:
        os.close(says)
        os.close(heard)
        process.communicate(f"{upto(second)}\n".encode(), timeout=20)
    assert process.returncode == 0
    assert f'"cursor":{list(second)}'.replace(" ", "") in (
        (tmp_path / "archive" / "manifest.jsonl").read_text()
    )
