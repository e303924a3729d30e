"""A service knows interfaces, tells what changed in them, and does not forget them."""

from __future__ import annotations

import pytest

from tests.promises.services import Service
from tidings import errors as e
from tidings.changes import interfaces as n
from tidings.client.client import Client
from tidings.engine.access import Caller

pytestmark = pytest.mark.not_over_corba("interfaces")

ID = "IDL:Bank/Account:1.0"
CARD = "IDL:Bank/Card:1.0"


def bank(account: str, rest: str = "") -> str:
    """A file with an interface."""
    return f"module Bank {{ interface Account {{ {account} }}; {rest} }};"


async def load(client: Client, text: str) -> list[tuple[str, int, bool]]:
    """Load a text; what became of each interface."""
    found = await client.transport.request(n.LoadInterfaces("Bank.idl", text))
    return [(one.id, one.version, one.changed) for one in found]


async def rules(client: Client, **asked: object) -> tuple[bool, list[str]]:
    """Compare, and tell the verdict and the rules."""
    found = await client.transport.request(n.CompareInterfaces(**asked))  # type: ignore[arg-type]
    return found.compatible, [one.rule for one in found.differences]


async def test_what_changed_is_told_by_version_and_by_text(service: Service) -> None:
    client = await service.client()
    assert await load(client, bank("void a();", "interface Card {};")) == [
        (ID, 1, True), (CARD, 1, True),
    ]  # fmt: skip
    assert await load(client, "// the same\n" + bank("void  a ( );")) == [(ID, 1, False)]
    assert await load(client, bank("void a(); void b();")) == [(ID, 2, True)]
    assert await load(client, bank("void a(in long more); void b();")) == [(ID, 3, True)]
    assert await rules(client, interface=ID) == (False, ["parameter-added"])
    assert await rules(client, interface=ID, before=1, after=2) == (True, ["operation-added"])
    assert await rules(client, interface="Bank::Account", before=3, after=2) == (
        False, ["parameter-removed"],
    )  # fmt: skip
    given = bank("void a(); oneway void b();")
    assert await rules(client, interface=ID, before=2, after_text=given) == (
        True, ["twoway-to-oneway"],
    )  # fmt: skip
    assert await rules(client, before_text=given, after_text=bank("void a();")) == (
        False, ["operation-removed"],
    )  # fmt: skip
    seen = await client.transport.request(n.SeeInterface("Bank::Account", 1))
    assert (seen.id, seen.version, seen.versions) == (ID, 1, (1, 2, 3))
    assert seen.text == "module Bank {\n  interface Account {\n    void a();\n  };\n};\n"
    listed = await client.transport.request(n.SeeInterfaces())
    assert [(one.id, one.version, one.file) for one in listed] == [
        (ID, 3, "Bank.idl"), (CARD, 1, "Bank.idl"),
    ]  # fmt: skip


async def test_a_text_with_a_mistake_changes_nothing(service: Service) -> None:
    client = await service.client()
    with pytest.raises(e.BadInput, match=r"Bank.idl:2:1: ") as caught:
        await load(client, "interface Card {};\nnonsense")
    assert "such as module, interface" in str(caught.value)
    with pytest.raises(e.BadInput, match=r"Bank.idl:1:1: "):
        await load(client, '#include "/etc/passwd"\ninterface Card {};')
    with pytest.raises(e.BadInput, match="defines no interface"):
        await load(client, "struct Sum {long a;};")
    with pytest.raises(e.LimitExceeded, match="500001 characters, more than 500000"):
        await load(client, " " * 500_001)
    assert await client.transport.request(n.SeeInterfaces()) in ((), [])
    with pytest.raises(e.NotFound, match=r"knows no interface 'IDL:Bank/Account:1.0'"):
        await client.transport.request(n.SeeInterface(ID))
    assert await load(
        client, "#include <CosNaming.idl>\ninterface X : CosNaming::NamingContext {};"
    )


async def test_old_versions_go_and_the_others_are_compared(service: Service) -> None:
    client = await service.client()
    for number in range(n.MOST_VERSIONS + 2):
        await load(client, bank(f"void a{number}();"))
    seen = await client.transport.request(n.SeeInterface(ID))
    assert seen.versions == tuple(range(3, n.MOST_VERSIONS + 3))
    with pytest.raises(e.NotFound, match="there is no version 2, only 3, 4"):
        await client.transport.request(n.SeeInterface(ID, 2))
    with pytest.raises(e.NotFound, match="there is no version before 3"):
        await rules(client, interface=ID, after=3)
    assert await rules(client, interface=ID, before=3, after=3) == (True, [])
    with pytest.raises(e.InvalidUsage, match="name the interface"):
        await rules(client, before=3)


@pytest.mark.parametrize("kill", [False, True])
async def test_interfaces_outlast_a_restart(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    await load(client, bank("void a();", "interface Card {};"))
    await load(client, bank("void b();"))
    await client.transport.ask(n.RemoveInterface(CARD))
    await lasting.restart(kill=kill)
    client = await lasting.client()
    assert await rules(client, interface=ID) == (False, ["operation-renamed"])
    listed = await client.transport.request(n.SeeInterfaces())
    assert [(one.id, one.versions) for one in listed] == [(ID, (1, 2))]
    assert await load(client, bank("void c();")) == [(ID, 3, True)]


async def test_only_managers_load_and_remove(service: Service) -> None:
    await load(await service.client(), bank("void a();"))
    ann = await service.client(Caller("ann"))
    with pytest.raises(e.Forbidden, match="ann may not manage"):
        await load(ann, bank("void b();"))
    with pytest.raises(e.Forbidden):
        await ann.transport.ask(n.RemoveInterface(ID))
    assert (await ann.transport.request(n.SeeInterface(ID))).version == 1
