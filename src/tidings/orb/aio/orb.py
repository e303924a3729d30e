"""The ORB: serves objects here and calls objects elsewhere."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from tidings.admission import Admission
from tidings.events.reference import Reference
from tidings.orb.aio.calling import Calling
from tidings.orb.aio.links import Links, points_of
from tidings.orb.aio.options import Address, Options
from tidings.orb.aio.repeated import Done, RepeatedCall, WriteOctets, octets_of
from tidings.orb.aio.targets import caller, plain_address
from tidings.orb.corbaloc import Corbaname, InitialReference, ObjectUrl, parse_object_url
from tidings.orb.exceptions import BAD_INV_ORDER, BAD_PARAM, NO_IMPLEMENT, OBJECT_NOT_EXIST, OMG
from tidings.orb.ior import (
    Component,
    Protection,
    TlsPort,
    make_reference,
    our_components,
    tls_component,
)
from tidings.orb.poa import Found, ObjectAdapter
from tidings.orb.pseudo import IS_A, NON_EXISTENT
from tidings.orb.stubs import Interface, Operation, Servant, Stub

AnyStub = TypeVar("AnyStub", bound=Stub)


class Orb:
    """An object request broker.

    Use it as an asynchronous context manager, or call `close` yourself.

    Attributes:
        find: Finds the object of a key that was not activated: the servant, the reference of where
            it is now, or None.
        find_near: The same for callers on this machine, asked after `find`: for objects whose key
            is not a secret.
        initial_references: What `corbaloc:rir:/Name` stands for.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        find: Callable[[bytes], Found] | None = None,
        find_near: Callable[[bytes], Found] | None = None,
        names: Callable[[Orb, Corbaname], Awaitable[Reference]] | None = None,
    ) -> None:
        self.options = options or Options()
        self.initial_references: dict[str, Reference] = {}
        self._active: dict[bytes, Servant] = {}
        self.find = find
        self.find_near = find_near
        self._names = names
        limits = replace(self.options.limits, elements=self.options.max_elements)
        near = ObjectAdapter(self._find_servant_near, limits)
        self._links = Links(self.options, ObjectAdapter(self._find_servant, limits), near)
        self._calling = Calling(self._links.pool, self.options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def take_no_more(self) -> None:
        """Refuse connections and requests from now on: TRANSIENT. Calls can still be made."""
        self._links.take_no_more()

    async def close(self) -> None:
        """Accept nothing more, let requests in progress finish, and end all connections."""
        await self._links.close()

    @property
    def connections(self) -> int:
        """How many connections are open, accepted and our own."""
        return self._links.count

    @property
    def admission(self) -> Admission:
        """Which of the accepted connections stay open."""
        return self._links.admission

    # ------------------------------------------------------------ objects here

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> Address:
        """Accept connections; an empty host means all interfaces, port 0 a free port."""
        return await self._links.listen(host, port)

    async def listen_tls(self, host: str = "127.0.0.1", port: int = 0) -> Address:
        """Accept connections with TLS, which `Options.server_tls` protects."""
        context = self.options.server_tls
        if context is None:
            raise BAD_INV_ORDER(why="TLS needs a certificate: set Options.server_tls")
        return await self._links.listen(host, port, context)

    def cut(self, fingerprint: str, why: str) -> None:
        """End the connections whose peer has shown a certificate (`aio.tls.certificate`)."""
        self._links.cut(fingerprint, why)

    def activate(self, servant: Servant, key: bytes) -> Reference:
        """Make a servant callable under an object key that is not in use."""
        if key in self._active:
            raise BAD_PARAM(why=f"the object key {key!r} is in use")
        self._active[key] = servant
        return self.reference(key, servant.INTERFACE)

    def deactivate(self, key: bytes) -> None:
        """Remove an object, unless `find` knows it."""
        self._active.pop(key, None)

    def reference(self, key: bytes, interface: Interface | str) -> Reference:
        """The reference of an object of this ORB, activated or not; the ORB must listen."""
        points = self._links.points()
        if not points:
            why = "the ORB listens nowhere yet; call listen() first, or set Options.advertise"
            raise BAD_INV_ORDER(why=why)
        type_id = interface if isinstance(interface, str) else interface.id
        (host, port), *alternates = points
        components = (*our_components(), *self._tls_component(plain=bool(port)))
        minor = self.options.minor
        return make_reference(type_id, host, port, key, components, alternates, minor)

    def _tls_component(self, *, plain: bool) -> tuple[Component, ...]:
        """What references tell about TLS; `plain` if calls without it are taken as well."""
        context = self.options.server_tls
        if not self._links.tls_port or context is None:
            return ()
        supports = requires = Protection.INTEGRITY | Protection.CONFIDENTIALITY
        supports |= Protection.SERVER_CERTIFICATE
        if context.verify_mode is not ssl.CERT_NONE:
            supports |= Protection.CLIENT_CERTIFICATE
        if context.verify_mode is ssl.CERT_REQUIRED:
            requires |= Protection.CLIENT_CERTIFICATE
        if plain:
            supports, requires = supports | Protection.NOTHING, Protection.NOTHING
        return (tls_component(TlsPort(supports, requires, self._links.tls_port)),)

    def _find_servant(self, key: bytes) -> Found:
        servant = self._active.get(key)
        if servant is None and self.find is not None:
            return self.find(key)
        return servant

    def _find_servant_near(self, key: bytes) -> Found:
        found = self._find_servant(key)
        if found is None and self.find_near is not None:
            return self.find_near(key)
        return found

    # ------------------------------------------------------------ objects elsewhere

    def stub(
        self, cls: type[AnyStub], reference: Reference | str, timeout: float | None = None
    ) -> AnyStub:
        """An object to call, by its reference or a URL without lookup (`IOR:…`, `corbaloc:…`)."""
        if isinstance(reference, str):
            parsed = self._locate(parse_object_url(reference))
            if isinstance(parsed, Corbaname):
                why = f"{reference!r} is to be looked up: await orb.resolve(…) first"
                raise BAD_PARAM(OMG | 10, why=why)
            reference = parsed
        return cls(self, reference, timeout)

    def _locate(self, url: ObjectUrl) -> Reference | Corbaname:
        """Replace initial references, which this ORB knows."""
        if isinstance(url, InitialReference):
            found = self.initial_references.get(url.name)
            if found is None:
                known = ", ".join(sorted(self.initial_references)) or "none"
                why = f"this ORB has no initial reference {url.name!r}; it has {known}"
                raise BAD_PARAM(OMG | 10, why=why)
            return found
        if isinstance(url, Corbaname) and isinstance(url.context, InitialReference):
            context = self._locate(url.context)
            assert isinstance(context, Reference)
            return url._replace(context=context)
        return url

    async def resolve(self, url: str) -> Reference:
        """The reference of a URL: `IOR:…`, `corbaloc:…` or `corbaname:…`."""
        parsed = self._locate(parse_object_url(url))
        if isinstance(parsed, Reference):
            return parsed
        if self._names is None:
            raise NO_IMPLEMENT(why=f"{url!r}: this ORB was given nothing to look up names with")
        return await self._names(self, parsed)

    async def call(
        self,
        reference: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        timeout: float | None = None,  # noqa: ASYNC109 - of all attempts together
        *,
        retried: bool = False,
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Call an operation of an object, with its in and inout arguments; return its result.

        `timeout` is in seconds, for all attempts together; None for that of the options. `retried`
        says that a passing failure (TRANSIENT, COMM_FAILURE with completion NO) has already
        happened, so that the next one is raised.

        Raises:
            UserException: The object raised it, and the operation declares it.
            SystemException: Everything else that went wrong.
        """
        return await self._calling.call(reference, operation, arguments, timeout, retried=retried)

    def repeated(
        self,
        reference: Reference,
        operation: Operation,
        done: Done,
        *,
        seconds: float | None = None,
        octets: WriteOctets | None = None,
    ) -> RepeatedCall:
        """Prepare an operation that is called many times, without tasks; far cheaper than `call`.

        `done` is called when a call ends; `octets` encodes the arguments, instead of the operation.
        A oneway cannot be repeated.
        """
        if operation.oneway:
            raise BAD_PARAM(why=f"{operation.name!r} is a oneway: it cannot be told how it ends")
        return RepeatedCall(
            self._calling,
            reference,
            operation,
            octets or octets_of(operation),
            self.options.call_seconds if seconds is None else seconds,
            self.options.limits,
            done,
        )

    def tell_losses(self, told: Callable[[], None]) -> None:
        """Call a function when a connection that was opened from here is lost.

        The reason does not matter, nor whether it was idle; but not while the ORB is closing. Calls
        that wait for answers from there fail afterwards.
        """
        self._links.on_loss = told

    async def admit(self, reference: Reference) -> None:
        """Check that this ORB may connect to a reference that a peer has given."""
        await self._links.pool.admit(reference, caller.get())

    def trust(self, reference: Reference, given_by: str) -> None:
        """Allow to connect to a reference that was checked before a restart."""
        targets = self.options.targets
        for point in points_of(reference, self.options):
            plain = plain_address(given_by or point.host)
            if targets is not None and plain:
                targets.grant(plain, point.port)

    async def is_a(self, reference: Reference, id: str) -> bool:
        """Whether the object has the interface with this repository id."""
        return reference.type_id == id or bool(await self.call(reference, IS_A, (id,)))

    async def non_existent(self, reference: Reference) -> bool:
        """Whether the object is gone, as it or its server says."""
        try:
            return bool(await self.call(reference, NON_EXISTENT, ()))
        except OBJECT_NOT_EXIST:
            return True
