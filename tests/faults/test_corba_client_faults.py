"""Planted faults in the client through CORBA and a service that is away; each is noticed."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.doors import test_corba_restarts
from tests.doors.corba import IiopService
from tests.faults.test_codec_faults import Fault, planted, run

IIOP = "tidings.client.transports.iiop"
HERE = "tests.faults.test_corba_client_faults"
UNIT = "tests.unit.client.transports"
RECOVERY = f"{UNIT}.test_iiop_recovery"
SIZES = f"{UNIT}.test_iiop:test_events_are_sent_in_messages_that_the_service_takes"
RESTARTS = f"{HERE}:restarts"
FULL = f"{HERE}:full_streams"
SILENT = (
    "tests.unit.client.test_connecting:"
    "test_who_is_there_and_never_answers_is_waited_for_as_long_as_patience_says"
)
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 10


def restarts() -> None:
    """What does not last, while its service is killed and started again."""
    _played(
        lambda service: test_corba_restarts.test_what_does_not_last_is_made_again_as_it_was(
            service, kill=True
        )
    )


def full_streams() -> None:
    """A stream that is full while its service is started again."""
    _played(test_corba_restarts.test_a_stream_that_is_full_has_the_new_proxy_pause_too)


def _played(scene: object) -> None:
    async def played(folder: Path) -> None:
        service = IiopService(folder / "data")
        try:
            async with asyncio.timeout(PATIENCE):
                await scene(service)  # type: ignore[operator]
        finally:
            await service.close()

    with TemporaryDirectory() as folder:
        asyncio.run(played(Path(folder)))


FAULTS = [
    Fault(
        "a push whose fate is unknown is made again",
        f"{IIOP}_patience",
        "cause.completed is Completion.NO",
        "True",
        f"{RECOVERY}:test_a_push_whose_fate_is_unknown_is_told_and_not_made_again",
    ),
    Fault(
        "nobody is told that the fate of a push is unknown",
        f"{IIOP}_errors",
        "if not unsure or is_repeatable(operation):",
        "if unsure or is_repeatable(operation):",
        f"{RECOVERY}:test_a_push_whose_fate_is_unknown_is_told_and_not_made_again",
    ),
    Fault(
        "nobody waits for a service that is away",
        f"{IIOP}_patience",
        "self._until = now + self._patience.seconds",
        "self._until = now",
        f"{RECOVERY}:test_a_service_that_is_away_for_a_while_is_waited_for",
    ),
    Fault(
        "what only asks is not asked again",
        f"{IIOP}_patience",
        '    "get_",\n',
        "",
        f"{RECOVERY}:test_a_service_that_is_away_for_a_while_is_waited_for",
    ),
    Fault(
        "a closed client goes on waiting",
        f"{IIOP}_patience",
        "            raise Stopping(CLOSED) from error",
        "            pass",
        f"{UNIT}.test_iiop_patience:test_once_the_client_is_closed_errors_say_so",
    ),
    Fault(
        "events that could not be sent are given up",
        f"{IIOP}_pushes",
        "elif not again or not await tries.again():",
        "else:",
        f"{RECOVERY}:test_events_that_cannot_be_sent_wait_and_go_in_order",
    ),
    Fault(
        "a channel that is gone is not told",
        f"{IIOP}_recovery",
        "held.line.close(error)",
        "pass",
        f"{RECOVERY}:test_what_a_service_without_a_disk_has_lost_is_told",
    ),
    Fault(
        "a new channel is taken for the one that had its id",
        f"{IIOP}_recovery",
        "                self._objects.forget_channel(channel)\n",
        "",
        f"{RECOVERY}:test_what_a_service_without_a_disk_has_lost_is_told",
    ),
    Fault(
        "a batch is one message, however long",
        f"{IIOP}_pushes",
        "MOST_OCTETS if fits else most",
        "2**40 if fits else most",
        SIZES,
    ),
    Fault(
        "an event that is too long is sent",
        f"{IIOP}_sizes",
        "if octets > most:",
        "if octets > most * 1_000:",
        SIZES,
    ),
    Fault(
        "what does not fit takes others with it",
        f"{IIOP}_pushes",
        "sent = sent[:1]",
        "sent = sent[:]",
        SIZES,
    ),
    Fault(
        "a lost connection is not heard of",
        f"{IIOP}",
        "orb.tell_losses(self._recovery.lost)",
        "pass",
        RESTARTS,
    ),
    Fault(
        "a proxy that was made again is not connected",
        f"{IIOP}_recovery",
        "await self._objects.call(proxy.far, proxy.kind.connect, held.reference)",
        "pass",
        RESTARTS,
    ),
    Fault(
        "a pull goes on at the proxy that is gone",
        f"{IIOP}_recovery",
        "held.line.moved(proxy)",
        "pass",
        RESTARTS,
    ),
    Fault(
        "a pause is forgotten",
        f"{IIOP}_recovery",
        "await self.memory.settle(key, self._commands.ask)",
        "pass",
        RESTARTS,
    ),
    Fault(
        "proxies have other ids than the program knows",
        f"{IIOP}_recovery",
        "        self.names.refresh()\n",
        "",
        RESTARTS,
    ),
    Fault(
        "a full stream is filled further",
        f"{IIOP}_recovery",
        "await held.line.connected_again()",
        "pass",
        FULL,
    ),
    Fault(
        "connecting waits for an answer however long it takes",
        "tidings.client.connecting",
        "asyncio.timeout(seconds)",
        "asyncio.timeout(None)",
        SILENT,
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_faultis_noticed(fault: Fault) -> None:
    with warnings.catch_warnings():
        # What a fault leaves open is its own, and not that of a later test which meets it.
        warnings.simplefilter("ignore")
        noticed = is_noticed(fault)
        gc.collect()
    assert noticed, f"nobody noticed that {fault.what}"


def is_noticed(fault: Fault) -> bool:
    """Whether a fault makes its test fail."""
    with planted(fault):
        try:
            run(fault.noticed_by, 1)
        except BaseException as error:  # noqa: BLE001 -- pytest's own failures are no Exceptions
            assert not isinstance(error, KeyboardInterrupt | SystemExit | SyntaxError)  # noqa: PT017
            return True
    return False


@pytest.mark.parametrize("check", sorted({fault.noticed_by for fault in FAULTS}))
def test_without_a_fault_there_is_nothing_to_notice(check: str) -> None:
    with planted(None):
        run(check, 1)


def test_no_fault_stands_twice() -> None:
    assert len({fault.what for fault in FAULTS}) == len(FAULTS)
