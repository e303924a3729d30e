"""The transport over CORBA; the ORB is loaded for its URLs only."""


def is_corba(url: str) -> bool:
    """Tell whether a URL names a CORBA object."""
    return url.strip().lower().startswith(("corbaloc:", "corbaname:", "ior:", "iiop:"))
