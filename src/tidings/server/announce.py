"""Telling other programs that the service is ready: a file, and the system's service manager."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from pathlib import Path

from tidings.server.files import replace_file

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def reachable_host(host: str) -> str:
    """Where programs on this machine reach what listens there."""
    return _EVERYWHERE.get(host, host)


def service_url(address: tuple[str, int], *, tls: bool = False) -> str:
    """Where programs on this machine reach the service."""
    host, port = reachable_host(address[0]), address[1]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{shown}:{port}"


def is_everywhere(address: tuple[str, int]) -> bool:
    """Whether the service listens on all addresses of this machine."""
    return address[0] in _EVERYWHERE


def write_port_file(path: Path, url: str, corba: str = "") -> None:
    """Write where the service is; whoever sees the file sees all of it.

    An address is empty if there is no such door.
    """
    told: dict[str, object] = {"url": url, "pid": os.getpid()}
    if corba:
        told["corba"] = corba
    replace_file(path, json.dumps(told))


def forget_port_file(path: Path) -> None:
    """Removes the file, if it is still ours."""
    if _pid_in(path) == os.getpid():
        with contextlib.suppress(OSError):
            path.unlink()


def drop_stale_port_file(path: Path) -> None:
    """Removes a file that a killed service has left: whoever waits for one must not read it."""
    pid = _pid_in(path)
    if pid is None:
        return
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        with contextlib.suppress(OSError):
            path.unlink()
    except OSError:  # somebody else's process: it lives
        return


def _pid_in(path: Path) -> int | None:
    """The process that wrote the file; None if it is no such file."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        pid = json.loads(path.read_text(encoding="utf-8"))["pid"]
        return pid if type(pid) is int and pid > 0 else None
    return None


def notify_manager(state: str) -> None:
    """Tells systemd, if it has started us and listens."""
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name.startswith(("/", "@")):
        return
    address = "\0" + name[1:] if name.startswith("@") else name
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(state.encode(), address)
