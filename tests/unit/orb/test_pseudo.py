"""What every object answers."""

from __future__ import annotations

import pytest

from tests.unit.orb.echo import EchoServant
from tidings.events.reference import Reference
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import INTF_REPOS, OMG
from tidings.orb.pseudo import PSEUDO

SERVANT = EchoServant()


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("_is_a", ("IDL:tests/Echo:1.0",), True),
        ("_is_a", ("IDL:tests/Base:1.0",), True),
        ("_is_a", ("IDL:omg.org/CORBA/Object:1.0",), True),
        ("_is_a", ("IDL:tests/Other:1.0",), False),
        ("_non_existent", (), False),
        ("_not_existent", (), False),
        ("_repository_id", (), "IDL:tests/Echo:1.0"),
        ("_component", (), Reference()),
        ("_domain_managers", (), ()),
        ("_get_domain_managers", (), ()),
    ],
)
def test_it_is_answered(name: str, arguments: tuple[str, ...], expected: object) -> None:
    operation, answer = PSEUDO[name]
    asked = Writer()
    operation.write_arguments(asked, arguments)
    read = operation.read_arguments(Reader(asked.getvalue(), little=True))
    told = Writer()
    operation.write_result(told, answer(SERVANT, *read))
    assert operation.read_result(Reader(told.getvalue(), little=True)) == expected


def test_there_is_no_interface_repository() -> None:
    with pytest.raises(INTF_REPOS) as none:
        PSEUDO["_interface"][1](SERVANT)
    assert none.value.minor == OMG | 1


def test_several_managers_could_be_told() -> None:
    operation, _ = PSEUDO["_domain_managers"]
    writer = Writer()
    operation.write_result(writer, (Reference(), Reference("IDL:x:1.0", [(5, b"x")])))
    read = operation.read_result(Reader(writer.getvalue(), little=True))
    assert read == (Reference(), Reference("IDL:x:1.0", [(5, b"x")]))
