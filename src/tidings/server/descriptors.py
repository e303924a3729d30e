"""The budget of file descriptors: some are kept for files, connections share the rest."""

from __future__ import annotations

import logging
import resource
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.admission import AdmissionLimits
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.server.settings import HttpSection, IiopSection, ServerSettings

log = logging.getLogger(__name__)

# Where the system sets no limit.
_MOST: Final = 65_536
# Most connections by default, whatever the process may open: they cost memory, too.
_MOST_HTTP: Final = 10_000
_MOST_IIOP: Final = 1_000
# With fewer the service would refuse its first clients.
_FEWEST: Final = 8


class DescriptorBudget(NamedTuple):
    """How many connections each door may keep open; CORBA opens as many to clients."""

    http: AdmissionLimits
    iiop: AdmissionLimits


def raised_limit() -> int:
    """Raises the number of descriptors this process may open as far as it may; tells it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _MOST if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as error:
        log.debug("the limit of descriptors stays at %d: %s", soft, error)
        return soft
    return wanted


def budget(settings: ServerSettings, limit: int) -> DescriptorBudget:
    """Share the process's descriptors among the doors.

    What the settings fix is taken first. Of the rest, HTTP gets half and CORBA half: a quarter for
    connections of clients, a quarter for those to clients.
    """
    http, iiop, reserve = settings.http, settings.iiop, settings.store.reserved_descriptors
    asks_http = http.max_connections if http.enabled else 0
    asks_iiop = iiop.max_connections if iiop.enabled else 0
    rest = limit - reserve - (asks_http or 0) - 2 * (asks_iiop or 0)
    half = rest // 2 if asks_http is None and asks_iiop is None else rest
    most_http = min(_MOST_HTTP, half) if asks_http is None else asks_http
    most_iiop = min(_MOST_IIOP, half // 2) if asks_iiop is None else asks_iiop
    if rest < 0 or (asks_http is None and most_http < _FEWEST) or (
        asks_iiop is None and most_iiop < _FEWEST
    ):  # fmt: skip
        fixed = [
            f"{number} for {name}"
            for name, number in (
                ("store.reserved_descriptors", reserve),
                ("http.max_connections", asks_http or 0),
                ("iiop.max_connections (of clients, and to them)", 2 * (asks_iiop or 0)),
            )
            if number
        ]
        raise InvalidUsage(
            f"this process may open {limit} file descriptors, and too few are left for "
            f"connections: {', '.join(fixed)}; raise the limit (ulimit -n, or LimitNOFILE= of "
            "systemd), or lower these settings"
        )
    return DescriptorBudget(_limits(http, most_http), _limits(iiop, most_iiop))


def _limits(door: HttpSection | IiopSection, most: int) -> AdmissionLimits:
    """The limits of a door; what is not set is a share of all its connections."""
    per_host, unauthenticated = door.max_connections_per_host, door.max_unauthenticated
    return AdmissionLimits(
        most,
        max(1, most // 2) if per_host is None else per_host,
        max(1, most // 4) if unauthenticated is None else unauthenticated,
        limit_loopback=per_host is not None,
    )
