"""A service without free descriptors: nothing that was accepted is lost, or booked as delivered."""

from __future__ import annotations

import resource
import select
import socket
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.real.e2e.served import Served, served

EVENTS = 400
# What the service has open by itself is much less.
LIMIT = 96
CHANNEL = "/v1/channels/roads"


def published(client: httpx2.Client) -> None:
    """A channel with two subscriptions for which events wait."""
    assert client.post("/v1/channels", json={"name": "roads"}).status_code == 201
    for name in ("leased", "at once"):
        made = {"name": name, "style": "pull", "form": "sequence"}
        assert client.post(f"{CHANNEL}/proxies", json=made).status_code == 201
    events = [{"domain": "Traffic", "type": "Speed", "data": {"n": n}} for n in range(EVENTS)]
    answer = client.post(f"{CHANNEL}/events", json=events)
    assert answer.status_code == 200, answer.text


def pulled(client: httpx2.Client, name: str, lease: int | None) -> list[int]:
    """All that comes, in pieces; what cannot be had now is asked for again."""
    found: list[int] = []
    for _ in range(EVENTS):
        asked: dict[str, Any] = {"most": 50, "lease": lease, "wait": 0}
        answer = client.post(f"{CHANNEL}/proxies/{name}/pull", json=asked)
        assert answer.status_code in {200, 503}, answer.text
        seqs = [one["seq"] for one in answer.json().get("events", ())]
        if answer.status_code == 200 and not seqs:
            return found
        if seqs and lease is not None:
            ack = client.post(f"{CHANNEL}/proxies/{name}/ack", json={"seqs": seqs})
            assert ack.status_code == 204
        found += seqs
    raise AssertionError(f"it never ends: {found}")


def exhausted(service: Served) -> list[socket.socket]:
    """Connections of somebody who says nothing, until the service has no descriptor left."""
    resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    host, port = service.url.removeprefix("http://").split(":")
    found = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(LIMIT)]
    descriptors = Path(f"/proc/{service.process.pid}/fd")

    def none_left() -> bool:
        """Or the service closes connections, so as to keep some free."""
        closed, _, _ = select.select(found, [], [], 0)
        return bool(closed) or sum(1 for _ in descriptors.iterdir()) >= LIMIT - 2

    service.wait_for(none_left)
    return found


@pytest.mark.parametrize("lease", [30, None])
def test_what_waits_on_the_disk_is_delivered_without_free_descriptors(
    lease: int | None, tmp_path: Path
) -> None:
    with served(tmp_path) as service:
        with service.client() as client:
            published(client)
        assert service.end() == 0
    name = "at once" if lease is None else "leased"
    with served(tmp_path) as service, service.client() as client:
        assert client.get("/health/ready").status_code == 200
        idle = exhausted(service)
        try:
            assert pulled(client, name, lease) == list(range(1, EVENTS + 1))
            counts = client.get(f"{CHANNEL}/proxies/{name}").json()["counts"]
            assert counts == {"delivered": EVENTS}
        finally:
            for one in idle:
                one.close()
