"""Minor codes of system exceptions, and what they mean."""

from __future__ import annotations

from typing import Final

OMG: Final = 0x4F4D0000
"""The vendor part of the minor codes that the standard itself gives."""

_VENDORS: Final = {0x4F4D0: "OMG", 0x41540: "omniORB", 0x54410: "TAO", 0x4A430: "JacORB"}

_MEANINGS: Final = {
    ("UNKNOWN", 1): "user exception that the operation does not list",
    ("UNKNOWN", 2): "unknown system exception",
    ("BAD_PARAM", 7): "bad scheme of an object URL",
    ("BAD_PARAM", 8): "bad address in an object URL",
    ("BAD_PARAM", 9): "bad part of an object URL after its scheme",
    ("BAD_PARAM", 10): "text that names no object",
    ("BAD_PARAM", 13): "incomplete TypeCode",
    ("BAD_PARAM", 23): "wide characters without an agreed code set",
    ("BAD_PARAM", 25): "enum value out of range",
    ("IMP_LIMIT", 1): "no usable profile",
    ("INV_OBJREF", 1): "the target takes no wide characters",
    ("INV_OBJREF", 2): "the reference must tell its code sets",
    ("MARSHAL", 1): "no value factory",
    ("MARSHAL", 4): "local object",
    ("MARSHAL", 5): "wide characters from a GIOP 1.0 client",
    ("MARSHAL", 6): "wide characters from a GIOP 1.0 server",
    ("NO_IMPLEMENT", 3): "no usable profile",
    ("BAD_OPERATION", 2): "operation unknown to the target",
    ("BAD_INV_ORDER", 4): "the ORB has shut down",
    ("TRANSIENT", 1): "discarded for want of resources",
    ("TRANSIENT", 2): "no usable profile",
    ("TRANSIENT", 3): "cancelled",
    ("TRANSIENT", 4): "the object adapter is gone",
    ("DATA_CONVERSION", 1): "character outside the code set",
    ("OBJECT_NOT_EXIST", 1): "unknown object id",
    ("OBJECT_NOT_EXIST", 2): "object adapter not found",
    ("INTF_REPOS", 1): "no interface repository",
    ("INTF_REPOS", 2): "no entry in the interface repository",
    ("CODESET_INCOMPATIBLE", 1): "no common code set",
    ("CODESET_INCOMPATIBLE", 2): "unsupported code set in a context",
}


def meaning(name: str, minor: int) -> str:
    """A minor code in words, as well as it is known; empty for 0."""
    if not minor:
        return ""
    vendor = _VENDORS.get(minor >> 12)
    if vendor is None:
        return f"minor 0x{minor:08x}"
    number = minor & 0xFFF
    said = _MEANINGS.get((name, number)) if vendor == "OMG" else None
    return f"{vendor} minor {number}: {said}" if said else f"{vendor} minor {number}"
