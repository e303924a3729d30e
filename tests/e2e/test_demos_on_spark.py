"""The demos' parts on Spark: the report of an evening, a machine without Java, and real flights."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.processes import environment, finished, run
from tidings.apps.flights.samples import PACKAGE, fetched

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

PATIENCE = 360
FLOWN = 30_000


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


def test_without_java_the_demo_says_what_to_install_and_ends_well() -> None:
    code = (
        "import tidings.pipeline.java as java; java.find_java.__defaults__ = (None, ())\n"
        "import sys; sys.argv = ['tidings', 'demo']\n"
        "from tidings.__main__ import main; main()"
    )
    env = environment() | {"PATH": "/nowhere"}
    env.pop("JAVA_HOME", None)
    ran = finished([sys.executable, "-c", code], env)
    shown = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (0, b""), shown[-2_000:]
    assert "Left out: Spark needs Java 17 or newer: install openjdk-17-jre-headless" in shown


def test_real_flights_go_through_everything(
    tmp_path: Path, record_real_part: Callable[[str, str], None]
) -> None:
    wheel = fetched(tmp_path)
    record_real_part("ADS-B samples", PACKAGE)
    kept = os.path.relpath(tmp_path / "kept")  # as people name folders
    options = ("--samples", str(wheel), "--positions", str(FLOWN), "--folder", kept)
    ran = run("demo", "flights", *options, timeout=PATIENCE)
    shown = ran.stdout.decode()
    assert ran.returncode == 0, shown + ran.stderr.decode()
    assert "WRONG" not in shown
    for what in ("accepted by the service", "rows in the archive", "rows in the lake"):
        assert re.search(rf"^{what} +{FLOWN:,} +{FLOWN:,}$", shown, re.MULTILINE), shown
    assert (tmp_path / "kept" / "lake" / "types" / "Surveillance" / "Position").is_dir()
