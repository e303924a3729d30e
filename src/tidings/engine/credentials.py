"""Makes tokens and passwords: draws secrets and hashes them beside the loop; digests are kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tidings.engine.access import Caller
from tidings.engine.references import leads_to
from tidings.errors import Forbidden, WrongState
from tidings.grants.model import CredentialKind, Verb
from tidings.grants.requests import (
    AddCredential,
    CreateReference,
    CreateToken,
    Myself,
    NewReference,
    NewToken,
    RevokeCredential,
    SetPassword,
)
from tidings.grants.secrets import (
    SALT_OCTETS,
    SECRET_OCTETS,
    checked_password,
    digest,
    token_secret,
    token_text,
)
from tidings.names import new_secret

if TYPE_CHECKING:
    from tidings.engine.host import Host

MOST_SHOWN = 100
"""Grants that a caller is shown of its own."""


async def create_token(host: Host, caller: Caller, asked: CreateToken) -> NewToken:
    """Draw a token; only its digest is kept."""
    host.access.require(caller, Verb.ADMINISTER, None)
    return await _new_token(host, asked, CredentialKind.TOKEN)


async def login_token(host: Host, principal: str, seconds: float) -> tuple[NewToken, int]:
    """Return a token for somebody who has shown a password, and when it ends."""
    end = host.clock.now() + round(seconds * 1_000_000)
    asked = CreateToken(principal, "login", end)
    return await _new_token(host, asked, CredentialKind.LOGIN), end


async def _new_token(host: Host, asked: CreateToken, kind: CredentialKind) -> NewToken:
    secret, salt = new_secret(SECRET_OCTETS), new_secret(SALT_OCTETS)
    kept = await asyncio.to_thread(digest, token_secret(token_text(1, secret)), salt)
    add = AddCredential(asked.principal, kind, kept, asked.label, asked.expires_at)
    credential: int = await host.ask(add)
    return NewToken(credential, token_text(credential, secret))


async def create_reference(host: Host, caller: Caller, asked: CreateReference) -> NewReference:
    """Issue a reference; its key is computed, so that only its number is kept."""
    host.access.require(caller, Verb.ADMINISTER, None)
    issue = host.issue_reference
    if issue is None:
        raise WrongState(
            "this service offers no CORBA, so that there is nothing to refer to: start it with "
            "--iiop, or with iiop.enabled = true"
        )
    target = leads_to(host.factory, asked)
    kind = CredentialKind.REFERENCE
    add = AddCredential(asked.principal, kind, target, asked.label, asked.expires_at)
    credential: int = await host.ask(add)
    return NewReference(credential, issue(target, credential))


async def set_password(host: Host, caller: Caller, asked: SetPassword) -> None:
    """Set a password; whoever does not administer access must know the one before."""
    if not host.access.may(caller, Verb.ADMINISTER, None):
        if caller.name != asked.principal:
            raise Forbidden(f"{caller} may set its own password only, and must tell the old one")
        if host.access.grants.password(caller.name, host.clock.now()) is None:
            raise Forbidden(
                f"{caller} has no password yet: whoever administers access sets the first one"
            )
        where = caller.peer or caller.name  # who guesses here slows nobody else
        await host.callers.by_password(caller.name, asked.old, where)
    password = checked_password(asked.password)
    kept = await asyncio.to_thread(digest, password, new_secret(SALT_OCTETS))
    await host.ask(AddCredential(asked.principal, CredentialKind.PASSWORD, kept))


async def end_login(host: Host, caller: Caller) -> bool:
    """Revoke the token that a login gave a caller; return whether it has shown such a one."""
    id = caller.credential
    found = None if id is None else host.access.grants.credential(id, host.clock.now())
    if found is None or found.kind is not CredentialKind.LOGIN:
        return False
    await host.ask(RevokeCredential(found.id))
    return True


def myself(host: Host, caller: Caller) -> Myself:
    """Return who a caller is, and what it may do."""
    grants, now = host.access.grants, host.clock.now()
    principal = grants.principal(caller.name)
    id = caller.credential
    credential = None if id is None else grants.credential(id, now)
    return Myself(
        caller.name,
        caller.owns_service,
        () if principal is None else principal.roles,
        id,
        None if credential is None else credential.kind,
        None if credential is None else credential.expires_at,
        tuple(grants.granted(caller.name, now)[:MOST_SHOWN]),
    )
