"""The in-process protocol: what a client's transport uses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar
from weakref import WeakSet

from tidings.changes.interfaces import CompareInterfaces, LoadInterfaces
from tidings.channel.catalogue import CATALOGUE
from tidings.channel.commands import Command, Push
from tidings.channel.fate import Fate
from tidings.channel.functions import checked_function
from tidings.channel.management import (
    Connect,
    Detach,
    Disconnect,
)
from tidings.channel.questions import (
    CheckConstraint,
    CountDeadLetters,
    CountMatching,
    DropDeadLetter,
    DropDeadLetters,
    ExplainConstraint,
    RedriveDeadLetter,
    RedriveDeadLetters,
    SeeChannel,
    SeeDeadLetters,
    SeeFate,
    SeeProperties,
)
from tidings.channel.settings import FilterPart
from tidings.channel.views import DeadLetterInfo
from tidings.channel.vocabulary import Place, Side
from tidings.cores import Question
from tidings.engine import parties
from tidings.engine.access import OWNER, Caller, Object
from tidings.engine.authority import authorise
from tidings.engine.beside import compiled
from tidings.engine.credentials import create_reference, create_token, myself, set_password
from tidings.engine.dead_letters import no_letter
from tidings.engine.endpoints import (
    BufferEndpoint,
    Endpoint,
    EventBatch,
    HandlerEndpoint,
    SupplierEndpoint,
    TypesChanged,
)
from tidings.engine.history import HistoryPage
from tidings.engine.host import Host
from tidings.engine.interfaces import compare, load_interfaces
from tidings.engine.job_runner import JobRunner
from tidings.engine.live import delete_objects, see_objects
from tidings.engine.trading import find_offers
from tidings.engine.turns import Turns
from tidings.engine.viewing import Viewing
from tidings.engine.workbench import (
    check_constraint,
    count_matching,
    explain_constraint,
    see_properties,
)
from tidings.errors import Disconnected, NotFound, Stopping, TidingsError, WrongState
from tidings.events.fields import fields_for, fields_of
from tidings.filters.constraint import Constraint, constraint
from tidings.grants.model import Verb
from tidings.grants.requests import (
    CreateGrant,
    CreateReference,
    CreateToken,
    Myself,
    SeeMyself,
    SetPassword,
)
from tidings.jobs import JobInfo, JobResult, JobState, SeeJob, SeeJobResult, StartJob
from tidings.live.requests import DeleteObjects, SeeLiveObjects
from tidings.trader.requests import QueryOffers

_F = TypeVar("_F")

_OWNED: Final = frozenset(row.request for row in CATALOGUE if "owner" in row.hidden)
"""What belongs to whoever has it made."""

_CLOSED: Final = "the client is closed: make another one"
# Dead letters scanned at once.
_PAGE: Final = 100
# Where dead letters begin.
_FIRST: Final = 0


class LocalDoor:
    """A host as one principal in this process may use it; closing an owning door stops the host.

    What the principal creates belongs to it: only it and the service's owner may use it.

    Attributes:
        operation: What looks are for, as the audit trail calls it; empty if for themselves.
    """

    def __init__(self, host: Host, principal: Caller = OWNER, *, owned: bool = False) -> None:
        self._host = host
        self._principal = principal
        self._owned = owned
        self._closed = False
        self._closing = asyncio.Lock()
        self._views = Viewing(host, principal, self._note_look)
        self.operation = ""
        self._letters: dict[type, Callable[[Any], Awaitable[Any]]] = {
            SeeFate: self._fate,
            SeeDeadLetters: self._see_letters,
            CountDeadLetters: self._count_letters,
            RedriveDeadLetter: lambda x: self.redrive(x.id),
            RedriveDeadLetters: lambda x: self._with_letters(x, self.redrive),
            DropDeadLetter: lambda x: self.drop_dead_letter(x.id),
            DropDeadLetters: lambda x: self._with_letters(x, self.drop_dead_letter),
            CreateToken: partial(create_token, host, principal),
            CreateReference: partial(create_reference, host, principal),
            SetPassword: partial(set_password, host, principal),
            SeeMyself: self._see_myself,
            CheckConstraint: partial(check_constraint, host, principal),
            ExplainConstraint: partial(explain_constraint, host, principal),
            CountMatching: partial(count_matching, host, principal),
            SeeProperties: partial(see_properties, host, principal),
            SeeJobResult: self._see_job_result,
            QueryOffers: lambda x: find_offers(host.ask(x, self.caller), host.ask, host.others),
            LoadInterfaces: partial(load_interfaces, host, principal),
            CompareInterfaces: partial(compare, host, principal),
            SeeLiveObjects: partial(see_objects, host, principal),
            DeleteObjects: partial(delete_objects, host, principal),
            **{kind: self._as_caller(act) for kind, act in parties.ACTS.items()},
        }
        # The host lets go of the endpoint of a proxy that ends, and so does this set.
        self._endpoints: WeakSet[Endpoint] = WeakSet()

    def _as_caller(self, act: Callable[..., Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        return lambda asked: act(self._host, self.caller, asked)

    @property
    def principal(self) -> Caller:
        """Who uses the host through this door."""
        return self._principal

    @property
    def caller(self) -> Caller:
        """Return who calls now, with the door and address as far as they are known."""
        return self._principal

    def _note_look(self, question: Question[Any], error: TidingsError) -> None:
        self._host.operations.note_refused(question, self.caller, error, self.operation)

    @property
    def views(self) -> Viewing:
        """Return the host's views, or raise Stopping if the door is closed."""
        self._check_open()
        return self._views

    def ask(self, command: Command, source: Hashable | None = None) -> asyncio.Future[Any]:
        """Run a command, or raise Stopping if closed; for `source` see `Mailbox.post`."""
        principal = self.caller
        if self._closed:
            self._check_open()
        if command.__class__ in _OWNED and not principal.owns_service:
            command = replace(command, owner=principal.name)  # type: ignore[type-var]
        if isinstance(command, CreateGrant):
            command = replace(command, created_by=principal.name)
        if isinstance(command, StartJob):
            command = replace(command, by=principal.name)  # type: ignore[type-var]
        answer = self._host.ask(command, principal, source)
        if command.__class__ is not Push:
            self._host.operations.watch(command, principal, answer)
        return answer

    def check(self, command: Command) -> None:
        """Raise Forbidden or NotFound if the principal may not run a command; do not run it."""
        self._check_open()
        try:
            authorise(self._host, command, self._principal)
        except TidingsError as error:
            self._host.operations.note_refused(command, self.caller, error)
            raise

    def require(self, operation: str, verb: Verb, target: Object, owner: str = "") -> None:
        """Raise Forbidden or NotFound if the principal may not do what has no command."""
        try:
            self._host.access.require(self._principal, verb, target, owner)
        except TidingsError as error:
            channel = self._host.operations.channel_of(target)
            about = "" if target is None else str(target)
            self._host.operations.refuse(self.caller, operation, error, about, channel)
            raise

    def tell(self, command: Command) -> None:
        """Run a command and ignore its result."""
        with suppress(Stopping):
            self.ask(command).add_done_callback(_heard)

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping(_CLOSED)

    async def request(self, question: Question[_F]) -> _F:
        """Answer a question."""
        self._check_open()
        operations = self._host.operations
        channel = operations.channel_of(question)
        note = partial(operations.note, question, self.caller, channel)
        act = self._letters.get(type(question))
        if act is None and self._host.cores.routes(type(question)):
            act = partial(self._host.ask, principal=self.caller)
        try:
            found: Any = self._views.answer(question) if act is None else await act(question)
        except BaseException as error:
            note(error)
            raise
        note(None)
        answer: _F = found
        return answer

    async def connect(self, connect: Connect, endpoint: Endpoint) -> None:
        """Connect a client to a proxy."""
        self._check_open()
        await self._host.connect(connect, endpoint, self.caller)
        self._endpoints.add(endpoint)

    async def release(self, channel: int, proxy: int, endpoint: Endpoint, *, end: bool) -> None:
        """Disconnect a client from its proxy, and end the proxy if `end`.

        A proxy that stays, and that another client has taken over, is left alone.
        """
        current = self._host.endpoint(channel, proxy) is endpoint
        if current:  # sends its acknowledgements before the disconnect
            endpoint.close(Disconnected("the connection was closed by its own client"))
        if end:
            await self.ask(Disconnect(channel, proxy))
        elif current:
            await self.ask(Detach(channel, proxy))

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> EventBatch:
        """Pull events."""
        self._check_open()
        return await self._host.pull(channel, proxy, most, wait, lease, self.caller)

    async def history(
        self,
        channel: int,
        after: int | None = None,
        since: int | None = None,
        most: int = 100,
        constraint: Constraint | None = None,
    ) -> HistoryPage:
        """Return past events, as `History.page`; only for principals that may subscribe there."""
        self._check_open()
        principal = self._principal
        self.require("history", Verb.SUBSCRIBE, Place(channel))
        fence = () if principal.is_owner else self._host.access.fence(principal.name, channel)
        return await self._host.history.page(
            channel, after=after, since=since, most=most, constraint=constraint, fence=fence or ()
        )

    async def _fate(self, asked: SeeFate) -> Fate:
        """Return what became of an event; it names all consumers, and fences hold."""
        access, principal = self._host.access, self._principal
        access.require(principal, Verb.INSPECT, Place(asked.channel))
        fence = () if principal.is_owner else access.fence(principal.name, asked.channel)
        return await self._host.fates.of(
            self._host.factory.channel(asked.channel), asked, fence or ()
        )

    # Kinds of clients.

    @staticmethod
    def buffer(on_offers: TypesChanged | None) -> BufferEndpoint:
        """Return a consumer that takes events when it likes."""
        return BufferEndpoint(checked_function(on_offers))

    @staticmethod
    def handler(function: Callable[..., object]) -> HandlerEndpoint:
        """Return a consumer whose function is called with the events."""
        return HandlerEndpoint(checked_function(function))

    @staticmethod
    def supplier(
        on_wanted: TypesChanged | None, source: Callable[[int], Any] | None
    ) -> SupplierEndpoint:
        """Return a supplier; one with a source is polled for events."""
        return SupplierEndpoint(checked_function(on_wanted), checked_function(source))

    # Access.

    async def _see_myself(self, asked: SeeMyself) -> Myself:
        return myself(self._host, self._principal)

    # Jobs: whoever may administer may see all of them.

    async def _see_job_result(self, asked: SeeJobResult) -> JobResult:
        job = await self._host.ask(SeeJob(asked.job), self.caller)
        return await self._runner_of(job).result(asked.job)

    async def job_page(self, id: int) -> bytes:
        """Return the HTML page of a job that is done."""
        return await self._runner_of(await self.request(SeeJob(id))).page(id)

    def _runner_of(self, job: JobInfo) -> JobRunner:
        if job.state is not JobState.DONE or self._host.jobs is None:
            raise WrongState(f"job {job.id} has no result: it is {job.state.value}")
        return self._host.jobs

    # Dead letters: a principal that may use a consumer's proxy may see its dead letters.

    async def _see_letters(self, asked: SeeDeadLetters) -> list[DeadLetterInfo]:
        wanted = await self._wanted(asked.matching)
        after: int | None = asked.after
        found: list[DeadLetterInfo] = []
        while after is not None and len(found) < asked.most:
            page, after = await self._page_of(asked, wanted, after)
            found += page
        return found[: asked.most]

    async def _count_letters(self, asked: CountDeadLetters) -> int:
        wanted, count = await self._wanted(asked.matching), 0
        after: int | None = _FIRST
        while after is not None:
            page, after = await self._page_of(asked, wanted, after)
            count += len(page)
        return count

    async def _with_letters(
        self, asked: RedriveDeadLetters | DropDeadLetters, act: Callable[[int], Awaitable[None]]
    ) -> int:
        """Do something with each dead letter that is selected; return with how many it was done."""
        wanted, done = await self._wanted(asked.matching), 0
        after: int | None = _FIRST
        if asked.channel is not None:
            found: Any = self._views.answer(SeeChannel(asked.channel))
            asked = replace(asked, channel=found.id)
        while after is not None:
            page, after = await self._page_of(asked, wanted, after)
            for letter in page:
                if done >= asked.most:
                    return done
                with suppress(NotFound, WrongState):
                    await act(letter.id)
                    done += 1
        return done

    async def _wanted(self, text: str) -> Constraint | None:
        """Return the constraint that letters are selected by; None for all."""
        if not text.strip():
            return None
        self._host.settings.limits.check_filter([FilterPart(text, 0)])
        return await compiled(len(text), lambda: constraint(text))

    async def _page_of(
        self,
        asked: Any,  # noqa: ANN401 -- one of four
        wanted: Constraint | None,
        after: int,
    ) -> tuple[list[DeadLetterInfo], int | None]:
        """Return letters of one page that are selected and that the principal may see.

        And the last id of the page; None if there are no more.
        """
        self._check_open()
        turns = Turns()
        found: list[DeadLetterInfo] = []
        page = await self._host.dead_letters.list(asked.channel, asked.proxy, after, _PAGE)
        for letter in page:
            await turns.give()
            fields = fields_of(letter.event, letter.arrival)
            if self._may_use(letter) and (wanted is None or wanted.matches(fields)):
                found.append(letter)
        return found, page[-1].id if len(page) == _PAGE else None

    async def redrive(self, id: int) -> None:
        """Redeliver a dead letter of the principal's, or raise NotFound or Forbidden."""
        letter = await self._check_dead(id)
        if letter is not None:  # nothing is redelivered for a consumer that is gone
            self._host.factory.channel(letter.channel).proxy(letter.proxy)
        await self._host.dead_letters.redrive(id)

    async def drop_dead_letter(self, id: int) -> None:
        """Drop a dead letter of the principal's, or raise NotFound or Forbidden."""
        await self._check_dead(id)
        await self._host.dead_letters.drop(id)

    async def _check_dead(self, id: int) -> DeadLetterInfo | None:
        self._check_open()
        found = await self._host.dead_letters.list(None, None, id - 1, 1)
        if not found or found[0].id != id:
            return None
        place, owner = self._place(found[0])
        self._host.access.require(self._principal, Verb.USE, place, owner)
        if not self._may_see(found[0], owner):
            raise no_letter(id)
        return found[0]

    def _may_use(self, letter: DeadLetterInfo) -> bool:
        place, owner = self._place(letter)
        if not self._host.access.may(self._principal, Verb.USE, place, owner):
            return False
        return self._may_see(letter, owner)

    def _may_see(self, letter: DeadLetterInfo, owner: str) -> bool:
        """Return whether the event is one that the principal may see, by its grants of today."""
        principal = self._principal
        if principal.is_owner or owner != principal.name:  # whoever may use others' proxies may
            return True
        fence = self._host.access.fence(principal.name, letter.channel)
        fields = fields_for(letter.event, letter.arrival)
        return not fence or any(one.matches(fields) for one in fence)

    def _place(self, letter: DeadLetterInfo) -> tuple[Place, str]:
        place = Place(letter.channel, Side.CONSUMER, proxy=letter.proxy)
        try:
            return place, self._host.factory.channel(letter.channel).proxy(letter.proxy).owner
        except NotFound:
            return place, ""

    async def close(self) -> None:
        """Disconnect everything connected here, and stop the host if the door owns it.

        Named objects stay. Handlers of a stopped host may finish their current event.
        """
        async with self._closing:  # a second close waits for the first
            if self._closed:
                return
            for (channel, proxy), endpoint in self._host.endpoints().items():
                waits = self._owned and isinstance(endpoint, HandlerEndpoint)
                if endpoint in self._endpoints and not waits:
                    with suppress(NotFound, Stopping):
                        named = self._host.factory.channel(channel).proxy(proxy).name
                        await self.release(channel, proxy, endpoint, end=not named)
            self._closed = True
            if self._owned:
                await self._host.close()


def _heard(future: asyncio.Future[Any]) -> None:
    """Retrieve an error that no caller waits for, so that asyncio does not report it."""
    if not future.cancelled():
        future.exception()
