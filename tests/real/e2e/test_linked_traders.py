"""Two real services whose traders are linked; one of them is killed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import httpx2

from tests.real.e2e.served import served

FOLLOW = {"link_follow_rule": "always", "hop_count": 1}


def post(client: httpx2.Client, path: str, **body: Any) -> Any:
    answer = client.post(f"/v1/trader/{path}", json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def offering(client: httpx2.Client, cost: float) -> None:
    """A service type, and an offer of it."""
    post(client, "types", name="Printer", properties=[{"name": "cost", "value_type": "double"}])
    post(
        client, "offers",
        type="Printer", reference=f"corbaloc::192.0.2.9:2809/{cost}", properties={"cost": cost},
    )  # fmt: skip


def test_a_query_over_http_finds_what_another_service_has_until_that_is_killed(
    tmp_path: Path,
) -> None:
    with (
        served(tmp_path / "near", "--memory") as near,
        served(tmp_path / "far", "--memory", "--iiop", "127.0.0.1:0") as far,
        near.client() as here,
        far.client() as there,
    ):
        offering(here, 5.0)
        offering(there, 2.0)
        settings = {"max_hop_count": 1, "max_follow_policy": "always"}
        assert here.patch("/v1/trader/settings", json=settings).is_success
        host, port = far.corba
        target = f"corbaloc::{host}:{port}/TradingService"
        post(here, "links", name="far", target=target, limiting_rule="always")
        query = {"type": "Printer", "preference": "min cost", "policies": FOLLOW}
        found = post(here, "query", **query)
        assert found["notes"] == []
        assert [(one["properties"], one["link"]) for one in found["offers"]] == [
            ({"cost": 2.0}, "far"), ({"cost": 5.0}, ""),
        ]  # fmt: skip
        assert found["notes"] == []
        far.end(signal.SIGKILL)
        found = post(here, "query", **query)
        assert [one["properties"] for one in found["offers"]] == [{"cost": 5.0}]
        [note] = found["notes"]
        assert note.startswith("link far: ")
