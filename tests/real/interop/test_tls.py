"""TLS with omniORB's ssl transport, both ways, and what each says of a refusal."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import HOSTS, fingerprint, revoking, trusting, wanting
from tests.edges.orb.aio.scenes import warnings
from tests.edges.server.serving import serving, sources
from tests.real.interop import omni
from tests.real.interop.notifying import client, plain_url, scene
from tests.real.interop.objects import Impl, T
from tidings.channel.management import CreateChannel
from tidings.clock import utc_now
from tidings.engine.door import LocalDoor
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.names import new_origin
from tidings.orb.aio import Bidirectional, Options, Orb, Targets
from tidings.orb.aio.tls import certificate
from tidings.orb.corbaloc import make_corbaloc
from tidings.orb.exceptions import COMM_FAILURE, NO_PERMISSION
from tidings.orb.ior import to_ior
from tidings.server.dev_certificates import make_certificates


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("radar-7", "lost"), utc_now())
    return folder


class Knowing(Impl):
    """Says whose certificate came."""

    def get_name(self) -> str:
        self.said.append(certificate.get())
        return "cpp"


BIDIRECTIONAL = (
    *("-ORBofferBiDirectionalGIOP", "1", "-ORBacceptBiDirectionalGIOP", "1"),
    *("-ORBmaxServerThreadPerConnection", "100"),
    *("-ORBclientTransportRule", "* bidir,ssl", "-ORBserverTransportRule", "* bidir,ssl"),
)


async def test_a_client_on_omniorb_calls_us_with_tls_by_reference_and_by_address(
    programs: Path, certs: Path
) -> None:
    async with Orb(Options(server_tls=wanting(certs).context)) as orb:
        address = await orb.listen_tls()
        servant = Knowing(orb)
        reference = to_ior(orb.activate(servant, b"interop"))
        urls = (reference, make_corbaloc(*address, b"interop", tls=True))
        for where in urls:
            said = await omni.client(programs, *omni.tls(certs, "radar-7"), where)
            assert said[0] == "name cpp"
            assert said[-2:] == ["is_a 110", "non_existent 0"]
    assert servant.said.count(fingerprint(certs, "radar-7")) == 2


async def test_a_server_on_omniorb_is_called_with_tls(programs: Path, certs: Path) -> None:
    async with (
        omni.server(programs, *omni.tls(certs, "service"), local=omni.LOCAL_TLS) as server,
        Orb(Options(client_tls=trusting(certs, "radar-7"))) as orb,
    ):
        stub = orb.stub(T.I, server.reference)
        assert await stub.get_name() == "cpp"
        assert await stub.big(bytes(300_000)) == bytes(300_000)


async def test_a_client_on_omniorb_is_called_back_with_tls(programs: Path, certs: Path) -> None:
    tls = wanting(certs)
    async with Orb(Options(server_tls=tls.context, client_tls=tls.outgoing)) as orb:
        await orb.listen_tls()
        reference = to_ior(orb.activate(Impl(orb), b"interop"))
        said = await omni.client(
            programs, *omni.LOCAL_TLS, *omni.tls(certs, "service"), reference, "callback"
        )
        assert said == ["call_back heard 20", "21"]


async def test_a_client_on_omniorb_is_called_back_over_its_own_tls_connection(
    programs: Path, certs: Path
) -> None:
    options = Options(
        server_tls=wanting(certs).context,
        accept_bidirectional=Bidirectional.SAME_HOST,
        targets=Targets(()),  # so there is no other way
    )
    async with Orb(options) as orb:
        await orb.listen_tls()
        reference = to_ior(orb.activate(Impl(orb), b"interop"))
        said = await omni.client(
            programs, *omni.LOCAL_TLS, *omni.tls(certs, "radar-7"), *BIDIRECTIONAL,
            *(reference, "callback"),
        )  # fmt: skip
        assert said == ["call_back heard 20", "21"]


async def test_a_server_on_omniorb_calls_back_over_the_tls_connection_we_offer(
    programs: Path, certs: Path
) -> None:
    async with (
        omni.server(
            programs, *omni.tls(certs, "service"), *BIDIRECTIONAL, local=omni.LOCAL_TLS
        ) as server,
        Orb(Options(offer_bidirectional=True, client_tls=trusting(certs, "radar-7"))) as orb,
    ):
        servant = Impl(orb)
        own = orb.activate(servant, b"listener")
        result = await orb.stub(T.I, server.reference).call_back(own, 30)
        assert (result, servant.said) == (31, ["ow 30", "att 31"])


async def test_clients_on_omniorb_are_refused_with_the_reason(
    programs: Path, certs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "crl.pem").write_bytes(revoking(certs, "lost"))
    expired, foreign = tmp_path / "expired", tmp_path / "foreign"
    copied(certs, expired)
    make_certificates(expired, HOSTS, ("radar-7",), utc_now() - timedelta(days=100))
    make_certificates(foreign, HOSTS, ("eve",), utc_now())
    (foreign / "ca.pem").write_bytes((certs / "ca.pem").read_bytes())  # it trusts ours
    context = wanting(certs, revoked=tmp_path / "crl.pem").context
    ssl_only = ("-ORBclientTransportRule", "* ssl")
    async with Orb(Options(server_tls=context)) as orb:
        address, plain = await orb.listen_tls(), await orb.listen()
        orb.activate(Impl(orb), b"interop")
        secured = make_corbaloc(*address, b"interop", tls=True)
        for arguments, why in (
            ((*omni.tls(certs, "lost"), secured), "certificate revoked"),
            ((*omni.tls(expired, "radar-7"), secured), "certificate has expired"),
            ((*omni.tls(foreign, "eve"), secured), "has to be among the trusted ones"),
            ((make_corbaloc(*address, b"interop"),), "it speaks no TLS"),
            ((*omni.tls(certs, "radar-7"), *ssl_only, make_corbaloc(*plain, b"interop", tls=True)),
             "TLS came where it is not spoken"),
        ):  # fmt: skip
            caplog.clear()
            fault = await omni.failing(programs, *arguments)
            assert fault.split()[0] in ("TRANSIENT", "COMM_FAILURE")
            assert any(why in line for line in warnings(caplog)), (why, warnings(caplog))


def copied(certs: Path, folder: Path) -> None:
    """The authority, in a folder of its own."""
    folder.mkdir()
    for name in ("ca.pem", "ca.key"):
        (folder / name).write_bytes((certs / name).read_bytes())


@pytest.mark.parametrize(
    ("hosts", "client", "why"),
    [
        (("elsewhere.example",), "radar-7", "use a name that the certificate has"),
        (HOSTS, "", "requires a certificate|none of our ciphers"),
        (HOSTS, "eve", "does not know the authority"),
    ],
    ids=["host", "nothing shown", "foreign"],
)
async def test_a_server_on_omniorb_and_we_refuse_with_the_reason(
    programs: Path, certs: Path, tmp_path: Path, hosts: tuple[str, ...], client: str, why: str
) -> None:
    ours = tmp_path / "ours"
    copied(certs, ours)
    make_certificates(ours, hosts, ("radar-7",), utc_now())
    make_certificates(tmp_path, HOSTS, ("eve",), utc_now())
    shown = trusting(certs, client, of=tmp_path if client == "eve" else ours)
    async with (
        omni.server(programs, *omni.tls(ours, "service"), local=omni.LOCAL_TLS) as server,
        Orb(Options(client_tls=shown)) as orb,
    ):
        with pytest.raises(NO_PERMISSION, match=why):
            await refused(orb.stub(T.I, server.reference))


async def refused(stub: T.I) -> None:
    """Calls until the reason is heard.

    The server closes with our request unread, so that a reset may overtake its reason.
    """
    while True:
        with suppress(COMM_FAILURE):
            await stub.get_name()
            pytest.fail("it was let in")


def tls_alone(certs: Path) -> dict[str, Any]:
    """Settings of a service that speaks TLS alone, and asks for certificates."""
    return {
        "iiop__tls": True,
        "iiop__tls_port": 0,
        "iiop__tls_only": True,
        "tls__certificate": str(certs / "service.pem"),
        "tls__key": str(certs / "service.key"),
        "tls__client_ca": str(certs / "ca.pem"),
        "tls__client_certificates": "required",
    }


async def test_a_client_on_omniorb_publishes_and_consumes_over_tls(
    notify: Path, certs: Path
) -> None:
    """The consumer listens with TLS, and the service calls it there."""
    async with scene(notify, *omni.LOCAL_TLS, *omni.tls(certs, "service"), **tls_alone(certs)) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("push", "s", "a|b|1|||null:", "a|b|2|||null:")
        await s.hears(*(f"c-client push_structured_event a|b|{at}|||null:" for at in "12"))


async def test_a_client_on_omniorb_is_a_principal_by_its_certificate(
    notify: Path, certs: Path
) -> None:
    place = sources(
        store__memory=True, iiop__enabled=True, iiop__port=0, **tls_alone(certs)
    )  # fmt: skip
    async with (
        serving(place) as (service, _),
        client(notify, *omni.LOCAL_TLS, *omni.tls(certs, "radar-7")) as radar,
        client(notify, *omni.LOCAL_TLS, *omni.tls(certs, "lost")) as nobody,
    ):
        owner = LocalDoor(service.host)
        for command in (
            CreateChannel(new_origin(), name="roads"),
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.CreatePrincipal("radar-7"),
            g.CreateGrant("radar-7", (Verb.PUBLISH,), ("roads",)),
            g.AddCertificate("radar-7", (certs / "radar-7.pem").read_text()),
        ):
            await owner.ask(command)
        await owner.request(g.CreateToken("root"))
        roads = plain_url(service.corba_url, "roads")
        for one in (radar, nobody):
            await one.done("url", "channel", roads)
            await one.done("url", "factory", plain_url(service.corba_url, "NotificationService"))
            fault = await one.one("create_channel", "new", "factory", "", "")
            assert fault.startswith("! NO_PERMISSION")
        await radar.do("get", "suppliers", "channel", "default_supplier_admin")
        await radar.id("obtain", "s", "suppliers", "push", "structured")
        await radar.done("connect", "s", "s-client")
        await radar.done("push", "s", "a|b|1|||null:")
        owners = {one.owner for one in service.host.channels[2].proxies.values()}
        assert owners == {"radar-7"}
        fault = await nobody.one("get", "suppliers", "channel", "default_supplier_admin")
        assert fault.startswith("! OBJECT_NOT_EXIST")
