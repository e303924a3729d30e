"""`tidings serve` and `tidings settings …` inside the test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import objects, tidings
from tidings.server.config import setting_fields
from tidings.server.document import settings_table
from tidings.server.layers import Loaded, Sources

TOKEN = "a-token-of-the-owner"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDINGS_LOG__LEVEL", "2")


def test_options_become_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidings.server import lifecycle

    seen: list[tuple[Sources, Loaded, Path | None]] = []

    async def run(sources: Sources, loaded: Loaded, port_file: Path | None) -> int:
        seen.append((sources, loaded, port_file))
        return len(seen) - 1

    monkeypatch.setattr(lifecycle, "run", run)
    Path("x.toml").write_text("[stop]\npatience = 3\n")
    Path("old").write_text("nsspecurl = http://x\n")
    ran = tidings("serve", "--settings", "x.toml", "--properties", "old", "--host", "::1",
                  "--port", "7", "--data", "d", "--token-file", "t", "--log-level", "0",
                  "--memory", "--port-file", "p")  # fmt: skip
    assert ran.exit_code == 0
    _, loaded, port_file = seen[0]
    settings = loaded.settings
    assert (settings.http.host, settings.http.port, settings.log.level) == ("::1", 7, 0)
    assert (settings.store.dir, settings.http.token_file) == (Path("d"), Path("t"))
    assert settings.store.memory
    assert settings.stop.patience == 3
    assert loaded.origins["help.constraint_url"] == "old, line 1 (nsspecurl)"
    assert loaded.origins["http.port"] == "--port"
    assert port_file == Path("p")
    assert tidings("serve").exit_code == 1
    assert seen[1][1].origins == {"log.level": "TIDINGS_LOG__LEVEL"}


def test_wrong_settings_are_told_and_nothing_starts() -> None:
    ran = tidings("serve", "--port", "70000")
    assert ran.exit_code == 2
    assert ran.stderr == (
        "error: --port: http.port is 70000; right is a whole number from 0 to 65535\n"
    )
    assert list(Path().iterdir()) == []


def test_show() -> None:
    Path("tidings.toml").write_text(f'[http]\ntoken = "{TOKEN}"\nport = 9\n')
    ran = tidings("settings", "show")
    assert ran.exit_code == 0
    rows = [line.split() for line in ran.stdout.splitlines()]
    assert ["http.token", "***", "tidings.toml,", "line", "2"] in rows
    assert ["log.level", "2", "TIDINGS_LOG__LEVEL"] in rows
    assert TOKEN not in ran.stdout
    told = {str(one["name"]): one for one in objects(tidings("settings", "show", "--json").stdout)}
    assert list(told) == list(setting_fields())
    assert told["http.port"] == {
        "name": "http.port",
        "value": "9",
        "origin": "tidings.toml, line 3",
    }
    assert told["http.token"]["value"] == "***"
    assert told["http.host"]["origin"] is None


def test_check() -> None:
    ran = tidings("settings", "check")
    assert (ran.exit_code, ran.stdout) == (0, "the settings are good\n")
    Path("x.toml").write_text("[naming]\nenabled = true\n")
    ran = tidings("settings", "check", "--settings", "x.toml")
    assert ran.exit_code == 0
    words = "warning: naming.enabled (x.toml, line 2) has no effect: iiop.enabled is false"
    assert words in ran.stderr
    Path("x.toml").write_text('[http]\ntoken_file = "missing"\n')
    ran = tidings("settings", "check", "--settings", "x.toml")
    assert ran.exit_code == 2
    assert "the token file missing cannot be read" in ran.stderr
    Path("x.toml").write_text('[http]\ntoken = "auto"\n')
    assert tidings("settings", "check", "--settings", "x.toml").exit_code == 0
    assert not Path("tidings-data").exists()


def test_document() -> None:
    assert tidings("settings", "document").stdout == settings_table() + "\n"


def test_help_has_examples() -> None:
    for words in (("serve",), ("settings", "show"), ("settings", "check")):
        assert "Examples:" in tidings(*words, "--help").stdout
