"""Reads and compares IDL beside the loop; the core of interfaces keeps what was read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidings.changes.interfaces import (
    MOST_AT_ONCE,
    MOST_LOADED,
    MOST_TEXT,
    CompareInterfaces,
    KeepInterfaces,
    LoadedInterface,
    LoadInterfaces,
    ReadInterface,
    SeeInterface,
)
from tidings.cos.idl_files import FOLDER
from tidings.engine.access import Caller
from tidings.engine.authority import authorise
from tidings.engine.beside import beside
from tidings.errors import BadInput, InvalidUsage, LimitExceeded, NotFound
from tidings.events.texts import shortened
from tidings.idl.canonical import canonical, own_interfaces
from tidings.idl.compile import compile_source
from tidings.idl.diff import Comparison, compare_interfaces
from tidings.idl.faults import IdlLimits, Source
from tidings.idl.model import Model
from tidings.idl.sources import Folders, Only

if TYPE_CHECKING:
    from tidings.engine.host import Host

MOST_NAME: Final = 256
_LIMITS: Final = IdlLimits(octets=MOST_LOADED)


async def load_interfaces(
    host: Host, caller: Caller, asked: LoadInterfaces
) -> tuple[LoadedInterface, ...]:
    """Read a text that somebody has sent, and keep its interfaces."""
    authorise(host, asked, caller)
    _check_length("the text", asked.text)
    if not 0 < len(asked.file) <= MOST_NAME:
        raise InvalidUsage(f"a text has a name of 1 to {MOST_NAME} characters, such as Bank.idl")
    source = Source(asked.file, asked.text)
    read = await beside(lambda: _read(compile_source(source, Only([FOLDER]), _LIMITS)))
    found: tuple[LoadedInterface, ...] = await host.ask(KeepInterfaces(asked.file, read))
    return found


async def load_files(host: Host, paths: Iterable[str]) -> None:
    """Read the files of a setting, which may include others, and keep their interfaces."""
    for path in paths:
        read = await beside(lambda path=path: _read_file(path))  # type: ignore[misc]
        await host.ask(KeepInterfaces(Path(path).name, read))


def _read_file(path: str) -> tuple[ReadInterface, ...]:
    files = Folders([FOLDER])
    return _read(compile_source(files.opened(Path(path)), files))


def _read(model: Model) -> tuple[ReadInterface, ...]:
    """The interfaces of the main file, each as a text of its own."""
    found: list[ReadInterface] = []
    left = MOST_AT_ONCE
    for one in own_interfaces(model):
        text = canonical(model, one)
        left -= len(text)
        if len(text) > MOST_TEXT or left < 0:
            raise LimitExceeded(
                f"{one.scoped} takes {len(text)} characters with all it needs: at most {MOST_TEXT} "
                f"are taken for one interface, and {MOST_AT_ONCE} for those of one text"
            )
        found.append(ReadInterface(one.id, one.scoped, text))
    if not found:
        raise BadInput(f"{model.main.name} defines no interface: there is nothing to load")
    return tuple(found)


async def compare(host: Host, caller: Caller, asked: CompareInterfaces) -> Comparison:
    """Compare two versions, each kept or sent."""
    authorise(host, asked, caller)
    if not asked.interface and not (asked.before_text and asked.after_text):
        raise InvalidUsage(
            "name the interface whose versions are to be compared, or give before_text and "
            "after_text"
        )
    _check_length("before_text", asked.before_text)
    _check_length("after_text", asked.after_text)
    after, number = await _text(host, asked.interface, asked.after, asked.after_text)
    wanted = asked.before or number
    if not asked.before and not asked.before_text and not asked.after_text:
        wanted = await _before(host, asked.interface, number)
    before, _ = await _text(host, asked.interface, wanted, asked.before_text)
    files = Only([FOLDER])
    return await beside(lambda: compare_interfaces(before, after, asked.interface, files=files))


async def _text(host: Host, interface: str, version: int, given: str) -> tuple[str, int]:
    """A text that was sent, or a version that is kept, with its number."""
    if given:
        return given, 0
    found = await host.ask(SeeInterface(interface, version))
    return found.text, found.version


async def _before(host: Host, interface: str, number: int) -> int:
    """The version before one that is kept."""
    versions: tuple[int, ...] = (await host.ask(SeeInterface(interface))).versions
    earlier = [one for one in versions if one < number]
    if not earlier:
        raise NotFound(f"of {shortened(interface)} there is no version before {number}")
    return earlier[-1]


def _check_length(what: str, text: str) -> None:
    if len(text) > MOST_LOADED:
        raise LimitExceeded(f"{what} has {len(text)} characters, more than {MOST_LOADED}")
