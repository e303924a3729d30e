"""Planted faults in who may connect, where the service connects to, and who may read its files."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest

from tests.e2e.served import served
from tests.e2e.test_serve import readable_by_others
from tests.faults.fault import Fault as PackageFault
from tests.faults.fault import copied_package
from tests.faults.test_codec_faults import Fault, planted, run
from tests.faults.test_corba_client_faults import is_noticed

FAULTS = [
    Fault(
        "connections without a token are not limited",
        "tidings.admission",
        "if len(self._unauthenticated) >= limits.most_unauthenticated:",
        "if len(self._unauthenticated) >= limits.most:",
        "tests.unit.test_admission:test_strangers_give_way_to_each_other_and_not_the_others",
    ),
    Fault(
        "a wrong token counts as one",
        "tidings.web.security",
        "                await refuse(scope, receive, send, error)\n",
        '                scope["state"][AUTHENTICATED]()\n'
        "                await refuse(scope, receive, send, error)\n",
        "tests.unit.server.test_connections:test_who_has_shown_no_token_gives_way",
    ),
    Fault(
        "an address is checked only when a client gives it",
        "tidings.orb.aio.pool",
        "if targets is None or targets.allows(one, address.port)]",
        "if targets is None or plain_address(one)]",
        "tests.unit.orb.aio.test_orb:test_connections_may_be_forbidden",
    ),
    Fault(
        "any client may lead the service anywhere",
        "tidings.orb.aio.targets",
        "plain_address(given_by) == address:",
        "plain_address(given_by) != port:",
        "tests.unit.servants.test_targets:test_networks_decide",
    ),
    Fault(
        "a channel may feed itself",
        "tidings.servants.loops",
        "        if source in reached:\n",
        "        if source in reached - {target}:\n",
        "tests.unit.servants.test_targets:test_a_channel_is_not_connected_with_itself",
    ),
    Fault(
        "a push tells only the last channel of its events",
        "tidings.servants.endpoints",
        "        if hops:\n",
        "        if hops and not self._origin:\n",
        "tests.unit.servants.test_loops:test_events_that_come_back_are_dropped",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_fault_is_noticed(fault: Fault) -> None:
    with warnings.catch_warnings():
        # What a fault leaves open is its own, and not that of a later test which meets it.
        warnings.simplefilter("ignore")
        noticed = is_noticed(fault)
        gc.collect()
    assert noticed, f"nobody noticed that {fault.what}"


@pytest.mark.parametrize("check", sorted({fault.noticed_by for fault in FAULTS}))
def test_without_a_fault_there_is_nothing_to_notice(check: str) -> None:
    with planted(None):
        run(check, 30)


def test_files_that_others_can_read_are_noticed(tmp_path: Path) -> None:
    fault = PackageFault(
        "files are made as the shell says",
        "server/lifecycle.py",
        "umask = os.umask(_OWNER_ONLY)",
        "umask = os.umask(0)",
    )
    fault.apply(copied_package(tmp_path / "package"))
    env = {"PYTHONPATH": str(tmp_path / "package")}
    with served(tmp_path / "run", env=env, before="umask 0"):
        assert "port.json" in readable_by_others(tmp_path / "run")
