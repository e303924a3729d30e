"""The process behind `runner.Runner`: it forks a child for each fault.

``python -m tests.mutants.server`` reads one request per line and answers each with one line. It has
loaded what the tests need, but nothing of Tidings: a child of it imports the faulty module
(`_import`). A second process, forked at the start, has collected the tests (`_Keeper`): where only
bodies of functions differ, a child of that one exchanges them, and imports nothing (`_swap`).
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import IO, Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutants.fault import PACKAGE, PROJECT
from tests.mutants.handed_down import sitecustomize as handed_down
from tests.mutants.swapping import Swap, functions, swap, swaps

Request = dict[str, Any]
Answer = dict[str, Any]

# Loaded once, by the parent of all; whatever is missing here is only loaded more often.
_FOREIGN: Final = (
    *("asyncio", "concurrent.futures", "multiprocessing", "sqlite3", "unittest.mock", "xml.dom"),
    *("fastapi", "h11", "httpx2", "hypothesis.stateful", "lark", "msgspec", "prometheus_client"),
    *("psutil", "pyarrow", "pyarrow.parquet", "pyarrow.compute", "pydantic", "rich.table"),
    *(
        "rich.progress",
        "typer",
        "typer.testing",
        "uvicorn",
        "websockets",
        "websockets.asyncio.client",
    ),
)
_OPTIONS: Final = (
    *("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"),
    *(
        "--tb=native",
        "--hypothesis-profile=mutants",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ),
)
_IMPORTING: Final = 100.0
"""Seconds within which a child has imported everything, also on a busy machine."""
_SHARE: Final = 0.3
"""Of the patience with a test, how much it waits itself for what may never come."""
_PAGES: Final = "tests/real/console/"
"""Where tests look at pages in a browser."""
_NOTHING: Final[Answer] = {
    **{kind: [] for kind in ("begun", "failed", "broken", "passed", "skipped", "uncollected")},
    "ended": [],
    "stuck": False,
    "seconds": 0.0,
    "output": "",
}
_BROKEN: Final = (
    *(ImportError, ModuleNotFoundError, NameError, SyntaxError),
    pytest.FixtureLookupError,
)
"""A program that no longer runs is no fault that a test has found."""


def _hypothesis() -> None:
    """Enough to find, nothing to explain it, and the same each time."""
    settings.register_profile(
        "mutants",
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


class _Told:
    """Writes what becomes of tests, line by line, so that it is there if the child is killed."""

    def __init__(self, file: IO[str], pages: bool) -> None:
        self._file = file
        self._broken = ("setup", "teardown") if pages else ()  # a fault in a page breaks no fixture
        self.failures = 0

    def tell(self, kind: str, what: str) -> None:
        self._file.write(json.dumps([kind, what]) + "\n")
        self._file.flush()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell("begun", nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.failed:
            self.failures += 1
            sys.stdout.write(f"\n{report.longreprtext}\n")
            broken = call.excinfo is not None and call.excinfo.type in _BROKEN
            self.tell("broken" if broken or report.when in self._broken else "failed", item.nodeid)
        elif report.when == "call" or report.skipped:
            self.tell(report.outcome, item.nodeid)
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tell("uncollected", report.nodeid)


def _child(folder: Path, request: Request, play: Callable[[_Told], None]) -> None:
    """What a forked child does instead of what its parent was about to do; it does not return."""
    try:
        _part(folder)
        _play(folder, request, play)
    except BaseException:  # noqa: BLE001 -- nothing may go back into the parent's code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _part(folder: Path) -> None:
    """Has a child, and the programs it starts, be a group with temporary files of its own."""
    os.setsid()
    (folder / "t").mkdir()
    os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder / "t")
    tempfile.tempdir = None
    path = [str(Path(handed_down.__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))


def _play(folder: Path, request: Request, play: Callable[[_Told], None]) -> None:
    """Plays with a fault, and tells in files of a folder what comes of it."""
    with (folder / "output").open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    # Without a fault, too: tests must not fail because of what hands it down.
    fault = request["source"]
    (folder / "source.py").write_text(fault or "", encoding="utf-8")
    python = fault is not None and _is_python(request)
    os.environ[handed_down.MODULE] = _dotted(request["module"]) if python else "none"
    os.environ.pop(handed_down.FILE, None)
    if fault is not None and not python:
        os.environ[handed_down.FILE] = request["module"]
    os.environ[handed_down.SOURCE] = str(folder / "source.py")
    with (folder / "told").open("w", encoding="utf-8") as file:
        told = _Told(file, _needs_no_python(request))
        play(told)
        told.tell("ended", "")


def _is_python(request: Request) -> bool:
    return str(request["module"]).endswith(".py")


def _dotted(module: str) -> str:
    return ".".join(["tidings", *Path(module).with_suffix("").parts]).removesuffix(".__init__")


def _needs_no_python(request: Request) -> bool:
    """Whether only pages are wrong, or nothing is, and a browser will notice."""
    right = request["source"] is None or not _is_python(request)
    return right and all(test.startswith(_PAGES) for test in request["tests"])


def _folder(within: Path | None = None) -> Path:
    """Where a child tells what becomes of its tests."""
    folder = Path(tempfile.mkdtemp(prefix="mutant-", dir=within))
    (folder / "told").touch()
    (folder / "output").touch()
    return folder


def _forked(request: Request, play: Callable[[_Told], None]) -> Answer:
    """Has a child play something, and says what it told."""
    folder = _folder()
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        _child(folder, request, play)
    fd = os.pidfd_open(pid)
    stuck = not _ended(fd, folder / "told", request["patience"])
    os.close(fd)
    _end(pid)
    return _answer(folder, request, stuck, began)


def _end(pid: int) -> None:
    """Ends a child and what it has started and left behind."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _answer(folder: Path, request: Request, stuck: bool, began: float) -> Answer:
    """What a child has told, which ends its folder."""
    answer: Answer = {kind: [] for kind in _NOTHING}
    answer.update(stuck=stuck, seconds=time.monotonic() - began)
    for line in (folder / "told").read_text(encoding="utf-8").splitlines():
        kind, what = json.loads(line)
        answer[kind].append(what)
    if stuck:
        answer["failed"] += answer["begun"][-1:]
    elif not answer["begun"]:
        answer["uncollected"] = request["tests"]
    answer["output"] = (folder / "output").read_text(errors="replace")[-20_000:]
    shutil.rmtree(folder, ignore_errors=True)
    return answer


def _ended(fd: int, told: Path, patience: float) -> bool:
    """Waits for a child to end or to reply, while it tells of another test in time."""
    size, until = 0, time.monotonic() + max(patience, _IMPORTING)
    while not select.select([fd], [], [], min(patience, 0.5))[0]:
        if size != (now := told.stat().st_size):
            size, until = now, time.monotonic() + patience
        elif time.monotonic() > until:
            return False
    return True


class _Stayer:
    """A child that stays: it tries one fault of a page after another, all in one browser."""

    def __init__(self, play: Callable[[Request, _Told], None], patience: float) -> None:
        self.patience = patience
        self._folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._requests, its = socket.socketpair()
        self._pid = os.fork()
        if not self._pid:
            self._requests.close()
            self._stay(its, play)
        its.close()

    def answer(self, request: Request) -> Answer:
        """Has it play something; if it does not say "ended", it is of no more use."""
        folder = _folder(self._folder)
        began = time.monotonic()
        line = json.dumps({**request, "folder": str(folder)}) + "\n"
        with suppress(BrokenPipeError):
            self._requests.sendall(line.encode())
        stuck = not _ended(self._requests.fileno(), folder / "told", request["patience"])
        if not stuck:
            with suppress(ConnectionResetError):
                self._requests.recv(1)
        answer = _answer(folder, request, stuck, began)
        if answer["broken"]:  # perhaps by what the last fault has done to the browser
            answer["ended"] = []
        return answer

    def close(self) -> None:
        """Ends it, and its browser."""
        self._requests.close()
        _end(self._pid)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _stay(self, requests: socket.socket, play: Callable[[Request, _Told], None]) -> None:
        try:
            _part(self._folder)
            for line in requests.makefile():
                request = json.loads(line)
                _play(Path(request["folder"]), request, partial(play, request))
                requests.sendall(b"\n")
        except BaseException:  # noqa: BLE001 -- nothing may go back into the parent's code
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os.killpg(0, signal.SIGKILL)  # the browser ends with it, whoever has ended it


def _import(request: Request) -> Answer:
    """The tests with everything imported anew."""

    def play(told: _Told) -> None:
        handed_down.plant()
        stop = ["-x"] if request["first"] else []
        pytest.main([*_OPTIONS, *stop, *request["tests"]], plugins=[told])

    return _forked(request, play)


class _Keeper:
    """A pytest session that collects what is asked for, and forks instead of running it."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._files: dict[str, list[pytest.Item]] = {}
        self._folders: dict[Path, pytest.Collector] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._modules = 0
        self._stayer: _Stayer | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        session.items = []
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_directory(
        self, path: Path
    ) -> Generator[None, pytest.Collector | None, pytest.Collector | None]:
        made = yield
        # Fixtures of a conftest.py belong to the folder as it was collected first.
        return made and self._folders.setdefault(path, made)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        with self._requests.makefile("rw") as stream:
            for line in stream:
                request = json.loads(line)
                answer = self._swap(session, request)
                stream.write(json.dumps(answer) + "\n")
                stream.flush()
        self._leave()
        return True

    def _swap(self, session: pytest.Session, request: Request) -> Answer | None:
        if _needs_no_python(request):
            return self._looked_at(session, request)
        exchanged = self._exchanged(request)
        if exchanged is None:
            return None
        items = self._found(session, request["tests"])
        if not items:
            return {**_NOTHING, "uncollected": request["tests"]}
        existing = self._existing(request["module"]) if exchanged else []

        def play(told: _Told) -> None:
            session.config.pluginmanager.register(told)
            swap(existing, exchanged)
            if request["source"] is not None:
                _hurry(_SHARE * request["patience"])
            _run(items, None, told, request["first"])

        return _forked(request, play)

    def _looked_at(self, session: pytest.Session, request: Request) -> Answer:
        """The answer of the child that stays."""
        if self._stayer is not None and self._stayer.patience != request["patience"]:
            self._leave()
        if self._stayer is None:
            rest = _Rest.from_parent(session, name="rest")
            self._stayer = _Stayer(partial(self._look, session, rest), request["patience"])
        answer = self._stayer.answer(request)
        if not answer["ended"]:
            self._leave()
        return answer

    def _look(
        self, session: pytest.Session, rest: pytest.Item, request: Request, told: _Told
    ) -> None:
        items = self._found(session, request["tests"])
        session.config.pluginmanager.register(told)
        if request["source"] is not None:
            _hurry(_SHARE * request["patience"])
            # A test has many steps, and only the one that waits in vain shall end it.
            sys.modules["tests.conftest"].PATIENCE = 0.9 * request["patience"]  # type: ignore[attr-defined]
        _run(items, rest, told, request["first"])
        session.config.pluginmanager.unregister(told)

    def _leave(self) -> None:
        if self._stayer is not None:
            self._stayer.close()
            self._stayer = None

    def _exchanged(self, request: Request) -> list[Swap] | None:
        """What differs in the faulty module; None if it is not only bodies of functions."""
        if request["source"] is None or not _is_python(request):
            return []
        path = PACKAGE / request["module"]
        return swaps(path.read_text(encoding="utf-8"), request["source"], str(path)) or None

    def _existing(self, module: str) -> list[FunctionType]:
        """The functions of a module, which is imported now: later it would be right again."""
        with suppress(Exception):
            importlib.import_module(_dotted(module))
        if self._modules != len(sys.modules):
            self._modules = len(sys.modules)
            gc.unfreeze()  # what is frozen is not found
            self._functions = functions()
            gc.freeze()  # and what is not frozen is copied where a child collects its garbage
        return self._functions.get(str(PACKAGE / module), [])

    def _found(self, session: pytest.Session, tests: Sequence[str]) -> list[pytest.Item]:
        return list(dict.fromkeys(self._find(session, tests)))  # an item runs once

    def _find(self, session: pytest.Session, tests: Sequence[str]) -> Iterator[pytest.Item]:
        for test in tests:
            file = test.partition("::")[0]
            if file not in self._files:
                self._files[file] = []
                with suppress(pytest.UsageError):
                    self._files[file] += session.perform_collect([file])
                if web := sys.modules.get("tidings.web.app"):
                    web._routes()  # or each child makes them for itself
            beginnings = (f"{test}[", f"{test}::")
            for item in self._files[file]:
                if item.nodeid == test or item.nodeid.startswith(beginnings):
                    yield item


class _Rest(pytest.Item):
    """A test that never runs; with it to follow, the fixtures of the session stay."""

    def runtest(self) -> None:
        raise NotImplementedError


def _run(items: Sequence[pytest.Item], rest: pytest.Item | None, told: _Told, first: bool) -> None:
    """Runs tests, all or until the first one fails; what is there before the rest comes stays."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        same = following is not None and following.path == item.path
        # After the first failure nothing of its file may be left where others follow.
        nextitem = following if same and not (first and rest) else rest
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        if first and told.failures:
            break


def _hurry(patience: float) -> None:
    """Has tests that wait for something, which a fault may keep from coming, wait less long."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tests.") and getattr(module, "PATIENCE", 0) > patience:
            module.PATIENCE = patience  # type: ignore[attr-defined]


class _Server:
    def __init__(self) -> None:
        for name in _FOREIGN:
            importlib.import_module(name)
        _hypothesis()
        gc.freeze()
        assert "tidings" not in sys.modules
        mine, its = socket.socketpair()
        if not os.fork():
            mine.close()
            os._exit(int(pytest.main([*_OPTIONS], plugins=[_Keeper(its)])))
        its.close()
        self._keeper = mine.makefile("rw")

    def answer(self, request: Request) -> Answer:
        """Tries the quick way, and the sure one if that finds nothing."""
        swapped = self._swapped(request)
        if swapped is not None and not any(
            swapped[how] for how in ("ended", "stuck", "uncollected")
        ):
            swapped = self._swapped(request)  # the child broke off; if it does again, it is told
        if swapped is not None and (
            swapped["failed"]
            or swapped["uncollected"]
            or not (request["sure"] and _is_python(request))
        ):
            return {**swapped, "way": "swap"}
        imported = _import(request)
        if swapped is not None and not swapped["ended"]:
            imported["output"] += f"\n--- the swap broke off:\n{swapped['output']}"
        return {**imported, "way": "import"}

    def _swapped(self, request: Request) -> Answer | None:
        self._keeper.write(json.dumps(request) + "\n")
        self._keeper.flush()
        answer: Answer | None = json.loads(self._keeper.readline())
        return answer


def main() -> None:
    """Answers until nobody asks."""
    os.chdir(PROJECT)
    os.environ.pop("PYTEST_ADDOPTS", None)  # meant for the run that plants the faults
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    server = _Server()
    for line in requests:
        answers.write(json.dumps(server.answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
