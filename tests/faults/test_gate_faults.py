"""Planted faults in who may connect, where the service connects to, and who may read its files."""

from __future__ import annotations

import pytest

from tests.faults.test_codec_faults import Fault, planted, run

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
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_fault_is_noticed(fault: Fault) -> None:
    with planted(fault):
        try:
            run(fault.noticed_by, 300)
        except BaseException as error:  # noqa: BLE001 -- pytest's own failures are no Exceptions
            assert not isinstance(error, KeyboardInterrupt | SystemExit | SyntaxError)  # noqa: PT017
            return
    pytest.fail(f"nobody noticed that {fault.what}")


@pytest.mark.parametrize("check", sorted({fault.noticed_by for fault in FAULTS}))
def test_without_a_fault_there_is_nothing_to_notice(check: str) -> None:
    with planted(None):
        run(check, 30)
