"""CORBA with TLS: one service, its settings, and our client of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.certificates import HOSTS, trusting
from tests.edges.server.serving import serving, sources
from tidings.client.connecting import connect
from tidings.clock import utc_now
from tidings.errors import InvalidUsage, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.server.dev_certificates import make_certificates
from tidings.server.layers import Sources


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("radar-7",), utc_now())
    return folder


def secured(certs: Path, **more: Any) -> Sources:
    given = {
        "iiop__port": 0,
        "iiop__tls_port": 0,
        "tls__certificate": str(certs / "service.pem"),
        "tls__key": str(certs / "service.key"),
        **more,
    }
    return sources(store__memory=True, iiop__enabled=True, iiop__tls=True, **given)


def factory(url: str) -> str:
    return url.replace("/NameService", "/NotificationService")


async def test_our_client_publishes_and_consumes_over_tls_alone(certs: Path) -> None:
    """Events come back over the connection that the client has opened."""
    place = secured(
        certs,
        iiop__tls_only=True,
        iiop__callback_networks=(),
        tls__client_ca=str(certs / "ca.pem"),
        tls__client_certificates="required",
    )
    async with serving(place) as (service, _):
        assert service.corba_url.startswith("corbaloc:ssliop:1.2@127.0.0.1:")
        url = factory(service.corba_url)
        async with await connect(url, tls=trusting(certs, "radar-7")) as client:
            channel = await client.create_channel()
            async with await client.subscribe(channel) as events:
                await client.publish(channel, StructuredEvent("Traffic", "Speed", "car-7"))
                assert (await anext(events)).event.name == "car-7"
        with pytest.raises(Unreachable, match="it requires a certificate of ours"):
            await connect(url, tls=trusting(certs))
        with pytest.raises(Unreachable, match="has to be among the trusted ones"):
            await connect(url)
        with pytest.raises(InvalidUsage, match="leave listen out"):
            await connect(url, tls=trusting(certs, "radar-7"), listen="127.0.0.1:0")


async def test_both_are_told_and_tls_is_not_given_up(
    certs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(secured(certs)) as (service, _):
        told = capsys.readouterr().err
        assert "for CORBA at corbaloc:iiop:1.2@127.0.0.1:" in told
        assert "for CORBA at corbaloc:ssliop:1.2@127.0.0.1:" in told
        with pytest.raises(InvalidUsage, match="leads to a service without TLS"):
            await connect(factory(service.corba_url), tls=trusting(certs))
        async with await connect(factory(service.corba_url)) as client:
            await client.create_channel()


async def test_a_renewed_certificate_is_used_after_a_reload(tmp_path: Path) -> None:
    make_certificates(tmp_path, HOSTS, (), utc_now())
    async with serving(secured(tmp_path, iiop__tls_only=True)) as (service, _):
        (tmp_path / "ca.pem").unlink()
        make_certificates(tmp_path, HOSTS, (), utc_now())
        url = factory(service.corba_url)
        with pytest.raises(Unreachable, match="certificate"):
            await connect(url, tls=trusting(tmp_path))
        assert await service.reloader.reload()
        async with await connect(url, tls=trusting(tmp_path)) as client:
            await client.create_channel()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"iiop__tls": True}, "iiop.tls needs a certificate: set tls.certificate and tls.key"),
        ({"iiop__tls_only": True}, "iiop.tls_only is true, and iiop.tls is not"),
        ({"iiop__advertise_tls_port": 1}, "needs iiop.tls and iiop.advertise_host"),
        (
            {"iiop__tls": True, "iiop__tls_only": True, "iiop__alternates": ("a",)},
            "iiop.alternates are about calls without TLS",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        sources(store__memory=True, iiop__enabled=True, **given).load()


async def test_a_port_that_is_taken_is_named_with_its_setting(certs: Path) -> None:
    async with serving(secured(certs, iiop__tls_only=True)) as (service, _):
        port = int(service.corba_url.partition("127.0.0.1:")[2].partition("/")[0])
        with pytest.raises(InvalidUsage, match=r"iiop.tls_port; port 0"):
            async with serving(secured(certs, iiop__tls_port=port)):
                pass
