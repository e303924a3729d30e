"""`tidings principal …` and `tidings grant …`: who there is, and what each may do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import commands, group, option
from tidings.cli.reading import end
from tidings.cli.references import add_ior
from tidings.errors import InvalidUsage, NotFound
from tidings.grants import requests as r
from tidings.grants.model import Grant, Limits, Principal, Verb
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
principals = group(app, "principal", "Programs and people that use the service.")
grants = group(app, "grant", "What each of them may do.")
add_ior(grants)

Name = Annotated[str, option("<NAME>", "The principal.")]
Expires = Annotated[
    str | None,
    option("--expires WHEN", "When it ends: after 30d, or at 2026-11-15T08:30:00Z. None: never."),
]

_PAGE: Final = 1_000
_NONE: Final = "none"
_GRANTS: Final = ("grant", "to", "may", "channels", "events", "expires", "last used")
_CREDENTIALS: Final = ("id", "principal", "kind", "label", "expires", "last used")


@service_command(
    principals,
    "tidings principal create radar-7",
    "tidings principal create till-3 --role tills",
)
async def create(client: Client, name: Name, role: list[str] | None = None) -> None:
    """Create a principal. It may do nothing yet: `tidings grant create` allows something.

    Options:
        role NAME: A role it has; grants to role:NAME apply to it. Repeatable.
    """
    await client.transport.ask(r.CreatePrincipal(name, tuple(role or ())))
    render.result({"created": name}, f"principal {name} created")


@service_command(principals, "tidings principal list", name="list")
async def list_(client: Client) -> None:
    """List the principals."""
    found: list[Principal] = []
    while len(page := await _principals(client, found[-1].name if found else "")) == _PAGE:
        found += page
    found += page
    rows = [
        (one.name, ", ".join(one.roles), _state(one), showing.moment_text(one.created_at))
        for one in found
    ]
    none = "there are no principals; `tidings principal create NAME` makes one"
    headings = ("principal", "roles", "state", "created")
    render.listing(headings, rows, (), map(showing.as_data, found), none)


async def _principals(client: Client, after: str) -> Sequence[Principal]:
    return await client.transport.request(r.SeePrincipals(after, most=_PAGE))


def _state(principal: Principal) -> str:
    return "disabled" if principal.disabled else "enabled"


@service_command(principals, "tidings principal show radar-7")
async def show(client: Client, name: Name) -> None:
    """Show a principal: its limits, its credentials, and what is granted to it and its roles."""
    found = await find(client, name)
    holders = [name, *(f"role:{role}" for role in found.roles)]
    given = [one for to in holders async for one in all_grants(client, to)]
    credentials = [one async for one in all_credentials(client, name)]
    limits = [(one.name, str(getattr(found.limits, one.name))) for one in fields(Limits)]
    if render.is_json():
        more = {
            "grants": [showing.as_data(one) for one in given],
            "credentials": [showing.as_data(one) for one in credentials],
        }
        render.as_json({**showing.as_data(found), **more})
        return
    rows = [
        ("name", found.name),
        ("roles", ", ".join(found.roles)),
        ("state", _state(found)),
        ("created", showing.moment_text(found.created_at)),
        *(("limit " + name.replace("_", " "), one) for name, one in limits if one != "None"),
    ]
    render.table(("property", "value"), rows)
    if given:
        render.table(_GRANTS, [_grant_row(one) for one in given])
    if credentials:
        render.table(_CREDENTIALS, [credential_row(one) for one in credentials])


async def find(client: Client, name: str) -> Principal:
    """Return a principal, or raise NotFound."""
    page = await client.transport.request(r.SeePrincipals(principal=name)) if name else ()
    if not page:
        raise NotFound(f"there is no principal {name!r:.70}; `tidings principal list` names all")
    return page[0]


@service_command(principals, "tidings principal disable radar-7")
async def disable(client: Client, name: Name) -> None:
    """Shut a principal out for the time being: its connections and sessions end at once."""
    await client.transport.ask(r.ChangePrincipal(name, disabled=True))
    render.result({"disabled": name}, f"principal {name} disabled")


@service_command(principals, "tidings principal enable radar-7")
async def enable(client: Client, name: Name) -> None:
    """Let a principal in again after `disable`."""
    await client.transport.ask(r.ChangePrincipal(name, disabled=False))
    render.result({"enabled": name}, f"principal {name} enabled")


@service_command(principals, "tidings principal delete radar-7")
async def delete(client: Client, name: Name) -> None:
    """Delete a principal, with its tokens, its password and the grants to it."""
    await client.transport.ask(r.DeletePrincipal(name))
    render.result({"deleted": name}, f"principal {name} deleted")


Limit = str | None


@service_command(
    principals,
    "tidings principal limits radar-7",
    "tidings principal limits radar-7 --events-per-second 100 --connections none",
)
async def limits(
    client: Client,
    name: Name,
    events_per_second: Limit = None,
    event_octets: Limit = None,
    connections: Limit = None,
    subscriptions: Limit = None,
    queued_octets: Limit = None,
) -> None:
    """Show or set what a principal may use at once; a limit of `none` is none of its own.

    Options:
        events_per_second N: Events it publishes, averaged over a second.
        event_octets N: The size of one event.
        connections N: Open connections.
        subscriptions N: Subscriptions and other proxies it owns.
        queued_octets N: Content of events that wait for its consumers.
    """
    given = {
        "events_per_second": events_per_second,
        "event_octets": event_octets,
        "connections": connections,
        "subscriptions": subscriptions,
        "queued_octets": queued_octets,
    }
    change = {key: _limit(key, text) for key, text in given.items() if text is not None}
    found = (await find(client, name)).limits
    if change:
        found = replace(found, **change)
        await client.transport.ask(r.ChangePrincipal(name, limits=found))
    rows = [(one.name.replace("_", " "), getattr(found, one.name)) for one in fields(Limits)]
    shown = [(what, _NONE if limit is None else str(limit)) for what, limit in rows]
    showing.show_object(showing.as_data(found), shown)


def _limit(name: str, text: str) -> int | None:
    if text == _NONE:
        return None
    if not (text.isascii() and text.isdecimal()):
        flag = "--" + name.replace("_", "-")
        raise InvalidUsage(f"{flag} is a number or none, not {text!r:.40}")
    return int(text)


@service_command(
    grants,
    "tidings grant create radar-7 publish --channel 'roads-*' --type 'Traffic::*'",
    "tidings grant create role:tills subscribe --channel sales --expires 30d",
    "tidings grant create root administer manage inspect",
    name="create",
)
async def create_grant(
    client: Client,
    to: str,
    verbs: list[Verb],
    channel: list[str] | None = None,
    type: list[str] | None = None,
    constraint: str = "",
    expires: Expires = None,
) -> None:
    """Allow a principal, or everybody with a role, to do something; it applies at once.

    Channels need not exist yet.

    Options:
        to <TO>: A principal, or role:NAME.
        verbs <VERB...>: manage, publish, subscribe, use, inspect, administer.
        channel PATTERN: Only on channels whose name fits, * for any characters. Repeatable.
        type PATTERN: Only events of this type: Domain::Type. Repeatable.
        constraint TEXT: Only events that satisfy it.
    """
    asked = r.CreateGrant(
        to, tuple(verbs), tuple(channel or ()), tuple(type or ()), constraint, end(expires)
    )
    made = await client.transport.ask(asked)
    what = ", ".join(verb.value for verb in verbs)
    render.result({"grant": made}, f"grant {made}: {to} may {what}")


@service_command(grants, "tidings grant list", "tidings grant list radar-7", name="list")
async def list_grants(client: Client, to: str = "") -> None:
    """List the grants, with who used each last.

    Options:
        to <[TO]>: Only those to this principal or role:NAME.
    """
    found = [one async for one in all_grants(client, to)]
    rows = [_grant_row(one) for one in found]
    render.listing(_GRANTS, rows, (0,), map(showing.as_data, found), "there are no grants")


@service_command(grants, "tidings grant revoke 3", name="revoke")
async def revoke_grant(client: Client, numbers: list[int]) -> None:
    """Take grants back: what they allowed ends at once.

    Options:
        numbers <GRANT...>: Their numbers.
    """
    for number in numbers:
        await client.transport.ask(r.RevokeGrant(number))
        render.result({"revoked": number}, f"grant {number} revoked")


async def all_grants(client: Client, to: str) -> AsyncIterator[Grant]:
    """Yield all grants, or those to one."""
    after = 0
    while True:
        page = await client.transport.request(r.SeeGrants(to, after, _PAGE))
        for one in page:
            yield one
        if len(page) < _PAGE:
            return
        after = page[-1].id


async def all_credentials(client: Client, name: str) -> AsyncIterator[r.CredentialInfo]:
    """Yield all credentials, or those of one principal."""
    after = 0
    while True:
        page = await client.transport.request(r.SeeCredentials(name, after, _PAGE))
        for one in page:
            yield one
        if len(page) < _PAGE:
            return
        after = page[-1].id


def _grant_row(grant: Grant) -> tuple[str, ...]:
    events = [*grant.types, *([grant.constraint] if grant.constraint else [])]
    used = f"{_when(grant.used_at)} {grant.used_by}".strip()
    return (
        str(grant.id),
        grant.to,
        ", ".join(verb.value for verb in grant.verbs),
        ", ".join(grant.channels) or "all",
        ", ".join(events) or "all",
        _when(grant.expires_at) or "never",
        used or "never",
    )


def credential_row(one: r.CredentialInfo) -> tuple[str, ...]:
    """Return the row of a credential in a table."""
    expires, used = _when(one.expires_at) or "never", _when(one.used_at) or "never"
    return str(one.id), one.principal, one.kind.value, one.label, expires, used


def credentials_listing(found: Sequence[r.CredentialInfo], none: str) -> None:
    """Print credentials."""
    rows: list[Any] = [credential_row(one) for one in found]
    render.listing(_CREDENTIALS, rows, (0,), map(showing.as_data, found), none)


def grants_listing(found: Sequence[Grant], none: str) -> None:
    """Print grants."""
    render.listing(_GRANTS, [_grant_row(one) for one in found], (0,), (), none)


def _when(time: int | None) -> str:
    return "" if time is None else showing.moment_text(time)[:16].replace("T", " ")
