"""Settings: where they come from, what is right, what fits together, and what they become."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tests.edges.server.serving import TOKEN
from tidings.admission import AdmissionLimits
from tidings.errors import InvalidUsage, JournalInUse, StoreError
from tidings.orb.aio import Address, Bidirectional, Options
from tidings.servants.endpoints import ClientOptions
from tidings.server import kinds
from tidings.server.build import address_refused, bound_socket, open_host
from tidings.server.corba import client_options, orb_options
from tidings.server.descriptors import budget, raised_limit
from tidings.server.kinds import Section
from tidings.server.layers import Given, Sources, read_old_properties
from tidings.server.rules import LimitsSection, RulesSection, channel_settings
from tidings.server.settings import IiopSection, ServerSettings, is_loopback
from tidings.server.tokens import make_token, owner_token

LIMITS = AdmissionLimits(1_000, 250, 250)
OLD = Path("old.properties")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(**sections: object) -> ServerSettings:
    return ServerSettings.model_validate(sections)


def unfit(**sections: object) -> str:
    """Why settings do not fit together."""
    with pytest.raises(ValidationError) as caught:
        made(**sections)
    return str(caught.value.errors()[0]["msg"])


def refusal(toml: str = "", environ: Mapping[str, str] | None = None) -> list[str]:
    """What is told of a file and an environment."""
    Path("x.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(InvalidUsage) as caught:
        Sources(Path("x.toml"), environ=environ or {}).load()
    assert caught.value.__cause__ is None or TOKEN not in repr(caught.value.__cause__)
    return str(caught.value).splitlines()


# Where they come from.


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


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[http]\nprot = 1\n", "line 2: http.prot: unknown; did you mean http.port?"),
        ("\n[htp]\nport = 1\n", "line 2: htp: unknown; did you mean http?"),
        ("http.prot = 1\n", "line 1: http.prot: unknown; did you mean http.port?"),
        ("port = 1\n", "line 1: port: unknown; did you mean http.port?"),
        ("[store]\n zzzzzz = 1\n",
         "line 2: store.zzzzzz: unknown; `tidings settings show` lists all"),
        ("log = 3\n", "line 1: log is a section: write [log] and its settings below"),
        ("[http]\n# port\nport = 70000\n",
         "line 3: http.port is 70000; right is a whole number from 0 to 65535"),
        ("[ http ]\n'port' = '80'\n",
         "line 2: http.port is '80'; right is a whole number from 0 to 65535"),
        ("[rules.default_qos]\nPriority = [1]\n", ("line 1: rules.default_qos is "
         "{'Priority': [1]}; right is a table of properties, such as "
         '{ OrderPolicy = "FifoOrder" }')),
        ("http = {port = -1}\n",
         "line 1: http.port is -1; right is a whole number from 0 to 65535"),
        ("[http]\nallowed_hosts = 'a'\n",
         "line 2: http.allowed_hosts is 'a'; right is a list of texts"),
        ("[rules]\nany_order = 'any'\n",
         "line 2: rules.any_order is 'any'; right is one of fifo, priority, deadline"),
    ],
)  # fmt: skip
def test_messages_about_a_file(toml: str, words: str) -> None:
    assert refusal(toml) == [f"x.toml, {words}"]


def test_everything_wrong_is_told_at_once() -> None:
    assert len(refusal("[http]\nport = -1\nhost = 5\n[log]\nlevel = 9\n")) == 3
    assert len(refusal("[http]\nprot = -1\n[lgo]\nlevel = 9\n", {"TIDINGS_X": ""})) == 3
    both = refusal("[http]\nport = -1\nprot = 1\n", {"TIDINGS_X": "", "TIDINGS_LOG__LEVEL": "9"})
    told = "\n".join(both)
    assert len(both) == 4
    assert all(name in told for name in ("http.port", "http.prot", "TIDINGS_X", "log.level"))
    toml = "[rules]\nretry_first = 9\nretry_longest = 1\n[http]\nenabled = false\n"
    assert len(refusal(toml)) == 2


@pytest.mark.parametrize("secret", ["short", f"{TOKEN}/", f"a {TOKEN}", 12_345_678])
def test_a_wrong_secret_is_not_shown(secret: object) -> None:
    written = f"'{secret}'" if isinstance(secret, str) else secret
    for told in (refusal(f"[http]\ntoken = {written}\n"),
                 refusal(environ={"TIDINGS_HTTP__TOKEN": str(secret) + "/"}),
                 refusal(f"[http]\ntokne = {written}\n"),
                 refusal(f"[http]\ntoken = {written} oops\n")):  # fmt: skip
        assert str(secret) not in "\n".join(told)
        assert TOKEN not in "\n".join(told)


def test_each_is_told_with_its_source_and_no_secret_is(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f'[http]\ntoken = "{TOKEN}"\n[stop]\npatience = 3\n')
    flags = {"http.port": Given(0, "--port")}
    loaded = Sources(file, None, flags, {"TIDINGS_LIMITS__CHANNELS": "500"}).load()
    told = {one.name: one for one in loaded.told()}
    found = {name: (one.value, one.source.value, one.origin) for name, one in told.items()}
    assert {name: one for name, one in found.items() if one[1] != "default"} == {
        "http.token": ("***", "file", f"{file}, line 2"),
        "stop.patience": ("3 s", "file", f"{file}, line 4"),
        "http.port": ("0", "command line", "--port"),
        "limits.channels": ("500", "environment", "TIDINGS_LIMITS__CHANNELS"),
    }
    assert TOKEN not in repr(told)
    assert all(one.text and one.allowed for one in told.values())


def test_files_that_cannot_be_read() -> None:
    place = "Expected ']' at the end of a table declaration (at line 1, column 6)"
    assert refusal("[http\n") == [f"x.toml: this is no TOML: {place}"]
    Path("latin").write_bytes(b"\xff\xfe")
    Path("long").write_text("#" * 1_000_001)
    for name, words in (("missing", "No such file"), (".", "Is a directory"),
                        ("latin", "no UTF-8"), ("long", "more than 1000000 octets")):  # fmt: skip
        with pytest.raises(InvalidUsage, match=words):
            Sources(Path(name), environ={}).load()


# Old properties files.

PREFIX = "de.unimuenchen.informatik.mnm.NotificationService."
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


def test_each_value_of_old_properties_knows_its_line() -> None:
    found, notes = read_old_properties(OLD, WHOLE)
    assert found["http.port"] == (9090, "old.properties, line 12 (httpport)")
    words = "bind has no meaning here: there is no location daemon"
    assert notes == [f"old.properties, line 9: {words}"]
    for prefix in ("", "org.example."):  # another one, or none
        found, _ = read_old_properties(OLD, f"{prefix}httpport = 1\n{prefix}http = false\n")
        assert {name: found[name][0] for name in found} == {"http.port": 1, "http.enabled": False}


def test_everything_wrong_in_old_properties_is_named() -> None:
    with pytest.raises(InvalidUsage) as caught:
        read_old_properties(OLD, "a.httpport = 1\nb.http = true\n")
    told = str(caught.value)
    assert told == "old.properties: all keys have one prefix, not several: a in line 1, b in line 2"
    with pytest.raises(InvalidUsage) as caught:
        read_old_properties(
            OLD, "a.htpport = 1\nno property\na.debug = 1\na.debug = 2\na.zzz = 1\n"
        )
    *lines, last = str(caught.value).splitlines()
    assert lines == [
        "old.properties, line 1: 'htpport': unknown; did you mean httpport?",
        "old.properties, line 2: this is no property: a line is Key = Value",
        "old.properties, line 4: debug stands in line 3 already",
    ]
    assert "known are notificationserviceiorfile, " in last


# Kinds of values.


class Sample(Section):
    flag: bool = False
    count: Annotated[int, Field(ge=2, le=9)] = 3
    word: Literal["one", "two"] = "one"
    path: kinds.OptionalPath = None
    names: Annotated[tuple[str, ...], Field(strict=False)] = ()
    table: dict[str, int] = Field(default={})
    time: kinds.Duration = 1.0
    size: kinds.Octets = 1
    spare_time: kinds.OptionalDuration = None
    spare_size: kinds.OptionalOctets = None
    spare_text: kinds.OptionalText = None
    secret: kinds.OptionalSecret = None


def field(name: str) -> FieldInfo:
    return Sample.model_fields[name]


@pytest.mark.parametrize("text", ["0", 0, -1, "1.5 B", "4 mib", True, 3.5, "MiB", None, 2**63])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(ValidationError):
        Sample(size=text)  # type: ignore[arg-type]


@given(st.integers(1, 2**62), st.integers(0, 10**14))
def test_what_is_shown_can_be_written_like_that(octets: int, microseconds: int) -> None:
    assert TypeAdapter(kinds.Octets).validate_python(kinds.shown(field("size"), octets)) == octets
    time = kinds.shown(field("time"), microseconds / 1_000_000)
    assert round(TypeAdapter(kinds.Duration).validate_python(time) * 1_000_000) == microseconds


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("flag", "true", True), ("flag", "False", False), ("flag", "yes", "yes"), ("count", " 5", 5),
     ("count", "five", "five"), ("count", "9" * 50, "9" * 50), ("names", "a, b,", ["a", "b"]),
     ("names", '["a,b"]', ["a,b"]), ("names", "[a", "[a"), ("table", '{"a": 1}', {"a": 1}),
     ("table", "a=1", "a=1"), ("time", "3 s", "3 s"), ("word", "two", "two")],
)  # fmt: skip
def test_texts_of_the_environment(name: str, text: str, value: object) -> None:
    assert kinds.from_text(field(name), text) == value


def test_secrets() -> None:
    assert [name for name in Sample.model_fields if kinds.is_secret(field(name))] == ["secret"]


# What fits together.


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)
    assert made(http={"host": host}).http.host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.evil.org"])
def test_elsewhere_a_token_is_needed(host: str) -> None:
    assert not is_loopback(host)
    told = unfit(http={"host": host})
    assert all(words in told for words in (host, 'http.token = "auto"', "--token-file"))
    for token in ({"token": TOKEN}, {"token": "auto"}, {"token_file": "x"}):
        made(http={"host": host, **token})


def test_what_does_not_fit_together() -> None:
    on = {"enabled": True}
    assert "both set" in unfit(http={"token": TOKEN, "token_file": "x"})
    assert "no other door" in unfit(http={"enabled": False})
    made(http={"enabled": False}, iiop=on)
    assert "store.memory" in unfit(http={"token": "auto"}, store={"memory": True})
    assert "retry_longest" in unfit(rules={"retry_longest": "1 ms"})
    assert "advertise_host" in unfit(iiop={**on, "advertise_port": 5})
    assert "one file twice" in unfit(iiop=on, ior_file={"factory": "x", "agent": "x"})
    assert "naming.factory" in unfit(iiop=on, naming=on)
    assert "naming: " in unfit(iiop=on, naming={**on, "factory": "f", "url": "http://x"})
    assert "naming: " in unfit(iiop=on, naming={**on, "factory": "a//b"})
    unfit(iiop={"alternates": ["a:b:c"]})
    unfit(iiop={"callback_networks": ["10.0.0.0/99"]})
    made(naming=on)  # no door, so no matter


def test_an_archive_needs_a_journal_and_a_folder_of_its_own() -> None:
    for store, words in (
        ({"memory": True}, "store.memory is true"),
        ({"dir": f"../{Path.cwd().name}/a"}, "a folder of its own"),
        ({"dir": "a"}, "a folder of its own"),
    ):
        assert words in unfit(store=store, archive={"dir": "a"})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"retry_longest": "3 ms"}, "rules.retry_longest must be at least rules.retry_first"),
        ({"default_qos": {"Priorty": 1}}, "rules.default_qos: Priorty"),
        ({"default_admin": {"MaxConsumers": -1}}, "rules.default_admin: MaxConsumers"),
        ({"narrowed": {"Priority": [3, 1]}}, "rules: the setting narrowed"),
    ],
)
def test_nonsense_in_rules_is_named(rules: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidUsage) as caught:
        channel_settings(RulesSection.model_validate(rules), LimitsSection())
    assert str(caught.value).startswith(words)


# The owner's token.


@pytest.mark.parametrize("content", [b"", b"\n", b"auto\n", b"short\n", b"\xff" * 20, b"x" * 300])
def test_files_without_a_token(content: bytes) -> None:
    Path("token").write_bytes(content)
    with pytest.raises(InvalidUsage, match=r"token file .*token ") as caught:
        owner_token(made(http={"token_file": "token"}))
    assert "short" not in str(caught.value)


def test_two_services_have_two_tokens_and_some_places_take_none() -> None:
    both = [made(http={"token": "auto"}, store={"dir": name}) for name in "ab"]
    for settings in both:
        make_token(settings)
    assert owner_token(both[0]) != owner_token(both[1])
    Path("file").write_text("")
    with pytest.raises(StoreError, match="cannot be written to"):
        make_token(made(http={"token": "auto"}, store={"dir": "file"}))


# What they become.


def test_the_defaults_are_those_of_the_orb_and_for_this_machine() -> None:
    section = IiopSection()
    assert (section.enabled, section.host) == (False, "127.0.0.1")
    options = orb_options(section, LIMITS)
    assert replace(options, targets=None) == Options(call_seconds=ClientOptions().call_seconds)
    assert options.targets is not None
    answers = [options.targets.allows(each, 1) for each in ("127.0.0.1", "::1", "10.0.0.1")]
    assert answers == [True, True, False]
    assert options.targets.allows("10.0.0.1", 1, given_by="10.0.0.1")
    assert client_options(section) == ClientOptions()


def test_what_is_set_reaches_the_orb() -> None:
    names = {"advertise_host": "events.example", "alternates": ["a:1", "b"]}
    rest = {"max_message": "1 MiB", "call_patience": "2 s", "probe_after": "1 min"}
    section = IiopSection.model_validate({**names, "bidirectional": "same-host", **rest})
    options = orb_options(section, LIMITS)
    assert options.advertise == Address("events.example", 0)
    assert options.alternates == (Address("a", 1), Address("b", 2809))
    assert options.accept_bidirectional is Bidirectional.SAME_HOST
    assert options.limits.message_size == 2**20
    assert (client_options(section).call_seconds, client_options(section).probe_seconds) == (2, 60)


async def test_the_host_gets_its_settings() -> None:
    store = {"dir": "data", "disk_quota": "1 GB", "retention_age": "1 h"}
    limits = {"event_octets": "1 MiB"}
    settings = made(store=store, rules={"retry_limit": 9}, limits=limits)
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
    assert Path("data/journal").is_dir()
    Path("file").write_text("")
    with pytest.raises(StoreError, match=r"file.*cannot be used"):
        await open_host(made(store={"dir": "file"}))


def test_addresses() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        first.listen()
        with pytest.raises(InvalidUsage, match=f"port {port} on 127.0.0.1 is in use by another"):
            bound_socket("127.0.0.1", port)
    for host in ("192.0.2.1", "no such host"):
        with pytest.raises(InvalidUsage, match="no address of this machine"):
            bound_socket(host, 0)
    assert "from 1024 on" in str(address_refused("::1", 80, OSError(13, "")))
    told = str(address_refused("::1", 80, OSError(105, "")))
    assert told == f"::1 port 80 cannot be listened on: {os.strerror(105)}"


@pytest.mark.parametrize("limit", [300, 1_024, 4_096, 20_000, 1_000_000])
@pytest.mark.parametrize("corba", [False, True])
def test_descriptors_in_reserve_are_never_given_away(corba: bool, limit: int) -> None:
    settings = made(iiop={"enabled": corba})
    http, iiop = budget(settings, limit)
    both_ways = 2 * iiop.most if corba else 0
    assert http.most + both_ways <= limit - settings.store.reserved_descriptors
    assert 1 <= http.most_unauthenticated < http.most <= 10_000
    assert not http.limit_loopback


@pytest.mark.parametrize("fixed", [{}, {"max_connections": 200}])
def test_too_few_descriptors_are_refused_with_what_takes_them(fixed: dict[str, object]) -> None:
    with pytest.raises(InvalidUsage, match=r"open 260 file .*256 for store.reserved_descriptors"):
        budget(made(http=fixed), 260)


def test_the_limit_of_descriptors_is_raised_as_far_as_it_may_be() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = before[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
        assert raised_limit() == hard == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
