"""`tidings serve` as people and programs run it: signals, crashes, reloads, wrong settings."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import threading
from pathlib import Path

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.patience import PATIENCE
from tests.real.e2e.processes import TIDINGS, environment, finished
from tests.real.e2e.served import Served, served
from tidings.stores.records import Kind, Record, encode
from tidings.stores.segments import FORMAT_VERSION, segment_path

TOKEN = "a-token-of-the-owner"
OTHER = "another-token-is-used"


def prepared(client: httpx2.Client) -> None:
    """A channel and a subscription that lasts."""
    client.post("/v1/channels", json={"name": "auctions"}).raise_for_status()
    reader = {"side": "consumer", "style": "pull", "name": "reader",
              "qos": {"ConnectionReliability": "Persistent"}}  # fmt: skip
    client.post("/v1/channels/auctions/proxies", json=reader).raise_for_status()
    assert taken(client) == []  # events are kept for who has come once


def publish(client: httpx2.Client, number: int) -> int:
    event = {"domain": "Auction", "type": "books", "data": {"number": number}}
    answer = client.post("/v1/channels/auctions/events", json=event)
    seq: int = answer.raise_for_status().json()["seq"]
    return seq


def taken(client: httpx2.Client) -> list[int]:
    """The numbers of all events that wait for the reader."""
    asked = {"most": 1000, "wait": 0}
    answer = client.post("/v1/channels/auctions/proxies/reader/pull", json=asked)
    events = answer.raise_for_status().json()["events"]
    return [one["event"]["data"]["number"] for one in events]


def test_an_event_goes_in_and_comes_out_and_sigterm_ends_it(tmp_path: Path) -> None:
    with served(tmp_path) as service, service.client() as client:
        assert client.get("/health/ready").json()["status"] == "ready"
        prepared(client)
        assert publish(client, 7) > 0
        assert taken(client) == [7]
        client.post("/v1/channels/auctions/proxies/reader/ack", json={"seqs": [1]})
        assert service.end() == 0
        log = service.log.read_text()
    assert f"listening on {service.url}, data in {tmp_path / 'data'} (tidings " in log
    assert log.splitlines()[-1].endswith("stopped")
    assert "Traceback" not in log
    assert not (tmp_path / "port.json").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_was_kept_is_there_after_the_next_start(
    tmp_path: Path, number: signal.Signals
) -> None:
    with served(tmp_path) as service, service.client() as client:
        prepared(client)
        for one in range(20):
            publish(client, one)
        assert service.end(number) == 0
    with served(tmp_path) as service, service.client() as client:
        assert taken(client) == list(range(20))


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    published = 0
    for _ in range(2):
        with served(tmp_path) as service, service.client() as client:
            if not published:
                prepared(client)
            for _ in range(30):
                publish(client, published)
                published += 1
            assert service.end(signal.SIGKILL) == -signal.SIGKILL
            assert (tmp_path / "port.json").exists()
    with served(tmp_path) as service, service.client() as client:
        assert taken(client) == list(range(published))


def test_open_websockets_are_told_of_the_restart(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        address = service.url.replace("http", "ws") + "/v1/ws"
        with connect(address, subprotocols=[Subprotocol("tidings.v1")]) as ws:
            service.process.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as caught:
                ws.recv(timeout=PATIENCE)
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1012
        assert service.process.wait(PATIENCE) == 0


def test_what_was_taken_in_leaves_before_the_end(tmp_path: Path) -> None:
    with served(tmp_path) as service, service.client() as client:
        prepared(client)
        address = service.url.replace("http", "ws") + "/v1/channels/auctions/subscribe?window=1"
        with connect(address, subprotocols=[Subprotocol("tidings.v1")]) as ws:
            assert json.loads(ws.recv(timeout=PATIENCE))["op"] == "connected"
            for number in range(30):
                publish(client, number)
            service.process.send_signal(signal.SIGTERM)
            service.wait_for_line("stopping: ")
            assert client.post("/v1/channels", json={"name": "late"}).status_code == 503
            seen = []
            with contextlib.suppress(ConnectionClosed):
                while True:
                    frame = json.loads(ws.recv(timeout=PATIENCE))
                    seen += [one["event"]["data"]["number"] for one in frame["events"]]
                    acked = [one["seq"] for one in frame["events"]]
                    ws.send(json.dumps({"op": "ack", "line": 0, "seqs": acked}))
        assert seen == list(range(30))
        assert service.process.wait(PATIENCE) == 0
        assert "not all events have left" not in service.log.read_text()


def test_who_waits_is_told_and_streams_end(tmp_path: Path) -> None:
    with served(tmp_path) as service, service.client() as client, service.client() as other:
        prepared(client)
        waiting: list[httpx2.Response] = []

        def wait() -> None:
            asked = {"most": 1, "wait": 50}
            waiting.append(other.post("/v1/channels/auctions/proxies/reader/pull", json=asked))

        puller = threading.Thread(target=wait)
        with client.stream("GET", "/v1/channels/auctions/tail") as tail:
            lines = tail.iter_lines()
            next(lines)
            puller.start()
            with service.client() as third:  # its answer comes after the pull has come
                assert third.get("/health/live").status_code == 200
            service.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(httpx2.RemoteProtocolError):
                assert all("gone" not in line for line in lines)
        puller.join()
        assert waiting[0].status_code == 503
        assert waiting[0].json()["code"] == "stopping"
        assert service.process.wait(PATIENCE) == 0
        log = service.log.read_text()
    assert "Traceback" not in log
    assert " error " not in log


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with served(tmp_path, env={"TIDINGS_STOP__PATIENCE": "1 h"}) as service:
        with service.client() as client:
            prepared(client)
            publish(client, 1)
            assert taken(client) == [1]  # leased, and not acknowledged: the drain waits for it
        service.process.send_signal(signal.SIGTERM)
        service.wait_for_line("stopping: SIGTERM came")
        assert service.end() == -signal.SIGTERM
        assert "SIGTERM came again" in service.log.read_text()
    with served(tmp_path) as service, service.client() as client:
        assert taken(client) == [1]


def test_events_in_flight_do_not_hold_it_up_for_ever(tmp_path: Path) -> None:
    with served(tmp_path, env={"TIDINGS_STOP__PATIENCE": "100 ms"}) as service:
        with service.client() as client:
            prepared(client)
            publish(client, 1)
            assert taken(client) == [1]
        assert service.end() == 0
        assert "not all events have left within 0.1 s" in service.log.read_text()


def refused(*options: str, folder: Path, env: dict[str, str] | None = None) -> list[str]:
    """What a service says that cannot start."""
    ran = finished([*TIDINGS, "serve", "--data", str(folder / "other"), *options],
                   env={**environment(), **(env or {})})  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert ran.stdout == b""
    assert b"Traceback" not in ran.stderr
    return ran.stderr.decode().splitlines()


def test_one_data_folder_one_process(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        (told,) = refused("--port", "0", "--data", str(tmp_path / "data"), folder=tmp_path)
        assert "is open in another process" in told
        with service.client() as client:
            assert client.get("/health/ready").status_code == 200


def test_one_port_one_process(tmp_path: Path) -> None:
    with socket.socket() as taken_port:
        taken_port.bind(("127.0.0.1", 0))
        taken_port.listen()
        port = taken_port.getsockname()[1]
        (told,) = refused("--port", str(port), folder=tmp_path)
    assert told == (
        f"error: port {port} on 127.0.0.1 is in use by another program: choose another one with "
        "--port or http.port; 0 takes a free one"
    )


def test_other_reasons_not_to_start(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("[http]\nprot = 1\n")
    (told,) = refused("--settings", str(file), folder=tmp_path)
    assert told == f"error: {file}, line 2: http.prot: unknown; did you mean http.port?"
    (told,) = refused(folder=tmp_path, env={"TIDINGS_LOG__LEVEL": "9"})
    assert told == (
        "error: TIDINGS_LOG__LEVEL: log.level is 9; right is a whole number from 0 to 4"
    )
    (told,) = refused("--host", "0.0.0.0", folder=tmp_path)
    assert "there is no token" in told
    (told,) = refused("--port", "0", "--data", str(file), folder=tmp_path)
    assert "file" in told
    assert not (tmp_path / "other").exists()


def test_a_journal_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        assert service.end() == 0
    version = (FORMAT_VERSION + 1).to_bytes(2, "big")
    newer = segment_path(tmp_path / "data" / "journal", 99)
    newer.write_bytes(encode(Record(Kind.HEADER, bytes(16), 99, version)) * 2)
    (told,) = refused("--port", "0", "--data", str(tmp_path / "data"), folder=tmp_path)
    assert "start the version that wrote it; nothing was changed" in told
    assert newer.exists()


def test_reload(tmp_path: Path) -> None:
    file = tmp_path / "tidings.toml"
    file.write_text("")
    with served(tmp_path) as service, service.client() as client:
        assert client.get("/v1/channels").status_code == 200
        file.write_text(f'[http]\ntoken = "{TOKEN}"\nport = 1\n[log]\nlevel = 4\n')
        service.process.send_signal(signal.SIGHUP)
        service.wait_for_line("reloaded: http.token, log.level changed")
        assert client.get("/v1/channels").status_code == 401
        with service.client(TOKEN) as owner:
            assert owner.get("/v1/channels").status_code == 200
        file.write_text("[http]\nprot = 1\n")
        service.process.send_signal(signal.SIGHUP)
        service.wait_for_line("the settings stay as they were: tidings.toml, line 2: http.prot")
        assert client.get("/v1/channels").status_code == 401
        assert service.end() == 0
        assert TOKEN not in service.log.read_text()


def test_the_service_makes_its_token_and_tells_only_where(tmp_path: Path) -> None:
    env = {"TIDINGS_HTTP__TOKEN": "auto"}
    with served(tmp_path, "--host", "0.0.0.0", "--log-level", "4", env=env) as service:
        path = tmp_path / "data" / "owner.token"
        token = path.read_text().strip()
        assert path.stat().st_mode & 0o777 == 0o600
        with service.client() as nobody, service.client(token) as owner:
            assert nobody.get("/health/live").status_code == 200
            assert nobody.get("/v1/channels").status_code == 401
            assert owner.get("/v1/channels").status_code == 200
        assert service.end() == 0
        log = service.log.read_text()
        assert f"the owner's token is in {path.relative_to(tmp_path)}" in log or str(path) in log
        assert token not in log


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_in_any_log(tmp_path: Path, form: str) -> None:
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN)
    token_file.chmod(0o600)
    env = {"TIDINGS_LOG__FORMAT": form, "TIDINGS_TOKEN": TOKEN}
    with served(tmp_path, "--token-file", str(token_file), "--log-level", "4", env=env) as service:
        with service.client(TOKEN) as owner, service.client(OTHER) as stranger:
            prepared(owner)
            publish(owner, 1)
            assert stranger.get("/v1/channels").status_code == 401
            assert owner.get(f"/v1/channels/{TOKEN}?token={TOKEN}").status_code == 400
            assert owner.post("/v1/channels", content=TOKEN).status_code == 415
        address = service.url.replace("http", "ws") + "/v1/ws"
        offered = [Subprotocol("tidings.v1"), Subprotocol(f"tidings.token.{TOKEN}")]
        with connect(address, subprotocols=offered) as ws:
            ws.send("no frame")
        host, port = service.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(f"NONSENSE {TOKEN}\r\n\r\n".encode())
            raw.recv(1000)
        assert service.end() == 0
    log = service.log.read_text()
    assert "POST /v1/channels: 201" in log
    assert "GET /v1/channels: 401" in log
    assert TOKEN not in log
    assert OTHER not in log
    if form == "json":
        assert all("message" in json.loads(line) for line in log.splitlines())


def test_memory_leaves_nothing_behind(tmp_path: Path) -> None:
    with served(tmp_path, "--memory") as service, service.client() as client:
        prepared(client)
        assert service.end() == 0
    assert "nothing is kept on disk" in service.log.read_text()
    assert not (tmp_path / "data").exists()


def test_old_properties(tmp_path: Path) -> None:
    old = tmp_path / "old.properties"
    old.write_text("org.example.debug = 4\norg.example.namingservice = true\n")
    with served(tmp_path, "--properties", str(old), "--memory") as service:
        with service.client() as client:
            assert client.get("/health/live").status_code == 200
        assert service.end() == 0
    log = service.log.read_text()
    told = f"naming.enabled ({old}, line 2 (namingservice)) has no effect: iiop.enabled is false"
    assert told in log
    assert "GET /health/live: 200" in log


def test_one_that_is_still_starting_is_simply_gone(tmp_path: Path) -> None:
    service = Served(tmp_path, "--memory")
    assert service.end() in (0, -signal.SIGTERM)


def readable_by_others(folder: Path) -> list[str]:
    """Files and folders in a folder that others on this machine may use."""
    found = [path for path in folder.rglob("*") if path.stat().st_mode & 0o077]
    return [str(path.relative_to(folder)) for path in found]


def test_others_on_this_machine_can_read_nothing(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.ior" for name in ("FACTORY", "FILTER_FACTORY", "AGENT")}
    env = {f"TIDINGS_IOR_FILE__{name}": str(path) for name, path in files.items()}
    env |= {"TIDINGS_HTTP__TOKEN": "auto"}
    options = ("--iiop", "127.0.0.1:0", "--archive", str(tmp_path / "archive"))
    with served(tmp_path, *options, env=env, before="umask 0") as service:
        token = (tmp_path / "data" / "owner.token").read_text().strip()
        with service.client(token) as client:
            made = {"name": "x", "qos": {"EventReliability": "Persistent"}}
            client.post("/v1/channels", json=made).raise_for_status()
            event = {"domain": "D", "type": "T"}
            client.post("/v1/channels/x/events", json=event).raise_for_status()
        service.wait_for((tmp_path / "archive").exists)
        assert readable_by_others(tmp_path) == ["log"]  # the shell has made that
        assert "chmod" not in service.log.read_text()
        service.end()
    (tmp_path / "data").chmod(0o755)
    with served(tmp_path) as service:
        service.wait_for_line(f"look into the data folder {tmp_path / 'data'}: chmod 700 it")
