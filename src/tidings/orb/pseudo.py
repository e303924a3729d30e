"""What every object answers, whatever its interface: the pseudo operations of CORBA."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidings.events.reference import Reference
from tidings.orb.exceptions import INTF_REPOS, OMG
from tidings.orb.marshal_checks import read_nothing, write_nothing
from tidings.orb.stubs import Operation, Servant

if TYPE_CHECKING:
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer

_NIL: Final = Reference()


def _write_id(writer: Writer, arguments: tuple[Any, ...]) -> None:
    writer.string(arguments[0])


def _read_id(reader: Reader) -> tuple[Any, ...]:
    return (reader.string(),)


def _write_boolean(writer: Writer, result: Any) -> None:  # noqa: ANN401 - as Operation has it
    writer.boolean(result)


def _read_boolean(reader: Reader) -> bool:
    return reader.boolean()


def _write_string(writer: Writer, result: Any) -> None:  # noqa: ANN401 - as Operation has it
    writer.string(result)


def _read_string(reader: Reader) -> str:
    return reader.string()


def _write_object(writer: Writer, result: Any) -> None:  # noqa: ANN401 - as Operation has it
    writer.reference(result)


def _read_object(reader: Reader) -> Reference:
    return reader.reference()


def _write_objects(writer: Writer, result: Any) -> None:  # noqa: ANN401 - as Operation has it
    writer.length(len(result))
    for each in result:
        writer.reference(each)


def _read_objects(reader: Reader) -> tuple[Reference, ...]:
    return tuple([reader.reference() for _ in range(reader.length(12))])


IS_A: Final = Operation("_is_a", "", _write_id, _read_id, _write_boolean, _read_boolean)
NON_EXISTENT: Final = Operation(
    "_non_existent", "", write_nothing, read_nothing, _write_boolean, _read_boolean
)
REPOSITORY_ID: Final = Operation(
    "_repository_id", "", write_nothing, read_nothing, _write_string, _read_string
)
_INTERFACE: Final = Operation(
    "_interface", "", write_nothing, read_nothing, _write_object, _read_object
)
_COMPONENT: Final = _INTERFACE.replace(name="_component")
_DOMAIN_MANAGERS: Final = Operation(
    "_domain_managers", "", write_nothing, read_nothing, _write_objects, _read_objects
)

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
