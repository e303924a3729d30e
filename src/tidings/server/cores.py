"""The cores of a service beside the channels; a new one is added here."""

from __future__ import annotations

from tidings.audit import AuditTrail
from tidings.changes.core import Changes
from tidings.changes.interfaces import Interfaces
from tidings.changes.service_types import compare_descriptions
from tidings.cores import Core
from tidings.federation.core import Federation
from tidings.gateways.sides import checked_side
from tidings.grants.core import Grants
from tidings.jobs import JobLimits, Jobs
from tidings.live.core import Live
from tidings.names import new_origin
from tidings.trader.core import Trader


def service_cores(jobs: JobLimits | None = None) -> list[Core]:
    """What every service runs, new."""
    interfaces = Interfaces()
    return [
        AuditTrail(),
        Grants(),
        Jobs(jobs),
        Federation(checked_side),
        Trader(),
        interfaces,
        Changes(new_origin, interfaces.describe, compare_descriptions),
        Live(),
    ]
