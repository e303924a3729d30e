"""TLS: who is let in, what a broken certificate is called, and how a renewed one comes into use."""

from __future__ import annotations

import ssl
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.certificates import HOSTS, revoking, trusting
from tests.edges.server.serving import serving, sources
from tidings.client.connecting import connect
from tidings.clock import utc_now
from tidings.errors import InvalidUsage, StoreError, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.server.dev_certificates import make_certificates
from tidings.server.layers import Sources
from tidings.server.settings import TlsSection
from tidings.server.tls import Tls


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("radar-7", "lost"), utc_now())
    return folder


def secured(certs: Path, **more: Any) -> Sources:
    return sources(
        store__memory=True,
        http__tls=True,
        tls__certificate=str(certs / "service.pem"),
        tls__key=str(certs / "service.key"),
        **more,
    )


async def answered(url: str, context: ssl.SSLContext) -> int:
    async with httpx2.AsyncClient(base_url=url, verify=context) as client:
        return (await client.get("/health/live")).status_code


async def test_requests_and_sockets_go_through_tls_and_nothing_goes_in_plain(certs: Path) -> None:
    async with serving(secured(certs)) as (service, _):
        assert service.url.startswith("https://")
        async with await connect(service.url, tls=trusting(certs)) as client:
            await client.create_channel("roads")
            async with await client.subscribe("roads") as events:
                await client.publish("roads", StructuredEvent("Traffic", "Speed", "car-7"))
                assert (await anext(events)).event.name == "car-7"
        async with httpx2.AsyncClient() as plain:
            with pytest.raises(httpx2.TransportError):
                await plain.get(service.url.replace("https", "http") + "/health/live")
        with pytest.raises(Unreachable, match=r"certificate of .* is not trusted: .*--ca FILE"):
            await connect(service.url)


async def test_old_versions_of_tls_are_refused(certs: Path) -> None:
    old = trusting(certs)
    old.minimum_version = ssl.TLSVersion.TLSv1_2
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    async with serving(secured(certs, tls__minimum="1.3")) as (service, _):
        assert await answered(service.url, trusting(certs)) == 200
        with pytest.raises(httpx2.ConnectError):
            await answered(service.url, old)


async def test_clients_show_a_certificate_that_is_neither_foreign_nor_revoked(
    certs: Path, tmp_path: Path
) -> None:
    make_certificates(tmp_path / "other", HOSTS, ("eve",), utc_now())
    foreign = trusting(certs)
    foreign.load_cert_chain(tmp_path / "other/eve.pem", tmp_path / "other/eve.key")
    (tmp_path / "crl.pem").write_bytes(revoking(certs, "lost"))
    place = secured(
        certs,
        tls__client_ca=str(certs / "ca.pem"),
        tls__client_certificates="required",
        tls__revoked=str(tmp_path / "crl.pem"),
    )
    async with serving(place) as (service, _):
        assert await answered(service.url, trusting(certs, "radar-7")) == 200
        for context in (trusting(certs), trusting(certs, "lost"), foreign):
            with pytest.raises(httpx2.TransportError):
                await answered(service.url, context)


async def test_a_renewed_certificate_is_used_after_a_reload_and_a_broken_one_is_not(
    tmp_path: Path,
) -> None:
    make_certificates(tmp_path, HOSTS, (), utc_now())
    async with serving(secured(tmp_path)) as (service, _):
        (tmp_path / "ca.pem").rename(tmp_path / "old.pem")
        make_certificates(tmp_path, HOSTS, (), utc_now())
        (tmp_path / "service.pem").rename(tmp_path / "kept.pem")
        (tmp_path / "service.pem").write_text("broken")
        assert not await service.reloader.reload()
        assert await answered(service.url, _only(tmp_path / "old.pem")) == 200
        (tmp_path / "kept.pem").rename(tmp_path / "service.pem")
        assert await service.reloader.reload()
        assert await answered(service.url, trusting(tmp_path)) == 200
        with pytest.raises(httpx2.ConnectError):
            await answered(service.url, _only(tmp_path / "old.pem"))


def _only(authority: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority)


def tls_of(certs: Path, **changed: Path | None) -> TlsSection:
    given: dict[str, Path | None] = {
        "certificate": certs / "service.pem",
        "key": certs / "service.key",
    }
    return TlsSection(**{**given, **changed})  # type: ignore[arg-type]


def test_a_certificate_that_cannot_be_used_is_named_with_the_reason(
    certs: Path, tmp_path: Path
) -> None:
    now = utc_now()
    (tmp_path / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\nbroken\n")
    for changed, at, words in (
        ({"key": certs / "ca.key"}, now, "ca.key is not the key of the certificate in"),
        ({"certificate": tmp_path / "none.pem"}, now, "tls.certificate: .*cannot be read"),
        ({"certificate": tmp_path / "broken.pem"}, now, "broken.pem cannot be used: it is not PEM"),
        ({"client_ca": tmp_path / "broken.pem"}, now, "tls.client_ca: .*broken.pem"),
        ({}, now + timedelta(days=91), "expired on .* renew it"),
        ({}, now - timedelta(days=1), "which is to come: is the clock right"),
    ):
        with pytest.raises(InvalidUsage, match=words):
            Tls(tls_of(certs, **changed), at)


def test_what_should_be_known_is_warned_of(certs: Path, tmp_path: Path) -> None:
    open_key = tmp_path / "open.key"
    open_key.write_bytes((certs / "service.key").read_bytes())
    open_key.chmod(0o644)
    assert Tls(tls_of(certs), utc_now()).warnings == []
    told = Tls(tls_of(certs, key=open_key), utc_now() + timedelta(days=80)).warnings
    assert len(told) == 2
    assert "expires on" in told[0]
    assert "chmod 600" in told[1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"http__tls": True}, "http.tls needs a certificate: set tls.certificate and tls.key"),
        ({"tls__key": "a"}, "tls.certificate and tls.key go together"),
        ({"tls__client_certificates": "required"}, "set tls.client_ca as well"),
        ({"tls__revoked": "a"}, "set tls.client_ca as well"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        sources(store__memory=True, **given).load()


def test_files_of_development_certificates_are_for_their_owner_only(
    certs: Path, tmp_path: Path
) -> None:
    assert all(not path.stat().st_mode & 0o077 for path in certs.glob("*.key"))
    for client in ("ca", "a/b", "7"):
        with pytest.raises(InvalidUsage):
            make_certificates(tmp_path, HOSTS, (client,), utc_now())
    with pytest.raises(InvalidUsage, match="not a host name or address"):
        make_certificates(tmp_path, ("ü",), (), utc_now())
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        make_certificates(tmp_path / "file", HOSTS, (), utc_now())
