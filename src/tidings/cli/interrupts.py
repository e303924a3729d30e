"""Handling of Ctrl-C before there is anything to clean up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process silently, without Python's traceback.

    A process that ignores Ctrl-C, as under `nohup`, still does; only the main thread may change
    signal handlers.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if before is not signal.default_int_handler or not main:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
