"""A process that hangs for a while: it answers nobody, and its connections stay."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frozen(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Stop a process of the test until the end of the block."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
