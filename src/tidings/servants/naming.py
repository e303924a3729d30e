"""A small naming service for clients that know only a host and a port.

Clients' bindings are lost when the process ends.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from tidings.cos.CosNaming_auto import (
    Binding,
    BindingIterator_INTERFACE,
    BindingIteratorServant,
    BindingList,
    BindingType,
    Name,
    NameComponent,
    NamingContext_InvalidName,
    NamingContextExt_INTERFACE,
    NamingContextExt_InvalidAddress,
    NamingContextExtServant,
)
from tidings.engine.access import ObjectKey
from tidings.events.reference import Reference
from tidings.names import new_handle
from tidings.orb.corbaloc import parse_name, parse_object_url
from tidings.orb.exceptions import BAD_PARAM
from tidings.servants.name_tree import MAX_NAMES, ROOT, Bound, NameTree
from tidings.servants.service import NIL

if TYPE_CHECKING:
    from tidings.engine.door import LocalDoor
    from tidings.orb.stubs import Servant
    from tidings.servants.service import CorbaService

CONTEXT: Final = "naming context"
ITERATOR: Final = "binding iterator"

# Most open iterators; a new one replaces the oldest.
_MOST_LISTS: Final = 100
# Most bindings in one answer; the rest is read with an iterator.
_MOST_TOLD: Final = 10_000


class Names:
    """The naming service of one host, limited to `most` names and `most` contexts."""

    def __init__(self, service: CorbaService, most: int = MAX_NAMES) -> None:
        self._service = service
        self.tree = NameTree(self.reference, self.own, most)
        self._lists: OrderedDict[int, deque[Binding]] = OrderedDict()

    def reference(self, context: int = ROOT) -> Reference:
        """Return the reference of a context."""
        key = ObjectKey(CONTEXT, (context,), 0)
        return self._service.reference(key, NamingContextExt_INTERFACE)

    def own(self, reference: Reference) -> int | None:
        """Return the id of this service's context, or None for another reference."""
        key = self._service.own_key(reference)
        return key.ids[0] if key is not None and key.kind == CONTEXT else None

    def context(self, service: CorbaService, door: LocalDoor, key: ObjectKey) -> Servant | None:
        """Return the servant of a context."""
        return ContextObject(self, key.ids[0]) if key.ids[0] in self.tree else None

    def iterator(self, service: CorbaService, door: LocalDoor, key: ObjectKey) -> Servant | None:
        """Return the servant of an open iterator."""
        return IteratorObject(self, key.ids[0]) if key.ids[0] in self._lists else None

    def keep(self, rest: Iterable[Binding]) -> Reference:
        """Keep the rest of a list for an iterator; return a nil reference if it is empty."""
        left = deque(rest)
        if not left:
            return NIL
        id = new_handle()  # random, so that ids from before a restart fail
        self._lists[id] = left
        if len(self._lists) > _MOST_LISTS:
            self._lists.popitem(last=False)
        return self._service.reference(ObjectKey(ITERATOR, (id,), 0), BindingIterator_INTERFACE)

    def take(self, id: int, most: int) -> BindingList:
        """Return the next bindings of a list."""
        left = self._lists.get(id) or deque()
        return tuple([left.popleft() for _ in range(min(most, len(left)))])

    def drop(self, id: int) -> None:
        """Delete a list."""
        self._lists.pop(id, None)


class ContextObject(NamingContextExtServant):
    """One naming context."""

    def __init__(self, names: Names, context: int) -> None:
        self._names = names
        self._tree = names.tree
        self._context = context

    async def bind(self, n: Name, obj: Reference) -> None:
        """Bind an object to an unused name."""
        self._tree.bind(self._context, n, obj)

    async def rebind(self, n: Name, obj: Reference) -> None:
        """Bind an object to a name, replacing another object."""
        self._tree.bind(self._context, n, obj, again=True)

    async def bind_context(self, n: Name, nc: Reference) -> None:
        """Bind a context to an unused name."""
        self._tree.bind(self._context, n, nc, is_context=True)

    async def rebind_context(self, n: Name, nc: Reference) -> None:
        """Bind a context to a name, replacing another context."""
        self._tree.bind(self._context, n, nc, is_context=True, again=True)

    async def resolve(self, n: Name) -> Reference:
        """Return what is bound to a name."""
        return self._tree.resolve(self._context, n).reference

    async def unbind(self, n: Name) -> None:
        """Remove a name."""
        self._tree.unbind(self._context, n)

    async def new_context(self) -> Reference:
        """Create a context without a name."""
        return self._tree.new_context()

    async def bind_new_context(self, n: Name) -> Reference:
        """Create a context and bind it to a name."""
        return self._tree.new_context(self._context, n)

    async def destroy(self) -> None:
        """Delete the context, which must be empty."""
        self._tree.destroy(self._context)

    async def list(self, how_many: int) -> tuple[BindingList, Reference]:
        """List up to `how_many` names of this context; return an iterator for the rest."""
        found = [_binding(*one) for one in self._tree.bindings(self._context)]
        most = min(how_many, _MOST_TOLD)
        return tuple(found[:most]), self._names.keep(islice(found, most, None))

    # NamingContextExt: names as text.

    async def to_string(self, n: Name) -> str:
        """Return a name as text."""
        return name_text(n)

    async def to_name(self, sn: str) -> Name:
        """Parse a name."""
        return read_name(sn)

    async def to_url(self, addr: str, sn: str) -> str:
        """Return the corbaname URL of a name in the naming service at an address."""
        read_name(sn)
        try:
            parse_object_url(f"corbaname:{addr}")
        except BAD_PARAM as error:
            raise NamingContextExt_InvalidAddress from error
        return f"corbaname:{addr}#{quote(sn, safe=';/:?@&=+$,-_.!~*()' + chr(39))}"

    async def resolve_str(self, n: str) -> Reference:
        """Return what is bound to a name given as text."""
        return await self.resolve(read_name(n))


class IteratorObject(BindingIteratorServant):
    """The iterator over the rest of a list of names."""

    def __init__(self, names: Names, id: int) -> None:
        self._names = names
        self._id = id

    async def next_one(self) -> tuple[bool, Binding]:
        """Return the next name, if any."""
        found = self._names.take(self._id, 1)
        return (True, found[0]) if found else (False, Binding((), BindingType.nobject))

    async def next_n(self, how_many: int) -> tuple[bool, BindingList]:
        """Return the next names, if any."""
        if not how_many:
            raise BAD_PARAM(why="how_many is 0: ask for at least one")
        found = self._names.take(self._id, min(how_many, _MOST_TOLD))
        return bool(found), found

    async def destroy(self) -> None:
        """Delete the list."""
        self._names.drop(self._id)


def _binding(component: NameComponent, bound: Bound) -> Binding:
    kind = BindingType.ncontext if bound.is_context else BindingType.nobject
    return Binding((component,), kind)


def read_name(text: str) -> Name:
    """Parse a name such as `plant/line 3.device`; raise NamingContext_InvalidName if invalid."""
    try:
        found = parse_name(text)
    except BAD_PARAM as error:
        raise NamingContext_InvalidName from error
    if not found:
        raise NamingContext_InvalidName
    return tuple([NameComponent(*component) for component in found])


def name_text(name: Name) -> str:
    r"""Return a name as text, escaping `/`, `.` and `\`; it must have components."""
    if not name:
        raise NamingContext_InvalidName
    return "/".join([_component_text(*component) for component in name])


def _component_text(id: str, kind: str) -> str:
    if not id and not kind:
        return "."
    return f"{_escaped(id)}.{_escaped(kind)}" if kind else _escaped(id)


def _escaped(text: str) -> str:
    for special in ("\\", "/", "."):
        text = text.replace(special, f"\\{special}")
    return text
