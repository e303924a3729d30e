"""The demo's part on Spark: the report of an evening, and its audit."""

from __future__ import annotations

import re

import pytest

from tests.real.e2e.processes import run

pytestmark = pytest.mark.slow

PATIENCE = 360


def test_the_demo_ends_with_a_report_and_an_audit() -> None:
    ran = run("demo", timeout=PATIENCE)
    shown = ran.stdout.decode()
    assert ran.returncode == 0, shown[-2_000:] + ran.stderr.decode()
    _, accounts, spark = shown.partition("The same evening from its archive, on Spark\n")
    assert accounts
    for line in (
        r"Faults +0 +all explained",
        r"Events +240",
        r"Unexplained copies +0",
        r"rows of events +240",
    ):
        assert re.search(rf"^{line}$", spark, re.MULTILINE), (line, spark)
    # What the bidders' ledgers have is what the archive has.
    alerts = re.search(r"(\d+) alerts to 6 bidders", shown)
    delivered = re.search(r"^delivered +(\d+)", spark, re.MULTILINE)
    assert alerts
    assert delivered
    assert int(alerts[1]) == int(delivered[1])
