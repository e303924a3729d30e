"""`tidings demo` as a user runs it: `tidings serve` is killed, and the accounts are right."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.patience import PATIENCE
from tests.real.docs.pages import blocks, page, tables
from tests.real.e2e.processes import TIDINGS, environment, run, start
from tests.real.e2e.served import served
from tidings.apps.auction_alert.scene import BIDDERS, Habit, Scene

COLUMNS = ["expected", "received", "lost", "twice", "unasked", "disordered", "repeated", "closed"]


def accounts(shown: str) -> dict[str, dict[str, int]]:
    """The table at the end, by bidder."""
    table = shown.partition("The accounts:")[2]
    (heading,) = re.findall(r"^bidder +(.+)$", table, re.MULTILINE)
    assert heading.split() == COLUMNS
    found = {}
    for bidder in BIDDERS:
        (row,) = re.findall(rf"^{bidder.name} +([\d ]+?)\s*$", table, re.MULTILINE)
        found[bidder.name] = dict(zip(COLUMNS, map(int, row.split()), strict=True))
    return found


def counts(shown: str) -> dict[str, dict[str, int]]:
    """What the service counts by subscription, as the demo has read it."""
    table = shown.partition("The service's own counts")[2].partition("The accounts:")[0]
    columns = ["waiting", "in flight", "delivered", "expired"]
    return {
        name: dict(zip(columns, map(int, row.split()), strict=True))
        for name, row in re.findall(r"^(\w+) +(\d[\d ]+?)\s*$", table, re.MULTILINE)
    }


def figure(pattern: str, shown: str) -> int:
    (found,) = re.findall(pattern, shown)
    return int(found)


def check(shown: str, seed: int) -> None:
    """The kill happened in the middle, and the table says what the last line says."""
    scene = Scene(seed, 0)
    assert re.search(r"^kill -9 \d+", shown, re.MULTILINE)
    words = " ".join(shown.split())
    acknowledged = figure(r"(\d+) of 240 offers are acknowledged", words)
    assert scene.killed_after <= acknowledged <= scene.before_kill * len(scene.houses)
    # What was accepted in the first life: what was acknowledged, and what had lost its answer.
    swallowed = figure(r"accepted already, and not a second time: (\d+)", words)
    assert swallowed <= figure(r"for want of an answer: (\d+)", words) <= len(scene.houses)
    assert figure(r"(\d+) offers had been accepted", words) == acknowledged + swallowed
    rows, own = accounts(shown), counts(shown)
    for bidder in BIDDERS:
        row, counted = rows[bidder.name], own[bidder.name]
        assert row["expected"] == row["received"] > 0
        assert row["lost"] == row["twice"] == row["unasked"] == row["disordered"] == 0
        assert (row["closed"] > 0) is (bidder.habit is Habit.AWAY)
        assert counted["waiting"] == counted["in flight"] == 0
        assert 0 < counted["delivered"] <= row["received"]
    alerts = sum(row["received"] for row in rows.values())
    assert "240 offers accepted, 0 dead letters." in words
    assert (
        f"240 offers, each accepted once; {alerts} alerts to 6 bidders: "
        "nothing lost, nothing twice, order kept."
    ) in words


def test_the_demo_ends_well_and_shows_what_the_page_of_the_auction_shows() -> None:
    ran = run("demo", "--no-spark", "--seed", "11")
    assert (ran.returncode, ran.stderr) == (0, b"")
    shown = ran.stdout.decode()
    assert "\x1b" not in shown
    check(shown, 11)
    check_page(shown)
    check_way(shown)


def check_page(shown: str) -> None:
    """The scenes and the table of the page are those of the demo."""
    told = page("docs/auction.md")
    scenes = [block.text for block in blocks(told) if block.language == "text"]
    assert len(scenes) == 2
    for scene in scenes:
        assert scene in shown
    (table,) = [one for one in tables(told) if one.headings[0] == "column"]
    columns = [row["column"] for _, row in table.dicts()]
    assert f"bidder  {'  '.join(columns)}\n" in shown


def check_way(shown: str) -> None:
    """What is shown on the way."""
    assert re.search(
        r"^Auction::books +Hartung, Lindqvist +Ada, Chiara, Emil$", shown, re.MULTILINE
    )
    assert re.search(
        r"^tidings serve +\d+ +at http://127\.0\.0\.1:\d+\n"
        r"houses +\d+ +Hartung, .+\n"
        r"bidders +\d+ +Ada, .+$",
        shown,
        re.MULTILINE,
    )
    assert re.search(
        r"^tidings serve is there again [\d.]+ s later, same port", shown, re.MULTILINE
    )
    assert re.search(
        r"^Houses and bidders are back by themselves after [\d.]+ s\.", shown, re.MULTILINE
    )
    assert re.search(
        r"^What had gathered for Emil came in this order: \d+ with priority 9,", shown, re.MULTILINE
    )
    assert re.search(r"^Why offer \d+ did not reach Ada$", shown, re.MULTILINE)
    assert "For Ada: proxy filters: none of the proxy's 1 constraints matches." in shown
    assert re.search(
        r"does not match: \$start_price < 20 is FALSE \(\$start_price = [\d.]+\)", shown
    )


def test_on_a_terminal_the_counts_move(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*TIDINGS, "demo", "--bounded", "--no-spark"],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env=environment() | {"TERM": "xterm", "COLUMNS": "120", "TMPDIR": str(tmp_path)},
    )
    os.close(slave)
    octets = bytearray()
    while True:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # how a terminal says that the other end is closed
            break
        octets += piece
    os.close(master)
    assert process.wait(PATIENCE) == 0
    plain = without_colours(octets)
    check(plain, 1)  # another seed, other figures
    drawn = {int(count) for count in re.findall(r"(\d+) of 240 offers\s", plain)}
    assert len(drawn) > 50
    assert list(tmp_path.iterdir()) == []


def test_the_auction_is_served_for_any_service(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        given = ("demo", "auction", "--url", service.url, "--port")
        process = start(*given, "0", "--json")
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        board = httpx2.get(f"{url}/api/board").json()
        assert (board["trouble"], board["console"]) == ("", service.url)
        refused = run(*given, url.rpartition(":")[2])
        assert refused.returncode == 2
        assert b"cannot be used: Address already in use; --port names another" in refused.stderr
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
        assert (process.returncode, told) == (130, b"")


def without_colours(octets: bytearray) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", octets.decode())


@contextmanager
def taken(*ports: int) -> Iterator[None]:
    """Has somebody listen on ports, if nobody does."""
    with ExitStack() as stack:
        for port in ports:
            with suppress(OSError):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


def test_on_a_terminal_it_goes_on_until_somebody_stops_it(tmp_path: Path) -> None:
    """The usual ports are taken; the service is killed; a browser is opened."""
    folder, opened = tmp_path / "temporary", tmp_path / "opened"
    folder.mkdir()
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    octets = bytearray()
    master, slave = pty.openpty()
    with taken(8080, 8090):
        process = subprocess.Popen(
            [*TIDINGS, "demo", "--open"],
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            env=environment()
            | {"TERM": "xterm", "COLUMNS": "120", "TMPDIR": str(folder), "BROWSER": str(browser)},
        )
        os.close(slave)
        shown = read_until(master, octets, "Evening 1 begins")
    words = r"^{} +(http://127.0.0.1:\d+)  the usual port, {}, is taken"
    auction = re.search(words.format("auction", 8090), shown, re.MULTILINE)
    console = re.search(words.format("console", 8080), shown, re.MULTILINE)
    assert auction
    assert console
    assert opened.read_text().strip() == auction[1]
    assert "Auction alert" in httpx2.get(auction[1]).text
    assert "Tidings" in httpx2.get(console[1]).text
    os.kill(figure(r"kill -9 (\d+)", shown), signal.SIGKILL)
    read_until(master, octets, "It is there again")
    children = psutil.Process(process.pid).children(recursive=True)
    assert httpx2.get(f"{console[1]}/health/live").is_success
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    os.close(master)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
    assert list(folder.iterdir()) == []


def test_the_traffic_goes_on_until_somebody_stops_it(tmp_path: Path) -> None:
    """A limit is set on the way; nothing is left behind."""
    octets = bytearray()
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*TIDINGS, "demo", "traffic"],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env=environment() | {"TERM": "xterm", "COLUMNS": "120", "TMPDIR": str(tmp_path)},
    )
    os.close(slave)
    shown = read_until(master, octets, "Ctrl-C ends the demo.")
    found = re.search(r"^map +(http://127.0.0.1:\d+)", shown, re.MULTILINE)
    assert found
    url = found[1]
    assert "Traffic monitoring" in httpx2.get(url).text
    given = {"targets": "road-2, road-3", "limit": 20}
    answer = httpx2.post(f"{url}/api/limits", json=given, timeout=PATIENCE)
    assert answer.json() == {"roads": ["road-2", "road-3"]}
    while (board := httpx2.get(f"{url}/api/board").json())["second"] < 2:
        assert process.poll() is None
        time.sleep(0.05)
    limits = {name: state.get("limit") for name, state in board["state"].items()}
    assert [limits[f"road-{n}"] for n in (1, 2, 3)] == [50, 20, 20]
    assert (board["trouble"], limits["car-1"]) == ("", None)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 9
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    os.close(master)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
    assert list(tmp_path.iterdir()) == []


def read_until(terminal: int, octets: bytearray, words: str) -> str:
    """Reads from a terminal until something is shown; all that was."""
    while words not in without_colours(octets):
        octets += os.read(terminal, 65_536)
    return without_colours(octets).replace("\r", "")


@pytest.mark.parametrize(
    ("awaited", "processes"),
    [
        # Service, archiver, houses and bidders; the archiver comes a moment later, and the service
        # may look for Java.
        (b"Who looks for what", {0, 1, 2, 3, 4, 5}),
        (b"has subscribed and leaves", {3, 4, 5}),
        (b"kill -9", {2, 3, 4, 5}),
        (b"is there again", {3, 4, 5}),
    ],
)
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, awaited: bytes, processes: set[int]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "tidings", "demo", "--no-spark"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment() | {"TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if awaited in line:
            break
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) in processes
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (130, b"")
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
    assert list(tmp_path.iterdir()) == []


def test_no_process_outlives_a_demo_that_was_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "tidings", "demo", "--no-spark"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment() | {"TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if b"has subscribed and leaves" in line:
            break
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) in {3, 4}
    process.kill()
    process.communicate(timeout=PATIENCE)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []


def test_a_bank_changes_once_without_a_terminal(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*TIDINGS, "demo", "changes"],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment() | {"TMPDIR": str(tmp_path)},
        timeout=PATIENCE,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    for told in ("as a structured event", "As sequences", "<ServiceChangeNotification>", "added"):
        assert told in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_bank_changes_until_somebody_stops_it(tmp_path: Path) -> None:
    octets = bytearray()
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*TIDINGS, "demo", "changes"],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env=environment() | {"TERM": "xterm", "COLUMNS": "120", "TMPDIR": str(tmp_path)},
    )
    os.close(slave)
    shown = read_until(master, octets, "EV2 announces INSTANTIATION_SERVICE")
    found = re.search(r"^agent +(http://127.0.0.1:\d+)", shown, re.MULTILINE)
    assert found
    assert "Service changes" in httpx2.get(found[1]).text
    services = httpx2.get(f"{found[1]}/api/services").json()
    assert [one["id"] for one in services["offers"]] == ["Printer/1"]
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    os.close(master)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
    assert list(tmp_path.iterdir()) == []
