"""What is logged: how deep into the tree of objects, in which form, and never a secret.

A message belongs to a part of the tree: 1 the factory, 2 a channel, 3 an admin or what it manages,
4 everything else. `log.level` says how deep messages come from; warnings and errors are told
from 1 on, wherever they come from.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any, Final

from tidings.channel.effects import NoticeKind

FACTORY: Final = 1
CHANNEL: Final = 2
ADMIN: Final = 3
EVERYTHING: Final = 4

_SECRET: Final = "***"
# What they say below a warning is of no use to whoever runs the service, and names headers.
_FOREIGN: Final = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "websockets")
# What uvicorn says, as a warning or worse, of what clients do wrong: they are told, and whoever
# runs the service can do nothing.
_FAULTS_OF_CLIENTS: Final = frozenset(
    {
        "ASGI callable returned without completing handshake.",  # a WebSocket was refused
        "ASGI callable returned without completing response.",  # nobody has read it
        "Invalid HTTP request received.",
        "Invalid UTF-8 sequence received from client.",
        "Unsupported upgrade request.",
    }
)


def _of_clients(record: logging.LogRecord) -> bool:
    """Has faults of clients told only where everything is, and without a traceback."""
    if record.msg in _FAULTS_OF_CLIENTS:
        record.depth = EVERYTHING
        record.levelno, record.levelname = logging.INFO, "INFO"
        record.exc_info = None
    return True


def depth_of(record: logging.LogRecord) -> int:
    """How deep in the tree of objects a message belongs."""
    told = getattr(record, "depth", None)
    if isinstance(told, int):
        return told
    if record.levelno >= logging.WARNING or record.name.startswith("tidings.server"):
        return FACTORY
    arguments = record.args
    if isinstance(arguments, tuple) and len(arguments) == 4:
        kind, channel, proxy, _ = arguments
        if isinstance(kind, NoticeKind):  # a notice of the engine, with its place
            return ADMIN if proxy else CHANNEL if channel else FACTORY
    return EVERYTHING


class Logs:
    """The log of this process on standard error, level 0 to 4, as `text` or `json`."""

    def __init__(self, level: int, form: str) -> None:
        self._handler = _Handler()
        self._secrets: list[str] = []
        self._installed: list[tuple[logging.Logger, int]] = []
        self.change(level, form)

    @property
    def level(self) -> int:
        """How deep messages come from."""
        return self._handler.most

    def install(self) -> None:
        """Has everything in this process logged here, faults nobody waits for among it."""
        root = logging.getLogger()
        for logger in (root, *map(logging.getLogger, _FOREIGN)):
            self._installed.append((logger, logger.level))
            logger.setLevel(logging.WARNING)
        ours = logging.getLogger("tidings")
        self._installed.append((ours, ours.level))
        ours.setLevel(logging.DEBUG)
        logging.getLogger("uvicorn.error").addFilter(_of_clients)
        root.addHandler(self._handler)
        logging.captureWarnings(True)
        threading.excepthook = _thread_fault

    def uninstall(self) -> None:
        """Leaves the logging of this process as it was."""
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger("uvicorn.error").removeFilter(_of_clients)
        while self._installed:
            logger, level = self._installed.pop()
            logger.setLevel(level)
        logging.captureWarnings(False)
        threading.excepthook = threading.__excepthook__

    def change(self, level: int, form: str) -> None:
        """Logs in another way from now on."""
        self._handler.most = level
        self._handler.setFormatter(_Form(self._secrets, form == "json"))

    def hide(self, secrets: Iterable[str]) -> None:
        """Has these texts never appear, whoever logs them; those that were hidden stay so."""
        self._secrets.extend(one for one in secrets if one and one not in self._secrets)


class _Handler(logging.Handler):
    """Writes to standard error, whatever that is at the moment."""

    def __init__(self) -> None:
        super().__init__()
        self.most = FACTORY

    def emit(self, record: logging.LogRecord) -> None:
        if depth_of(record) > self.most:
            return
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 -- must not end whoever logs, and not show what it holds
            line = f"a message in {record.pathname}, line {record.lineno}, could not be made"
        with contextlib.suppress(OSError, ValueError):  # nobody may read it any more
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


class _Form(logging.Formatter):
    """A line for people, with a traceback on lines of its own, or a JSON object in a line."""

    converter = staticmethod(time.gmtime)  # lines of several machines can be compared

    def __init__(self, secrets: list[str], as_json: bool) -> None:
        super().__init__()
        self._secrets = secrets
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        seconds = self.formatTime(record, "%Y-%m-%dT%H:%M:%S")
        data = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            data["traceback"] = self.formatException(record.exc_info)
        if self._as_json:
            line = json.dumps(data)
        else:
            line = "{time} {level} {logger}: ".format(**data) + _one_line(data["message"])
            line += f"\n{data['traceback']}" if record.exc_info else ""
        for secret in self._secrets:
            line = line.replace(secret, _SECRET)
        return line


def _one_line(text: str) -> str:
    """Nobody can make a message look like two, or move the cursor of whoever reads it."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode-escape", "surrogatepass").decode() for c in text
    )


def _thread_fault(fault: threading.ExceptHookArgs) -> None:
    name = fault.thread.name if fault.thread is not None else "?"
    logging.getLogger("tidings.server").critical(
        "the thread %s has ended by a fault", name, exc_info=fault.exc_value
    )


def loop_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What a loop calls for a fault nobody waits for: it is logged with its traceback."""
    error = context.get("exception")
    logging.getLogger("tidings.server").error("%s", context.get("message"), exc_info=error)
