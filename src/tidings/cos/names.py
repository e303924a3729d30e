"""Names in a naming service: looked up, and given."""

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
    """What a corbaname stands for; `Orb(names=look_up)` resolves them with it.

    Raises:
        NamingContext_NotFound: There is no such name.
        SystemException: The naming service does not answer, or refuses.
    """
    context = url.context
    assert not isinstance(context, InitialReference)  # the ORB has replaced it
    if not url.name:
        return context
    name = [NameComponent(*component) for component in url.name]
    return await NamingContext(orb, context).resolve(name)


async def register(orb: Caller, root: Reference, name: Name, reference: Reference) -> None:
    """Gives an object a name, whatever object had it before; contexts that miss are made.

    Raises:
        NamingContext_NotFound: A step of the name is an object, or the name a context.
        SystemException: The naming service does not answer, or refuses.
    """
    context = NamingContext(orb, root)
    for length in range(1, len(name)):
        try:
            await context.bind_new_context(name[:length])
        except NamingContext_AlreadyBound:
            continue
    await context.rebind(name, reference)
