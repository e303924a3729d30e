"""How other programs hear that the service is ready."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from tidings.errors import StoreError
from tidings.server.announce import (
    drop_stale_port_file,
    forget_port_file,
    is_everywhere,
    notify_manager,
    service_url,
    write_port_file,
)


@pytest.mark.parametrize(
    ("address", "url"),
    [(("127.0.0.1", 80), "http://127.0.0.1:80"), (("::1", 80), "http://[::1]:80"),
     (("0.0.0.0", 80), "http://127.0.0.1:80"), (("::", 80), "http://[::1]:80")],
)  # fmt: skip
def test_urls(address: tuple[str, int], url: str) -> None:
    assert service_url(address) == url


def test_the_port_file_comes_whole_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "port"
    path.write_text("of a service that was killed")
    write_port_file(path, "http://127.0.0.1:80")
    assert json.loads(path.read_text()) == {"url": "http://127.0.0.1:80", "pid": os.getpid()}
    assert list(tmp_path.iterdir()) == [path]
    forget_port_file(path)
    forget_port_file(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ['{"pid": 1}', "null", "{}", "oops"])
def test_somebody_elses_port_file_stays(tmp_path: Path, content: str) -> None:
    path = tmp_path / "port"
    path.write_text(content)
    forget_port_file(path)
    assert path.exists()


def test_what_a_killed_service_has_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "port"
    drop_stale_port_file(path)
    child = os.spawnv(os.P_NOWAIT, "/bin/true", ["true"])
    os.waitpid(child, 0)
    path.write_text(json.dumps({"url": "", "pid": child}))
    drop_stale_port_file(path)
    assert not path.exists()


@pytest.mark.parametrize("pid", ["ours", 1, 0, -1, True, "1", None])
def test_the_file_of_one_that_lives_or_of_nobody_stays(tmp_path: Path, pid: object) -> None:
    path = tmp_path / "port"
    pid = os.getpid() if pid == "ours" else pid
    path.write_text(json.dumps({"url": "", "pid": pid}))
    drop_stale_port_file(path)
    assert path.exists()


def test_a_port_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written: No such file"):
        write_port_file(tmp_path / "missing" / "port", "")


@pytest.mark.parametrize("abstract", [False, True])
def test_the_manager_hears_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool
) -> None:
    name = f"tidings-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name if abstract else name)
        monkeypatch.setenv("NOTIFY_SOCKET", "@" + name if abstract else name)
        notify_manager("READY=1")
        assert manager.recv(100) == b"READY=1"


def test_without_a_manager_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify_manager("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nobody/listens")
    notify_manager("READY=1")


@pytest.mark.parametrize(
    ("host", "everywhere"), [("0.0.0.0", True), ("::", True), ("127.0.0.1", False)]
)
def test_whether_all_addresses_are_listened_on(host: str, everywhere: bool) -> None:
    assert is_everywhere((host, 80)) is everywhere
