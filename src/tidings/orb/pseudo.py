"""The pseudo operations of CORBA, which every object answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidings.events import typecode as tc
from tidings.events.reference import Reference
from tidings.orb.exceptions import INTF_REPOS, OMG
from tidings.orb.marshal import Types
from tidings.orb.stubs import OBJECT_ID, Operation, Servant

_TYPES: Final = Types({})
_OBJECT: Final = tc.objref(OBJECT_ID, "Object")
IS_A: Final = _TYPES.operation("_is_a", {"id": tc.string()}, {"": tc.BOOLEAN})
NON_EXISTENT: Final = _TYPES.operation("_non_existent", gives={"": tc.BOOLEAN})
REPOSITORY_ID: Final = _TYPES.operation("_repository_id", gives={"": tc.string()})
_INTERFACE: Final = _TYPES.operation("_interface", gives={"": _OBJECT})
_COMPONENT: Final = _TYPES.operation("_component", gives={"": _OBJECT})
_MANAGERS: Final = _TYPES.operation("_domain_managers", gives={"": tc.sequence(_OBJECT)})


def _interface(servant: Servant) -> Reference:
    raise INTF_REPOS(OMG | 1, why="there is no interface repository")


PSEUDO: Final[dict[str, tuple[Operation, Callable[..., Any]]]] = {
    "_is_a": (IS_A, lambda servant, id: id in servant.INTERFACE.ids),
    "_non_existent": (NON_EXISTENT, lambda servant: False),
    "_not_existent": (NON_EXISTENT, lambda servant: False),
    "_repository_id": (REPOSITORY_ID, lambda servant: servant.INTERFACE.id),
    "_interface": (_INTERFACE, _interface),
    "_component": (_COMPONENT, lambda servant: Reference()),
    "_domain_managers": (_MANAGERS, lambda servant: ()),
    "_get_domain_managers": (_MANAGERS, lambda servant: ()),
}
"""By their names on the wire: the operation, and what answers it for a servant."""
