"""IDL is read beside the loop, from what may be included and no other file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.edges.server.serving import serving, sources
from tidings.changes import interfaces as n
from tidings.changes.interfaces import Interfaces
from tidings.engine import interfaces
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import BadInput, LimitExceeded, StoreError, TooManyObjects
from tidings.idl.faults import InvalidIdl

TEXT = "module Bank { interface Account { void a(); }; };"


@pytest.mark.parametrize("what", ["compile_source", "canonical", "compare_interfaces"])
async def test_nothing_is_read_or_compared_on_the_loop(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()
    real: Any = getattr(interfaces, what)

    def noted(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread())
        return real(*given, **named)

    monkeypatch.setattr(interfaces, what, noted)
    host = await Host.open(cores=[Interfaces()])
    door = LocalDoor(host)
    for text in (TEXT, TEXT.replace("a()", "b()")):
        await door.request(n.LoadInterfaces("Bank.idl", text))
    found = await door.request(n.CompareInterfaces("Bank::Account"))
    assert [one.rule for one in found.differences] == ["operation-renamed"]
    assert threads
    assert threading.current_thread() not in threads
    await host.close()


async def test_a_text_of_a_stranger_includes_only_what_the_service_offers(tmp_path: Path) -> None:
    secret = tmp_path / "secret.idl"
    secret.write_text("interface Secret {};")
    host = await Host.open(cores=[Interfaces()])
    door = LocalDoor(host)
    for name in (f'"{secret}"', f"<{secret}>", '"../idl/CosNaming.idl"', '".."'):
        text = f"#include {name}\ninterface Mine {{}};"
        with pytest.raises(InvalidIdl, match=r":1:1: "):
            await door.request(n.LoadInterfaces(str(tmp_path / "a.idl"), text))
        with pytest.raises(InvalidIdl, match=r":1:1: "):
            await door.request(n.CompareInterfaces("", before_text=TEXT, after_text=text))
    await host.close()


async def test_files_are_loaded_at_the_start_and_changed_ones_get_a_version(tmp_path: Path) -> None:
    (tmp_path / "Sum.idl").write_text("struct Sum { long a; };")
    bank = tmp_path / "Bank.idl"
    given: dict[str, Any] = {"interfaces__files": (str(bank),), "store__dir": tmp_path / "data"}
    for number, operation in enumerate(("void pay(in Sum a);", "void pay(in Sum a);", ""), 1):
        bank.write_text(f'#include "Sum.idl"\ninterface Account {{ {operation} }};')
        async with serving(sources(**given)) as (service, _):
            [found] = await LocalDoor(service.host).request(n.SeeInterfaces())
            assert (found.id, found.file) == ("IDL:Account:1.0", "Bank.idl")
            assert found.version == (1, 1, 2)[number - 1]
    bank.write_text("interface Account {")
    with pytest.raises(BadInput, match=r"Bank.idl:1:20: "):
        async with serving(sources(**given)):
            raise AssertionError("it has started")


def keep(core: Interfaces, *found: tuple[str, str]) -> Any:
    """The answer to keeping interfaces."""
    made = tuple(n.ReadInterface(id, id, text) for id, text in found)
    return core.handle_many([n.KeepInterfaces("a.idl", made)], 7)


def test_too_many_interfaces_are_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    core = Interfaces()
    monkeypatch.setattr(n, "MOST_INTERFACES", 2)
    monkeypatch.setattr(n, "MOST_CHARACTERS", 10)
    keep(core, ("a", "1234"))
    [refused], effects = keep(core, ("b", ""), ("c", ""))
    assert (type(refused), effects) == (TooManyObjects, [])
    [refused], effects = keep(core, ("b", "1234567"))
    assert (type(refused), effects) == (LimitExceeded, [])
    [done], _ = keep(core, ("a", "123456"))
    assert done == (n.LoadedInterface("a", 2, True),)
    core.handle_many([n.RemoveInterface("a")], 8)
    [done], _ = keep(core, ("b", "1234567890"))
    assert done == (n.LoadedInterface("b", 1, True),)


async def test_an_interface_with_too_much_around_it_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = await Host.open(cores=[Interfaces()])
    door = LocalDoor(host)
    monkeypatch.setattr(interfaces, "MOST_TEXT", 50)
    with pytest.raises(LimitExceeded, match="Bank::Account takes 58 characters"):
        await door.request(n.LoadInterfaces("Bank.idl", TEXT))
    assert await door.request(n.SeeInterfaces()) == ()
    await host.close()


def test_what_is_kept_is_restored_and_described() -> None:
    core, again = Interfaces(), Interfaces()
    keep(core, ("IDL:x:1.0", "one"), ("IDL:y:1.0", "two"))
    keep(core, ("IDL:x:1.0", "three"))
    assert core.describe("IDL:x:1.0") == "three"
    assert core.describe("IDL:z:1.0") is None
    states = dict(core.snapshot())
    again.restore(dict(reversed(states.items())))
    assert dict(again.snapshot()) == states
    assert again.describe("IDL:x:1.0") == "three"
    with pytest.raises(StoreError, match="newer version"):
        again.restore({"a": {"version": 2}})
