"""Parts that are found by name and loaded when asked for.

A registry knows where each part lives (`module` or `module:attribute`) and imports nothing
until the part is used, so that a part with a heavy dependency costs nothing to those who do
not need it. Other packages add parts as entry points of the registry's group:

    [project.entry-points."tidings.line_formats"]
    mine = "my_package.mine_codec:decode_line"
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tidings.errors import InvalidUsage


class Registry:
    """Names of parts of one sort, such as formats of lines, and where they are.

    Other packages announce theirs in the entry-point `group`; they cannot replace `built_in` ones.
    """

    def __init__(self, what: str, group: str, built_in: Mapping[str, str]) -> None:
        self.what = what
        self.group = group
        self._built_in = dict(built_in)

    def names(self) -> list[str]:
        """Every name that can be loaded, in order."""
        return sorted(self._places())

    def load(self, name: str) -> object:
        """Import the part with this name; InvalidUsage if there is none, or it cannot be."""
        place = self._built_in.get(name) or self._places().get(name)
        if place is None:
            import difflib

            near = difflib.get_close_matches(name, self.names(), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(self.names())}"
            raise InvalidUsage(f"no {self.what} is called {name!r}; {hint}")
        module, _, attribute = place.partition(":")
        try:
            part: object = import_module(module)
            for each in filter(None, attribute.split(".")):
                part = getattr(part, each)
        except (ImportError, AttributeError) as error:
            raise InvalidUsage(f"the {self.what} {name!r} cannot be loaded: {error}") from error
        return part

    def _places(self) -> dict[str, str]:
        # Looks into every installed package: only for names that are not built in.
        from importlib.metadata import entry_points

        return self._built_in | {
            place.name: place.value for place in entry_points(group=self.group)
        }


LINE_FORMATS = Registry(
    "format of lines",
    "tidings.line_formats",
    {
        "cloudevents": "tidings.events.codecs.cloudevents_codec:decode_structured",
        "json": "tidings.events.codecs.json_codec:decode_event",
    },
)
"""Functions from the octets of one line to one event: what a stream of lines can hold."""
