"""A small naming service for clients that know only a host and a port.

Names of objects are in nested contexts, kept in memory: clients' bindings are lost when the process
ends.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from urllib.parse import quote

from tidings.cos.CosNaming_auto import (
    Binding,
    BindingIterator_INTERFACE,
    BindingIteratorServant,
    BindingList,
    BindingType,
    Name,
    NameComponent,
    NamingContext_AlreadyBound,
    NamingContext_CannotProceed,
    NamingContext_InvalidName,
    NamingContext_NotEmpty,
    NamingContext_NotFound,
    NamingContext_NotFoundReason,
    NamingContextExt_INTERFACE,
    NamingContextExt_InvalidAddress,
    NamingContextExtServant,
)
from tidings.engine.access import ObjectKey
from tidings.events.reference import Reference
from tidings.grants.model import Verb
from tidings.names import new_handle
from tidings.orb.corbaloc import parse_name, parse_object_url
from tidings.orb.exceptions import BAD_PARAM, IMP_LIMIT, NO_PERMISSION, OBJECT_NOT_EXIST, OMG
from tidings.servants.operations import TypedErrors
from tidings.servants.service import NIL

if TYPE_CHECKING:
    from tidings.engine.access import Access
    from tidings.engine.door import LocalDoor
    from tidings.orb.stubs import Servant
    from tidings.servants.service import CorbaService

CONTEXT: Final = "naming context"
ITERATOR: Final = "binding iterator"

# Most open iterators; a new one replaces the oldest.
_MOST_LISTS: Final = 100
# Most bindings in one answer; the rest is read with an iterator.
_MOST_TOLD: Final = 10_000

_log: Final = logging.getLogger(__name__)

ROOT: Final = 0
"""The root context."""

MAX_NAMES: Final = 10_000
"""Default limit of names, and of contexts."""

_MOST_COMPONENTS: Final = 64
# Most characters of a component: its id and its kind together.
_LONGEST: Final = 1_024
# Most octets of a bound reference; a usual one has a few hundred.
_LARGEST: Final = 8_192


class Bound(NamedTuple):
    """The object or context bound to a name; `context` is the id of one in this tree."""

    reference: Reference
    is_context: bool = False
    context: int | None = None


_Bindings: TypeAlias = dict[NameComponent, Bound]
_MayKnow: TypeAlias = Callable[[int], bool]
"""Whether a caller may know of a channel."""
_Source: TypeAlias = Callable[[_MayKnow], Mapping[NameComponent, Reference]]


def _anything(channel: int) -> bool:
    return True


class NameTree:
    """Contexts with their names; `own` returns the context id of a reference, or None."""

    def __init__(
        self,
        refer: Callable[[int], Reference],
        own: Callable[[Reference], int | None],
        most: int = MAX_NAMES,
    ) -> None:
        self._refer = refer
        self._own = own
        self._contexts: dict[int, _Bindings] = {ROOT: {}}
        self._live: dict[int, _Source] = {}
        self._ids = count(1)
        self._most = most
        self._names = 0
        # Whether the limit was logged; it is logged once, until something is removed.
        self._full = False

    def __contains__(self, context: int) -> bool:
        return context in self._contexts or context in self._live

    # ------------------------------------------------------------ looking up

    def resolve(self, context: int, name: Name, may_know: _MayKnow = _anything) -> Bound:
        """Return what is bound to a name.

        Raises:
            NamingContext_NotFound: Nothing is bound, or a step is not a context.
            NamingContext_CannotProceed: The name continues in a context of another service.
            NamingContext_InvalidName: It has no or too many components, or one is too long.
        """
        holder, last = self._walk(context, name)
        found = self._bindings(holder, may_know).get(last)
        if found is None:
            raise NamingContext_NotFound(NamingContext_NotFoundReason.missing_node, (last,))
        return found

    def bindings(
        self, context: int, may_know: _MayKnow = _anything
    ) -> Iterator[tuple[NameComponent, Bound]]:
        """Return all names in a context that a caller may know of."""
        return iter(self._bindings(context, may_know).items())

    def _bindings(
        self, context: int, may_know: _MayKnow = _anything
    ) -> Mapping[NameComponent, Bound]:
        source = self._live.get(context)
        if source is not None:
            return {name: Bound(reference) for name, reference in source(may_know).items()}
        found = self._contexts.get(context)
        if found is None:
            raise OBJECT_NOT_EXIST(OMG | 1, why=f"the naming context {context} is no more")
        return found

    def _walk(self, context: int, name: Name) -> tuple[int, NameComponent]:
        """Return the context that holds the last component of a name."""
        if not 0 < len(name) <= _MOST_COMPONENTS or any(
            len(component.id) + len(component.kind) > _LONGEST for component in name
        ):
            raise NamingContext_InvalidName
        for at, component in enumerate(name[:-1]):
            found = self._bindings(context).get(component)
            rest = tuple(name[at:])
            if found is None:
                raise NamingContext_NotFound(NamingContext_NotFoundReason.missing_node, rest)
            if not found.is_context:
                raise NamingContext_NotFound(NamingContext_NotFoundReason.not_context, rest)
            if found.context is None:
                raise NamingContext_CannotProceed(found.reference, rest[1:])
            if found.context not in self:
                raise NamingContext_NotFound(NamingContext_NotFoundReason.missing_node, rest)
            context = found.context
        return context, name[-1]

    # ------------------------------------------------------------ changing

    def bind(
        self,
        context: int,
        name: Name,
        reference: Reference,
        *,
        is_context: bool = False,
        again: bool = False,
    ) -> None:
        """Bind a name to an object or context; raises like `resolve`.

        Raises:
            NamingContext_AlreadyBound: The name is bound and `again` is false.
            NamingContext_NotFound: A step is missing, or an object would replace a context or vice
                versa.
            IMP_LIMIT: There are too many names, or the reference is too large.
        """
        if is_context and not reference.profiles:
            raise BAD_PARAM(why="a nil reference is no naming context")
        holder, last = self._walk(context, name)
        bindings = self._changeable(holder)
        before = bindings.get(last)
        if before is not None and not again:
            raise NamingContext_AlreadyBound
        if before is not None and before.is_context is not is_context:
            reason = NamingContext_NotFoundReason
            raise NamingContext_NotFound(
                reason.not_context if is_context else reason.not_object, (last,)
            )
        octets = sum([len(profile) for _, profile in reference.profiles])
        if octets + len(reference.type_id) > _LARGEST:
            raise IMP_LIMIT(why=f"the reference has more than {_LARGEST} octets")
        if before is None:
            self._check_room(self._names, "names")
            self._names += 1
        own = self._own(reference) if is_context else None
        bindings[last] = Bound(reference, is_context, own)

    def unbind(self, context: int, name: Name) -> None:
        """Remove a name; its object stays."""
        self.resolve(context, name)
        holder, last = self._walk(context, name)
        del self._changeable(holder)[last]
        self._names -= 1
        self._full = False

    def new_context(self, context: int = ROOT, name: Name | None = None) -> Reference:
        """Create a context, bound to a name if one is given; raises like `bind`."""
        self._check_room(len(self._contexts), "contexts")
        id = self._new_id()
        made = self._refer(id)
        if name is not None:
            self.bind(context, name, made, is_context=True)
        self._contexts[id] = {}
        return made

    def _new_id(self) -> int:
        """Return an id that was never used, not even before a restart, so old references fail."""
        id = new_handle()
        while id in self:
            id = new_handle()
        return id

    def live_context(self, name: Name, source: _Source) -> None:
        """Create a context below the root whose names are looked up on demand."""
        id = next(self._ids)
        self._live[id] = source
        self.bind(ROOT, name, self._refer(id), is_context=True)

    def destroy(self, context: int) -> None:
        """Delete a context; raise NamingContext_NotEmpty if it holds names."""
        if self._changeable(context):
            raise NamingContext_NotEmpty
        if context == ROOT:
            raise NO_PERMISSION(why="the root of all names stays")
        del self._contexts[context]
        self._full = False

    def _check_room(self, count: int, what: str) -> None:
        if count < self._most:
            return
        why = f"the naming service has {count} {what}, and no more are allowed (iiop.max_names)"
        if not self._full:
            self._full = True
            _log.warning("%s", why)
        raise IMP_LIMIT(why=why)

    def _changeable(self, context: int) -> _Bindings:
        if context in self._live:
            raise NO_PERMISSION(why="the names in this context are the service's own")
        self._bindings(context)
        return self._contexts[context]


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
        found = key.ids[0] in self.tree
        return ContextObject(self, service.host.access, door, key.ids[0]) if found else None

    def iterator(self, service: CorbaService, door: LocalDoor, key: ObjectKey) -> Servant | None:
        """Return the servant of an open iterator."""
        found = key.ids[0] in self._lists
        return IteratorObject(self, key.ids[0]) if found else None

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


class ContextObject(TypedErrors, NamingContextExtServant):
    """One naming context.

    Callers who may do nothing learn no names; to change names is to manage the service.
    """

    def __init__(self, names: Names, access: Access, door: LocalDoor, context: int) -> None:
        self._names = names
        self._access = access
        self._caller = door.principal
        self._context = context

    @property
    def _tree(self) -> NameTree:
        """The names, for a caller who looks."""
        self._access.require_known(self._caller, None)
        return self._names.tree

    @property
    def _changed(self) -> NameTree:
        """The names, for a caller who changes them."""
        self._access.require(self._caller, Verb.MANAGE, None)
        return self._names.tree

    def _may_know(self, channel: int) -> bool:
        return self._access.knows(self._caller, channel)

    async def bind(self, n: Name, obj: Reference) -> None:
        """Bind an object to an unused name."""
        self._changed.bind(self._context, n, obj)

    async def rebind(self, n: Name, obj: Reference) -> None:
        """Bind an object to a name, replacing another object."""
        self._changed.bind(self._context, n, obj, again=True)

    async def bind_context(self, n: Name, nc: Reference) -> None:
        """Bind a context to an unused name."""
        self._changed.bind(self._context, n, nc, is_context=True)

    async def rebind_context(self, n: Name, nc: Reference) -> None:
        """Bind a context to a name, replacing another context."""
        self._changed.bind(self._context, n, nc, is_context=True, again=True)

    async def resolve(self, n: Name) -> Reference:
        """Return what is bound to a name."""
        return self._tree.resolve(self._context, n, self._may_know).reference

    async def unbind(self, n: Name) -> None:
        """Remove a name."""
        self._changed.unbind(self._context, n)

    async def new_context(self) -> Reference:
        """Create a context without a name."""
        return self._changed.new_context()

    async def bind_new_context(self, n: Name) -> Reference:
        """Create a context and bind it to a name."""
        return self._changed.new_context(self._context, n)

    async def destroy(self) -> None:
        """Delete the context, which must be empty."""
        self._changed.destroy(self._context)

    async def list(self, how_many: int) -> tuple[BindingList, Reference]:
        """List up to `how_many` names of this context; return an iterator for the rest."""
        seen = self._tree.bindings(self._context, self._may_know)
        found = [_binding(*one) for one in seen]
        most = min(how_many, _MOST_TOLD)
        return tuple(found[:most]), self._names.keep(islice(found, most, None))

    # NamingContextExt: names as text.

    async def to_string(self, n: Name) -> str:
        """Return a name as text."""
        self._access.require_known(self._caller, None)
        return name_text(n)

    async def to_name(self, sn: str) -> Name:
        """Parse a name."""
        self._access.require_known(self._caller, None)
        return read_name(sn)

    async def to_url(self, addr: str, sn: str) -> str:
        """Return the corbaname URL of a name in the naming service at an address."""
        self._access.require_known(self._caller, None)
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
