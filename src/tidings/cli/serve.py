"""`tidings serve`, `tidings settings …` and `tidings tls …`: run the service, set it up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from tidings.cli.options import command, commands, group, option
from tidings.clock import utc_now
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.server.layers import Sources

SettingsFile = Annotated[
    Path | None, option("--settings FILE", "The settings. [default: tidings.toml, if it is there]")
]
PropertiesFile = Annotated[
    Path | None, option("--properties FILE", "Old properties, as Key = Value lines.")
]

# Stands for the address when --iiop comes without one; no address can be empty.
_WHERE_SET: Final = ""
_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")


class _Serve(TyperCommand):
    """A command with an option whose value is optional."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 -- of typer's
        """Parse the arguments; an `--iiop` before another option or the end has no value."""
        given = []
        for at, one in enumerate(args):
            following = args[at + 1 : at + 2]
            bare = one == "--iiop" and (not following or following[0].startswith("-"))
            given.append(f"{one}={_WHERE_SET}" if bare else one)
        return super().parse_args(ctx, given)


app = commands()
settings_group = group(app, "settings", "See how the service is set.")
tls_group = group(app, "tls", "Make certificates for development.")


@command(
    app,
    "tidings serve",
    "tidings serve --port 0 --memory",
    "tidings serve --iiop",
    "tidings serve --iiop 127.0.0.1:2809",
    "tidings serve --data /var/lib/tidings --archive /srv/archive",
    "tidings serve --settings /etc/tidings/tidings.toml",
    "TIDINGS_HTTP__PORT=9090 tidings serve --data /var/lib/tidings",
    "tidings serve --data /var/lib/tidings --recover-access root",
    json=False,
    cls=_Serve,
)
def serve(  # noqa: PLR0913, PLR0917 -- each an option
    settings: SettingsFile = None,
    properties: PropertiesFile = None,
    host: str | None = None,
    port: int | None = None,
    data: Path | None = None,
    archive: Path | None = None,
    memory: bool = False,
    token_file: Path | None = None,
    log_level: int | None = None,
    port_file: Path | None = None,
    iiop: str | None = None,
    recover_access: str | None = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM ends it.

    Options go before environment variables (TIDINGS_HTTP__PORT for http.port), these before the
    settings file, that before the defaults. SIGHUP reads the settings again.

    Exit code: 0 if it was ended, 1 if a fault ended it, 2 if it could not start.

    Options:
        host ADDRESS: Where to listen. Only this machine's own need no token.
        port N: The port; 0 takes a free one.
        data DIR: Where the data is.
        archive DIR: Archive the journal there, for analysis.
        memory: Keep nothing on disk.
        token_file FILE: A file whose first line is the owner's token.
        log_level N: 0 nothing, 1 factory, 2 channels, 3 admins, 4 everything.
        port_file FILE: Write the address there, as JSON, once it is ready.
        iiop [ADDRESS[:PORT]]: Serve CORBA clients, too, there or where the settings say.
        recover_access NAME: For whoever is locked out: make this principal an administrator, and
            write a new token of it into the data folder.
    """
    flags: dict[str, Mapping[str, object]] = {
        "--host": {"http.host": host},
        "--port": {"http.port": port},
        "--data": {"store.dir": data},
        "--archive": {"archive.dir": archive},
        "--memory": {"store.memory": memory or None},
        "--token-file": {"http.token_file": token_file},
        "--log-level": {"log.level": log_level},
        "--iiop": _corba_settings(iiop),
    }
    sources = _sources(settings, properties, flags)
    loaded = sources.load()
    from tidings.server.lifecycle import run  # slow to import: report wrong settings first

    code = asyncio.run(run(sources, loaded, port_file, recover_access))
    if code:
        raise typer.Exit(code)


def _corba_settings(iiop: str | None) -> dict[str, object]:
    """Return the settings that `--iiop` sets; raise InvalidUsage for an invalid address."""
    if iiop is None:
        return {}
    if iiop == _WHERE_SET:
        return {"iiop.enabled": True}
    from tidings.server.settings import read_address

    address = read_address(iiop, -1)
    if address is None:
        raise InvalidUsage(
            f"--iiop {iiop}: no address; right are 127.0.0.1, 127.0.0.1:2809 or [::1]:2809"
        )
    port = address.port if address.port >= 0 else None
    return {"iiop.enabled": True, "iiop.host": address.host, "iiop.port": port}


def _sources(
    settings: Path | None,
    properties: Path | None,
    flags: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
) -> Sources:
    """Return where settings come from; `flags` have by name what they set, or None."""
    from tidings.server.layers import Given, Sources

    given = {
        name: Given(value, flag)
        for flag, values in flags.items()
        for name, value in values.items()
        if value is not None
    }
    return Sources(settings, properties, given)


@command(settings_group, "tidings settings show", "tidings settings show --json")
def show(settings: SettingsFile = None, properties: PropertiesFile = None) -> None:
    """Show every setting in force, and where it came from; secrets stay secret."""
    from tidings.server.settings import shown_settings

    loaded = _sources(settings, properties).load()
    shown = shown_settings(loaded.settings)
    rows = [(name, value, loaded.origins.get(name, "")) for name, value in shown.items()]
    data = [{"name": n, "value": v, "origin": origin or None} for n, v, origin in rows]
    render.listing(("setting", "value", "from"), rows, (), data, "")


@command(settings_group, "tidings settings check --settings tidings.toml", json=False)
def check(settings: SettingsFile = None, properties: PropertiesFile = None) -> None:
    """Say whether the service could start with these settings; exit code 2 if not."""
    from tidings.server.tokens import owner_token

    loaded = _sources(settings, properties).load()
    for text in loaded.warnings:
        render.warning(text)
    if loaded.settings.http.token_file is not None:  # otherwise the service makes its own
        owner_token(loaded.settings)
    render.say("the settings are good")


@command(settings_group, "tidings settings document", json=False)
def document() -> None:
    """Write the table of all settings, as the documentation has it."""
    from tidings.server.settings import settings_table

    render.say(settings_table())


@command(
    tls_group,
    "tidings tls make-dev certs",
    "tidings tls make-dev certs --host tidings.lab --client radar-7",
    name="make-dev",
    json=False,
)
def make_dev(
    folder: Path,
    host: list[str] | None = None,
    clients: list[str] | None = None,
    days: Annotated[int, typer.Option(min=1, max=825)] = 90,
) -> None:
    """Make an authority and certificates for a service and its clients.

    The authority is kept: run the command again to renew the certificates or add clients. It is
    for development: whoever reads ca.key can pretend to be the service.

    Options:
        folder <DIR>: Where the files go.
        host NAME: A name or address of the service; repeat it. [default: localhost 127.0.0.1 ::1]
        clients --client NAME: Make a client's certificate; repeat it.
        days N: How long they are valid.
    """
    from tidings.server.dev_certificates import make_certificates

    for path in make_certificates(folder, host or _LOCAL_NAMES, clients or (), utc_now(), days):
        render.say(str(path))
    render.note(
        f'serve: tls.certificate = "{folder / "service.pem"}", tls.key = '
        f'"{folder / "service.key"}", http.tls = true; clients trust {folder / "ca.pem"} '
        "(--ca, or TIDINGS_CA)"
    )
