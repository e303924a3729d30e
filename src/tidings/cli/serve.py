"""`tidings serve` and `tidings settings …`: run the service, and show its settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from tidings.cli import render
from tidings.cli.options import Json, examples
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.server.layers import Sources

SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", metavar="FILE", help="The settings. [default: tidings.toml, if it is there]"
    ),
]
PropertiesFile = Annotated[
    Path | None,
    typer.Option("--properties", metavar="FILE", help="Old properties, as Key = Value lines."),
]
Host = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Where to listen. Only this machine's own need no token."),
]
Port = Annotated[int | None, typer.Option(metavar="N", help="The port; 0 takes a free one.")]
Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Where the data is.")]
Archive = Annotated[
    Path | None,
    typer.Option("--archive", metavar="DIR", help="Archive the journal there, for analysis."),
]
Memory = Annotated[bool, typer.Option("--memory", help="Keep nothing on disk.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file whose first line is the owner's token."),
]
LogLevel = Annotated[
    int | None,
    typer.Option(metavar="N", help="0 nothing, 1 factory, 2 channels, 3 admins, 4 everything."),
]
PortFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the address there, as JSON, once it is ready."),
]

Iiop = Annotated[
    str | None,
    typer.Option(
        "--iiop",
        metavar="[ADDRESS[:PORT]]",
        help="Serve CORBA clients, too, there or where the settings say.",
    ),
]

# Stands for the address when --iiop comes without one; no address can be empty.
_WHERE_SET: Final = ""


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


settings_app = typer.Typer(
    help="See how the service is set.", no_args_is_help=True, rich_markup_mode=None
)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command tree."""
    app.command(
        cls=_Serve,
        epilog=examples(
            "tidings serve",
            "tidings serve --port 0 --memory",
            "tidings serve --iiop",
            "tidings serve --iiop 127.0.0.1:2809",
            "tidings serve --data /var/lib/tidings --archive /srv/archive",
            "tidings serve --settings /etc/tidings/tidings.toml",
            "TIDINGS_HTTP__PORT=9090 tidings serve --data /var/lib/tidings",
        ),
    )(serve)
    app.add_typer(settings_app, name="settings")


def serve(  # noqa: PLR0913, PLR0917 -- each an option
    settings: SettingsFile = None,
    properties: PropertiesFile = None,
    host: Host = None,
    port: Port = None,
    data: Data = None,
    archive: Archive = None,
    memory: Memory = False,
    token_file: TokenFile = None,
    log_level: LogLevel = None,
    port_file: PortFile = None,
    iiop: Iiop = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM ends it.

    Options go before environment variables (TIDINGS_HTTP__PORT for http.port), these before the
    settings file, that before the defaults. SIGHUP reads the settings again.

    Exit code: 0 if it was ended, 1 if a fault ended it, 2 if it could not start.
    """
    flags = {
        "--host": ("http.host", host),
        "--port": ("http.port", port),
        "--data": ("store.dir", data),
        "--archive": ("archive.dir", archive),
        "--memory": ("store.memory", memory or None),
        "--token-file": ("http.token_file", token_file),
        "--log-level": ("log.level", log_level),
    }
    sources = _sources(settings, properties, flags, _corba_flags(iiop))
    loaded = sources.load()
    from tidings.server.lifecycle import run  # slow to import: report wrong settings first

    code = asyncio.run(run(sources, loaded, port_file))
    if code:
        raise typer.Exit(code)


def _corba_flags(iiop: str | None) -> dict[str, object]:
    """Return the settings that `--iiop` sets; raise InvalidUsage for an invalid address."""
    if iiop is None:
        return {}
    flags: dict[str, object] = {"iiop.enabled": True}
    if iiop != _WHERE_SET:
        from tidings.server.corba_settings import read_address

        address = read_address(iiop, -1)
        if address is None:
            raise InvalidUsage(
                f"--iiop {iiop}: no address; right are 127.0.0.1, 127.0.0.1:2809 or [::1]:2809"
            )
        flags["iiop.host"] = address.host
        if address.port >= 0:
            flags["iiop.port"] = address.port
    return flags


def _sources(
    settings: Path | None,
    properties: Path | None,
    flags: Mapping[str, tuple[str, object]] = MappingProxyType({}),
    corba: Mapping[str, object] = MappingProxyType({}),
) -> Sources:
    from tidings.server.layers import Given, Sources

    given = {name: Given(value, flag) for flag, (name, value) in flags.items() if value is not None}
    given |= {name: Given(value, "--iiop") for name, value in corba.items()}
    return Sources(settings, properties, given)


@settings_app.command(epilog=examples("tidings settings show", "tidings settings show --json"))
def show(settings: SettingsFile = None, properties: PropertiesFile = None,
         json: Json = False) -> None:  # fmt: skip
    """Show every setting in force, and where it came from; secrets stay secret."""
    from tidings.server.config import shown_settings

    loaded = _sources(settings, properties).load()
    shown = shown_settings(loaded.settings)
    if json:
        for name, value in shown.items():
            origin = loaded.origins.get(name)
            render.as_json({"name": name, "value": value, "origin": origin})
        return
    rows = [(name, value, loaded.origins.get(name, "")) for name, value in shown.items()]
    render.table(("setting", "value", "from"), rows)


@settings_app.command(epilog=examples("tidings settings check --settings tidings.toml"))
def check(settings: SettingsFile = None, properties: PropertiesFile = None) -> None:
    """Say whether the service could start with these settings; exit code 2 if not."""
    from tidings.server.tokens import owner_token

    loaded = _sources(settings, properties).load()
    for text in loaded.warnings:
        render.warning(text)
    if loaded.settings.http.token_file is not None:  # otherwise the service makes its own
        owner_token(loaded.settings)
    render.say("the settings are good")


@settings_app.command(epilog=examples("tidings settings document"))
def document() -> None:
    """Write the table of all settings, as the documentation has it."""
    from tidings.server.document import settings_table

    render.say(settings_table())
