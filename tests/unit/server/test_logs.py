"""Levels by depth, two forms, no secrets, no forged lines."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import warnings
from collections.abc import Iterator

import pytest

from tidings.channel.effects import Notice, NoticeKind
from tidings.server.logs import Logs, loop_fault

SECRET = "a-token-of-the-owner"


@pytest.fixture
def logs() -> Iterator[Logs]:
    made = Logs(1, "text")
    made.install()
    yield made
    made.uninstall()


def notice(channel: int, proxy: int) -> None:
    told = Notice(NoticeKind.SLOW_CONSUMER, channel, proxy, f"of {channel} and {proxy}")
    words = (told.kind, *told.place, told.detail)
    logging.getLogger("tidings.engine.host").info("%s%s%s: %s", *words)


def test_levels_say_how_deep_messages_come_from(
    logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {}
    for level in range(5):
        logs.change(level, "text")
        assert logs.level == level
        logging.getLogger("tidings.server.lifecycle").info("start")
        notice(0, 0)
        notice(3, 0)
        notice(3, 9)
        logging.getLogger("tidings.web.lifetimes").info("else")
        logging.getLogger("tidings.web.lifetimes").debug("detail")
        logging.getLogger("tidings.server.requests").info("request", extra={"depth": 4})
        logging.getLogger("tidings.stores.journal").warning("damage")
        logging.getLogger("asyncio").error("fault")
        found = re.findall(r"(\S+)$", capsys.readouterr().err, re.MULTILINE)
        shown[level] = found
    assert shown == {
        0: [],
        1: ["start", "0", "damage", "fault"],
        2: ["start", "0", "0", "damage", "fault"],
        3: ["start", "0", "0", "9", "damage", "fault"],
        4: ["start", "0", "0", "9", "else", "detail", "request", "damage", "fault"],
    }


def test_the_form_for_people(logs: Logs, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("tidings.server").info("it is %s", "ready")
    line = capsys.readouterr().err
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info tidings\.server: it is ready\n", line
    )


def test_the_form_for_programs(logs: Logs, capsys: pytest.CaptureFixture[str]) -> None:
    logs.change(1, "json")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("tidings.server").exception("it\nfailed")
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told["level"] == "error"
    assert told["logger"] == "tidings.server"
    assert told["message"] == "it\nfailed"
    assert told["traceback"].endswith("ValueError: two\nlines")


def test_nobody_can_forge_a_line(
    logs: Logs, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only ours: a report that holds half a surrogate pair cannot be sent between processes.
    root = logging.getLogger()
    ours = [one for one in root.handlers if type(one).__module__ == "tidings.server.logs"]
    assert len(ours) == 1
    monkeypatch.setattr(root, "handlers", ours)
    logging.getLogger("tidings.server").info("%s", "a\r\nb\x1b[2J\ud800")
    assert capsys.readouterr().err.endswith(": a\\r\\nb\\x1b[2J\\ud800\n")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_never_appears(logs: Logs, capsys: pytest.CaptureFixture[str], form: str) -> None:
    logs.hide((SECRET, ""))
    logs.change(4, form)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("tidings.server").exception("seen: %s", {"Authorization": SECRET})
    logs.hide(("another-token-is-used",))
    logging.getLogger("tidings.server").info("%s another-token-is-used", SECRET)
    told = capsys.readouterr().err
    assert SECRET not in told
    assert "another-token" not in told
    assert told.count("***") == 4


def test_what_serves_http_tells_of_no_headers(
    logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.change(4, "text")
    for name in ("uvicorn.error", "uvicorn.access", "websockets.server"):
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
        logging.getLogger(name).info("Authorization: Bearer x")
    assert capsys.readouterr().err == ""


def test_faults_nobody_waits_for_are_told(logs: Logs, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()
    told = capsys.readouterr().err
    assert "the thread worker has ended by a fault" in told
    assert "ValueError: in a thread" in told

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_fault)
        loop.call_soon(lambda: dict[str, int]()["missing"])
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(scene())
    assert "KeyError: 'missing'" in capsys.readouterr().err


def test_warnings_of_python_are_told(logs: Logs, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old ways", UserWarning, stacklevel=1)
        logging.captureWarnings(False)
    assert "UserWarning: old ways" in capsys.readouterr().err


def test_a_message_that_cannot_be_made_ends_nothing(
    logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    record = logging.LogRecord("tidings.server", logging.INFO, "x.py", 3, "%d", (SECRET,), None)
    ours = "tidings.server.logs"
    (handler,) = (h for h in logging.getLogger().handlers if type(h).__module__ == ours)
    handler.handle(record)
    assert capsys.readouterr().err == "a message in x.py, line 3, could not be made\n"


def test_afterwards_everything_is_as_before() -> None:
    before = (logging.getLogger().level, list(logging.getLogger().handlers), threading.excepthook)
    made = Logs(4, "json")
    made.install()
    assert logging.getLogger("tidings").level == logging.DEBUG
    made.uninstall()
    after = (logging.getLogger().level, list(logging.getLogger().handlers), threading.excepthook)
    assert after == before
    assert logging.getLogger("tidings").level == logging.NOTSET


def test_faults_of_clients_are_told_only_where_everything_is(
    logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    for level, shown in ((3, False), (4, True)):
        logs.change(level, "text")
        try:
            raise UnicodeError("of a client")
        except UnicodeError:
            logging.getLogger("uvicorn.error").exception(
                "Invalid UTF-8 sequence received from client."
            )
        told = capsys.readouterr().err
        assert ("Invalid UTF-8" in told) is shown
        assert "Traceback" not in told
    logging.getLogger("uvicorn.error").error("anything else")
    assert "anything else" in capsys.readouterr().err
