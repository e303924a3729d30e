"""The interfaces that a service knows, in IDL; a core of its own.

Each is kept as a text that stands for itself, with the versions before. IDL is read and printed
beside the core (`engine/interfaces.py`): what comes here is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec

from tidings.cores import Handled, Keep, Question, Request, State, answer_each
from tidings.errors import LimitExceeded, NotFound, StoreError, TooManyObjects
from tidings.events.texts import shortened
from tidings.idl.diff import Comparison
from tidings.trader.requests import TradingName

NAME: Final = "interfaces"
"""The name of the core, in the journal too."""
MOST_INTERFACES: Final = 5_000
MOST_VERSIONS: Final = 10
"""Versions of one interface; the oldest goes when another one comes."""
MOST_LOADED: Final = 500_000
"""Characters of a text that is loaded or compared."""
MOST_TEXT: Final = 250_000
"""Characters of one interface with all it needs."""
MOST_AT_ONCE: Final = 4_000_000
"""Characters of all interfaces of one text, each with all it needs."""
MOST_CHARACTERS: Final = 64_000_000
"""Characters of all that is kept."""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class InterfaceInfo:
    """An interface in its latest version.

    Attributes:
        id: Its repository id.
        name: Its name with all scopes: `Bank::Account`.
        version: The number of its latest version.
        versions: The numbers of the versions that are kept, the oldest first.
        file: What it was loaded from.
        loaded: When, microseconds since 1970.
    """

    id: str
    name: str
    version: int
    versions: tuple[int, ...]
    file: str
    loaded: int


@dataclass(frozen=True, slots=True)
class InterfaceText:
    """A version of an interface.

    Attributes:
        id: Its repository id.
        name: Its name with all scopes.
        version: The number of this version.
        versions: The numbers of the versions that are kept, the oldest first.
        file: What this version was loaded from.
        loaded: When, microseconds since 1970.
        text: The interface in IDL, with all it needs; it includes nothing.
    """

    id: str
    name: str
    version: int
    versions: tuple[int, ...]
    file: str
    loaded: int
    text: str


@dataclass(frozen=True, slots=True)
class LoadedInterface:
    """What became of an interface that was loaded.

    Attributes:
        id: Its repository id.
        version: The number of its latest version.
        changed: Whether that is new; what is as it was gets no new version.
    """

    id: str
    version: int
    changed: bool


@dataclass(frozen=True, slots=True)
class LoadInterfaces(Question[tuple[LoadedInterface, ...]]):
    """Load the interfaces that an IDL text defines, all or none; versions before are kept.

    The text may include the IDL files of the CORBA services, by their names. An error names line
    and column.

    Answer: `interfaces`, what became of each.

    Attributes:
        file: What the text is called in errors and lists, such as `Bank.idl`.
        text: The text, of at most 500,000 characters.
    """

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class SeeInterfaces(Question[tuple[InterfaceInfo, ...]]):
    """See the interfaces that the service knows, by their ids."""


@dataclass(frozen=True, slots=True)
class SeeInterface(Question[InterfaceText]):
    """See an interface in IDL, in its latest version or an earlier one.

    Attributes:
        interface: Its repository id, or its name with all scopes.
        version: The number of the version; 0 for the latest.
    """

    interface: TradingName
    version: int = 0


@dataclass(frozen=True, slots=True)
class RemoveInterface(Request):
    """Remove an interface with all its versions.

    Attributes:
        interface: Its repository id, or its name with all scopes.
    """

    interface: TradingName


@dataclass(frozen=True, slots=True)
class CompareInterfaces(Question[Comparison]):
    """Tell what changed between two versions of an interface, and whether old clients still work.

    Each side is a text, or else a version that the service has. Two texts without an interface are
    compared as a whole.

    Attributes:
        interface: The interface's repository id, or its name with all scopes.
        before: The number of the version before; 0 for the one before `after`.
        after: The number of the version after; 0 for the latest.
        before_text: The version before in IDL, in the place of `before`.
        after_text: The version after in IDL, in the place of `after`.
    """

    interface: str = ""
    before: int = 0
    after: int = 0
    before_text: str = ""
    after_text: str = ""


@dataclass(frozen=True, slots=True)
class ReadInterface:
    """An interface as it was read: what the core is given."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class KeepInterfaces(Request):
    """Keep interfaces that were read; only the service itself asks for it."""

    file: str
    interfaces: tuple[ReadInterface, ...]


@dataclass(frozen=True, slots=True)
class _Version:
    """A version as the journal has it."""

    id: str
    name: str
    number: int
    file: str
    loaded: int
    text: str


class Interfaces:
    """The interfaces by id, each with its versions in order."""

    name: Final = NAME
    wake_at: int | None = None

    def __init__(self) -> None:
        self._versions: dict[str, list[_Version]] = {}
        self._characters = 0
        self._effects: list[Keep] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            KeepInterfaces: self._keep,
            SeeInterfaces: lambda *_: tuple(self._infos()),
            SeeInterface: self._see,
            RemoveInterface: self._remove,
        }
        self.requests = tuple(self._handlers)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands in order."""
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, list(effects)

    def describe(self, interface: str) -> str | None:
        """Return an interface in IDL by its id or name; None if it is not known."""
        found = self._find(interface)
        return None if found is None else found[-1].text

    # Commands.

    def _keep(self, asked: KeepInterfaces, now: int) -> tuple[LoadedInterface, ...]:
        changed = [one for one in asked.interfaces if self._latest(one.id) != one.text]
        new = sum(one.id not in self._versions for one in changed)
        if len(self._versions) + new > MOST_INTERFACES:
            raise TooManyObjects(
                f"the service would know {len(self._versions) + new} interfaces, more than "
                f"{MOST_INTERFACES}: remove some"
            )
        grown = self._characters + sum(len(one.text) for one in changed)
        if grown > MOST_CHARACTERS:
            raise LimitExceeded(
                f"all interfaces would take {grown} characters, more than {MOST_CHARACTERS}: "
                "remove some"
            )
        for one in changed:
            self._add(one, asked.file, now)
        ids = {one.id for one in changed}
        return tuple(
            LoadedInterface(one.id, self._versions[one.id][-1].number, one.id in ids)
            for one in asked.interfaces
        )

    def _add(self, one: ReadInterface, file: str, now: int) -> None:
        versions = self._versions.get(one.id, ())
        number = versions[-1].number + 1 if versions else 1
        made = _Version(one.id, one.name, number, file, now, one.text)
        self._effects.append(Keep(NAME, _key(made), {"version": _VERSION, **asdict(made)}))
        self._put(made)
        while len(self._versions[one.id]) > MOST_VERSIONS:
            self._drop(one.id, 0)

    def _remove(self, asked: RemoveInterface, _: int) -> None:
        versions = self._known(asked.interface)
        id = versions[0].id
        while versions:
            self._drop(id, 0)
        del self._versions[id]

    def _put(self, made: _Version) -> None:
        self._versions.setdefault(made.id, []).append(made)
        self._characters += len(made.text)

    def _drop(self, id: str, at: int) -> None:
        gone = self._versions[id].pop(at)
        self._characters -= len(gone.text)
        self._effects.append(Keep(NAME, _key(gone), None))

    # Questions.

    def _infos(self) -> Iterator[InterfaceInfo]:
        for id in sorted(self._versions):
            versions = self._versions[id]
            last = versions[-1]
            yield InterfaceInfo(
                id, last.name, last.number, _numbers(versions), last.file, last.loaded
            )

    def _see(self, asked: SeeInterface, _: int) -> InterfaceText:
        versions = self._known(asked.interface)
        wanted = asked.version or versions[-1].number
        found = next((one for one in versions if one.number == wanted), None)
        if found is None:
            kept = ", ".join(map(str, _numbers(versions)))
            raise NotFound(f"of {versions[-1].name} there is no version {wanted}, only {kept}")
        return InterfaceText(
            found.id, found.name, wanted, _numbers(versions), found.file, found.loaded, found.text
        )

    def _known(self, interface: str) -> list[_Version]:
        found = self._find(interface)
        if found is None:
            raise NotFound(
                f"the service knows no interface {shortened(interface)}: load the IDL that "
                "defines it, or see which there are"
            )
        return found

    def _find(self, interface: str) -> list[_Version] | None:
        found = self._versions.get(interface)
        if found is not None or interface.startswith("IDL:"):
            return found
        return next((one for one in self._versions.values() if one[-1].name == interface), None)

    def _latest(self, id: str) -> str | None:
        versions = self._versions.get(id)
        return versions[-1].text if versions else None

    # What is kept.

    def snapshot(self) -> Iterator[tuple[str, State]]:
        """All versions."""
        for versions in list(self._versions.values()):
            for one in tuple(versions):
                yield _key(one), {"version": _VERSION, **asdict(one)}

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take back what was kept; StoreError if a newer version has written it."""
        found = []
        for state in states.values():
            if state["version"] != _VERSION:
                raise StoreError(
                    f"a newer version of Tidings has kept interfaces, in form {state['version']}"
                )
            plain = {name: value for name, value in state.items() if name != "version"}
            found.append(msgspec.convert(plain, _Version))
        for one in sorted(found, key=lambda each: each.number):
            self._put(one)
        return ()


def _numbers(versions: Sequence[_Version]) -> tuple[int, ...]:
    return tuple(one.number for one in versions)


def _key(one: _Version) -> str:
    return f"{one.id} {one.number}"
