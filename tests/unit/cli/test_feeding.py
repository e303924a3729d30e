from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from tidings.cli.feeding import batches_of_lines
from tidings.errors import InvalidUsage


async def _all(sources: list[str]) -> list[tuple[int, str, int, bytes]]:
    return [
        (number, line.source, line.number, line.octets)
        async for batch in batches_of_lines(sources)
        for number, line in batch
    ]


def test_lines_are_numbered_through_all_sources(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a\nb\n")
    two.write_bytes(b"c")
    assert asyncio.run(_all([str(one), str(two)])) == [
        (1, str(one), 1, b"a\n"),
        (2, str(one), 2, b"b\n"),
        (3, str(two), 1, b"c"),
    ]


def test_what_came_before_a_source_that_cannot_be_read_is_handed_over(tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.write_bytes(b"a\n")
    got: list[bytes] = []

    async def read() -> None:
        async for batch in batches_of_lines([str(one), str(tmp_path / "two")]):
            got.extend(line.octets for _, line in batch)

    with pytest.raises(InvalidUsage, match="two: no such file"):
        asyncio.run(read())
    assert got == [b"a\n"]


def test_a_line_is_not_kept_waiting_for_the_next(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def talk() -> list[bytes]:
        batches = batches_of_lines([str(pipe)])
        first = asyncio.ensure_future(anext(batches))
        writer = await asyncio.to_thread(pipe.open, "wb", 0)
        got = []
        for word in (b"a\n", b"b\n", b"c\n"):
            writer.write(word)
            got += [line.octets for _, line in await first]
            first = asyncio.ensure_future(anext(batches))
        writer.close()
        with pytest.raises(StopAsyncIteration):
            await first
        return got

    assert asyncio.run(talk()) == [b"a\n", b"b\n", b"c\n"]


def test_a_reader_whose_lines_nobody_takes_ends(tmp_path: Path) -> None:
    file = tmp_path / "many"
    file.write_bytes(b"x\n" * 10_000)

    async def take_one() -> threading.Thread:
        batches = batches_of_lines([str(file)])
        await anext(batches)
        [reader] = [one for one in threading.enumerate() if one.name == "tidings-lines"]
        await batches.aclose()  # type: ignore[attr-defined]
        return reader

    reader = asyncio.run(take_one())
    reader.join(5)
    assert not reader.is_alive()
