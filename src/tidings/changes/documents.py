"""XML documents of ours: made, read and validated with lxml, which is an extra.

A document comes from anybody. It is bounded; it names no entities and no DTD but its own; nothing
outside of it is read, neither a file nor the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO, StringIO
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from tidings.errors import BadInput, LimitExceeded, MissingExtra

if TYPE_CHECKING:
    from lxml.etree import _Element

    Element: TypeAlias = _Element
else:
    Element = Any

try:
    from lxml import etree
except ImportError:  # pragma: no cover -- a test hides it in a process of its own
    etree = None  # type: ignore[assignment]

MAX_DOCUMENT: Final = 4_000_000
"""Octets of a document; the largest notice is one with two large interfaces."""

# Before the root element: the declaration, comments and processing instructions, then the DOCTYPE.
_PROLOG: Final = re.compile(r"\ufeff?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_DOCTYPE: Final = re.compile(r"<!DOCTYPE\s+([^\s\[>]+)(?:\s+SYSTEM\s+(?:\"[^\"]*\"|'[^']*'))?\s*>")
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class InvalidDocument(BadInput):
    """An XML document that cannot be used: what is wrong, where, and what would be right."""

    code = "invalid_document"
    http_status = 422

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem, line)
        self.problem = problem
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}" if self.line else self.problem


def require_lxml() -> None:
    """Raise MissingExtra if lxml is not installed."""
    if etree is None:
        raise MissingExtra("lxml, which change notices as XML need,", "xml")


def carried(text: str) -> str:
    """Return a text as XML can carry it: characters that it forbids become U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", text)


def element(tag: str, text: str = "", /, *inner: Element, **attributes: str) -> Element:
    """Return a new element."""
    made = etree.Element(tag, {name: carried(one) for name, one in attributes.items()})
    made.text = carried(text) or None
    made.extend(inner)
    return made


def instruction(target: str, json: str) -> Element:
    """Return a processing instruction with JSON in ASCII; no DTD says anything about it."""
    made: Element = etree.ProcessingInstruction(target, json.replace("?>", "?\\u003e"))
    return made


def instructions(root: Element, target: str) -> Iterator[Element]:
    """Return the processing instructions in an element."""
    for one in root.iterchildren(etree.ProcessingInstruction):
        if getattr(one, "target", "") == target:
            yield one


def line_of(found: Element) -> int:
    """Return the line where an element begins; 0 if it was not read."""
    return cast("int | None", found.sourceline) or 0


def write_document(root: Element) -> str:
    """Return a document as text; LimitExceeded if it would be too large to be read.

    It is in ASCII: a string of CORBA may change its character set on the way, unlike what the
    declaration says.
    """
    octets = etree.tostring(root, encoding="us-ascii", pretty_print=True)
    _check_length(len(octets))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{octets.decode()}'


def read_document(text: str, root: str, dtd: str, most: int = MAX_DOCUMENT) -> Element:
    """Return the root of a document that is valid by one of our DTDs, or raise InvalidDocument."""
    require_lxml()
    try:
        octets = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidDocument(f"character {error.start + 1} is a lone surrogate") from error
    _check_length(len(octets), most)
    _check_doctype(text, root)
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        found: Element = etree.fromstring(octets, parser)
    except etree.XMLSyntaxError as error:
        raise InvalidDocument(f"the XML is malformed: {error.msg}", error.lineno or 0) from error
    if found.tag != root:
        problem = f"the root element is {found.tag}, and must be {root}"
        raise InvalidDocument(problem, line_of(found))
    for entity in found.iter(etree.Entity):
        raise InvalidDocument(f"{entity.text} is an entity; write the text itself")
    rules = _dtd(dtd)
    if not rules.validate(found):
        first = rules.error_log[0]
        raise InvalidDocument(f"{first.message.strip()} (see {dtd})", first.line)
    return found


def _check_length(octets: int, most: int = MAX_DOCUMENT) -> None:
    if octets > most:
        raise LimitExceeded(f"the document has {octets} octets, more than {most}")


def _check_doctype(text: str, root: str) -> None:
    """Refuse a DOCTYPE with declarations of its own: entities, or other rules than ours."""
    prolog = _PROLOG.match(text)
    at = prolog.end() if prolog else 0
    if text.startswith("<!DOCTYPE", at) and _DOCTYPE.match(text, at) is None:
        problem = "the DOCTYPE has declarations, or a public id: no entity or element is declared"
        hint = f"write <!DOCTYPE {root}> or leave it out"
        raise InvalidDocument(f"{problem} here; {hint}", text.count("\n", 0, at) + 1)


def _data(name: str) -> bytes:
    found = get_data(__package__, name)
    assert found is not None
    return found


@lru_cache
def _dtd(name: str) -> Any:  # noqa: ANN401 -- lxml may be absent
    return etree.DTD(StringIO(_data(name).decode()))


@lru_cache
def _stylesheet(name: str) -> Any:  # noqa: ANN401 -- lxml may be absent
    access = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined] # stubs lack it
    return etree.XSLT(etree.parse(BytesIO(_data(name))), access_control=access)


def transformed(root: Element, stylesheet: str, **parameters: str) -> str:
    """Return what one of our stylesheets makes of a document."""
    told = {name: etree.XSLT.strparam(carried(one)) for name, one in parameters.items()}
    return str(_stylesheet(stylesheet)(root, **told))
