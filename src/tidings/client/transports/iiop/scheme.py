"""CORBA URL schemes; the ORB is loaded for these only."""

from __future__ import annotations

from typing import Final

_SCHEMES: Final = ("corbaloc:", "corbaname:", "ior:", "iiop:")


def is_corba(url: str) -> bool:
    """Tell whether a URL names a CORBA object."""
    return url.strip().lower().startswith(_SCHEMES)
