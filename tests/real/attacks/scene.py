"""A whole service with what is Eve's in it, and the table of those who attack it.

A new kind of credential or reference is a new line of `OUTSIDERS`, a new right of `INSIDERS`; a new
operation or route is attacked without one.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.edges.engine.hosts import until
from tests.edges.server.serving import TOKEN, serving, sources
from tests.edges.web.served import Wire
from tests.patience import PATIENCE
from tidings import event
from tidings.changes import interfaces as n
from tidings.changes import requests as s
from tidings.channel import commands as c
from tidings.channel import effects as e
from tidings.channel import management as m
from tidings.channel.questions import SeeDeadLetters
from tidings.channel.views import DeadLetterInfo
from tidings.channel.vocabulary import Side, Style
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint
from tidings.engine.host import Host
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import constraint
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.names import new_origin
from tidings.server.lifecycle import Service
from tidings.trader import requests as t

MARK: Final = "eves-secret"
"""Stands in everything of Eve's that others must not see."""

NEWS: Final = "news-of-the-roads"
"""Stands in Eve's events on the roads, which subscribers there may see."""

_PERSISTENT: Final = {"EventReliability": 1, "ConnectionReliability": 1}
_EVERYTHING: Final = (Verb.PUBLISH, Verb.SUBSCRIBE, Verb.MANAGE, Verb.USE, Verb.INSPECT)


@dataclass
class Scene:
    """A service on which grants decide, and what belongs to Eve there.

    Attributes:
        roads: The channel that Eve shares with others.
        hall: The channel of which only she knows.
        consumer: Her consumer's proxy on the roads; events wait for it.
        supplier: Her supplier's proxy there.
        filter: Her filter.
        letter: Her dead letter.
    """

    service: Service
    roads: int = 0
    hall: int = 0
    consumer: int = 0
    supplier: int = 0
    filter: int = 0
    letter: int = 0

    @property
    def host(self) -> Host:
        return self.service.host

    @property
    def owner(self) -> LocalDoor:
        return LocalDoor(self.host)

    def door(self, principal: str) -> LocalDoor:
        """The service as a principal has it in the service's own process."""
        return LocalDoor(self.host, Caller(principal))

    async def principal(self, name: str, *verbs: Verb, channels: Iterable[str] = ("roads",)) -> str:
        """A new principal; its token."""
        await self.owner.ask(g.CreatePrincipal(name))
        if verbs:
            await self.owner.ask(g.CreateGrant(name, verbs, tuple(channels)))
        return (await self.owner.request(g.CreateToken(name))).token

    @asynccontextmanager
    async def http(self, token: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
        """Somebody who asks over HTTP."""
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        base: Any = {"base_url": self.service.url, "timeout": PATIENCE, "headers": headers}
        async with httpx2.AsyncClient(**base) as client:
            yield client

    def socket(self, token: str | None, path: str = "/v1/ws", **given: Any) -> connect:
        """A WebSocket of somebody, still to be opened."""
        offered = [] if not token else [Subprotocol(f"tidings.token.{token}")]
        more = {"max_size": None, "compression": None, "ping_interval": None, **given}
        url = self.service.url.replace("http", "ws", 1) + path
        return connect(url, subprotocols=[Subprotocol("tidings.v1"), *offered], **more)

    @asynccontextmanager
    async def wire(
        self, token: str | None, path: str = "/v1/ws", **given: Any
    ) -> AsyncIterator[Wire]:
        """A WebSocket of somebody who speaks in frames."""
        connection: ClientConnection
        async with self.socket(token, path, **given) as connection:
            yield Wire(connection)

    def eves(self) -> list[str]:
        """All that is Eve's, and who may do what, as the service would write it down."""
        kept = (repr(one) for one in self.host.cores.snapshot() if one[0] != "audit")
        return sorted(text for text in kept if MARK in text or "'eve'" in text)


@asynccontextmanager
async def under_attack(folder: Path, **settings: Any) -> AsyncIterator[Scene]:
    """A service that a token opens for its owner, and grants for everybody else."""
    place = sources(http__token=TOKEN, store__dir=folder, iiop__port=0, **settings)
    async with serving(place) as (service, _):
        scene = Scene(service)
        await _fill(scene)
        yield scene


async def _fill(scene: Scene) -> None:
    owner, eve = scene.owner, scene.door("eve")
    await scene.principal("root", Verb.ADMINISTER, channels=())
    await scene.principal("eve", *_EVERYTHING, channels=("roads", MARK))
    for name in ("roads", MARK, "malls"):
        await owner.ask(m.CreateChannel(new_origin(), _PERSISTENT, name=name))
    scene.roads, scene.hall = (owner.views.channel(name).id for name in ("roads", MARK))
    wanted = (constraint(f"exist $secret or $a == '{MARK}'"),)
    for channel in (scene.hall, scene.roads):
        scene.consumer = await eve.ask(
            m.ObtainProxy(
                channel, Side.CONSUMER, Style.PULL, name=f"{MARK}-billing", constraints=wanted
            )
        )
        scene.supplier = await eve.ask(
            m.ObtainProxy(channel, Side.SUPPLIER, Style.PUSH, name=f"{MARK}-till")
        )
        await eve.connect(m.Connect(channel, scene.consumer), Endpoint())
        await eve.connect(m.Connect(channel, scene.supplier), Endpoint())
        for number in (1, 2):
            word = NEWS if channel == scene.roads else MARK
            marks = [ProducerMark(word, number)]
            told = event("Secret", word, word, {"secret": word, "number": number})
            await eve.ask(c.Push(channel, scene.supplier, [told], marks))
        batch = await eve.pull(channel, scene.consumer, 1, 0, 600_000_000)
        await eve.ask(c.Reject(channel, scene.consumer, [batch.messages[0].seq], MARK))
        kind = e.NoticeKind.SLOW_CONSUMER
        scene.host.notice(e.Notice(kind, channel, scene.consumer, f"{MARK} is slow"))
    scene.filter = (await eve.ask(m.CreateFilter((constraint(f"$a == '{MARK}'"),)))).id
    await owner.ask(t.AddServiceType("Printer"))
    await owner.request(n.LoadInterfaces("eve.idl", "interface Eve {};"))
    await eve.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9:2809/printer", {"cost": 1}))
    await owner.request(s.RegisterSubscriber(MARK))
    await owner.ask(s.CreateProxySubscriber(MARK, s.ProxyType.PULL_XML))
    await owner.ask(s.AddSubscriberFilter(MARK, s.FilterContent(references=(f"corbaloc:{MARK}",))))
    await owner.request(s.RegisterEvolver(MARK))
    letters: list[DeadLetterInfo] = []
    async with asyncio.timeout(PATIENCE):
        while not letters:
            letters = list(await eve.request(SeeDeadLetters(scene.roads)))
    scene.letter = letters[0].id


Attacker = Callable[[Scene], Awaitable[str | None]]
"""Makes what the attack needs; the token that is shown, None for none."""


async def _eves_token(scene: Scene) -> g.NewToken:
    return await scene.owner.request(g.CreateToken("eve"))


def _spoilt(spoil: Callable[[str], str]) -> Attacker:
    async def made(scene: Scene) -> str:
        return spoil((await _eves_token(scene)).token)

    return made


async def _revoked(scene: Scene) -> str:
    made = await _eves_token(scene)
    await scene.owner.ask(g.RevokeCredential(made.credential))
    return made.token


async def _expired(scene: Scene) -> str:
    end = scene.host.clock.now() + 200_000
    made = await scene.owner.request(g.CreateToken("eve", expires_at=end))
    grants = scene.host.access.grants
    await until(lambda: grants.credential(made.credential, scene.host.clock.now()) is None)
    return made.token


async def _of_another_credential(scene: Scene) -> str:
    other = await scene.principal("mallory", *_EVERYTHING, channels=("malls",))
    eves = await _eves_token(scene)
    return f"tdg_{eves.credential}_{other.split('_', 2)[2]}"


async def _disabled(scene: Scene) -> str:
    token = await scene.principal("mallory", *_EVERYTHING)
    await scene.owner.ask(g.ChangePrincipal("mallory", disabled=True))
    return token


async def _deleted(scene: Scene) -> str:
    token = await scene.principal("mallory", *_EVERYTHING)
    await scene.owner.ask(g.DeletePrincipal("mallory"))
    return token


async def _deleted_and_made_again(scene: Scene) -> str:
    token = await _deleted(scene)
    await scene.principal("mallory", *_EVERYTHING)
    return token


async def _nobody(scene: Scene) -> None:
    return None


def _flipped(token: str, at: int = -1) -> str:
    return token[:at] + ("A" if token[at] != "A" else "B") + token[at:][1:]


def _secret_at(token: str) -> int:
    """Where the secret of a token begins, which may have underscores of its own."""
    return token.index("_", len("tdg_")) + 1


OUTSIDERS: Final[dict[str, Attacker]] = {
    "without a token": _nobody,
    "with a token that is cut": _spoilt(lambda token: token[:-1]),
    "with a token that is longer": _spoilt(lambda token: token + "A"),
    "with a token twice": _spoilt(lambda token: token + token),
    "with another last character": _spoilt(_flipped),
    "with another first character": _spoilt(lambda token: _flipped(token, _secret_at(token))),
    "with letters of the other case": _spoilt(str.swapcase),
    "with the secret alone": _spoilt(lambda token: token.split("_", 2)[2]),
    "with the number alone": _spoilt(lambda token: token[: _secret_at(token)]),
    "with a number that leads nowhere": _spoilt(lambda t: "tdg_9999999999_" + t.split("_", 2)[2]),
    "with a NUL in the token": _spoilt(lambda token: token[:-1] + "%00"),
    "with the token encoded": _spoilt(lambda t: base64.b64encode(t.encode()).decode().rstrip("=")),
    "with a revoked token": _revoked,
    "with an expired token": _expired,
    "with the secret of another": _of_another_credential,
    "who is disabled": _disabled,
    "who is deleted": _deleted,
    "who is deleted, and whose name is used again": _deleted_and_made_again,
    "who guesses the owner's": _spoilt(lambda _: TOKEN[:-1] + "_"),
}
"""Who has no credential that counts."""


class Insider(NamedTuple):
    """What a principal that is not Eve is granted."""

    verbs: tuple[Verb, ...]
    channels: tuple[str, ...] = ("roads",)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What it must not see."""
        reads = Verb.SUBSCRIBE in self.verbs and "roads" in self.channels
        return (MARK,) if reads else (MARK, NEWS)


INSIDERS: Final[dict[str, Insider]] = {
    "who is granted nothing": Insider(()),
    "who publishes there": Insider((Verb.PUBLISH,)),
    "who subscribes there": Insider((Verb.SUBSCRIBE,)),
    "who publishes and subscribes there": Insider((Verb.PUBLISH, Verb.SUBSCRIBE)),
    "who does everything elsewhere": Insider(_EVERYTHING, ("malls", "road", "roads-*", "Roads")),
}
"""Who may do something, but see nothing that is Eve's."""
