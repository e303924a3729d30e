"""Ctrl-C before there is anything to tidy up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Ctrl-C meanwhile ends the process without a word, as it does programs of other languages.

    Python would interrupt whatever is being loaded, and tell where. Who ignores Ctrl-C, as
    `nohup` has it, goes on ignoring it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
