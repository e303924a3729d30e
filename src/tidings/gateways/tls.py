"""TLS of connections to other services, from the files that an adapter's parameters name."""

from __future__ import annotations

import ssl


def tls_context(tls: bool, ca_file: str, cert_file: str, key_file: str) -> ssl.SSLContext | None:
    """Return what encrypts a connection; None for a plain one.

    The files are read at every connection, so that they can be changed.

    Raises:
        OSError: A file cannot be read, or is not what it should be; the message names which.
    """
    if not (tls or ca_file or cert_file):
        return None
    try:
        context = ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:
        raise OSError(
            f"ca_file: {ca_file} has no certificates that can be read: {error}"
        ) from error
    if cert_file:
        try:
            context.load_cert_chain(cert_file, key_file or None)
        except OSError as error:
            raise OSError(
                f"cert_file: {cert_file} has no certificate with its key (key_file): {error}"
            ) from error
    return context
