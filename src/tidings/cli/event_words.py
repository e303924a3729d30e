"""How commands are given events: as words, or as files of lines."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Header", "JsonLines", "Words"]

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENT",
        help="Domain::Type [name] field=value … field:='json' …; with --json-lines, more files.",
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option(
        "--header", metavar="NAME=VALUE", help="A header property, such as Priority=4. Repeatable."
    ),
]
JsonLines = Annotated[
    list[str] | None,
    typer.Option(
        "--json-lines",
        metavar="FILE",
        help="A file of events, one a line; - reads standard input. Repeatable.",
    ),
]
