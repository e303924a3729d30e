"""The reserved words of IDL."""

from __future__ import annotations

from typing import Final

WORDS: Final = frozenset(
    {
        *("abstract", "any", "attribute", "boolean", "case", "char", "const", "context"),
        *("custom", "default", "double", "enum", "exception", "FALSE", "fixed", "float"),
        *("in", "inout", "interface", "local", "long", "module", "native", "Object"),
        *("octet", "oneway", "out", "private", "public", "raises", "readonly", "sequence"),
        *("short", "string", "struct", "switch", "TRUE", "truncatable", "typedef"),
        *("unsigned", "union", "ValueBase", "valuetype", "void", "wchar", "wstring"),
    }
)
"""Words that cannot be names."""

LOWER_WORDS: Final = {word.lower(): word for word in WORDS}

LATER_WORDS: Final = frozenset(
    {
        *("component", "consumes", "emits", "eventtype", "factory", "finder", "getraises"),
        *("home", "import", "multiple", "primarykey", "provides", "publishes", "setraises"),
        *("supports", "typeid", "typeprefix", "uses"),
    }
)
"""Words that version 3 reserved for components. There are none here, so they may be names."""

UNSUPPORTED: Final = {
    "abstract": "abstract interfaces and valuetypes",
    "custom": "valuetypes",
    "local": "local interfaces",
    "native": "native types",
    "valuetype": "valuetypes",
    "ValueBase": "valuetypes",
    "truncatable": "valuetypes",
    "context": "context clauses",
}
"""Words of things that are not supported, and what these are called."""


def escaped(name: str) -> str:
    """A name as written in a file, so that every compiler reads it as a name."""
    lower = name.lower()
    return f"_{name}" if lower in LOWER_WORDS or lower in LATER_WORDS else name
