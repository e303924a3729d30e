"""The page about the service tells the truth, and the samples beside it can be used."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path

import pytest

from tests.edges.cli.running import tidings
from tests.real.docs.pages import ROOT, blocks, code, page, tables
from tidings.errors import InvalidUsage
from tidings.server.layers import OLD_KEYS, Sources, environment_name
from tidings.server.settings import ServerSettings, setting_fields, settings_table

PAGE = page("docs/server.md")
BEGIN = "<!-- made by `tidings settings document` -->"
END = "<!-- end of what was made -->"


def table(*headings: str) -> list[list[str]]:
    (found,) = (t for t in tables(PAGE) if t.headings == list(headings))
    return [row for _, row in found.rows]


def test_the_tables_of_settings_are_those_of_the_model() -> None:
    made = PAGE.split(BEGIN)[1].split(END)[0]
    assert made.strip() == settings_table().strip()


def test_the_options_are_those_of_the_command() -> None:
    rows = table("option", "does", "is the setting")
    written = {code(row[0]).split()[0].rstrip("`") for row in rows}
    told = set(re.findall(r"^  (--[a-z-]+)", tidings("serve", "--help").output, re.MULTILINE))
    assert written == told - {"--help"}
    named = {code(row[2]) for row in rows} - {"–"}
    assert setting_fields().keys() >= named


def test_the_old_properties() -> None:
    written = {code(key): setting for key, setting in table("key", "is the setting")}
    assert written.keys() == OLD_KEYS.keys()
    for key, (name, _) in OLD_KEYS.items():
        assert code(written[key]) == name or not name


def test_the_examples_are_good_settings(tmp_path: Path) -> None:
    examples = [one.text for one in blocks(PAGE) if one.language == "toml"]
    assert len(examples) == 4
    for text in examples:
        file = tmp_path / "x.toml"
        file.write_text(text)
        Sources(file, environ={}).load()
    assert environment_name("http.port") in PAGE


def test_the_messages_are_real(tmp_path: Path) -> None:
    (shown,) = (one.text for one in blocks(PAGE) if "did you mean" in one.text)
    for line, toml, environ in zip(
        shown.splitlines(),
        ("[http]\nprot = 1\n", ""),
        ({}, {"TIDINGS_LOG__LEVEL": "9"}),
        strict=True,
    ):
        (tmp_path / "tidings.toml").write_text(toml)
        with pytest.raises(InvalidUsage) as caught:
            Sources(tmp_path / "tidings.toml", environ=environ).load()
        told = str(caught.value).replace(f"{tmp_path}/", "")
        assert line == f"error: {told}"


def test_the_sample_settings_can_be_used() -> None:
    path = ROOT / "deploy/tidings.toml"
    loaded = Sources(path, environ={}).load()
    assert loaded.warnings == ()
    assert loaded.settings.store.dir == Path("/var/lib/tidings")
    assert isinstance(loaded.settings, ServerSettings)
    assert loaded.origins.keys() == {
        f"{section}.{key}"
        for section, content in tomllib.loads(path.read_text()).items()
        for key in content
    }


def test_the_sample_unit_fits_the_command_and_the_settings() -> None:
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "deploy/tidings.service")
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    words = service["ExecStart"].split()
    assert words[1:3] == ["serve", "--settings"]
    patience = Sources(ROOT / "deploy/tidings.toml", environ={}).load().settings.stop.patience
    assert patience < float(service["TimeoutStopSec"])
    assert f"/var/lib/{service['StateDirectory']}" == "/var/lib/tidings"
