"""Old clients at new servants: generated code of two versions, and calls between them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from random import Random
from types import ModuleType
from typing import Any

from tests.laws.idl_texts import compile_text
from tidings.events.anyvalue import UnionValue, conform, same
from tidings.events.reference import Reference
from tidings.events.typecode import INTEGER_RANGES, Kind, TypeCode
from tidings.idl import model as m
from tidings.idl.canonical import closure
from tidings.idl.compile import load_idl
from tidings.idl.typecodes import TypeCodes
from tidings.orb.aio import Orb
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import CodeSets
from tidings.orb.exceptions import SystemException, UserException
from tidings.orb.pseudo import IS_A, NON_EXISTENT

UTF = CodeSets(0x05010001, 0x00010109)
ROUNDS = 3


class Version:
    """One version of an IDL text: its model, its generated code, and values of its types."""

    def __init__(self, text: str) -> None:
        self.model = compile_text(text)
        self.code: ModuleType = load_idl(text)
        self.interfaces = {
            one.scoped: one for one in self.model.definitions if isinstance(one, m.InterfaceDef)
        }
        self._codes = TypeCodes()

    def made(self, interface: m.InterfaceDef, suffix: str = "") -> Any:
        """What is generated for an interface."""
        found = vars(self.code)
        path = (*interface.scopes, interface.name)
        names = ["_".join(path[at:]) + suffix for at in range(len(path))]
        return next(found[name] for name in names if name in found)

    def operations(self, interface: m.InterfaceDef) -> dict[str, m.OperationDef]:
        """All operations, also inherited ones and halves of attributes."""
        return {it.name: it for one in (*interface.ancestors, interface) for it in one.operations}

    def value(self, type_: m.Type | m.NamedDef, rng: Random) -> Any:
        """A value of a type, as the ORB gives it."""
        code = self._codes.of(type_)
        return conform(code, sample(code, rng, {}))


def interfaces_in(type_: m.Type) -> set[str]:
    """The names of the interfaces in a type."""
    while isinstance(type_, m.SequenceOf | m.ArrayOf):
        type_ = type_.element
    named = closure(type_) if isinstance(type_, m.NamedDef) else set()
    return {one.scoped for one in named if isinstance(one, m.InterfaceDef)}


def used_as(user: m.Type, provider: m.Type, anything: str) -> set[tuple[str, str]]:
    """As what objects are used that come as another type; `anything` may come as any object."""
    user, provider = m.unaliased(user), m.unaliased(provider)
    if isinstance(user, m.InterfaceDef):
        came = provider.scoped if isinstance(provider, m.InterfaceDef) else anything
        return {(user.scoped, came)}
    return {(name, name) for name in interfaces_in(user) & interfaces_in(provider)}


def sample(type_: TypeCode, rng: Random, around: dict[str, TypeCode], room: int = 4) -> Any:
    """A value, often one at the limits of its type."""
    type_ = type_.unaliased
    kind = type_.kind
    if kind is Kind.RECURSIVE:
        type_ = around[type_.id]
        kind = type_.kind
    if kind in INTEGER_RANGES:
        low, high = INTEGER_RANGES[kind]
        return rng.choice([low, high, 1, 2, rng.randint(low, high)])
    if kind in (Kind.STRING, Kind.WSTRING):
        return (
            "äb€xyz12"[: rng.choice([type_.bound or 8, 1])]
            if kind is Kind.WSTRING
            else ("abcdefgh"[: rng.choice([type_.bound or 8, 1])])
        )
    if kind is Kind.FIXED:
        most = 10**type_.digits - 1
        return Decimal(rng.choice([most, -1, rng.randint(0, most)])).scaleb(-type_.scale)
    if kind is Kind.ENUM:
        return rng.choice([type_.labels[-1], rng.choice(type_.labels)])
    if kind in (Kind.STRUCT, Kind.EXCEPT):
        inside = around | {type_.id: type_}
        return tuple(sample(one.type, rng, inside, room - 1) for one in type_.members)
    if kind is Kind.UNION:
        return _sample_union(type_, rng, around, room)
    if kind in (Kind.SEQUENCE, Kind.ARRAY):
        assert type_.content is not None
        most = type_.bound if kind is Kind.ARRAY else rng.choice([0, 2, min(type_.bound or 4, 6)])
        count = most if room > 0 or kind is Kind.ARRAY else 0
        return [sample(type_.content, rng, around, room - 1) for _ in range(count)]
    return _LEAVES[kind](rng)


_LEAVES: Any = {
    Kind.BOOLEAN: lambda rng: rng.random() < 0.5,
    Kind.CHAR: lambda rng: rng.choice("aZ"),
    Kind.WCHAR: lambda rng: rng.choice("a€"),
    Kind.FLOAT: lambda rng: rng.choice([0.5, -2.0]),
    Kind.DOUBLE: lambda rng: rng.choice([0.1, -2e300]),
    Kind.ANY: lambda rng: rng.choice([1, "text"]),
    Kind.OBJREF: lambda rng: Reference("IDL:x/Y:1.0", [(rng.randint(5, 9), b"profile")]),
}


def _sample_union(type_: TypeCode, rng: Random, around: dict[str, TypeCode], room: int) -> Any:
    assert type_.discriminator is not None
    labels = [one.label for one in type_.members if one.label is not None]
    labels.append(sample(type_.discriminator, rng, {}))
    label = rng.choice([labels[-1], rng.choice(labels)])
    branch = type_.branch_index(label)
    if branch < 0:
        return UnionValue(label, None)
    inside = around | {type_.id: type_}
    return UnionValue(label, sample(type_.members[branch].type, rng, inside, room - 1))


# Calls.


@contextmanager
def two_orbs() -> Iterator[Calls]:
    """A client's ORB and a server's, joined over the loopback."""
    with asyncio.Runner() as runner:
        server, client = Orb(), Orb()
        runner.run(server.listen("127.0.0.1", 0))
        try:
            yield Calls(runner, server, client)
        finally:
            runner.run(client.close())
            runner.run(server.close())


class Calls:
    """Calls every operation that a client knows, and tells what went wrong."""

    def __init__(self, runner: asyncio.Runner, server: Orb, client: Orb) -> None:
        self._runner = runner
        self._server = server
        self._client = client
        self._made = 0

    def troubles(
        self, client: Version, server: Version, user: str, provider: str, seed: int
    ) -> list[str]:
        """What a client of one version meets at an object of another, by the interfaces' names."""
        old, new = client.interfaces.get(user), server.interfaces.get(provider)
        if old is None or new is None:
            return ["the interface is gone"]
        return self._runner.run(self._all(client, old, server, new, Random(seed)))

    def of_client(self, before: Version, after: Version, name: str, seed: int) -> list[str]:
        """What an old client meets: at the object, at those it gets, and the object at its own."""
        found = self.troubles(before, after, name, name, seed)
        old, new = before.interfaces.get(name), after.interfaces.get(name)
        if old is None or new is None:
            return found
        ours, theirs = set[tuple[str, str]](), set[tuple[str, str]]()
        there = after.operations(new)
        for operation in before.operations(old).values():
            other = there.get(operation.name)
            if other is None:
                continue
            for (_, one), (_, two) in zip(operation.returned, other.returned, strict=False):
                ours |= used_as(one, two, name)
            for given, taken in zip(operation.given, other.given, strict=False):
                theirs |= used_as(taken.type, given.type, name)
        for user, provider in ours - {(name, name)}:
            found += self.troubles(before, after, user, provider, seed)
        for user, provider in theirs - {(name, name)}:
            found += self.troubles(after, before, user, provider, seed)
        return found

    async def _all(
        self,
        client: Version,
        old: m.InterfaceDef,
        server: Version,
        new: m.InterfaceDef,
        rng: Random,
    ) -> list[str]:
        self._made += 1
        key = b"object %d" % self._made
        servant = _Servant(server.made(new, "Servant"))
        reference = self._server.activate(servant.made, key)
        found = [
            f"the object is no {id}"
            for id in client.made(old, "_INTERFACE").ids
            if not await self._client.call(reference, IS_A, (id,))
        ]
        stub = self._client.stub(client.made(old), reference)
        there = server.operations(new)
        for name, operation in client.operations(old).items():
            for _ in range(ROUNDS):
                one = _Call(client, old, operation, server, new, there.get(name), rng)
                found += await one.troubles(stub, servant, self._client, reference)
        self._server.deactivate(key)
        return found


class _Servant:
    """A servant that keeps its arguments, and answers what it is told."""

    def __init__(self, base: Any) -> None:
        self.arguments: tuple[Any, ...] | None = None
        self.answer: Any = None

        def method(_self: Any, *arguments: Any) -> Any:
            self.arguments = arguments
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        methods = {it.method: method for it in base.INTERFACE.operations.values()}
        self.made = type("Made", (base,), methods)()


class _Call:
    """One call, with its arguments and its answer."""

    def __init__(
        self,
        client: Version,
        old: m.InterfaceDef,
        operation: m.OperationDef,
        server: Version,
        new: m.InterfaceDef,
        there: m.OperationDef | None,
        rng: Random,
    ) -> None:
        self.name = operation.name
        self.operation = operation
        self.there = there
        self.asks = client.made(old, "_INTERFACE").operations[self.name]
        self.serves = server.made(new, "_INTERFACE").operations.get(self.name)
        self.arguments = tuple(client.value(it.type, rng) for it in operation.given)
        self.answers: list[Any] = []
        if there is not None:
            values = [server.value(type_, rng) for _, type_ in there.returned]
            self.answers.append(
                None if not values else values[0] if len(values) == 1 else tuple(values)
            )
            for one in there.raises:
                raised = server.made(one)  # type: ignore[arg-type]  # by its name alone
                self.answers.append(raised(*server.value(one, rng)))

    async def troubles(
        self, stub: Any, servant: _Servant, orb: Orb, reference: Reference
    ) -> list[str]:
        if self.there is None:
            self.answers.append(None)
        found: list[str] = []
        for answer in self.answers:
            servant.arguments, servant.answer = None, answer
            try:
                heard = await stub._call(self.name, *self.arguments)
                raised = None
            except (SystemException, UserException) as error:
                heard, raised = None, error
            if self.operation.oneway:
                await orb.call(reference, NON_EXISTENT, ())  # it has come before
            found += self._compared(servant, answer, heard, raised)
        return [*found, *self._left_over()]

    def _compared(
        self, servant: _Servant, answer: Any, heard: Any, raised: Exception | None
    ) -> Iterator[str]:
        if servant.arguments is None:
            yield f"{self.name}: not called: {raised!r}"
        elif not self._understood(servant.arguments):
            yield f"{self.name}: said {self.arguments}, understood {servant.arguments}"
        elif self.operation.oneway:
            return
        elif isinstance(answer, UserException):
            if not _is_same_exception(answer, raised):
                yield f"{self.name}: raised {answer!r}, heard {raised!r}"
        elif raised is not None:
            yield f"{self.name}: {raised!r}"
        elif not alike(heard, self._told(answer)):
            yield f"{self.name}: answered {answer!r}, heard {heard!r}"

    def _told(self, answer: Any) -> Any:
        assert self.serves is not None
        return through(self.serves.write_result, self.serves.read_result, answer)

    def _understood(self, arguments: tuple[Any, ...]) -> bool:
        assert self.there is not None
        asks = self.asks
        said = through(asks.write_arguments, asks.read_arguments, self.arguments)
        theirs = named([it.name for it in self.there.given], arguments)
        return alike(named([it.name for it in self.operation.given], said), theirs)

    def _left_over(self) -> Iterator[str]:
        """Octets that nobody reads: our ORB passes over them, and others need not."""
        if self.serves is None:
            return
        pairs = [(self.asks.write_arguments, self.arguments, self.serves.read_arguments)]
        if not self.operation.oneway:
            pairs.append((self.serves.write_result, self.answers[0], self.asks.read_result))
        for write, value, read in pairs:
            writer = Writer(little=True, codesets=UTF)
            write(writer, value)
            reader = Reader(writer.getvalue(), little=True, codesets=UTF)
            try:
                read(reader)
            except SystemException:
                continue  # told already
            if reader.left:
                yield f"{self.name}: {reader.left} octets are not read"


def through(write: Any, read: Any, value: Any) -> Any:
    """A value as generated code reads what it has written: with the names of members."""
    writer = Writer(little=True, codesets=UTF)
    write(writer, value)
    return read(Reader(writer.getvalue(), little=True, codesets=UTF))


def named(names: Iterable[str], values: Iterable[Any]) -> Any:
    """Values with names, as those of a struct have."""
    found = dict(zip(names, values, strict=True))
    return _Named(found)


class _Named:
    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members


def alike(one: Any, two: Any) -> bool:
    """Whether two values mean the same: by names where the names are the same, else by places."""
    one, two = (named(it._fields, it) if hasattr(it, "_fields") else it for it in (one, two))
    if isinstance(one, _Named) and isinstance(two, _Named):
        first, second = one.members, two.members
        if first.keys() == second.keys():
            return all(alike(value, second[name]) for name, value in first.items())
        one, two = tuple(first.values()), tuple(second.values())
    if isinstance(one, UnionValue) and isinstance(two, UnionValue):
        return alike((one.discriminator, one.value), (two.discriminator, two.value))
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    one, two = (str(it) if isinstance(it, str) else it for it in (one, two))
    return same(one, two)


def _is_same_exception(answer: UserException, raised: Exception | None) -> bool:
    if not isinstance(raised, UserException) or raised.ID != answer.ID:
        return False
    told: Any = through(type(answer).write, type(answer).read, answer)
    found: Any = raised
    return alike(named(told.__match_args__, told.args), named(found.__match_args__, found.args))
