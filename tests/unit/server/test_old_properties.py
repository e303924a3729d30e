"""Old properties files: every key of theirs, and what is no property."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import InvalidUsage
from tidings.server.config import setting_fields
from tidings.server.layers import Sources
from tidings.server.old_properties import OLD_KEYS, read_old_properties

PREFIX = "de.unimuenchen.informatik.mnm.NotificationService."
FILE = Path("old.properties")

WHOLE = f"""# The service of the institute
{PREFIX}notificationserviceiorfile = /tmp/ecf.ior
{PREFIX}filterfactoryiorfile=/tmp/ff.ior
! also a comment
{PREFIX}dumpdir = /var/dump
{PREFIX}name = Notify
{PREFIX}filterfactoryname : Filters

{PREFIX}bind = true
{PREFIX}namingservice = TRUE
{PREFIX}http = true
{PREFIX}httpport = 9090
{PREFIX}nsspecurl = http://example.org/spec?a=b:c
{PREFIX}debug = 3
"""


def read(text: str) -> dict[str, object]:
    return {name: value for name, (value, _) in read_old_properties(FILE, text)[0].items()}


def refusal(text: str) -> str:
    with pytest.raises(InvalidUsage) as caught:
        read_old_properties(FILE, text)
    return str(caught.value)


def test_every_key() -> None:
    assert read(WHOLE) == {
        "ior_file.factory": "/tmp/ecf.ior",
        "ior_file.filter_factory": "/tmp/ff.ior",
        "store.dir": "/var/dump",
        "naming.factory": "Notify",
        "naming.filter_factory": "Filters",
        "naming.enabled": True,
        "http.enabled": True,
        "http.port": 9090,
        "help.constraint_url": "http://example.org/spec?a=b:c",
        "log.level": 3,
    }
    assert {name for name, _ in OLD_KEYS.values()} - {""} <= setting_fields().keys()


def test_each_value_knows_its_line() -> None:
    found, notes = read_old_properties(FILE, WHOLE)
    assert found["http.port"][1] == "old.properties, line 12 (httpport)"
    assert notes == [
        "old.properties, line 9: bind has no meaning here: there is no location daemon"
    ]


def test_the_prefix_may_be_another_or_none_but_only_one() -> None:
    assert read("httpport = 1\nhttp = false\n") == {"http.port": 1, "http.enabled": False}
    assert read("org.example.httpport = 1\n") == {"http.port": 1}
    told = refusal("a.httpport = 1\nb.http = true\n")
    assert told == "old.properties: all keys have one prefix, not several: a in line 1, b in line 2"


def test_everything_wrong_is_named() -> None:
    told = refusal("a.htpport = 1\nno property\na.debug = 1\na.debug = 2\na.zzz = 1\n")
    assert told.splitlines()[:3] == [
        "old.properties, line 1: 'htpport': unknown; did you mean httpport?",
        "old.properties, line 2: this is no property: a line is Key = Value",
        "old.properties, line 4: debug stands in line 3 already",
    ]
    assert "known are notificationserviceiorfile, " in told.splitlines()[3]


@pytest.mark.parametrize(
    ("line", "words"),
    [("httpport = many", "line 1 (httpport): http.port is 'many'; right is a whole number"),
     ("debug = 5", "line 1 (debug): log.level is 5; right is a whole number from 0 to 4"),
     ("namingservice = 1", "line 1 (namingservice): naming.enabled is '1'; right is true or")],
)  # fmt: skip
def test_wrong_values_name_key_and_line(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "old.properties"
    path.write_text(line + "\n")
    with pytest.raises(InvalidUsage) as caught:
        Sources(properties=path, environ={}).load()
    assert words in str(caught.value)
