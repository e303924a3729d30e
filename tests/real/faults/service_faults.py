"""Faults of the service and its clients, and the kills that must catch each."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.mutants.fault import Fault
from tests.mutants.ledger import named
from tests.real.faults.service.kills import Part, Round

__all__ = ["FORGETFUL", "KILL_FAULTS", "KillFault"]

CLIENT: Final = Part("client-publisher", "client", ("--pause", "0.01"))
PLAIN: Final = Part("plain-publisher", "plain", ("--pause", "0.01"))
# Acknowledgements wait for the next event before they are written.
RARE: Final = CLIENT._replace(options=("--pause", "0.2"))
BATCHES: Final = Part("batches", "batches")
EACH: Final = Part("each", "each")
PULLER: Final = Part("puller", "pull")

LINES, REDELIVERY = "client/transports/http/lines.py", "client/transports/http/redelivery.py"
SOCKET, PULLING = "client/transports/http/socket.py", "web/routes/pulling.py"

FORGETFUL: Final = named("a client forgets what it has acknowledged, and somebody is killed")


class KillFault(NamedTuple):
    """A fault, and the scene that catches it.

    Attributes:
        fault: What is wrong.
        finding: The first word of what must be found.
        cast: Who plays.
        rounds: Kills of the service.
        patience: How long nothing may happen, in seconds.
    """

    fault: Fault
    finding: str
    cast: tuple[Part, ...]
    rounds: tuple[Round, ...] = ()
    patience: float = 25.0


KILL_FAULTS: Final = (
    KillFault(
        named("pushes are answered before they are written"),
        "missing",
        (BATCHES, CLIENT),
        (Round("answered"), Round("answered")),
    ),
    KillFault(
        named("numbers in headers are ignored"),
        "twice",
        (BATCHES, PLAIN),
        (Round("answered", victim="plain-publisher"),),
    ),
    KillFault(
        named("numbers in frames are ignored"),
        "twice",
        (BATCHES, CLIENT),
        (Round("answered", victim="client-publisher"),),
    ),
    KillFault(
        named("what comes again after a crash is not marked"),
        "twice",
        (BATCHES._replace(options=("--pause", "0.3")), CLIENT),
        (Round("taken", victim="batches"),),
    ),
    KillFault(
        named("what is delivered again is not marked, and somebody is killed"),
        "twice",
        (BATCHES._replace(first=("--die-noted", "1")), CLIENT),
    ),
    KillFault(
        FORGETFUL,
        "twice",
        (EACH, RARE),
        (Round("taken", 0.02), Round("taken", 0.02), Round("taken", 0.02)),
    ),
    KillFault(
        named("a client acknowledges what nobody has taken"),
        "missing",
        (BATCHES._replace(options=("--batch", "1"), first=("--die-taken", "1")), CLIENT),
        patience=12.0,
    ),
    KillFault(
        named("lines are not connected again, and somebody is killed"),
        "stuck",
        (BATCHES, PLAIN),
        (Round(),),
        patience=12.0,
    ),
    KillFault(
        named("a lease is none"),
        "missing",
        (PULLER._replace(first=("--die-taken", "1")), PLAIN),
        patience=12.0,
    ),
    KillFault(
        named("what is pulled again is not marked, and somebody is killed"),
        "twice",
        (PULLER._replace(first=("--die-noted", "1")), PLAIN),
    ),
)
