"""Lookup and registration in a naming service."""

from __future__ import annotations

from tidings.cos.CosNaming_auto import (
    Name,
    NameComponent,
    NamingContext,
    NamingContext_AlreadyBound,
)
from tidings.events.reference import Reference
from tidings.orb.corbaloc import Corbaname, InitialReference
from tidings.orb.stubs import Caller


async def look_up(orb: Caller, url: Corbaname) -> Reference:
    """Resolve a corbaname; meant for `Orb(names=look_up)`."""
    context = url.context
    assert not isinstance(context, InitialReference)  # the ORB has resolved it
    if not url.name:
        return context
    name = [NameComponent(*component) for component in url.name]
    return await NamingContext(orb, context).resolve(name)


async def register(orb: Caller, root: Reference, name: Name, reference: Reference) -> None:
    """Bind a name to an object, replacing another object and creating missing contexts.

    Raises NamingContext_NotFound if a step is bound to an object, or the name to a context.
    """
    context = NamingContext(orb, root)
    for length in range(1, len(name)):
        try:
            await context.bind_new_context(name[:length])
        except NamingContext_AlreadyBound:
            continue
    await context.rebind(name, reference)
