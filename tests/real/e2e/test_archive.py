"""`tidings serve --archive`: whatever ends the service or the archive, each event is in it once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.real.e2e.served import Served, served

pq = pytest.importorskip("pyarrow.parquet")

PERSISTENT = {"EventReliability": "Persistent", "ConnectionReliability": "Persistent"}
QUICK = {"TIDINGS_ARCHIVE__SEAL_AFTER": "200 ms"}


def prepared(client: httpx2.Client) -> None:
    """A channel whose events last, and a subscription that does."""
    client.post("/v1/channels", json={"name": "a", "qos": PERSISTENT}).raise_for_status()
    reader = {"side": "consumer", "style": "pull", "name": "reader"}
    client.post("/v1/channels/a/proxies", json=reader).raise_for_status()


def publish(client: httpx2.Client, numbers: range) -> None:
    """Publishes numbered events, fifty with a request."""
    for first in range(numbers.start, numbers.stop, 50):
        events = [
            {"domain": "Traffic", "type": "Speed", "data": {"number": number}}
            for number in range(first, min(first + 50, numbers.stop))
        ]
        client.post("/v1/channels/a/events", json=events).raise_for_status()


def archived(folder: Path, kind: str = "events") -> Counter[tuple[object, ...]]:
    """Channel and number of the rows of a kind in the files that the manifest names."""
    found: Counter[tuple[object, ...]] = Counter()
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        for file in json.loads(line).get("files", ()):
            if file["kind"] == kind:
                rows = pq.ParquetFile(folder / file["path"]).read().to_pylist()
                found.update((row["channel"], row["seq"]) for row in rows)
    return found


def each_once(count: int) -> Counter[tuple[object, ...]]:
    return Counter(("a", seq) for seq in range(1, count + 1))


def archivers(folder: Path) -> list[int]:
    """The processes that write an archive."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"tidings.stores.archive" in words and os.fsencode(folder) in words:
            found.append(int(place.parent.name))
    return found


def until_gone(folder: Path) -> None:
    """Waits until nobody writes an archive."""
    until = time.monotonic() + PATIENCE
    while archivers(folder):
        assert time.monotonic() < until
        time.sleep(0.02)


def archive_of(client: httpx2.Client) -> object:
    return client.get("/health/ready").json()["archive"]


def test_a_service_that_was_stopped_has_everything_in_its_archive(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with served(tmp_path, "--archive", str(archive)) as service, service.client() as client:
        prepared(client)
        publish(client, range(500))
        answer = client.post("/v1/channels/a/proxies/reader/pull", json={"most": 7, "wait": 0})
        seqs = [one["seq"] for one in answer.json()["events"]]
        client.post("/v1/channels/a/proxies/reader/ack", json={"seqs": seqs}).raise_for_status()
        assert archive_of(client) == "good"
        assert service.end() == 0
        assert not archivers(archive)
        log = service.log.read_text()
    assert f", archive in {archive} (tidings " in log
    assert "Traceback" not in log
    assert "warning" not in log
    assert archived(archive) == each_once(500)
    assert archived(archive, "outcomes") == Counter(("a", seq) for seq in seqs)


def test_ctrl_c_reaches_the_whole_group_and_the_archive_is_complete(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    port = tmp_path / "port.json"
    command = [sys.executable, "-m", "tidings", "serve", "--port", "0", "--port-file", str(port),
               "--data", str(tmp_path / "data"), "--archive", str(archive)]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            until = time.monotonic() + PATIENCE
            while not port.exists():
                assert time.monotonic() < until
                time.sleep(0.02)
            url = json.loads(port.read_text())["url"]
            with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
                prepared(client)
                publish(client, range(100))
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert archived(archive) == each_once(100)


def test_kills_of_the_service_and_of_the_archives_process_lose_nothing(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    options = ("--archive", str(archive))
    with served(tmp_path, *options, env=QUICK) as service, service.client() as client:
        prepared(client)
        publish(client, range(150))
        service.wait_for((archive / "manifest.jsonl").exists)
        [child] = archivers(archive)
        os.kill(child, signal.SIGKILL)
        publish(client, range(150, 300))
        service.wait_for_line("stands still: its process has ended with code -9")
        service.wait_for(lambda: archivers(archive) not in ([], [child]))
        service.wait_for_line(f"the archive in {archive} goes on")
        assert archive_of(client) == "good"
        publish(client, range(300, 400))
        assert service.end(signal.SIGKILL) == -signal.SIGKILL
    until_gone(archive)
    with served(tmp_path, *options, env=QUICK) as service, service.client() as client:
        publish(client, range(400, 500))
        [child] = archivers(archive)
        service.process.send_signal(signal.SIGTERM)
        os.kill(child, signal.SIGKILL)
        assert service.process.wait(PATIENCE) == 0
    assert archived(archive) == each_once(500)


def test_an_archive_that_cannot_be_written_holds_nobody_up(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_text("in the way")
    options = ("--archive", str(archive))
    with served(tmp_path, *options, env=QUICK) as service, service.client() as client:
        prepared(client)
        publish(client, range(50))
        service.wait_for_line(f"error tidings.engine.archiving: the archive in {archive} stands")
        assert client.get("/health/ready").json() == {
            "status": "ready", "reason": "", "archive": "failing", "losses": 0,
        }  # fmt: skip
        assert "tidings_archive_failing 1.0" in client.get("/metrics").text
        publish(client, range(50, 100))
        archive.unlink()
        service.wait_for_line(f"the archive in {archive} goes on")
        assert service.log.read_text().count("stands still") == 2  # the error and the notice
        assert service.end() == 0
    assert archived(archive) == each_once(100)


def test_what_cannot_be_archived_is_told_before_anything_is_made(tmp_path: Path) -> None:
    service = Served(tmp_path, "--memory", "--archive", str(tmp_path / "archive"))
    assert service.process.wait(PATIENCE) == 2
    assert "store.memory is true" in service.log.read_text()
    assert not (tmp_path / "archive").exists()
