"""Faults of the service and its clients, and the kills that must catch each."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.faults.fault import Fault
from tests.faults.service.kills import Part, Round

__all__ = ["FORGETFUL", "KILL_FAULTS", "KillFault"]

CLIENT: Final = Part("client-publisher", "client", ("--pause", "0.01"))
PLAIN: Final = Part("plain-publisher", "plain", ("--pause", "0.01"))
# Acknowledgements wait for the next event before they are written.
RARE: Final = CLIENT._replace(options=("--pause", "0.2"))
BATCHES: Final = Part("batches", "batches")
EACH: Final = Part("each", "each")
PULLER: Final = Part("puller", "pull")

LINES, REDELIVERY = "client/transports/http_lines.py", "client/transports/http_redelivery.py"
SOCKET, PULLING = "client/transports/http_socket.py", "web/routes/pulling.py"

FORGETFUL: Final = Fault(
    "a client forgets what it has acknowledged",
    REDELIVERY,
    "self._acked = set(self._done)",
    "self._acked = set()",
)


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
        Fault(
            "pushes are answered before they are written",
            "engine/writing.py",
            "        self._host.submit_write(write.records, write.sync, self._written)\n",
            "        for post, answer in write.answers:\n"
            "            post.answer(answer)\n"
            "        write.answers = []\n"
            "        asyncio.get_running_loop().call_later(\n"
            "            0.3, self._host.submit_write, write.records, write.sync, self._written\n"
            "        )\n",
        ),
        "missing",
        (BATCHES, CLIENT),
        (Round("answered"), Round("answered")),
    ),
    KillFault(
        Fault(
            "numbers in headers are ignored",
            "web/reading.py",
            "return Incoming(incoming.item, mark)",
            "return Incoming(incoming.item)",
        ),
        "twice",
        (BATCHES, PLAIN),
        (Round("answered", victim="plain-publisher"),),
    ),
    KillFault(
        Fault(
            "numbers in frames are ignored",
            "web/sockets.py",
            "good, marks, (), frame.trail)",
            "good, [None] * len(good), (), frame.trail)",
        ),
        "twice",
        (BATCHES, CLIENT),
        (Round("answered", victim="client-publisher"),),
    ),
    KillFault(
        Fault(
            "what comes again after a crash is not marked",
            "channel/factory.py",
            "(proxy.delivery or delivery_of(proxy)).again_upto = found.seq",
            "(proxy.delivery or delivery_of(proxy)).again_upto = 0",
        ),
        "twice",
        (BATCHES._replace(options=("--pause", "0.3")), CLIENT),
        (Round("taken", victim="batches"),),
    ),
    KillFault(
        Fault(
            "what is delivered again is not marked",
            "web/lines.py",
            "if message.seq in again] if again else ()",
            "if message.seq in again and False]",
        ),
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
        Fault(
            "a client acknowledges what nobody has taken",
            LINES,
            "        if found.messages:\n",
            "        if found.messages:\n"
            "            self._send_ack([message.seq for message in found.messages])\n",
        ),
        "missing",
        (BATCHES._replace(options=("--batch", "1"), first=("--die-taken", "1")), CLIENT),
        patience=12.0,
    ),
    KillFault(
        Fault(
            "lines are not connected again",
            SOCKET,
            "await self._recovery.reconnect(line, self._connect)",
            "await asyncio.sleep(0)",
        ),
        "stuck",
        (BATCHES, PLAIN),
        (Round(),),
        patience=12.0,
    ),
    KillFault(
        Fault(
            "a lease is none",
            PULLING,
            "lease = asked.lease_microseconds",
            "lease = asked.lease_microseconds and None",
        ),
        "missing",
        (PULLER._replace(first=("--die-taken", "1")), PLAIN),
        patience=12.0,
    ),
    KillFault(
        Fault(
            "what is pulled again is not marked",
            PULLING,
            "message.seq in found.again",
            "message.seq in found.again and False",
        ),
        "twice",
        (PULLER._replace(first=("--die-noted", "1")), PLAIN),
    ),
)
