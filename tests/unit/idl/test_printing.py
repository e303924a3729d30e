from __future__ import annotations

import pytest

from tidings.idl import tree as t
from tidings.idl.faults import Source
from tidings.idl.parse import parse, parse_text
from tidings.idl.printing import printed, printed_expression
from tidings.idl.sources import Texts

NEAT = """#pragma prefix "omg.org"
module M {
  enum _EventType {red, _TRUE};
  struct S {
    sequence<string<5>, 3> names;
    struct T {
      long a, b[2][3];
    } inner;
  };
  union U switch (EventType) {
    case red: case TRUE: any a;
    default: fixed<5, 2> f;
  };
  exception X {};
  interface I;
#pragma ID I "IDL:other:1.0"
  interface I : A, ::B::C {
    const string greeting = "a\\"\\n\\001";
    readonly attribute unsigned long long id;
    oneway void ping(in wchar x);
    Object f(inout octet y) raises (X, M::X);
  };
};
"""


def test_what_is_written_neatly_stays_as_it_is() -> None:
    text = NEAT.replace("switch (EventType)", "switch (_EventType)").replace(
        "case TRUE:", "case _TRUE:"
    )
    assert printed(parse_text(text)) == text


def test_of_an_included_file_only_the_directive_is_printed() -> None:
    files = Texts({"B.idl": "struct B {};"})
    text = 'module M {\n#include "B.idl"\n};\n'
    tree = parse(Source("main.idl", text), files)
    assert printed(tree) == text
    assert parse(Source("main.idl", printed(tree)), files) == tree


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1+2*3", "1 + (2 * 3)"),
        ("-(-1)", "-(-1)"),
        ("(1)", "1"),
        ("0x10", "16"),
        ("1e10", "10000000000.0"),
        ("1.50d", "1.50d"),
        ("L'\\u20ac'", "L'€'"),
        ("::A::_module", "::A::_module"),
    ],
)
def test_an_expression_is_printed_so_that_it_means_the_same(written: str, expected: str) -> None:
    (found,) = parse_text(f"const long x = {written};").body
    assert isinstance(found, t.Const)
    assert printed_expression(found.value) == expected
