"""Settings become parts."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import fields
from pathlib import Path

import pytest

from tests.unit.server.serving import TOKEN, scene
from tidings.admission import Admission, AdmissionLimits
from tidings.errors import InvalidUsage, JournalInUse, StoreError
from tidings.server.build import (
    address_refused,
    bound_socket,
    http_server,
    open_host,
    reloaded_options,
    retention,
    web_options,
)
from tidings.server.config import ServerSettings
from tidings.stores.retention import Retention
from tidings.web.options import WebOptions


def made(**sections: object) -> ServerSettings:
    return ServerSettings.model_validate(sections)


def test_the_defaults_are_those_of_the_parts() -> None:
    assert retention(made()) == Retention()
    assert web_options(made(), None) == WebOptions()


def test_retention() -> None:
    kept = made(store={"retention_size": "2 MiB", "retention_age": "1 h"})
    assert retention(kept) == Retention(2**21, 3_600_000_000)
    assert retention(made(store={"retention_age": "none"})).keep_microseconds is None


def test_every_option_of_the_door_comes_from_its_setting() -> None:
    given: dict[str, object] = {
        "allowed_hosts": ["a.example"], "allowed_origins": ["https://b.example"],
        "unnamed_lifetime": 1, "max_body": 2, "max_batch": 3, "max_wait": 4,
        "max_socket_octets": 5, "read_patience": 9, "write_patience": 6, "ping_interval": 7,
        "heart_beat": 8, "max_streams": 10, "body_patience": 11, "upload_pause": 12,
    }  # fmt: skip
    options = web_options(made(http=given), TOKEN)
    default = WebOptions()
    for one in fields(WebOptions):
        assert getattr(options, one.name) != getattr(default, one.name), one.name
    assert TOKEN not in repr(options)


def test_a_reload_changes_only_what_it_can() -> None:
    before = web_options(made(http={"max_batch": 3}), None)
    after = reloaded_options(before, made(http={"max_batch": 9, "allowed_hosts": ["a"]}), TOKEN)
    assert (after.token, after.allowed_hosts, after.max_batch) == (TOKEN, ("a",), 3)


def test_the_host_gets_its_settings(tmp_path: Path) -> None:
    async def play() -> None:
        settings = made(
            store={"dir": str(tmp_path / "data"), "disk_quota": "1 GB", "retention_age": "1 h"},
            rules={"retry_limit": 9},
            limits={"event_octets": "1 MiB"},
        )
        host = await open_host(settings)
        try:
            assert host.settings.retry_limit == 9
            assert host.settings.limits.event_octets == 2**20
            assert host.housekeeping.disk_quota == 10**9
            assert host.housekeeping.retention.keep_microseconds == 3_600_000_000
            with pytest.raises(JournalInUse, match="another process"):
                await open_host(settings)
        finally:
            await host.close()
        assert (tmp_path / "data" / "journal").is_dir()

    scene(play)


def test_in_memory_nothing_is_written(tmp_path: Path) -> None:
    async def play() -> None:
        host = await open_host(made(store={"dir": str(tmp_path / "data"), "memory": True}))
        assert host.store is None
        await host.close()

    scene(play)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def play() -> None:
        with pytest.raises(StoreError, match=r"file.*cannot be used"):
            await open_host(made(store={"dir": str(tmp_path / "file")}))

    scene(play)


def test_addresses() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        first.listen()
        with pytest.raises(InvalidUsage, match=f"port {port} on 127.0.0.1 is in use by another"):
            bound_socket("127.0.0.1", port)
    with pytest.raises(InvalidUsage, match="no address of this machine"):
        bound_socket("192.0.2.1", 0)
    with pytest.raises(InvalidUsage, match="no address of this machine"):
        bound_socket("no such host", 0)


def test_other_refusals_have_words() -> None:
    assert "from 1024 on" in str(address_refused("::1", 80, OSError(13, "")))
    told = str(address_refused("::1", 80, OSError(105, "")))
    assert told == f"::1 port 80 cannot be listened on: {os.strerror(105)}"


def test_the_server_leaves_signals_and_logs_to_others() -> None:
    async def play() -> None:
        async def app(scope: object, receive: object, send: object) -> None: ...

        server = http_server(
            app, made(http={"max_body": "1 MiB"}), Admission(AdmissionLimits(9, 9, 9))
        )
        config = server.config
        assert config.ws_max_size == 2**20
        assert not config.access_log
        assert not config.server_header
        assert config.lifespan == "off"
        assert not config.proxy_headers
        before = signal.getsignal(signal.SIGTERM)
        with server.capture_signals():
            assert signal.getsignal(signal.SIGTERM) is before

    scene(play)


def test_a_socket_does_not_listen_yet() -> None:
    with bound_socket("127.0.0.1", 0) as bound, socket.socket() as client:
        assert client.connect_ex(bound.getsockname()) != 0
