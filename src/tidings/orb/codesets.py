"""Code sets: how characters are encoded, and how the two sides agree."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.orb.exceptions import CODESET_INCOMPATIBLE, OMG

ISO_8859_1: Final = 0x00010001
ISO_646: Final = 0x00010020
UCS_2: Final = 0x00010100
UTF_16: Final = 0x00010109
UTF_8: Final = 0x05010001

_NAMES: Final = {
    ISO_8859_1: "ISO 8859-1",
    ISO_646: "ISO 646",
    UCS_2: "UCS-2",
    UTF_16: "UTF-16",
    UTF_8: "UTF-8",
}

# What Python calls the code sets of narrow characters that we speak.
CODECS: Final = {ISO_8859_1: "latin-1", ISO_646: "ascii", UTF_8: "utf-8"}


class CodeSets(NamedTuple):
    """The code sets in force; without a `wchar`, wide characters cannot be sent."""

    char: int = ISO_8859_1
    wchar: int | None = None


NOT_NEGOTIATED: Final = CodeSets()
OURS: Final = CodeSets(UTF_8, UTF_16)


class CodeSetComponent(NamedTuple):
    """The code sets a server supports: its own, and those it converts to."""

    char: int
    char_conversions: tuple[int, ...]
    wchar: int
    wchar_conversions: tuple[int, ...]


OUR_COMPONENT: Final = CodeSetComponent(UTF_8, (ISO_8859_1,), UTF_16, (UTF_16,))


def code_set_name(number: int | None) -> str:
    """The name of a code set, for messages."""
    if number is None:
        return "none"
    return _NAMES.get(number, f"0x{number:08x}")


def negotiate(component: CodeSetComponent | None) -> CodeSets:
    """The code sets a client uses with a server, by what the server's reference says."""
    if component is None:
        return NOT_NEGOTIATED
    char = _choice(UTF_8, (ISO_8859_1,), component.char, component.char_conversions)
    if not component.wchar:  # the server has no wide characters
        return CodeSets(char, None)
    wchar = _choice(UTF_16, (UTF_16,), component.wchar, component.wchar_conversions)
    return CodeSets(char, wchar)


def _choice(
    native: int, conversions: tuple[int, ...], server: int, server_conversions: tuple[int, ...]
) -> int:
    """The standard's order: equal natives, the client's, the server's, a common one."""
    if native == server or native in server_conversions:
        return native
    for common in (server, *server_conversions):
        if common in conversions:
            return common
    # Sets of the same characters may meet in ours; only those of Unicode are the same.
    if server == UCS_2 and native == UTF_16:
        return native
    offered = ", ".join(code_set_name(s) for s in (server, *server_conversions))
    raise CODESET_INCOMPATIBLE(OMG | 1, why=f"the server speaks {offered}, which we do not")


def accept(codesets: CodeSets) -> CodeSets:
    """The code sets a client asked for, if we support them."""
    if codesets.char not in CODECS:
        why = f"we have no {code_set_name(codesets.char)} for chars"
        raise CODESET_INCOMPATIBLE(OMG | 2, why=why)
    if codesets.wchar not in (None, 0, UTF_16):
        why = f"we have no {code_set_name(codesets.wchar)} for wide chars"
        raise CODESET_INCOMPATIBLE(OMG | 2, why=why)
    return codesets if codesets.wchar else CodeSets(codesets.char, None)
