from __future__ import annotations

import ast

from tidings.idl.compile import compile_source, compile_text
from tidings.idl.faults import Source
from tidings.idl.generate import generate
from tidings.idl.sources import Texts


def test_the_text_is_a_module_that_exports_all_it_defines() -> None:
    text = generate(compile_text("module M { struct S {}; interface I {}; const long X = 1; };"))
    tree = ast.parse(text)
    (exported,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    assert ast.literal_eval(exported) == [
        *("I", "IServant", "I_INTERFACE", "I_TYPE", "S", "S_TYPE", "X", "read_S", "write_S")
    ]


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
    assert "class J(_B.I):" in text
    assert "class S(" not in text


def test_a_files_name_cannot_end_the_text_it_stands_in() -> None:
    model = compile_source(Source('x"""\nimport os\n"""', ""), Texts())
    assert not any(
        isinstance(node, ast.Import) and node.names[0].name == "os"
        for node in ast.walk(ast.parse(generate(model)))
    )
