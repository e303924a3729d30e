"""The pseudo operations of CORBA, which every object answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidings.events.reference import Reference
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import INTF_REPOS, OMG
from tidings.orb.marshal_checks import read_nothing, write_nothing
from tidings.orb.stubs import Operation, Servant

_NIL: Final = Reference()


def _write_id(writer: Writer, arguments: tuple[Any, ...]) -> None:
    writer.string(arguments[0])


def _read_id(reader: Reader) -> tuple[Any, ...]:
    return (reader.string(),)


def _write_objects(writer: Writer, result: Any) -> None:  # noqa: ANN401 - as Operation has it
    writer.length(len(result))
    for each in result:
        writer.reference(each)


def _read_objects(reader: Reader) -> tuple[Reference, ...]:
    return tuple([reader.reference() for _ in range(reader.length(12))])


def _question(
    name: str, write: Callable[[Writer, Any], None], read: Callable[[Reader], Any]
) -> Operation:
    return Operation(name, "", write_nothing, read_nothing, write, read)


IS_A: Final = Operation("_is_a", "", _write_id, _read_id, Writer.boolean, Reader.boolean)
NON_EXISTENT: Final = _question("_non_existent", Writer.boolean, Reader.boolean)
REPOSITORY_ID: Final = _question("_repository_id", Writer.string, Reader.string)
_INTERFACE: Final = _question("_interface", Writer.reference, Reader.reference)
_COMPONENT: Final = _question("_component", Writer.reference, Reader.reference)
_DOMAIN_MANAGERS: Final = _question("_domain_managers", _write_objects, _read_objects)
_Answer = Callable[..., Any]


def _is_a(servant: Servant, id: str) -> bool:
    return id in servant.INTERFACE.ids


def _non_existent(servant: Servant) -> bool:
    return False


def _repository_id(servant: Servant) -> str:
    return servant.INTERFACE.id


def _interface(servant: Servant) -> Reference:
    raise INTF_REPOS(OMG | 1, why="there is no interface repository")


def _component(servant: Servant) -> Reference:
    return _NIL


def _domain_managers(servant: Servant) -> tuple[Reference, ...]:
    return ()


PSEUDO: Final[dict[str, tuple[Operation, _Answer]]] = {
    "_is_a": (IS_A, _is_a),
    "_non_existent": (NON_EXISTENT, _non_existent),
    "_not_existent": (NON_EXISTENT, _non_existent),
    "_repository_id": (REPOSITORY_ID, _repository_id),
    "_interface": (_INTERFACE, _interface),
    "_component": (_COMPONENT, _component),
    "_domain_managers": (_DOMAIN_MANAGERS, _domain_managers),
    "_get_domain_managers": (_DOMAIN_MANAGERS, _domain_managers),
}
"""By their names on the wire: the operation, and what answers it for a servant."""
