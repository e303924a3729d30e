"""Names of objects in nested contexts, kept in memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from tidings.cos.CosNaming_auto import (
    Name,
    NameComponent,
    NamingContext_AlreadyBound,
    NamingContext_CannotProceed,
    NamingContext_InvalidName,
    NamingContext_NotEmpty,
    NamingContext_NotFound,
    NamingContext_NotFoundReason,
)
from tidings.events.reference import Reference
from tidings.names import new_handle
from tidings.orb.exceptions import BAD_PARAM, IMP_LIMIT, NO_PERMISSION, OBJECT_NOT_EXIST, OMG

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
_Source: TypeAlias = Callable[[], Mapping[NameComponent, Reference]]


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

    def resolve(self, context: int, name: Name) -> Bound:
        """Return what is bound to a name.

        Raises:
            NamingContext_NotFound: Nothing is bound, or a step is not a context.
            NamingContext_CannotProceed: The name continues in a context of another service.
            NamingContext_InvalidName: It has no or too many components, or one is too long.
        """
        holder, last = self._walk(context, name)
        found = self._bindings(holder).get(last)
        if found is None:
            raise _not_found(NamingContext_NotFoundReason.missing_node, (last,))
        return found

    def bindings(self, context: int) -> Iterator[tuple[NameComponent, Bound]]:
        """Return all names in a context."""
        return iter(self._bindings(context).items())

    def _bindings(self, context: int) -> Mapping[NameComponent, Bound]:
        source = self._live.get(context)
        if source is not None:
            return {component: Bound(reference) for component, reference in source().items()}
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
                raise _not_found(NamingContext_NotFoundReason.missing_node, rest)
            if not found.is_context:
                raise _not_found(NamingContext_NotFoundReason.not_context, rest)
            if found.context is None:
                raise NamingContext_CannotProceed(found.reference, rest[1:])
            if found.context not in self:
                raise _not_found(NamingContext_NotFoundReason.missing_node, rest)
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
            raise _not_found(reason.not_context if is_context else reason.not_object, (last,))
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


def _not_found(reason: NamingContext_NotFoundReason, rest: Name) -> NamingContext_NotFound:
    return NamingContext_NotFound(reason, rest)
