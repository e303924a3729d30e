"""IDL in texts: parsed and compiled without files."""

from __future__ import annotations

from collections.abc import Mapping

from tidings.idl import tree as t
from tidings.idl.compile import compile_source
from tidings.idl.faults import DEFAULT_LIMITS, IdlLimits, Source
from tidings.idl.model import Model
from tidings.idl.parse import parse
from tidings.idl.sources import Folders


class Texts(Folders):
    """Files in memory: their names and texts."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._sources = {name: Source(name, text) for name, text in (texts or {}).items()}

    def find(self, name: str, angled: bool, includer: Source) -> Source | None:
        return super().find(name, True, includer) or self._sources.get(name)


def parse_text(text: str) -> t.Specification:
    """Parse a text that includes nothing."""
    return parse(Source("text.idl", text), Texts())


def compile_text(text: str, limits: IdlLimits = DEFAULT_LIMITS) -> Model:
    """Compile a text that includes nothing."""
    return compile_source(Source("text.idl", text), Texts(), limits)
