"""CORBA callers by the certificates of their TLS connections, which end with the credential."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidings.engine.callers import certified
from tidings.grants.core import AccessChanged
from tidings.orb.aio.tls import certificate

if TYPE_CHECKING:
    from tidings.engine.access import Caller
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb


class Certificates:
    """Recognises callers; cuts the connections of those that may do less than before."""

    def __init__(self, host: Host, orb: Orb) -> None:
        self._host = host
        self._orb = orb
        self._recognised: dict[str, Caller] = {}  # at most one for each credential
        host.on_effect(AccessChanged, self._cut)

    def caller(self) -> Caller | None:
        """Return the principal whose certificate came with the request in progress, if any."""
        shown = certificate.get()
        if not shown:
            return None
        grants, now = self._host.access.grants, self._host.clock.now()
        found = certified(grants, shown, now)
        if found is None:
            return None
        if self._recognised.get(shown) != found:
            self._recognised[shown] = found
        return self._recognised[shown]  # the same object each time: a caller has one door

    def _cut(self, changed: AccessChanged) -> None:
        for shown, who in list(self._recognised.items()):
            if changed.concerns(who.name, who.credential):
                del self._recognised[shown]
                self._orb.cut(shown, f"what {who} may do has changed")
