"""The process that writes the archive, told what to do through pipes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.edges.engine.hosts import new_channel, publish, store_of, supplier
from tests.patience import PATIENCE
from tidings.engine.archiving import ArchivePlan, archive_command
from tidings.engine.host import Host
from tidings.stores.segments import Cursor

child = pytest.importorskip("tidings.stores.archive.__main__")
OPTIONS = '{"seal_rows": 1000}'


def journal_in(folder: Path) -> list[Cursor]:
    """Makes a journal with twenty events; where it ended after each ten."""

    async def work() -> list[Cursor]:
        host = await Host.open(folder / "data")
        channel = await new_channel(host)
        source = await supplier(host, channel)
        ends = []
        for first in (0, 10):
            await publish(host, channel, source, *range(first, first + 10))
            ends.append(store_of(host).journal.synced)
        await host.close(0.05)
        return ends

    return asyncio.run(work())


class Pipes:
    """What the process is told and what it says."""

    def __init__(self, folder: Path, options: str = OPTIONS) -> None:
        self._told, self._tell = os.pipe()
        heard, self._says = os.pipe()
        self.heard = os.fdopen(heard)
        self.code: int | None = None
        arguments = [str(folder / "data" / "journal"), str(folder / "archive"), options]
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
    first, second = journal_in(tmp_path)
    pipes = Pipes(tmp_path)
    assert pipes.next() == {"sealed": 0, "cursor": [0, 0], "rows": 0}
    pipes.tell(upto(first))
    *_, idle = lines = pipes.end()
    [seal] = sealed(lines)
    assert (seal["sealed"], seal["cursor"], pipes.code) == (1, list(first), 0)
    assert seal["rows"] >= 10
    assert idle == {"idle": list(first)}
    pipes = Pipes(tmp_path)
    assert pipes.next()["cursor"] == list(first)
    pipes.tell(upto(first), upto(second))
    [seal] = sealed(pipes.end())
    assert (seal["sealed"], seal["cursor"], seal["rows"]) == (2, list(second), 10)


def test_it_seals_when_it_is_told_to_and_by_other_options(tmp_path: Path) -> None:
    first, second = journal_in(tmp_path)
    pipes = Pipes(tmp_path)
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
    first, _ = journal_in(tmp_path)
    pipes = Pipes(tmp_path, '{"seal_seconds": 0.05}')
    pipes.next()
    pipes.tell(upto(first))
    assert pipes.next()["cursor"] == list(first)
    pipes.end()


def test_who_has_nobody_left_to_work_for_stops_at_the_next_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, second = journal_in(tmp_path)
    pipes = Pipes(tmp_path, '{"seal_rows": 2}')
    pipes.next()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    pipes.tell(upto(second))
    assert len(sealed(pipes.end())) == 1
    assert pipes.code == 0
    monkeypatch.undo()
    pipes = Pipes(tmp_path)
    pipes.tell(upto(second))
    [seal] = sealed(pipes.end())
    assert (seal["sealed"], seal["cursor"]) == (2, list(second))


@pytest.mark.parametrize(
    ("options", "line", "words"),
    [(OPTIONS, "dance", "told b'dance'"), (OPTIONS, "upto 1", "not enough values"),
     (OPTIONS, "options {", "Expecting"), ('{"seal_rows": 0}', "seal", "seal_rows is at least 1"),
     ('{"seal_cows": 0}', "seal", "seal_cows")],
)  # fmt: skip
def test_what_it_cannot_do_it_says_and_ends(
    tmp_path: Path, options: str, line: str, words: str
) -> None:
    journal_in(tmp_path)
    pipes = Pipes(tmp_path, options)
    pipes.tell(line)
    [error] = [said["error"] for said in pipes.end() if "error" in said]
    assert words in error
    assert pipes.code == 1


def test_without_pyarrow_or_a_folder_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "archive").write_text("a file")
    [said] = Pipes(tmp_path).end()
    assert str(tmp_path / "archive") in said["error"]

    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr(child._Worker, "_opened", missing)
    said = {"error": "pyarrow is not installed: pip install tidings[arrow]"}
    assert Pipes(tmp_path).end() == [said]


def test_the_process_gives_way_and_only_its_input_ends_it(tmp_path: Path) -> None:
    first, _ = journal_in(tmp_path)
    pipe, plan = subprocess.PIPE, ArchivePlan(tmp_path / "archive")
    command = archive_command(plan, tmp_path / "data" / "journal")
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
        out, error = process.communicate(timeout=PATIENCE)
    assert (process.returncode, error) == (0, b"")
    [seal] = sealed([json.loads(line) for line in out.splitlines()])
    assert seal["cursor"] == list(first)
