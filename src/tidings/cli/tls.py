"""`tidings tls …`: certificates for development."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidings.cli import render
from tidings.cli.options import examples
from tidings.clock import utc_now

app = typer.Typer(
    help="Make certificates for development.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.")]
Hosts = Annotated[
    list[str] | None,
    typer.Option(
        "--host",
        metavar="NAME",
        help="A name or address of the service; repeat it. [default: localhost 127.0.0.1 ::1]",
    ),
]
Clients = Annotated[
    list[str] | None,
    typer.Option("--client", metavar="NAME", help="Make a client's certificate; repeat it."),
]
Days = Annotated[int, typer.Option(min=1, max=825, metavar="N", help="How long they are valid.")]

_LOCAL = ("localhost", "127.0.0.1", "::1")


@app.callback()
def _group() -> None:
    """Make certificates for development."""


@app.command(
    "make-dev",
    epilog=examples(
        "tidings tls make-dev certs",
        "tidings tls make-dev certs --host tidings.lab --client radar-7",
    ),
)
def make_dev(folder: Folder, host: Hosts = None, client: Clients = None, days: Days = 90) -> None:
    """Make an authority and certificates for a service and its clients.

    The authority is kept: run the command again to renew the certificates or add clients. It is
    for development: whoever reads ca.key can pretend to be the service.
    """
    from tidings.server.dev_certificates import make_certificates

    for path in make_certificates(folder, host or _LOCAL, client or (), utc_now(), days):
        render.say(str(path))
    render.note(
        f'serve: tls.certificate = "{folder / "service.pem"}", tls.key = '
        f'"{folder / "service.key"}", http.tls = true; clients trust {folder / "ca.pem"} '
        "(--ca, or TIDINGS_CA)"
    )
