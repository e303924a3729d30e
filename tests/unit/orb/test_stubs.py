"""What generated code is made of."""

from __future__ import annotations

import asyncio

from tests.unit.orb.echo import BASE, ECHO, INTERFACE, Echo
from tidings.events.reference import Reference
from tidings.orb.stubs import OBJECT_ID, Interface, Operation


def test_an_interface_answers_to_the_ids_of_all_its_bases() -> None:
    other = Interface("IDL:tests/Other:1.0", "tests::Other", (), {})
    both = Interface("IDL:tests/Both:1.0", "tests::Both", (INTERFACE, other), {})
    assert BASE.ids == {BASE.id, OBJECT_ID}
    assert both.ids == {both.id, other.id, INTERFACE.id, BASE.id, OBJECT_ID}


def test_a_stub_hands_its_calls_to_the_orb() -> None:
    made: list[object] = []

    class Recorder:
        async def call(
            self,
            reference: Reference,
            operation: Operation,
            arguments: tuple[object, ...],
            timeout: float | None = None,  # noqa: ASYNC109 - as Caller has it
        ) -> str:
            made.append((reference, operation, arguments, timeout))
            return "answer"

    reference = Reference("IDL:tests/Echo:1.0", [(5, b"x")])
    stub = Echo(Recorder(), reference, 2.5)
    assert asyncio.run(stub.echo("hi")) == "answer"
    assert made == [(reference, ECHO, ("hi",), 2.5)]
    assert repr(stub) == f"Echo({reference!r})"
