"""TLS: calls both ways over it, and refusals with their reason at both ends."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.certificates import HOSTS, fingerprint, revoking, tls_of, trusting, wanting
from tests.edges.orb.aio.scenes import pair, warnings
from tests.edges.orb.echo import Echo, EchoServant
from tests.patience import PATIENCE
from tests.promises.services import eventually
from tidings.clock import utc_now
from tidings.events.reference import Reference
from tidings.orb.aio import Address, Bidirectional, Options, Orb, Targets
from tidings.orb.aio.tls import certificate
from tidings.orb.corbaloc import make_corbaloc
from tidings.orb.exceptions import COMM_FAILURE, NO_PERMISSION, TRANSIENT
from tidings.orb.ior import Protection, profile_of
from tidings.server.dev_certificates import make_certificates


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("radar-7", "lost"), utc_now())
    return folder


class Noting(EchoServant):
    """Remembers the certificates of its callers."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    async def add(self, one: int, two: int) -> int:
        await asyncio.sleep(0)
        self.shown.append(certificate.get())
        return one + two


@asynccontextmanager
async def secured(
    server: ssl.SSLContext, *, plain: bool = False, **options: object
) -> AsyncIterator[tuple[Orb, Noting, Reference]]:
    """An ORB that listens with TLS, and perhaps without as well."""
    made = replace(Options(server_tls=server), **options)  # type: ignore[arg-type]
    async with Orb(made) as orb:
        await orb.listen_tls()
        if plain:
            await orb.listen()
        servant = Noting()
        yield orb, servant, orb.activate(servant, b"echo")


def url(reference: Reference, host: str = "127.0.0.1", *, tls: bool = True) -> str:
    profile = profile_of(reference)
    assert profile is not None
    assert profile.tls is not None
    return make_corbaloc(host, profile.tls.port, b"echo", tls=tls)


async def said(caller: Options, reference: Reference | str, text: str = "hello") -> str:
    async with Orb(caller) as orb, asyncio.timeout(PATIENCE):
        stub = orb.stub(Echo, reference)
        answer: str = await stub.echo(text)
        await stub.add(1, 2)
        return answer


async def test_calls_go_over_tls_and_the_servant_knows_the_certificate(certs: Path) -> None:
    async with secured(wanting(certs, "optional").context) as (_, servant, reference):
        for name in ("radar-7", ""):
            context = trusting(certs, name)
            for where in (reference, url(reference), url(reference, "localhost")):
                text = "x" * 300_000  # several records, both ways
                assert await said(Options(client_tls=context), where, text) == text
    assert servant.shown == [fingerprint(certs, "radar-7")] * 3 + [""] * 3


async def test_a_reference_says_what_is_spoken_where(certs: Path) -> None:
    async with secured(wanting(certs).context) as (_, _, reference):
        profile = profile_of(reference)
        assert profile is not None
        assert profile.port == 0
        assert profile.tls is not None
        assert profile.tls.requires == Protection(0x46)
    both = Options(advertise=Address("events.example", 0), advertise_tls_port=4711)
    async with secured(
        tls_of(certs).context, plain=True, advertise=both.advertise, advertise_tls_port=4711
    ) as (_, _, reference):
        profile = profile_of(reference)
        assert profile is not None
        assert profile.port
        assert (profile.host, profile.tls) == ("events.example", (0x27, 0x01, 4711))


async def test_whoever_has_authorities_prefers_tls_and_never_falls_back(certs: Path) -> None:
    async with secured(wanting(certs, "optional").context, plain=True) as (_, servant, reference):
        await said(Options(client_tls=trusting(certs, "radar-7")), reference)
        await said(Options(), reference)
        assert servant.shown == [fingerprint(certs, "radar-7"), ""]
        with pytest.raises(NO_PERMISSION, match="has to be among the trusted ones"):
            await said(Options(client_tls=ssl.create_default_context()), reference)


async def test_a_callback_comes_back_over_the_clients_connection(certs: Path) -> None:
    """By a client that listens nowhere; and the service may open no connection."""
    targets = Targets(())
    async with secured(tls_of(certs).context, targets=targets) as (server, _, reference):
        options = Options(client_tls=trusting(certs), offer_bidirectional=True)
        async with Orb(options) as client:
            own = client.activate(EchoServant(), b"own")
            assert await client.stub(Echo, reference).echo("out") == "out"
            assert await server.stub(Echo, own).echo("back") == "back"


async def test_a_call_that_needs_tls_does_not_go_over_a_plain_connection(certs: Path) -> None:
    """The client offers an address over a plain connection; at that address nobody speaks TLS."""
    options = Options(accept_bidirectional=Bidirectional.ALWAYS, client_tls=trusting(certs))
    async with pair(options, Options(offer_bidirectional=True)) as s:
        point = await s.client.listen()
        s.client.activate(EchoServant(), b"own")
        assert await s.stub.echo("out") == "out"
        urls = [make_corbaloc(*point, b"own", tls=tls) for tls in (False, True)]
        assert await s.server.stub(Echo, urls[0]).echo("back") == "back"
        with pytest.raises(NO_PERMISSION, match="does not speak TLS"):
            await s.server.stub(Echo, urls[1]).echo("back")


async def test_a_listening_client_is_called_with_tls_by_name(certs: Path) -> None:
    """As the service calls consumers; both ends show certificates."""
    tls = wanting(certs)
    calling = Options(client_tls=tls.outgoing)
    async with secured(tls.context) as (_, servant, reference):
        assert await said(calling, reference) == "hello"
    assert servant.shown == [fingerprint(certs, "service")]


async def _refused(
    server: ssl.SSLContext, client: ssl.SSLContext, ours: str, theirs: str,
    caplog: pytest.LogCaptureFixture, host: str = "127.0.0.1",
) -> None:  # fmt: skip
    """What the client and the server's log say about a connection that is refused."""
    caplog.clear()
    async with secured(server) as (_, _, reference):
        with pytest.raises(NO_PERMISSION, match=ours):
            await said(Options(client_tls=client), url(reference, host))
        await eventually(lambda: bool(warnings(caplog)))
    assert any(theirs in line for line in warnings(caplog)), warnings(caplog)


async def test_a_servers_certificate_is_refused_with_the_reason(
    certs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now, client = utc_now(), trusting(certs)
    ours = tmp_path / "ours"
    ours.mkdir()
    for name in ("ca.pem", "ca.key"):
        (ours / name).write_bytes((certs / name).read_bytes())
    make_certificates(ours, ("elsewhere.example",), (), now)
    await _refused(tls_of(ours).context, client, "IP address mismatch, certificate is not valid "
                   "for '127.0.0.1'", "does not accept our certificate", caplog)  # fmt: skip
    make_certificates(ours, HOSTS, (), now - timedelta(days=100))
    expired = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    expired.load_cert_chain(ours / "service.pem", ours / "service.key")
    await _refused(expired, client, "certificate has expired", "our certificate has expired",
                   caplog)  # fmt: skip
    make_certificates(tmp_path / "other", HOSTS, (), now)
    foreign = tls_of(tmp_path / "other").context
    await _refused(foreign, client, "has to be among the trusted ones",
                   "does not know the authority", caplog)  # fmt: skip
    itself = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    itself.load_cert_chain(certs / "ca.pem", certs / "ca.key")
    await _refused(itself, ssl.create_default_context(), "self-signed certificate",
                   "does not know the authority", caplog)  # fmt: skip


async def test_a_clients_certificate_is_refused_with_the_reason(
    certs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "crl.pem").write_bytes(revoking(certs, "lost"))
    make_certificates(tmp_path, HOSTS, ("eve",), utc_now())
    server = wanting(certs, revoked=tmp_path / "crl.pem").context
    for client, ours, theirs in (
        (trusting(certs), "it requires a certificate of ours", "it showed no certificate"),
        (trusting(certs, "lost"), "our certificate is revoked", "certificate revoked"),
        (trusting(certs, "eve", tmp_path), "does not know the authority", "unable to get local"),
    ):
        await _refused(server, client, ours, theirs, caplog)
    old = ssl.create_default_context(cafile=certs / "ca.pem")
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    await _refused(wanting(certs, minimum="1.3").context, old, "other versions of it",
                   "versions of TLS that are too old", caplog)  # fmt: skip


async def test_plain_and_tls_on_the_wrong_port_are_named_at_both_ends(
    certs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with secured(tls_of(certs).context, plain=True) as (_, _, reference):
        with pytest.raises(COMM_FAILURE, match="TLS came where it is not spoken"):
            await said(Options(), url(reference, tls=False))
        assert any("it speaks no TLS, and this port nothing else" in w for w in warnings(caplog))
        profile = profile_of(reference)
        assert profile is not None
        wrong = make_corbaloc("127.0.0.1", profile.port, b"echo", tls=True)
        with pytest.raises(NO_PERMISSION, match="it does not speak TLS at this port"):
            await said(Options(client_tls=trusting(certs)), wrong)
        assert any("TLS came where it is not spoken" in line for line in warnings(caplog))


async def test_whoever_does_not_end_its_handshake_is_ended(
    certs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also if it sends an octet now and then; it counts as unauthenticated from the start."""
    async with secured(tls_of(certs).context, message_seconds=0.5) as (orb, _, reference):
        profile = profile_of(reference)
        assert profile is not None
        assert profile.tls is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", profile.tls.port)
        writer.write(b"\x16\x03\x01\x02\x00")
        await eventually(lambda: orb.admission.unauthenticated == orb.connections == 1)

        async def drip() -> None:
            while True:
                writer.write(b"\x01")
                await asyncio.sleep(0.01)

        dripping = asyncio.create_task(drip())
        async with asyncio.timeout(PATIENCE):
            assert await reader.read() == b""
        dripping.cancel()
        writer.close()
        assert "it connected and said nothing" in warnings(caplog)[-1]


async def test_connections_of_a_certificate_are_cut(certs: Path) -> None:
    async with (
        secured(wanting(certs, "optional").context) as (orb, _, reference),
        Orb(Options(client_tls=trusting(certs, "radar-7"))) as radar,
        Orb(Options(client_tls=trusting(certs))) as other,
    ):
        for one in (radar, other):
            await one.stub(Echo, reference).echo("here")
        orb.cut(fingerprint(certs, "radar-7"), "its credential was revoked")
        await eventually(lambda: not radar.connections)
        assert other.connections == 1
        assert orb.connections == 1


async def test_a_server_that_is_gone_is_not_called_in_plain(certs: Path) -> None:
    async with secured(tls_of(certs).context) as (_, _, reference):
        pass
    with pytest.raises(TRANSIENT):
        await said(Options(client_tls=trusting(certs)), reference)
