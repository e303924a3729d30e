"""The page of the traffic tells the truth about what runs, and how to start it.

That its scene is the demo's is seen where the demo is played, in tests/real/federation.
"""

from __future__ import annotations

import re

from tests.edges.cli.running import tidings
from tests.real.docs.pages import blocks, page, tables
from tidings.apps.traffic_monitoring.car import SPEED
from tidings.apps.traffic_monitoring.city import CARS, OFFICE, REACH, ROADS, SECONDS

PAGE = page("docs/traffic.md")


def test_every_option_of_the_commands_is_there() -> None:
    (block,) = [one for one in blocks(PAGE) if one.language == "sh"]
    told = tidings("demo", "traffic", "--help").stdout
    assert "tidings demo traffic" in block.text
    for option in set(re.findall(r"--[a-z-]+", block.text)):
        assert option in told


def test_what_runs_is_what_the_city_has() -> None:
    (table,) = [one for one in tables(PAGE) if one.headings[0] == "process"]
    processes = [row["process"] for _, row in table.dicts()]
    assert processes[:2] == [
        f"`{some[0].name}` to `{some[-1].name}`" for some in (CARS, ROADS)
    ]  # fmt: skip
    assert f"`{OFFICE}`" in table.dicts()[2][1]["what is in it"]


def test_the_figures_are_those_of_the_city() -> None:
    assert f"circle of {REACH:g} m" in PAGE
    assert f"a scene of {SECONDS} seconds" in PAGE
    assert f"identifier {SPEED['id']}" in PAGE
