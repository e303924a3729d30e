"""A bank that goes through all four kinds of change, each announced before it is made.

Beside it there is a printer, whose changes are for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidings.apps.subscriber_agent.services import describe_service, see_service
from tidings.changes.interfaces import LoadInterfaces
from tidings.changes.model import ChangeKind
from tidings.changes.requests import AnnounceChanges, Announcement, RegisterEvolver
from tidings.client.client import Client
from tidings.errors import DuplicatedPublisherID, ServiceTypeExists
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.events.typetext import read_type
from tidings.trader.model import PropertyDef, PropertyMode
from tidings.trader.requests import (
    AddServiceType,
    ExportOffer,
    ModifyOffer,
    ReplaceOffer,
    WithdrawOffer,
)

EVOLVER: Final = "isel-bank"
INTERFACES: Final = """\
module ISEL {
  exception NoFunds { double missing; };
  interface Bank {
    void deposit(in string account, in double amount);
    void withdraw(in string account, in double amount) raises (NoFunds);
    double balance(in string account);
  };
  interface Bank_2 {
    void deposit(in string account, in string type, in double amount);
    void withdraw(in string account, in string type, in double amount) raises (NoFunds);
    double balance(in string account);
    void transfer(in string from, in string to, in double amount) raises (NoFunds);
  };
  interface Printer {
    void print(in string document);
  };
};
"""
_MANDATORY: Final = PropertyMode.MANDATORY
_BANK: Final = (
    PropertyDef("Name", read_type("string"), _MANDATORY),
    PropertyDef("ReservedFund", read_type("long"), PropertyMode.NORMAL),
    PropertyDef("Interest_rate", read_type("double"), _MANDATORY),
)
_PRINTER: Final = (
    PropertyDef("Type", read_type("string"), PropertyMode.NORMAL),
    PropertyDef("Name", read_type("string"), _MANDATORY),
    PropertyDef("Speed", read_type("short"), PropertyMode.NORMAL),
)
_DAY: Final = 24 * 3_600 * 1_000_000
REFERENCE: Final = "corbaloc::bank.isel.example:2809/bank"
REFERENCE_2: Final = "corbaloc::bank.isel.example:2809/bank-2"


def bank_properties(
    name: str = "ISEL-Bank", fund: int = 800_000_000, rate: float = 5.0
) -> Mapping[str, Value]:
    """Return the properties of a bank."""
    return {
        "Name": name,
        "ReservedFund": AnyValue(read_type("long"), fund),
        "Interest_rate": rate,
    }


async def set_up(client: Client) -> None:
    """Have interfaces, service types, a printer and the evolver; what is there stays."""
    await client.transport.request(LoadInterfaces("isel.idl", INTERFACES))
    for name, properties in (("Bank", _BANK), ("Bank_2", _BANK), ("Printer", _PRINTER)):
        try:
            await client.transport.ask(AddServiceType(name, f"IDL:ISEL/{name}:1.0", properties))
        except ServiceTypeExists:
            continue
    speed = AnyValue(read_type("short"), 20)
    printer: dict[str, Value] = {
        "Type": "Laser Printer",
        "Name": "HP LaserJet 1100",
        "Speed": speed,
    }
    await client.transport.ask(ExportOffer("Printer", "corbaloc::10.0.0.9:2809/printer", printer))
    try:
        await client.transport.request(
            RegisterEvolver(EVOLVER, address="https://bank.isel.example")
        )
    except DuplicatedPublisherID:
        return


class Bank:
    """The bank's people: each change is announced, then made.

    Attributes:
        offer: The id of the bank's offer; empty while there is none.
    """

    def __init__(self, client: Client) -> None:
        self.offer = ""
        self._client = client

    async def announce(self, kind: ChangeKind, now: int) -> str:
        """Announce a change for the day after tomorrow; return the id of the notice."""
        made = await self._announcement(kind, now)
        [id] = await self._client.transport.request(AnnounceChanges(EVOLVER, (made,)))
        return id

    async def make(self, kind: ChangeKind) -> None:
        """Make a change."""
        ask = self._client.transport.ask
        match kind:
            case ChangeKind.INSTANTIATION_SERVICE:
                self.offer = await ask(ExportOffer("Bank", REFERENCE, bank_properties()))
            case ChangeKind.CHANGE_PROPERTY_VAL:
                await ask(ModifyOffer(self.offer, (), {"Interest_rate": 5.2}))
            case ChangeKind.CHANGE_TYPE:
                properties = bank_properties(rate=5.2)
                self.offer = await ask(ReplaceOffer(self.offer, "Bank_2", REFERENCE_2, properties))
            case ChangeKind.REMOVAL_SERVICE:
                await ask(WithdrawOffer(self.offer))
                self.offer = ""

    async def _announcement(self, kind: ChangeKind, now: int) -> Announcement:
        effective, client = now + 2 * _DAY, self._client
        match kind:
            case ChangeKind.INSTANTIATION_SERVICE:
                new = await describe_service(client, "Bank", bank_properties(), REFERENCE)
                return Announcement(
                    kind, after=new, objective="A bank for everybody", effective=effective,
                    priority=5, expiry=now + 3 * _DAY,
                )  # fmt: skip
            case ChangeKind.CHANGE_PROPERTY_VAL:
                return Announcement(
                    kind, await see_service(client, self.offer), modified={"Interest_rate": 5.2},
                    reason="Money has become dearer", effective=effective,
                    priority=8, expiry=now + 5 * _DAY, offer=self.offer,
                )  # fmt: skip
            case ChangeKind.CHANGE_TYPE:
                properties = bank_properties(rate=5.2)
                return Announcement(
                    kind, await see_service(client, self.offer),
                    await describe_service(client, "Bank_2", properties, REFERENCE_2),
                    reason="Accounts get a type, and money can be transferred",
                    effective=effective, priority=10, expiry=now + 7 * _DAY, offer=self.offer,
                )  # fmt: skip
            case ChangeKind.REMOVAL_SERVICE:
                return Announcement(
                    kind, await see_service(client, self.offer), reason="The bank closes",
                    effective=effective, priority=10, expiry=now + 7 * _DAY, offer=self.offer,
                )  # fmt: skip


STORY: Final = (
    ChangeKind.INSTANTIATION_SERVICE,
    ChangeKind.CHANGE_PROPERTY_VAL,
    ChangeKind.CHANGE_TYPE,
    ChangeKind.REMOVAL_SERVICE,
)
"""The kinds of change, in the order in which a service meets them."""
