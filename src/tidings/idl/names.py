"""Python names of definitions."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable
from typing import Final

from tidings.idl.faults import Source
from tidings.idl.model import InterfaceDef, Model, NamedDef

Homes = Callable[[Source], str | None]
"""Which Python module holds what a file defines; None for the one that is generated."""

# Builtins that generated code uses by their names, or once did: names stay as they were.
_BUILTINS: Final = frozenset(
    {
        *("bool", "bytes", "dict", "float", "globals", "int"),
        *("isinstance", "range", "staticmethod", "str", "super", "tuple", "zip"),
    }
)

# Names of every generated module.
_OWN: Final = frozenset({"_g", "_here", "_tc"})

# What an exception has besides its members.
_TAKEN_IN_EXCEPTIONS: Final = frozenset(
    {"ID", "TYPE", "write", "read", "args", "add_note", "with_traceback", "self"}
    | {"code", "http_status", "corba_id"}
)


def plain_name(name: str) -> str:
    """A name as Python takes it: keywords get an underscore at the end."""
    return f"{name}_" if keyword.iskeyword(name) or name == "self" else name


def exception_member(name: str) -> str:
    """The attribute of an exception for a member."""
    return f"{name}_" if name in _TAKEN_IN_EXCEPTIONS else plain_name(name)


def label_name(name: str) -> str:
    """The attribute of a generated enum; its value is the label itself."""
    return f"{name}_" if name == "mro" else plain_name(name)


class Names:
    """Names of definitions, as the generated module refers to them.

    A definition in a file's only module keeps its own name; one in an interface is prefixed with
    it:
    `NamingContext_NotFound`. If a file has several modules, their names are prefixes too.
    """

    def __init__(self, model: Model, homes: Homes) -> None:
        self._names: dict[NamedDef, str] = {}
        self._modules: dict[NamedDef, str] = {}
        self.imports: dict[str, str] = {}
        by_source: dict[Source, list[NamedDef]] = {}
        for definition in model.definitions:
            by_source.setdefault(definition.source, []).append(definition)
        here: set[str] = set(_BUILTINS)
        self._give(by_source.pop(model.main, []), here, shorten=True)
        for source, definitions in by_source.items():
            home = homes(source)
            if home is None:
                self._give(definitions, here, shorten=False)
                continue
            self._give(definitions, set(_BUILTINS), shorten=True)
            alias = f"_{home.rpartition('.')[2].removesuffix('_auto')}"
            while alias in _OWN or self.imports.get(alias, home) != home:
                alias += "_"
            self.imports[alias] = home
            self._modules.update(dict.fromkeys(definitions, alias))

    def _give(self, definitions: Iterable[NamedDef], taken: set[str], *, shorten: bool) -> None:
        listed = list(definitions)
        tops = {definition.scopes[:1] for definition in listed}
        skipped = 1 if shorten and len(tops) == 1 and () not in tops else 0
        for definition in listed:
            name = plain_name("_".join((*definition.scopes, definition.name)[skipped:]))
            while taken & _forms(definition, name):
                name += "_"
            taken |= _forms(definition, name)
            self._names[definition] = name

    def is_here(self, definition: NamedDef) -> bool:
        """Whether the definition belongs into the generated module."""
        return definition not in self._modules

    def bare(self, definition: NamedDef) -> str:
        """Its name inside its own module."""
        return self._names[definition]

    def of(self, definition: NamedDef, after: str = "") -> str:
        """Its name from here, or that of something it comes with, such as `X_TYPE`."""
        module = self._modules.get(definition)
        lead = f"{module}." if module else ""
        return f"{lead}{self._names[definition]}{after}"


def _forms(definition: NamedDef, name: str) -> set[str]:
    """All module-level names that a definition takes."""
    forms = {name, f"{name}_TYPE", f"write_{name}", f"read_{name}"}
    if isinstance(definition, InterfaceDef):
        forms |= {f"{name}_INTERFACE", f"{name}Servant"}
    return forms
