from __future__ import annotations

import pytest

from tidings.idl.compile import compile_source, compile_text
from tidings.idl.faults import Source
from tidings.idl.names import Names, exception_member, label_name, plain_name
from tidings.idl.sources import Texts


def names_of(text: str) -> list[str]:
    model = compile_text(text)
    names = Names(model, lambda _source: None)
    return [names.of(one) for one in model.definitions]


def test_the_only_module_of_a_file_is_left_out() -> None:
    assert names_of("module M { struct S {}; module N { struct T {}; }; };") == ["S", "N_T"]


def test_several_modules_stand_before_their_names() -> None:
    assert names_of("module M { struct S {}; }; module N { struct S {}; };") == ["M_S", "N_S"]
    assert names_of("module M { struct S {}; }; struct T {};") == ["M_S", "T"]


def test_what_stands_in_an_interface_has_that_before_it() -> None:
    text = "module M { interface NamingContext { exception NotFound {}; }; };"
    assert names_of(text) == ["NamingContext_NotFound", "NamingContext"]


def test_words_and_builtins_of_python_get_an_underscore() -> None:
    assert names_of("struct class {}; struct tuple {}; struct TypeError {};") == [
        *("class_", "tuple_", "TypeError")
    ]


def test_names_that_would_meet_are_kept_apart() -> None:
    text = "interface A { struct B {}; }; struct A_B {}; struct A_TYPE {}; struct AServant {};"
    assert names_of(text) == ["A_B", "A", "A_B_", "A_TYPE_", "AServant_"]


def test_what_other_modules_hold_is_named_through_them() -> None:
    files = Texts({"B.idl": "module B { struct S {}; };", "C.idl": "module C { struct S {}; };"})
    text = "#include <B.idl>\n#include <C.idl>\nmodule A { struct S {}; };"
    model = compile_source(Source("A.idl", text), files)
    homes = {"B.idl": "pack.B_auto"}
    names = Names(model, lambda source: homes.get(source.name))
    found = {one.scoped: names.of(one, "read_", "_X") for one in model.definitions}
    assert found == {"A::S": "read_S_X", "B::S": "_B.read_S_X", "C::S": "read_C_S_X"}
    assert names.imports == {"_B": "pack.B_auto"}
    assert [names.is_here(one) for one in model.definitions] == [False, True, True]


def test_private_names_are_like_no_other() -> None:
    names = Names(compile_text(""), lambda _source: None)
    assert [names.private("_a"), names.private("_a")] == ["_a", "_a_"]


@pytest.mark.parametrize(
    ("given", "member", "label", "plain"),
    [
        ("x", "x", "x", "x"),
        ("from", "from_", "from_", "from_"),
        ("code", "code_", "code", "code"),
        ("read", "read_", "read", "read"),
        ("mro", "mro", "mro_", "mro"),
        ("self", "self_", "self_", "self_"),
    ],
)
def test_members_and_labels_have_names_that_work(
    given: str, member: str, label: str, plain: str
) -> None:
    assert (exception_member(given), label_name(given), plain_name(given)) == (member, label, plain)
