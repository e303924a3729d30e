"""`tidings token …`, `password set`, `login`, `logout`, `whoami`: how callers say who they are.

Secrets come from files, from standard input, or from a terminal that does not show them: an
argument could be read by everybody on this machine, and stays in the shell's history.
"""

from __future__ import annotations

import asyncio
import getpass
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from tidings.cli import showing
from tidings.cli.connection import (
    Service,
    chosen_service,
    service_command,
    service_without_token,
    trusting,
)
from tidings.cli.contexts import current_context, keep_token_file, tokens_folder
from tidings.cli.options import JSON, add_command, commands, group, option, parameters_of
from tidings.cli.principals import (
    Expires,
    all_credentials,
    credentials_listing,
    find,
    grants_listing,
)
from tidings.cli.reading import end, reason
from tidings.errors import InvalidUsage, StoreError, Unauthenticated
from tidings.grants import requests as r
from tidings.grants.model import CredentialKind
from tidings.server.files import write_secret
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
tokens = group(app, "token", "Tokens, by which programs say who they are.")
passwords = group(app, "password", "Passwords, by which people do.")

Into = Annotated[
    Path | None, option("--into FILE", "Write the token into this new file, readable by you alone.")
]
FromInput = Annotated[
    bool, option("--password-stdin", "Read the password from the first line of standard input.")
]

# The second line of a token file that `tidings login` may write again and `logout` removes.
_MARK: Final = "from tidings login"
_LONGEST: Final = 1_000


@service_command(
    tokens,
    "tidings token create radar-7 --into radar-7.token",
    "tidings token create radar-7 --label 'mast 3' --expires 90d",
)
async def create(
    client: Client, name: str, label: str = "", expires: Expires = None, into: Into = None
) -> None:
    """Create a token and show it, this once.

    To rotate a token without a gap: create another, use it everywhere, revoke the old one.

    Options:
        name <NAME>: The principal.
        label TEXT: What it is for.
    """
    if into is not None and into.exists():
        raise InvalidUsage(f"{into} exists already: a token goes into a new file")
    made = await client.transport.request(r.CreateToken(name, label, end(expires)))
    if into is None:
        render.result(showing.as_data(made), made.token)
        render.note(f"credential {made.credential} of {name}: the token is not shown again", "dim")
        return
    try:
        write_secret(into, made.token)
    except OSError as error:
        await client.transport.ask(r.RevokeCredential(made.credential))
        raise StoreError(f"{into} cannot be written: {reason(error)}") from error
    render.result(
        {"credential": made.credential, "file": str(into)},
        f"credential {made.credential} of {name}: the token is in {into}",
    )


@service_command(tokens, "tidings token list", "tidings token list radar-7", name="list")
async def list_(client: Client, name: str = "") -> None:
    """List tokens, passwords and certificates, with when each was used last.

    Options:
        name <[NAME]>: Only those of this principal.
    """
    if name:
        await find(client, name)
    found = [one async for one in all_credentials(client, name)]
    credentials_listing(found, "there are no tokens; `tidings token create NAME` makes one")


@service_command(tokens, "tidings token revoke 4")
async def revoke(client: Client, numbers: list[int]) -> None:
    """End tokens, or a password, at once: what was opened with them ends.

    Options:
        numbers <ID...>: Their ids, as `token list` shows them.
    """
    for number in numbers:
        await client.transport.ask(r.RevokeCredential(number))
        render.result({"revoked": number}, f"credential {number} revoked")


@service_command(
    passwords,
    "tidings password set ann",
    "tidings password set",
    "pass show tidings/ann | tidings password set ann --password-stdin",
    name="set",
)
async def set_(client: Client, name: str = "", password_stdin: FromInput = False) -> None:
    """Set a password: of a principal, or your own; asks for it, and does not show it.

    Sessions and tokens that the old password gave end. Whoever does not administer access is
    asked for the old password first; from standard input that is a second line.

    Options:
        name <[NAME]>: The principal. [default: yourself]
    """
    myself = await client.transport.request(r.SeeMyself())
    if not name and myself.everything:
        raise InvalidUsage("the service's owner has no password: name a principal")
    administers = myself.everything or any(
        verb.value == "administer" for grant in myself.grants for verb in grant.verbs
    )
    if password_stdin:
        new, old = _line(), "" if administers else _line()
    else:
        old = "" if administers else _asked("Old password: ")
        new = _asked("New password: ")
        if _asked("Again: ") != new:
            raise InvalidUsage("these are two different passwords; nothing was changed")
    who = name or myself.principal
    await client.transport.request(r.SetPassword(who, new, old))
    render.result({"principal": who}, f"the password of {who} is set")


@service_command(app, "tidings whoami", "tidings whoami --context prod")
async def whoami(client: Client) -> None:
    """Show who the service takes you for, and what you may do."""
    found = await client.transport.request(r.SeeMyself())
    if render.is_json():
        render.as_json(showing.as_data(found))
        return
    by = (
        "nothing" if found.kind is None else f"{_KINDS[found.kind]} (credential {found.credential})"
    )
    until = showing.moment_text(found.expires_at) if found.expires_at is not None else ""
    rows = [("principal", found.principal), ("roles", ", ".join(found.roles)),
            ("known by", by), ("until", until)]  # fmt: skip
    if found.everything:
        rows.append(("may", "everything"))
    render.table(("property", "value"), [row for row in rows if row[1]])
    if not found.everything:
        grants_listing(found.grants, "nothing is granted to it")


_KINDS: Final = {
    CredentialKind.TOKEN: "a token",
    CredentialKind.LOGIN: "a token from a login",
    CredentialKind.PASSWORD: "a session",
    CredentialKind.CERTIFICATE: "a certificate",
}


_Function: TypeAlias = Callable[..., None]


def _command(*examples: str) -> Callable[[_Function], _Function]:
    """Declare a command that selects a service, and has no client of it yet."""

    def made(function: _Function) -> _Function:
        def call(given: dict[str, Any], json: bool, **options: Any) -> None:  # noqa: ANN401
            function(options, **given)

        shared = [*JSON, *parameters_of(chosen_service)]
        return add_command(app, examples, None, function, shared, call)

    return made


@_command("tidings login ann", "tidings login ann --context prod")
def login(
    job: dict[str, Any], name: str, password_stdin: FromInput = False, into: Into = None
) -> None:
    """Exchange a password for a token, which ends after some hours, and keep it for the context.

    Commands that use the context are yours from then on; `tidings logout` ends that.

    Options:
        name <NAME>: Who you are.
    """
    chosen = current_context(job["context"], job["url"])
    if chosen is None and into is None:
        raise InvalidUsage(
            "there is no context to keep the token in: `tidings context add NAME --url URL` makes "
            "one; or give --into FILE"
        )
    service = _without_token(job)
    file = into or (Path(chosen[1].token_file) if chosen and chosen[1].token_file else None)
    if file is None:
        assert chosen is not None
        file = tokens_folder() / chosen[0]
    _check_ours(file)
    password = _line() if password_stdin else _asked(f"Password of {name} at {service.url}: ")
    made = asyncio.run(_sent(service, "login", {"name": name, "password": password, "token": True}))
    try:
        write_secret(file, f"{made['token']}\n{_MARK}")
    except OSError as error:
        asyncio.run(_sent(replace(service, token=made["token"]), "logout"))
        raise StoreError(f"{file} cannot be written: {reason(error)}") from error
    if into is None and chosen is not None:
        keep_token_file(chosen[0], file)
    until = showing.moment_text(made["expires_at"])
    data = {"principal": name, "file": str(file), "expires_at": made["expires_at"]}
    render.result(data, f"logged in as {name} until {until}: the token is in {file}")


@_command("tidings logout", "tidings logout --context prod")
def logout(job: dict[str, Any]) -> None:
    """End the token that `tidings login` has kept, at once, and remove its file."""
    chosen = current_context(job["context"], job["url"])
    named = job["token_file"] or (chosen[1].token_file if chosen else None)
    file = None if named is None else Path(named)
    if file is None or not file.exists():
        raise InvalidUsage("nobody is logged in here; `tidings login NAME` does it")
    _check_ours(file)
    service = chosen_service(**job)
    if job["token_file"] is None:  # not another one from the environment
        service = replace(service, token=_token_in(file))
    try:
        asyncio.run(_sent(service, "logout"))
        told = "logged out"
    except Unauthenticated:
        told = "logged out: the token had ended before"
    file.unlink(missing_ok=True)
    if chosen is not None and file.parent == tokens_folder():
        keep_token_file(chosen[0], None)
    render.result({"removed": str(file)}, told)


def _without_token(options: dict[str, Any]) -> Service:
    """Select the service without a token: the file of the one to come may be missing."""
    rest = {name: given for name, given in options.items() if name != "token_file"}
    return service_without_token(**rest)[0]


async def _sent(service: Service, what: str, body: object = None) -> Any:  # noqa: ANN401 -- JSON
    from tidings.api.operations import Call
    from tidings.client.transports.http.calls import Caller
    from tidings.client.transports.http.transport import checked_url

    headers = {} if service.token is None else {"Authorization": f"Bearer {service.token}"}
    url, trust = checked_url(service.url), trusting(service.ca, service.cert, service.key)
    caller = Caller(url, headers, trust, service.patience)
    try:
        return await caller.call(Call("POST", f"/v1/{what}", body, lambda plain: plain), safe=False)
    finally:
        await caller.close()


def _check_ours(file: Path) -> None:
    """Refuse to touch a token that no login has made: nobody could show it again."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InvalidUsage(f"{file}: {reason(error)}") from error
    if lines and lines[1:2] != [_MARK]:
        raise InvalidUsage(
            f"the token in {file} does not come from a login, and is not touched: use a context of "
            "its own for logging in (`tidings context add`), or `tidings token revoke`"
        )


def _token_in(file: Path) -> str:
    return file.read_text(encoding="utf-8").splitlines()[0]


def _line() -> str:
    text = sys.stdin.readline(_LONGEST)
    return text.removesuffix("\n").removesuffix("\r")


def _asked(words: str) -> str:
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidUsage("there is no terminal to ask for a password on: use --password-stdin")
    return getpass.getpass(words)
