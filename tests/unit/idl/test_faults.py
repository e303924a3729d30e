from __future__ import annotations

from tidings.errors import BadInput
from tidings.idl.faults import NOWHERE, InvalidIdl, Place, Source


def test_a_fault_names_the_file_the_line_the_column_and_what_would_be_right() -> None:
    place = Place(Source("a.idl", "module A {\n  strct B {};\n};\n"), 13)
    fault = InvalidIdl("'strct' is no word", place, "write struct")
    assert str(fault).split("\n") == [
        "a.idl:2:3: 'strct' is no word",
        "    strct B {};",
        "    ^",
        "  hint: write struct",
    ]


def test_it_is_bad_input_with_a_code_of_its_own() -> None:
    fault = InvalidIdl("x", NOWHERE)
    assert isinstance(fault, BadInput)
    assert (fault.code, fault.http_status) == ("invalid_idl", 422)
