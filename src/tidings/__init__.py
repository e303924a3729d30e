"""Tidings: a federated notification service.

The names in `__all__` are the promise to programs; everything else may move. Each is loaded
when it is first used, so `import tidings` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tidings.client.client import Client
    from tidings.client.connecting import connect, connect_sync
    from tidings.errors import TidingsError
    from tidings.events.anyvalue import Any
    from tidings.events.build import event
    from tidings.events.fields import fields_of
    from tidings.events.structured import StructuredEvent
    from tidings.filters.constraint import constraint, event_type
    from tidings.filters.explain import explain
    from tidings.filters.filter import Filter
    from tidings.filters.index import MatchIndex
    from tidings.filters.mapping import MappedConstraint, MappingFilter
    from tidings.filters.parse import parse
    from tidings.server.embedded import embedded, embedded_sync

    __version__: str

__all__ = [
    "Any",
    "Client",
    "Filter",
    "MappedConstraint",
    "MappingFilter",
    "MatchIndex",
    "StructuredEvent",
    "TidingsError",
    "__version__",
    "connect",
    "connect_sync",
    "constraint",
    "embedded",
    "embedded_sync",
    "event",
    "event_type",
    "explain",
    "fields_of",
    "parse",
]

_HOMES: Final = {
    "Any": "tidings.events.anyvalue",
    "Client": "tidings.client.client",
    "Filter": "tidings.filters.filter",
    "MappedConstraint": "tidings.filters.mapping",
    "MappingFilter": "tidings.filters.mapping",
    "MatchIndex": "tidings.filters.index",
    "StructuredEvent": "tidings.events.structured",
    "TidingsError": "tidings.errors",
    "connect": "tidings.client.connecting",
    "connect_sync": "tidings.client.connecting",
    "constraint": "tidings.filters.constraint",
    "embedded": "tidings.server.embedded",
    "embedded_sync": "tidings.server.embedded",
    "event": "tidings.events.build",
    "event_type": "tidings.filters.constraint",
    "explain": "tidings.filters.explain",
    "fields_of": "tidings.events.fields",
    "parse": "tidings.filters.parse",
}


if not TYPE_CHECKING:  # a type checker that sees it takes any name for a good one

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            found: object = version("tidings")
        elif name in _HOMES:
            found = getattr(import_module(_HOMES[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
