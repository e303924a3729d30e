"""Settings from everywhere: who goes before whom, and messages that name the place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tidings.errors import InvalidUsage
from tidings.server.config import setting_fields
from tidings.server.layers import Given, Loaded, Sources, environment_name

TOKEN = "a-token-of-the-owner"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(toml: str = "", environ: Mapping[str, str] | None = None, **flags: Given) -> Loaded:
    Path("x.toml").write_text(toml, encoding="utf-8")
    named = {name.replace("__", "."): one for name, one in flags.items()}
    return Sources(Path("x.toml"), None, named, environ or {}).load()


def refusal(toml: str = "", environ: Mapping[str, str] | None = None, **flags: Given) -> list[str]:
    with pytest.raises(InvalidUsage) as caught:
        load(toml, environ, **flags)
    assert caught.value.__cause__ is None or TOKEN not in repr(caught.value.__cause__)
    return str(caught.value).splitlines()


def test_flags_then_environment_then_file_then_properties_then_defaults() -> None:
    Path("old").write_text("httpport = 1\n")
    Path("x.toml").write_text("[http]\nport = 2\n")
    environ: dict[str, str] = {}
    flags: dict[str, Given] = {}

    def port() -> tuple[int, str]:
        loaded = Sources(Path("x.toml"), Path("old"), flags, environ).load()
        return loaded.settings.http.port, loaded.origins.get("http.port", "")

    assert Sources(environ={}).load().settings.http.port == 8080
    assert Sources(None, Path("old"), environ={}).load().settings.http.port == 1
    assert port() == (2, "x.toml, line 2")
    environ["TIDINGS_HTTP__PORT"] = "3"
    assert port() == (3, "TIDINGS_HTTP__PORT")
    flags["http.port"] = Given(4, "--port")
    assert port() == (4, "--port")


def test_a_file_of_the_usual_name_is_read_if_it_is_there() -> None:
    assert Sources(environ={}).load().settings.log.level == 1
    Path("tidings.toml").write_text("[log]\nlevel = 4\n")
    assert Sources(environ={}).load().settings.log.level == 4


def test_files_can_be_read_again() -> None:
    sources = Sources(Path("x.toml"), environ={})
    for level in (2, 3):
        Path("x.toml").write_text(f"log.level = {level}\n")
        assert sources.load().settings.log.level == level


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[http]\nprot = 1\n", "x.toml, line 2: http.prot: unknown; did you mean http.port?"),
        ("\n[htp]\nport = 1\n", "x.toml, line 2: htp: unknown; did you mean http?"),
        ("http.prot = 1\n", "x.toml, line 1: http.prot: unknown; did you mean http.port?"),
        ("port = 1\n", "x.toml, line 1: port: unknown; did you mean http.port?"),
        ("[store]\n zzzzzz = 1\n",
         "x.toml, line 2: store.zzzzzz: unknown; `tidings settings show` lists all"),
        ("log = 3\n", "x.toml, line 1: log is a section: write [log] and its settings below"),
        ("[http]\n# port\nport = 70000\n",
         "x.toml, line 3: http.port is 70000; right is a whole number from 0 to 65535"),
        ("[ http ]\n'port' = '80'\n",
         "x.toml, line 2: http.port is '80'; right is a whole number from 0 to 65535"),
        ("[rules.default_qos]\nPriority = [1]\n", ("x.toml, line 1: rules.default_qos is "
         "{'Priority': [1]}; right is a table of properties, such as "
         '{ OrderPolicy = "FifoOrder" }')),
        ("http = {port = -1}\n", ("x.toml, line 1: http.port is -1; right is a whole number from 0 "
         "to 65535")),
        ("[http]\nallowed_hosts = 'a'\n",
         "x.toml, line 2: http.allowed_hosts is 'a'; right is a list of texts"),
        ("[rules]\nany_order = 'any'\n",
         "x.toml, line 2: rules.any_order is 'any'; right is one of fifo, priority, deadline"),
    ],
)  # fmt: skip
def test_messages_about_a_file(toml: str, words: str) -> None:
    assert refusal(toml) == [words]


def test_everything_wrong_is_told_at_once() -> None:
    assert len(refusal("[http]\nport = -1\nhost = 5\n[log]\nlevel = 9\n")) == 3
    assert len(refusal("[http]\nprot = -1\n[lgo]\nlevel = 9\n", {"TIDINGS_X": ""})) == 3


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("TIDINGS_HTTP__PROT", "1",
         "environment: TIDINGS_HTTP__PROT: unknown; did you mean TIDINGS_HTTP__PORT?"),
        ("TIDINGS_HTTP_PORT", "1",
         "environment: TIDINGS_HTTP_PORT: unknown; did you mean TIDINGS_HTTP__PORT?"),
        ("TIDINGS_HTTP__PORT", "many",
         "TIDINGS_HTTP__PORT: http.port is 'many'; right is a whole number from 0 to 65535"),
        ("TIDINGS_STOP__PATIENCE", "long",
         ("TIDINGS_STOP__PATIENCE: stop.patience is 'long'; right is "
         "a time such as 500 ms, 30 s, 5 min, 12 h or 7 d; a number is seconds")),
    ],
)  # fmt: skip
def test_messages_about_the_environment(name: str, text: str, words: str) -> None:
    assert refusal(environ={name: text}) == [words]


def test_messages_about_flags() -> None:
    assert refusal(http__port=Given(-1, "--port")) == [
        "--port: http.port is -1; right is a whole number from 0 to 65535"
    ]


def test_variables_that_belong_to_others_are_left_alone() -> None:
    others = ("TIDINGS_TRACEBACK", "TIDINGS_URL", "TIDINGS_TOKEN", "TIDINGS_SOAK_ROUNDS", "PATH")
    assert load(environ=dict.fromkeys(others, "x")).origins == {}


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = {environment_name(name) for name in setting_fields()}
    assert len(names) == len(setting_fields())
    assert "TIDINGS_STORE__RETENTION_AGE" in names


def test_lists_and_tables_in_the_environment() -> None:
    settings = load(environ={
        "TIDINGS_HTTP__ALLOWED_HOSTS": "desk.example, shop.example",
        "TIDINGS_RULES__DEFAULT_QOS": '{"Priority": 3}',
        "TIDINGS_STORE__MEMORY": "true",
    }).settings  # fmt: skip
    assert settings.http.allowed_hosts == ("desk.example", "shop.example")
    assert settings.rules.model_dump()["default_qos"] == {"Priority": 3}
    assert settings.store.memory


@pytest.mark.parametrize("secret", ["short", f"{TOKEN}/", f"a {TOKEN}", 12_345_678])
def test_a_wrong_secret_is_not_shown(secret: object) -> None:
    written = f"'{secret}'" if isinstance(secret, str) else secret
    for told in (refusal(f"[http]\ntoken = {written}\n"),
                 refusal(environ={"TIDINGS_HTTP__TOKEN": str(secret) + "/"}),
                 refusal(f"[http]\ntokne = {written}\n"),
                 refusal(f"[http]\ntoken = {written} oops\n")):  # fmt: skip
        assert str(secret) not in "\n".join(told)
        assert TOKEN not in "\n".join(told)


def test_settings_of_a_door_that_is_not_there_are_told_if_they_are_used() -> None:
    assert load("[naming]\nenabled = false\n").warnings == ()
    assert load("[naming]\nenabled = true\n").warnings == (
        "naming.enabled (x.toml, line 2) has no effect: iiop.enabled is false; --iiop sets it",
    )


def test_files_that_cannot_be_read() -> None:
    for name, words in (("missing", "No such file"), (".", "Is a directory")):
        with pytest.raises(InvalidUsage, match=words):
            Sources(Path(name), environ={}).load()
    assert refusal("[http\n") == [
        (
            "x.toml: this is no TOML: Expected ']' at the end of a table declaration "
            "(at line 1, column 6)"
        )
    ]
    Path("x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidUsage, match="no UTF-8"):
        Sources(Path("x.toml"), environ={}).load()
    Path("x.toml").write_text("#" * 1_000_001)
    with pytest.raises(InvalidUsage, match="more than 1000000 octets"):
        Sources(Path("x.toml"), environ={}).load()


def test_a_file_may_begin_with_a_mark_of_its_encoding() -> None:
    Path("x.toml").write_bytes(b"\xef\xbb\xbf[log]\nlevel = 2\n")
    assert Sources(Path("x.toml"), environ={}).load().settings.log.level == 2
