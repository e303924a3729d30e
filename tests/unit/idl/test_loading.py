from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tidings.errors import BadInput
from tidings.events import typecode as tc
from tidings.events.boxes import UnionValue
from tidings.events.reference import Reference
from tidings.idl.faults import InvalidIdl
from tidings.idl.loading import load_idl
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_values import write_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, MARSHAL, NO_IMPLEMENT, SystemException, UserException
from tidings.orb.stubs import Operation

BANK = """#pragma prefix "demo"
module Bank {
  const long long MOST = 1 << 40;
  const string NAME = "a\\"b";
  enum Currency {euro, dollar};
  const Currency USUAL = dollar;
  const fixed RATE = 1.25d;
  struct Sum { Currency unit; fixed<10,2> amount; };
  typedef sequence<Sum> Sums;
  exception Overdrawn { Sum missing; string code; };
  interface Account {
    readonly attribute Sum balance;
    attribute string owner;
    void pay(in Sum what) raises (Overdrawn);
    Sum take(in long from, inout string memo, out Sums notes);
    oneway void remind(in string about);
  };
  interface Savings : Account { double rate(); };
};
"""


@pytest.fixture(scope="module")
def bank() -> ModuleType:
    return load_idl(BANK)


def passed(operation: Operation, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments, written and read again."""
    writer = Writer(little=False)
    operation.write_arguments(writer, arguments)
    reader = Reader(writer.getvalue(), little=False)
    found = operation.read_arguments(reader)
    assert not reader.left
    return found


def returned(operation: Operation, result: Any) -> Any:
    writer = Writer(little=True)
    operation.write_result(writer, result)
    reader = Reader(writer.getvalue(), little=True)
    found = operation.read_result(reader)
    assert not reader.left
    return found


def test_constants_are_values(bank: ModuleType) -> None:
    found = [bank.MOST, bank.NAME, bank.RATE]
    assert found == [2**40, 'a"b', Decimal("1.25")]
    assert bank.USUAL is bank.Currency.dollar


def test_enums_are_texts_that_travel_as_numbers(bank: ModuleType) -> None:
    assert [str(label) for label in bank.Currency] == ["euro", "dollar"]
    writer = Writer(little=False)
    bank.write_Currency(writer, "dollar")
    bank.write_Currency(writer, bank.Currency.euro)
    octets = writer.getvalue()
    assert octets == bytes([0, 0, 0, 1, 0, 0, 0, 0])
    assert bank.read_Currency(Reader(octets, little=False)) is bank.Currency.dollar
    with pytest.raises(BAD_PARAM, match="'yen' is no label of Bank::Currency"):
        bank.write_Currency(writer, "yen")
    with pytest.raises(MARSHAL, match="Bank::Currency has no label with the number 2"):
        bank.read_Currency(Reader(bytes([0, 0, 0, 2]), little=False))


def test_structs_are_named_tuples_and_plain_ones_will_do(bank: ModuleType) -> None:
    euros = bank.Sum("euro", Decimal("2.50"))
    assert euros.unit == "euro"
    writer = Writer(little=True)
    bank.write_Sums(writer, [euros, ("dollar", Decimal("1.00"))])
    found = bank.read_Sums(Reader(writer.getvalue(), little=True))
    assert found == (euros, ("dollar", Decimal("1.00")))
    assert type(found[1]) is bank.Sum
    with pytest.raises(BAD_PARAM, match="Bank::Sum has 2 members"):
        bank.write_Sum(writer, ("euro",))
    with pytest.raises(BAD_PARAM, match="is no tuple or list"):
        bank.write_Sums(writer, "euro")


def test_types_have_typecodes(bank: ModuleType) -> None:
    unit = tc.enum("IDL:demo/Bank/Currency:1.0", "Currency", ["euro", "dollar"])
    one = tc.struct("IDL:demo/Bank/Sum:1.0", "Sum", [("unit", unit), ("amount", tc.fixed(10, 2))])
    assert one == bank.Sum_TYPE
    assert tc.alias("IDL:demo/Bank/Sums:1.0", "Sums", tc.sequence(one)) == bank.Sums_TYPE
    assert tc.objref("IDL:demo/Bank/Account:1.0", "Account") == bank.Account_TYPE


def test_exceptions_have_their_members_and_travel(bank: ModuleType) -> None:
    missing = bank.Sum("euro", Decimal("0.01"))
    raised = bank.Overdrawn(missing, code_="E7")
    assert issubclass(bank.Overdrawn, UserException)
    assert (raised.ID, raised.missing, raised.code_) == (
        *("IDL:demo/Bank/Overdrawn:1.0", missing, "E7"),
    )
    writer = Writer(little=True)
    type(raised).write(writer, raised)
    found = bank.Overdrawn.read(Reader(writer.getvalue(), little=True))
    assert (type(found), found.missing, found.code_) == (bank.Overdrawn, missing, "E7")
    assert raised.TYPE.members[1].name == "code"


def test_an_interface_tells_its_operations(bank: ModuleType) -> None:
    account = bank.Account_INTERFACE
    assert (account.id, account.name) == ("IDL:demo/Bank/Account:1.0", "Bank::Account")
    assert {name: one.method for name, one in account.operations.items()} == {
        "pay": "pay",
        "take": "take",
        "remind": "remind",
        "_get_balance": "get_balance",
        "_get_owner": "get_owner",
        "_set_owner": "set_owner",
    }
    assert account.operations["pay"].exceptions == (bank.Overdrawn,)
    assert [name for name, one in account.operations.items() if one.oneway] == ["remind"]
    savings = bank.Savings_INTERFACE
    assert savings.bases == (account,)
    assert set(savings.operations) == {*account.operations, "rate"}
    assert account.id in savings.ids


def test_arguments_and_results_travel(bank: ModuleType) -> None:
    take = bank.Account_INTERFACE.operations["take"]
    assert passed(take, (3, "memo")) == (3, "memo")
    result = (("euro", Decimal("1.00")), "new memo", (("dollar", Decimal("2.00")),))
    assert returned(take, result) == result
    pay = bank.Account_INTERFACE.operations["pay"]
    assert returned(pay, None) is None
    balance = bank.Account_INTERFACE.operations["_get_balance"]
    assert passed(balance, ()) == ()
    assert returned(balance, ("euro", Decimal("3.00"))) == ("euro", Decimal("3.00"))
    with pytest.raises(BAD_PARAM, match="the arguments of take has 2 members"):
        passed(take, (3,))


class Recorder:
    """Takes the place of an ORB."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    async def call(
        self,
        reference: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        timeout: float | None = None,  # noqa: ASYNC109 - as an ORB has it
    ) -> Any:
        self.calls.append((operation.name, arguments))
        return len(self.calls)


def test_a_stub_has_a_method_for_every_operation(bank: ModuleType) -> None:
    recorder = Recorder()
    stub = bank.Savings(recorder, Reference())

    async def calls() -> list[object]:
        return [
            await stub.rate(),
            await stub.take(from_=3, memo="m"),
            await stub.set_owner("me"),
            await stub.get_balance(),
        ]

    assert asyncio.run(calls()) == [1, 2, None, 4]
    assert recorder.calls == [
        ("rate", ()),
        ("take", (3, "m")),
        ("_set_owner", ("me",)),
        ("_get_balance", ()),
    ]
    assert isinstance(stub, bank.Account)


def test_a_servant_says_what_it_does_not_have(bank: ModuleType) -> None:
    class Mine(bank.SavingsServant):  # type: ignore[name-defined, misc]  # made at run time
        async def rate(self) -> float:
            return 0.5

    mine = Mine()
    assert asyncio.run(mine.rate()) == 0.5
    assert mine.INTERFACE is bank.Savings_INTERFACE
    with pytest.raises(NO_IMPLEMENT, match="Mine has no pay"):
        asyncio.run(mine.pay(None))


# ---------------------------------------------------------------- odd shapes


def round_trip(module: ModuleType, name: str, value: Any) -> Any:
    writer = Writer(little=True)
    getattr(module, f"write_{name}")(writer, value)
    reader = Reader(writer.getvalue(), little=True)
    found = getattr(module, f"read_{name}")(reader)
    assert not reader.left
    return found


def test_unions_are_union_values() -> None:
    module = load_idl(
        """enum Color {red, green, blue};
        union U switch (Color) { case red: case green: long n; case blue: octet raw[2]; };
        union V switch (short) { case 1: string s; };
        union W switch (boolean) { default: char c; };"""
    )
    for value in (UnionValue("green", 5), UnionValue("blue", b"ab")):
        assert round_trip(module, "U", value) == value
    for other in (UnionValue(1, "x"), UnionValue(2, None)):
        assert round_trip(module, "V", other) == other
    assert round_trip(module, "W", UnionValue(True, "c")) == UnionValue(True, "c")
    with pytest.raises(BAD_PARAM, match="use UnionValue"):
        round_trip(module, "V", UnionValue(2, "nothing can be here"))
    with pytest.raises(BAD_PARAM, match="use UnionValue"):
        round_trip(module, "V", ("tuple", 1))


def test_bounds_are_kept_both_ways() -> None:
    module = load_idl(
        """typedef string<2> S; typedef sequence<long, 2> L; typedef sequence<octet, 2> O;
        typedef sequence<string, 1> T; typedef long A[2]; typedef octet R[2]; typedef char C[2];"""
    )
    good = {"S": "ab", "L": (1, 2), "O": b"ab", "T": ("x",), "A": (1, 2), "R": b"ab"}
    long_ones = {"S": "abc", "L": (1, 2, 3), "O": b"abc", "T": ("x", "y"), "A": (1,), "R": b"a"}
    for name, value in good.items():
        assert round_trip(module, name, value) == value
    for name, wrong in long_ones.items():
        with pytest.raises(BAD_PARAM):
            round_trip(module, name, wrong)
    for name, octets in {"S": b"\4\0\0\0abc\0", "L": b"\3\0\0\0" + bytes(12)}.items():
        with pytest.raises(MARSHAL, match="are more than 2"):
            getattr(module, f"read_{name}")(Reader(octets, little=True))
    with pytest.raises(BAD_PARAM, match="has no length"):
        round_trip(module, "S", 7)


EDGES = {
    "short": (-(2**15), 2**15 - 1),
    "unsigned short": (0, 2**16 - 1),
    "long": (-(2**31), 2**31 - 1),
    "unsigned long": (0, 2**32 - 1),
    "long long": (-(2**63), 2**63 - 1),
    "unsigned long long": (0, 2**64 - 1),
    "float": (-1.5, 0.25),
    "double": (-1e300, 5e-324),
    "boolean": (True, False),
    "char": ("a", "ÿ"),
    "octet": (0, 255),
}


@pytest.mark.parametrize("type_", EDGES)
def test_numbers_in_a_row_look_as_their_typecode_says(type_: str) -> None:
    module = load_idl(f"struct S {{ octet first; sequence<{type_}> some; {type_} two[2]; }};")
    value = (1, EDGES[type_], EDGES[type_])
    one, other = Writer(little=True), Writer(little=True)
    module.write_S(one, value)
    write_value(other, module.S_TYPE, value)
    assert one.getvalue() == other.getvalue()
    found = module.read_S(Reader(one.getvalue(), little=True))
    assert [tuple(found.some), tuple(found.two)] == [EDGES[type_], EDGES[type_]]


def test_a_count_is_not_believed_before_its_octets_are_there() -> None:
    module = load_idl("struct E {}; typedef sequence<E> Es; typedef E Many[1000000];")
    with pytest.raises(MARSHAL, match="without octets"):
        module.read_Es(Reader(b"\xff\xff\xff\x7f", little=True))
    with pytest.raises(MARSHAL, match="without octets"):
        module.read_Many(Reader(b"", little=True))


def test_names_of_python_do_no_harm() -> None:
    module = load_idl(
        """struct tuple { long class; string self; };
        exception KeyError { tuple args; };
        enum bool {_True, mro};
        interface range { attribute tuple import; tuple get_import(in any in_, out bool len); };"""
    )
    assert round_trip(module, "tuple_", (1, "x")).class_ == 1
    assert round_trip(module, "bool_", "True") == "True"
    assert module.KeyError((1, "x")).args_ == (1, "x")
    operations = module.range__INTERFACE.operations
    assert operations["get_import"].method == "get_import"
    assert operations["_get_import"].method == "get_import_"
    assert returned(operations["get_import"], ((1, "x"), "mro")) == ((1, "x"), "mro")


def test_bases_in_any_order_make_classes() -> None:
    module = load_idl(
        """interface A { void a(); }; interface B : A { void b(); };
        interface C : A, B {};
        interface X : A { void x(); }; interface P : B, X {}; interface Q : X, B {};
        interface Z : P, Q { void z(); };"""
    )
    assert issubclass(module.C, module.B)
    recorder = Recorder()
    stub = module.Z(recorder, Reference())

    async def calls() -> None:
        for name in ("a", "b", "x", "z"):
            await getattr(stub, name)()

    asyncio.run(calls())
    assert [name for name, _ in recorder.calls] == ["a", "b", "x", "z"]
    assert set(module.Z_INTERFACE.operations) == {"a", "b", "x", "z"}


def test_included_files_become_part_of_the_module(tmp_path: Path) -> None:
    (tmp_path / "B.idl").write_text("module B { struct S { long x; }; };")
    (tmp_path / "main.idl").write_text('#include "B.idl"\nmodule M { struct S { B::S inner; }; };')
    for path in (tmp_path / "main.idl", str(tmp_path / "main.idl")):
        module = load_idl(path)
        assert round_trip(module, "S", ((5,),)) == ((5,),)
        assert module.B_S_TYPE.id == "IDL:B/S:1.0"


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(InvalidIdl, match=r"text\.idl:1:8: expected the struct's name"):
        load_idl("struct {};")
    with pytest.raises(BadInput, match="No such file"):
        load_idl("nowhere.idl")


def test_every_fault_of_marshalling_is_a_system_exception(bank: ModuleType) -> None:
    wrongs: list[object] = [None, 5, "text", ((),), {}, [1, 2, 3]]
    for wrong in wrongs:
        for name in ("Sum", "Sums", "Currency"):
            with pytest.raises(SystemException):
                getattr(bank, f"write_{name}")(Writer(), wrong)
