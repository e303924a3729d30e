"""A service that may open 1,024 files, and somebody without the token who opens connections."""

from __future__ import annotations

import resource
import socket
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.patience import PATIENCE
from tests.real.e2e.served import Served, served

TOKEN = "the-token-of-the-owner"
IDLE = 1_300
WAITING = 300
PATH = "/v1/channels/x"


@pytest.fixture(autouse=True)
def _room_for_both_ends() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def idle_connections(stack: ExitStack, host: str, port: int, count: int) -> None:
    """Connections that say nothing."""
    for _ in range(count):
        stack.enter_context(socket.create_connection((host, port), timeout=PATIENCE))


def resident(service: Served) -> int:
    """The memory of the service's process, in octets."""
    pages = Path(f"/proc/{service.process.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def descriptors(service: Served) -> int:
    """How many the service has open."""
    return len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))


def test_idle_connections_starve_nobody(tmp_path: Path) -> None:
    env = {"TIDINGS_HTTP__TOKEN": TOKEN}
    with served(tmp_path, "--iiop", "127.0.0.1:0", env=env, before="ulimit -n 1024") as service:
        with service.client(TOKEN) as first:
            made = {"name": "x", "qos": {"EventReliability": "Persistent"}}
            first.post("/v1/channels", json=made).raise_for_status()
            taker = {"name": "t", "style": "pull"}
            first.post(f"{PATH}/proxies", json=taker).raise_for_status()
            events = [
                {"domain": "D", "type": "T", "name": str(number)} for number in range(WAITING)
            ]
            assert first.post(f"{PATH}/events", json=events).status_code == 200
        with ExitStack() as stack:
            web, iiop = urlsplit(service.url), service.corba
            before = resident(service)
            idle_connections(stack, web.hostname or "", web.port or 0, IDLE)
            idle_connections(stack, *iiop, IDLE // 2)
            # What an idle connection costs is bounded, too: 5 KiB of memory are usual.
            assert resident(service) - before < 32 * 2**20
            # Another one comes, publishes, and receives everything.
            with service.client(TOKEN) as second:
                one = {"domain": "D", "type": "T", "name": str(WAITING)}
                assert second.post(f"{PATH}/events", json=[one]).status_code == 200
                names: list[str] = []
                while len(names) <= WAITING:
                    pulled = second.post(f"{PATH}/proxies/t/pull", json={"wait": 5, "most": 100})
                    pulled.raise_for_status()
                    found = pulled.json()["events"]
                    assert found, len(names)
                    names += [each["event"]["name"] for each in found]
                assert names == [str(number) for number in range(WAITING + 1)]
                metrics = second.get("/metrics").text
            assert 'tidings_connections_refused_total{door="http"} 0.0' in metrics
            assert descriptors(service) < 1_024 - 128
        assert "Too many open files" not in service.log.read_text()
        assert service.end() == 0
