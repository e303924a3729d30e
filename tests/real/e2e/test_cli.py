"""The commands as a user runs them: real processes, pipes and signals."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from tests.edges.cli.running import tidings
from tests.real.e2e.processes import (
    CAR,
    TIDINGS,
    environment,
    event_lines,
    event_of,
    finished,
    run,
    start,
)
from tidings.apps import filter_stream


def test_the_installed_command_and_the_module_are_one() -> None:
    installed = shutil.which("tidings", path=str(Path(sys.executable).parent))
    assert installed is not None
    told = subprocess.run([installed, "--version"], capture_output=True, check=True).stdout
    assert run("--version").stdout == told
    assert told.startswith(b"tidings ")


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (("filter", "match", "$rate > 50"), CAR, 0),
        (("filter", "match", "$rate > 500"), CAR, 1),
        (("filter", "match", "$rate > 50"), CAR + "oops\n", 2),
        (("filter", "match", "$rate >"), CAR, 2),
        (("filter", "match", "$rate > 50", "no-such-file"), "", 2),
        (("filter", "check", "$rate > 50"), "", 0),
        (("filter", "check", "--strict", "not $a == 1"), "", 1),
        (("filter", "check", "$rate >"), "", 2),
        (("filter", "explain", "$rate > 500"), CAR, 0),
        (("filter", "explain", "$rate > 500"), "oops", 2),
        (("filter", "no-such-word"), "", 2),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], given: str, code: int) -> None:
    ran = run(*arguments, given=given.encode())
    assert ran.returncode == code
    assert b"Traceback" not in ran.stderr


def test_the_caret_stands_under_the_fault() -> None:
    ran = run("filter", "match", "$rate > 50 and $zones[1 == 17")
    assert ran.stderr.decode().splitlines()[:3] == [
        "error: line 1, column 24: expected ']'",
        "  $rate > 50 and $zones[1 == 17",
        "                         ^",
    ]


# ---------------------------------------------------------------- streams


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    with start("filter", "match", "$rate > 50") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(CAR.encode())
            process.stdin.flush()
            assert process.stdout.readline() == CAR.encode()
        _, told = process.communicate()
    assert told == b"3 of 3 events match\n"
    assert process.returncode == 0


def test_ctrl_c_ends_with_the_count_so_far() -> None:
    with start("filter", "match", "$rate > 50") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(CAR.encode())
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        told = process.stderr.read()
    assert told == b"1 of 1 events match\n"
    assert process.returncode == 130


def test_a_reader_who_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(event_lines(20_000)))
    with start("filter", "match", "", str(file)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == event_lines(1)[0]
        process.stdout.close()
        told = process.stderr.read()
    assert told == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 1),
        (("--version",), 1),
        (("filter", "check", "TRUE"), 141),
        (("filter", "check", "--json", "TRUE"), 141),
        (("filter", "explain", "TRUE", CAR), 141),
        (("bench", "match", "--help"), 141),
        (("demo", "--no-spark"), 141),
        (("demo", "filters"), 141),
    ],
)
def test_a_reader_who_was_never_there(arguments: tuple[str, ...], code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        ran = subprocess.run(
            [*TIDINGS, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=nobody,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    assert (ran.returncode, ran.stderr) == (code, b"")


def test_closed_streams_and_a_full_disk_are_no_crash(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(CAR, encoding="utf-8")
    command = " ".join([*TIDINGS, "filter", "match", "TRUE"])
    for script, code, told in [
        (f"{command} {file} >&-", 0, "1 of 1 events match"),
        (f"{command} <&-", 2, "error: standard input is closed"),
        (f"{command} {file} >/dev/full", 2, "error: no space left on device"),
        (f"ulimit -f 0; {command} {file} >{tmp_path}/out", 2, "error: file too large"),
    ]:
        ran = finished(["/bin/sh", "-c", script])
        assert (ran.returncode, ran.stderr.decode().splitlines()[0]) == (code, told)


# ---------------------------------------------------------------- size


def _feed(process: subprocess.Popen[bytes], pieces: list[bytes], memory: list[int]) -> None:
    assert process.stdin is not None
    for piece in pieces:
        process.stdin.write(piece)
        memory.append(psutil.Process(process.pid).memory_info().rss)
    process.stdin.close()


def test_two_hundred_thousand_lines_take_no_more_memory_than_a_few() -> None:
    lines = event_lines(200_000)
    pieces = [b"".join(lines[i : i + 10_000]) for i in range(0, len(lines), 10_000)]
    memory: list[int] = []
    with start("filter", "match", "$rate >= 99 and $zones[0] == 19") as process:
        feeder = threading.Thread(target=_feed, args=(process, pieces, memory))
        feeder.start()
        assert process.stdout is not None
        assert process.stderr is not None
        matching = process.stdout.readlines()
        feeder.join()
        told = process.stderr.read()
    expected = [lines[i] for i in range(200_000) if i % 100 == 99 and i % 20 == 19]
    assert matching == expected
    assert told == b"2000 of 200000 events match\n"
    assert max(memory) - memory[1] < 16_000_000
    assert max(memory) < 150_000_000


def test_a_redirected_file_and_a_named_one_give_the_same(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(event_lines(2_000)))
    named = run("filter", "match", "$rate < 10", str(file))
    command = " ".join([*TIDINGS, "filter", "match", "'$rate < 10'", "<", str(file)])
    redirected = finished(["/bin/sh", "-c", command])
    assert (named.stdout, named.stderr) == (redirected.stdout, redirected.stderr)
    assert named.stderr == b"200 of 2000 events match\n"


def test_the_largest_event_is_taken_and_a_larger_one_refused() -> None:
    largest, larger = event_of(10_000_001), event_of(10_000_002)  # the line's end is not counted
    ran = run("filter", "match", "'xxx' ~ $text", given=larger + largest)
    assert ran.stdout == largest
    assert b"error: standard input:1: 10000001 octets" in ran.stderr
    assert b"1 of 1 events match; 1 line is no event" in ran.stderr
    assert ran.returncode == 2


def test_a_line_without_an_end_is_refused_and_not_held_in_memory() -> None:
    memory: list[int] = []
    with start("filter", "match", "") as process:
        feeder = threading.Thread(target=_feed, args=(process, [b"x" * 10_000_000] * 20, memory))
        feeder.start()
        assert process.stderr is not None
        told = process.stderr.read()
        feeder.join()
    assert b"standard input:1: the line has more than 16000000 octets" in told
    assert max(memory) < 150_000_000


# ---------------------------------------------------------------- bad input


def test_binary_garbage_is_told_line_by_line() -> None:
    garbage = random.Random(1).randbytes(300_000)
    ran = run("filter", "match", "", given=garbage + b"\n" + CAR.encode())
    assert ran.stdout == CAR.encode()
    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    assert ran.stderr.count(b"\n") == 102


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            '{"domain":"D","type":"T","data":{"x":NaN}}',
            b'write {"$type": "double", "value": "NaN"}',
        ),
        ('{"domain":"D","type":"T","data":{"x":"\\udc00"}}', b"the lone surrogate U+DC00"),
        ('{"domain":"D","type":"T","data":{"x":1e999}}', b"data.x: "),
        ('{"domain":"D","type":"T","data":{"x":99999999999999999999}}', b"data.x: "),
        ("[" * 100_000, b"nests too deeply"),
    ],
)
def test_events_that_are_none(event: str, told: bytes) -> None:
    ran = run("filter", "match", "", given=event.encode() + b"\n" + CAR.encode())
    assert told in ran.stderr
    assert ran.stdout == CAR.encode()
    assert ran.returncode == 2


def test_nan_has_defined_answers() -> None:
    nan = {"domain": "D", "type": "T", "data": {"x": {"$type": "double", "value": "NaN"}}}
    given = json.dumps(nan).encode()
    for text, code in [("$x == $x", 1), ("$x != $x", 0), ("$x > 1", 1), ("not ($x > 1)", 0)]:
        assert run("filter", "match", text, given=given).returncode == code


def test_an_argument_that_is_no_text() -> None:
    command = [*(part.encode() for part in TIDINGS), b"filter", b"check", b"$a == '\xff'"]
    ran = finished(command)
    assert b"error: line 1, column 8: a lone surrogate is not text" in ran.stderr
    assert ran.returncode == 2


# ---------------------------------------------------------------- demo, completion


def test_the_demo_of_filters_computes_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("demo", "filters", "--seed", "1").stdout.decode()
    monkeypatch.setattr(filter_stream, "MANY", 100)  # of what is measured, not compared
    again, other = (tidings("demo", "filters", "--seed", seed).stdout for seed in ("1", "2"))
    for told in (first, again, other):
        assert "the same counts." in told
        assert "the same answers both ways" in told
        assert "\x1b" not in told
    figures = [told.partition("The first 100 of them")[0] for told in (first, again, other)]
    assert figures[0] == figures[1]
    assert figures[0] != figures[2]


def test_shells_can_complete_words() -> None:
    asked = {"COMP_WORDS": "tidings filter ma", "COMP_CWORD": "2"}
    complete = environment() | asked | {"_TIDINGS_COMPLETE": "complete_bash"}
    ran = finished(TIDINGS, complete)
    assert ran.stdout.split() == [b"match"]
