"""The command line as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

TIDINGS = [sys.executable, "-m", "tidings"]

CAR = '{"domain": "Traffic", "type": "Speed", "name": "car-7", "data": {"rate": 57.5}}\n'


def environment() -> dict[str, str]:
    """Ours, without what would colour or reshape the output."""
    unwanted = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TIDINGS_TRACEBACK")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def finished(
    command: Sequence[str | bytes], env: Mapping[str, str] | None = None, timeout: float = 110
) -> subprocess.CompletedProcess[bytes]:
    """Runs any command to its end, whatever that is."""
    used = environment() if env is None else env
    return subprocess.run(command, check=False, capture_output=True, env=used, timeout=timeout)


def run(
    *arguments: str, given: bytes = b"", timeout: float = 110
) -> subprocess.CompletedProcess[bytes]:
    """Runs `tidings` to its end."""
    return subprocess.run(
        [*TIDINGS, *arguments],
        check=False,
        input=given,
        capture_output=True,
        env=environment(),
        timeout=timeout,
    )


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Starts `tidings` with pipes on all three streams."""
    pipe = subprocess.PIPE
    command = [*TIDINGS, *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment())


def event_lines(count: int) -> Sequence[bytes]:
    """So many different events, a line each; rate rises from 0 to 99 and starts again."""
    return [
        b'{"domain":"Traffic","type":"Speed","name":"car-%d","header":{"Priority":%d},'
        b'"data":{"rate":%d,"zones":[%d,%d],"road":"A%d"}}\n'
        % (i, i % 7, i % 100, i % 20, i % 13, i % 9)
        for i in range(count)
    ]


def event_of(octets: int) -> bytes:
    """One event whose line has exactly so many octets, its end included."""
    empty = json.dumps({"domain": "D", "type": "T", "data": {"text": ""}}).encode() + b"\n"
    return empty.replace(b'""', b'"' + b"x" * (octets - len(empty)) + b'"')
