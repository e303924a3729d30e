"""Client certificates as credentials, over HTTPS and over IIOP with TLS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from tests.certificates import HOSTS, fingerprint, trusting
from tests.edges.cli.running import tidings as run
from tests.edges.server.serving import TOKEN, serving, sources
from tests.patience import PATIENCE
from tests.promises.services import eventually
from tidings import event
from tidings.channel import management as m
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.clock import utc_now
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannelFactory
from tidings.engine.door import LocalDoor
from tidings.errors import Forbidden, NotFound, TidingsError, Unauthenticated
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.names import new_origin
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import NO_PERMISSION
from tidings.server.dev_certificates import make_certificates
from tidings.server.lifecycle import Service


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certs")
    make_certificates(folder, HOSTS, ("radar-7", "unknown"), utc_now())
    return folder


ROADS, VAULTS = 2, 3  # behind the default channel


class Scene(NamedTuple):
    service: Service
    owner: LocalDoor
    credential: int
    certs: Path

    async def client(self, name: str = "radar-7", *, corba: bool) -> Client:
        url = self.service.corba_url.replace("/NameService", "/NotificationService")
        context = trusting(self.certs, name)
        return await connect(url if corba else self.service.url, tls=context)


@asynccontextmanager
async def scene(certs: Path, kind: str = "optional") -> AsyncIterator[Scene]:
    """A service with an administrator, two channels, and a radar that may use one of them."""
    place = sources(
        store__memory=True,
        http__tls=True,
        iiop__enabled=True,
        iiop__port=0,
        iiop__tls=True,
        iiop__tls_port=0,
        iiop__tls_only=True,
        tls__certificate=str(certs / "service.pem"),
        tls__key=str(certs / "service.key"),
        tls__client_ca=str(certs / "ca.pem"),
        tls__client_certificates=kind,
    )
    async with serving(place) as (service, _):
        owner = LocalDoor(service.host)
        for command in (
            m.CreateChannel(new_origin(), name="roads"),
            m.CreateChannel(new_origin(), name="vaults"),
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.CreatePrincipal("radar-7"),
            g.CreateGrant("radar-7", (Verb.PUBLISH, Verb.SUBSCRIBE, Verb.INSPECT), ("roads",)),
        ):
            await owner.ask(command)
        await owner.request(g.CreateToken("root"))
        pem = (certs / "radar-7.pem").read_text()
        credential: int = await owner.ask(g.AddCertificate("radar-7", pem))
        yield Scene(service, owner, credential, certs)


@pytest.mark.parametrize("corba", [False, True], ids=["https", "iiop"])
async def test_a_principal_is_recognised_by_its_certificate(corba: bool, certs: Path) -> None:
    async with scene(certs) as s, await s.client(corba=corba) as client:
        assert [info.id for info in await client.channels()] == [ROADS]
        async with await client.subscribe(ROADS) as events:
            await client.publish(ROADS, event("Traffic", "Speed", "car-7"))
            delivery = await events.next(PATIENCE)
            assert delivery is not None
            assert delivery.event.name == "car-7"
            owners = {one.owner for one in s.service.host.channels[ROADS].proxies.values()}
            assert "radar-7" in owners
            assert owners <= {"radar-7", ""}
        with pytest.raises(NotFound):
            await client.publish(VAULTS, event("Bank", "Vault", "open"))
        with pytest.raises(Forbidden):
            await client.create_channel()


@pytest.mark.parametrize("name", ["", "unknown"])
@pytest.mark.parametrize("corba", [False, True], ids=["https", "iiop"])
async def test_other_certificates_are_nobodys(corba: bool, name: str, certs: Path) -> None:
    async with scene(certs) as s:
        with pytest.raises(TidingsError) as refused:
            async with await s.client(name, corba=corba) as client:
                await client.publish(ROADS, event("Traffic", "Speed", "car-7"))
        if not corba:
            assert isinstance(refused.value, Unauthenticated)
            assert fingerprint(certs, name) in str(refused.value) if name else True


@pytest.mark.parametrize("corba", [False, True], ids=["https", "iiop"])
async def test_a_revoked_certificate_ends_what_it_opened(corba: bool, certs: Path) -> None:
    async with scene(certs) as s, await s.client(corba=corba) as client:
        events = await client.subscribe(ROADS)
        await client.publish(ROADS, event("Traffic", "Speed", "car-7"))
        assert await events.next(PATIENCE) is not None
        proxy = s.service.host.channels[ROADS].proxies[1]
        assert proxy.attached
        await s.owner.ask(g.RevokeCredential(s.credential))
        await eventually(lambda: not proxy.attached)
        with pytest.raises(TidingsError):
            await client.publish(ROADS, event("Traffic", "Speed", "car-8"))
        assert not await s.owner.request(g.SeeCredentials("radar-7"))


async def test_a_revoked_certificate_cuts_its_corba_connections(certs: Path) -> None:
    async with scene(certs) as s:
        url = s.service.corba_url.replace("/NameService", "/NotificationService")
        options = [Options(client_tls=trusting(certs, name)) for name in ("radar-7", "unknown")]
        async with Orb(options[0]) as radar, Orb(options[1]) as other:
            stub = radar.stub(EventChannelFactory, url)
            assert len(await stub.get_all_channels()) == 1
            with pytest.raises(NO_PERMISSION):
                await other.stub(EventChannelFactory, url).get_all_channels()
            await s.owner.ask(g.RevokeCredential(s.credential))
            await eventually(lambda: not radar.connections)
            assert other.connections
            with pytest.raises(NO_PERMISSION):
                await stub.get_all_channels()


async def test_a_page_elsewhere_cannot_use_the_browsers_certificate(certs: Path) -> None:
    async with (
        scene(certs) as s,
        httpx2.AsyncClient(base_url=s.service.url, verify=trusting(certs, "radar-7")) as client,
    ):
        assert (await client.get("/v1/channels")).status_code == 200
        foreign = {"Origin": "https://evil.example"}
        assert (await client.get("/v1/channels", headers=foreign)).status_code == 403


async def test_a_token_goes_before_the_certificate(certs: Path) -> None:
    async with scene(certs) as s:
        await s.owner.ask(g.CreatePrincipal("ann"))
        made = await s.owner.request(g.CreateToken("ann"))
        context = trusting(certs, "radar-7")
        async with await connect(s.service.url, token=made.token, tls=context) as client:
            assert not await client.channels()
        with pytest.raises(Unauthenticated):
            await connect(s.service.url, token=TOKEN, tls=context)


async def test_a_login_shows_the_certificate_that_the_service_requires(
    certs: Path, tmp_path: Path
) -> None:
    async with scene(certs, "required") as made:
        password = "correct horse battery"
        await made.owner.request(g.SetPassword("radar-7", password))
        pair = ("--cert", str(certs / "unknown.pem"), "--key", str(certs / "unknown.key"))
        where = ("--url", made.service.url, "--ca", str(certs / "ca.pem"), *pair)
        file = str(tmp_path / "token")
        words = ("login", "radar-7", *where, "--into", file, "--password-stdin")
        result = await asyncio.to_thread(run, *words, given=f"{password}\n")
        assert "logged in as radar-7" in result.stdout, result.stderr
        out = await asyncio.to_thread(run, "logout", *where, "--token-file", file)
        assert "logged out" in out.stdout, out.stderr
