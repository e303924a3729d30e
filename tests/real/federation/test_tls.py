"""Adapters and brokers that show each other certificates."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import HOSTS
from tests.real.federation.rigs import Rig, mqtt, nats
from tests.real.federation.test_adapters import SPEED, Ear, connected, made, mark
from tidings.clock import utc_now
from tidings.gateways.adapters.base import AdapterError, Outgoing
from tidings.server.dev_certificates import make_certificates


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("gateway",), utc_now())
    return folder


def broker(kind: str, certs: Path) -> Rig:
    if kind == "mqtt":
        mosquitto = mqtt.Rig()
        mosquitto.options += (
            f"cafile {certs}/ca.pem\ncertfile {certs}/service.pem\nkeyfile {certs}/service.key\n"
            "require_certificate true\n"
        )
        return mosquitto
    server = nats.Rig()
    server.options = (
        f'tls {{ ca_file: "{certs}/ca.pem", cert_file: "{certs}/service.pem", '
        f'key_file: "{certs}/service.key", verify: true }}'
    )
    return server


# paho leaves a socket to the garbage collector when the broker's certificate is wrong.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("kind", ["mqtt", "nats"])
async def test_certificates_are_shown_and_asked_for(kind: str, certs: Path) -> None:
    rig = broker(kind, certs)
    rig.start()
    try:
        plain = rig.parameters()
        trusting = {**plain, "ca_file": str(certs / "ca.pem")}
        known: dict[str, Any] = {
            **trusting,
            "cert_file": str(certs / "gateway.pem"),
            "key_file": str(certs / "gateway.key"),
        }
        for parameters in (plain, {**plain, "tls": True}, trusting):
            with pytest.raises(AdapterError):
                await made(kind, parameters).connect(Ear())
            gc.collect()
        async with (
            connected(kind, known, SPEED) as (_, ear),
            connected(kind, known, adapter="b") as (writer, _),
        ):
            await writer.publish([Outgoing(rig.sample(1), mark(1))])
            await ear.named("CAR0001")
    finally:
        rig.stop()
