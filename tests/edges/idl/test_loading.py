"""Python made of IDL: names that work, a module that is text, and values that travel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import AsyncMock

import pytest

from tests.laws.idl_texts import Texts, compile_text
from tidings.errors import BadInput
from tidings.events.anyvalue import UnionValue
from tidings.events.reference import Reference
from tidings.idl.compile import compile_source, load_idl
from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.generate import generate
from tidings.idl.names import Names, exception_member, label_name, plain_name
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer, write_value
from tidings.orb.exceptions import BAD_PARAM, MARSHAL
from tidings.orb.stubs import Operation


def names_of(text: str) -> list[str]:
    model = compile_text(text)
    names = Names(model, lambda _source: None)
    return [names.of(one) for one in model.definitions]


def test_names_are_words_of_python_and_do_not_meet() -> None:
    assert names_of("struct class {}; struct tuple {}; struct TypeError {};") == [
        *("class_", "tuple_", "TypeError")
    ]
    text = "interface A { struct B {}; }; struct A_B {}; struct A_TYPE {}; struct AServant {};"
    assert names_of(text) == ["A_B", "A", "A_B_", "A_TYPE_", "AServant_"]


def test_an_imported_module_does_not_hide_what_all_modules_import() -> None:
    files = Texts({"g.idl": "struct S {};"})
    model = compile_source(Source("A.idl", "#include <g.idl>\nstruct T { S s; };"), files)
    names = Names(model, lambda source: "g_auto" if source.name == "g.idl" else None)
    assert names.imports == {"_g_": "g_auto"}


@pytest.mark.parametrize(
    ("given", "member", "label", "plain"),
    [("x", "x", "x", "x"), ("from", "from_", "from_", "from_"), ("code", "code_", "code", "code"),
     ("read", "read_", "read", "read"), ("mro", "mro", "mro_", "mro"),
     ("self", "self_", "self_", "self_")],
)  # fmt: skip
def test_members_and_labels_have_names_that_work(
    given: str, member: str, label: str, plain: str
) -> None:
    assert (exception_member(given), label_name(given), plain_name(given)) == (member, label, plain)


def test_the_text_is_a_module_with_all_that_is_promised() -> None:
    text = generate(compile_text("module M { struct S {}; interface I {}; const long X = 1; };"))
    made: dict[str, object] = {"__name__": "made"}
    exec(compile(text, "made", "exec"), made)
    public = [name for name in made if not name.startswith("_") and name != "annotations"]
    assert sorted(public) == [*("I", "IServant", "I_INTERFACE", "I_TYPE", "S", "S_TYPE", "X")]


def test_lines_stay_readable() -> None:
    members = " ".join(f"string a_member_with_a_long_name_{n};" for n in range(20))
    parameters = ", ".join(f"in string an_argument_with_a_long_name_{n}" for n in range(3))
    text = generate(
        compile_text(f"struct S {{ {members} }}; interface I {{ void f({parameters}); }};")
    )
    assert max(map(len, text.splitlines())) < 160


def test_two_types_with_one_repository_id_are_refused() -> None:
    text = 'struct A {};\nstruct B {};\n#pragma ID B "IDL:A:1.0"\n'
    with pytest.raises(
        InvalidIdl, match=r"text\.idl:2:1: B has the repository id of A: IDL:A:1\.0"
    ):
        generate(compile_text(text))


def test_the_same_file_gives_the_same_text() -> None:
    text = "module M { struct B; typedef sequence<B> Bs; struct A { Bs b; }; struct B { A a; }; };"
    assert generate(compile_text(text)) == generate(compile_text(text))


def test_what_other_modules_hold_is_imported_and_not_made_again() -> None:
    files = Texts({"B.idl": "module B { struct S {}; exception X {}; interface I {}; };"})
    main = "#include <B.idl>\nmodule A { interface J : B::I { B::S f() raises (B::X); }; };"
    model = compile_source(Source("A.idl", main), files)
    text = generate(model, lambda source: "pack.B_auto" if source.name == "B.idl" else None)
    assert "from pack import B_auto as _B\n" in text
    assert "(_B.X, )" in text
    assert "class J(_J_methods, _B.I, of=J_INTERFACE): ..." in text
    assert "class S(" not in text


def test_a_files_name_cannot_end_the_text_it_stands_in() -> None:
    model = compile_source(Source('x"""\nimport os\n"""', ""), Texts())
    assert not any(
        isinstance(node, ast.Import) and node.names[0].name == "os"
        for node in ast.walk(ast.parse(generate(model)))
    )


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


def travelled(
    write: Callable[[Writer, Any], object], read: Callable[[Reader], Any], value: Any
) -> Any:
    """What was written, read again, in both orders of octets."""
    for little in (False, True):
        writer = Writer(little=little)
        write(writer, value)
        reader = Reader(writer.getvalue(), little=little)
        found = read(reader)
        assert not reader.left
    return found


def passed(operation: Operation, arguments: tuple[Any, ...]) -> Any:
    return travelled(operation.write_arguments, operation.read_arguments, arguments)


def returned(operation: Operation, result: Any) -> Any:
    return travelled(operation.write_result, operation.read_result, result)


def round_trip(module: ModuleType, name: str, value: Any) -> Any:
    return travelled(getattr(module, f"write_{name}"), getattr(module, f"read_{name}"), value)


def test_constants_are_values(bank: ModuleType) -> None:
    found = [bank.MOST, bank.NAME, bank.RATE]
    assert found == [2**40, 'a"b', Decimal("1.25")]
    assert bank.USUAL is bank.Currency.dollar


def test_an_interface_tells_its_operations(bank: ModuleType) -> None:
    account = bank.Account_INTERFACE
    assert (account.id, account.name) == ("IDL:demo/Bank/Account:1.0", "Bank::Account")
    attributes = {f"_{name}": name for name in ("get_balance", "get_owner", "set_owner")}
    assert {name: one.method for name, one in account.operations.items()} == {
        "pay": "pay", "take": "take", "remind": "remind", **attributes
    }  # fmt: skip
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
    with pytest.raises(BAD_PARAM, match="the arguments of take: expected from, memo; got"):
        passed(take, (3,))


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
    with pytest.raises(BAD_PARAM, match="union V has no branch 2 for a value"):
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
        with pytest.raises(MARSHAL, match="where 2 are the most"):
            getattr(module, f"read_{name}")(Reader(octets, little=True))
    with pytest.raises(BAD_PARAM, match="is not a valid string<2>"):
        round_trip(module, "S", 7)


EDGES = {
    "short": (-(2**15), 2**15 - 1), "unsigned short": (0, 2**16 - 1),
    "long": (-(2**31), 2**31 - 1), "unsigned long": (0, 2**32 - 1),
    "long long": (-(2**63), 2**63 - 1), "unsigned long long": (0, 2**64 - 1),
    "float": (-1.5, 0.25), "double": (-1e300, 5e-324), "boolean": (True, False),
    "char": ("a", "ÿ"), "octet": (0, 255),
}  # fmt: skip


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


async def test_bases_in_any_order_make_classes() -> None:
    module = load_idl(
        """interface A { void a(); }; interface B : A { void b(); };
        interface C : A, B {};
        interface X : A { void x(); }; interface P : B, X {}; interface Q : X, B {};
        interface Z : P, Q { void z(); };"""
    )
    assert issubclass(module.C, module.B)
    orb = AsyncMock()
    stub = module.Z(orb, Reference())
    for name in ("a", "b", "x", "z"):
        await getattr(stub, name)()
    assert [call.args[1].name for call in orb.call.await_args_list] == ["a", "b", "x", "z"]
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
