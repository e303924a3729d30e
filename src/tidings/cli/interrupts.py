"""Ctrl-C before there is anything to tidy up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Ctrl-C meanwhile ends the process without a word, as it does programs of other languages.

    Python would interrupt whatever is being loaded, and tell where. A process that ignores Ctrl-C,
    as under `nohup`, goes on ignoring it; only the main thread may change what a signal does.
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
