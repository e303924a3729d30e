from __future__ import annotations

import pytest

from tidings.idl.compile import compile_text
from tidings.idl.marshal import least_octets, read_expression, write_lines
from tidings.idl.model import AliasDef
from tidings.idl.names import Names


def only_type(text: str, dimensions: str = "") -> tuple[AliasDef, Names]:
    before = (
        "struct E {}; struct P { long x; string y; }; union U switch (char) { case 'a': P p; };"
    )
    model = compile_text(
        f"{before} enum C {{r, g}}; interface I {{}}; typedef {text} T{dimensions};"
    )
    found = model.find("T")
    assert isinstance(found, AliasDef)
    return found, Names(model, lambda _source: None)


@pytest.mark.parametrize(
    ("text", "dimensions", "octets"),
    [
        *(("octet", "", 1), ("short", "", 2), ("C", "", 4), ("double", "", 8), ("any", "", 4)),
        *(("string", "", 4), ("I", "", 8), ("fixed<5,2>", "", 3), ("long double", "", 16)),
        *(("P", "", 8), ("E", "", 0), ("U", "", 1), ("sequence<P>", "", 4), ("P", "[3]", 24)),
    ],
)
def test_the_fewest_octets_of_a_value(text: str, dimensions: str, octets: int) -> None:
    assert least_octets(only_type(text, dimensions)[0]) == octets


@pytest.mark.parametrize(
    ("text", "dimensions", "read", "written"),
    [
        ("long", "", "r.long()", ["w.long(v)"]),
        ("I", "", "r.reference()", ["w.reference(v)"]),
        ("sequence<octet>", "", "r.octets()", ["w.octets(v)"]),
        ("octet", "[4]", "r.take(4)", ["w.octet_array(v, 4)"]),
        (
            "sequence<long>",
            "",
            'r.numbers("i", 4, r.length(4))',
            ['w.numbers("i", 4, _g.counted(w, v, "sequence<long>"), "long")'],
        ),
        (
            "sequence<sequence<P>>",
            "",
            "tuple([tuple([read_P(r) for _ in range(r.length(8))]) for _ in range(r.length(4))])",
            [
                'for x0 in _g.counted(w, v, "sequence<sequence<P>>"):',
                '    for x1 in _g.counted(w, x0, "sequence<P>"):',
                "        write_P(w, x1)",
            ],
        ),
    ],
)
def test_the_code_is_straight(text: str, dimensions: str, read: str, written: list[str]) -> None:
    found, names = only_type(text, dimensions)
    assert read_expression(found.type, names) == read
    assert write_lines(found.type, "v", names) == written
