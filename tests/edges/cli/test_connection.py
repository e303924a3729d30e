"""Which service a command talks to, the configuration it is given, and `tidings serve` itself."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import typer

from tests.edges.cli.running import objects, tidings
from tests.edges.cli.served import Served
from tidings.cli import connection
from tidings.cli.connection import Service, trusting
from tidings.cli.contexts import contexts_file
from tidings.client.client import Client
from tidings.client.configuration.applying import Applying
from tidings.client.configuration.diff import MakeProxy
from tidings.clock import utc_now
from tidings.errors import Forbidden, InvalidUsage, Unauthenticated
from tidings.server import lifecycle
from tidings.server.dev_certificates import make_certificates
from tidings.server.layers import Loaded, Sources
from tidings.server.settings import setting_fields, settings_table
from tidings.terminal import render


def test_which_service_is_meant_by_options(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(connection.TOKEN, "of the environment")
    (tmp_path / "token").write_text("secret\nmore\n")
    token = ("--token-file", str(tmp_path / "token"))
    served.done("channel", "list", "--url", "http://other:1", *token, "--patience", "1", "--json")
    assert served.asked == [Service("http://other:1", "secret", 1.0)]


def test_a_context_names_a_service_and_options_and_the_environment_override_it(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("of prod\n")
    monkeypatch.chdir(tmp_path)
    files = ("--token-file", "token", "--ca", "ca.pem", "--cert", "me.pem", "--key", "me.key")
    served.done("context", "add", "prod", "--url", "https://prod:1", *files)
    served.done("context", "add", "lab", "--url", "http://lab:1")
    ca = str(tmp_path / "ca.pem")
    shown = [str(tmp_path / name) for name in ("me.pem", "me.key")]
    for words, expected in (
        ((), Service("https://prod:1", "of prod", 5.0, ca, *shown)),
        (("--context", "lab"), Service("http://lab:1")),
        (("--url", "http://elsewhere:1"), Service("http://elsewhere:1")),
        (("--context", "prod", "--url", "http://else:1"), Service("http://else:1", ca=ca)),
    ):
        served.asked.clear()
        served.done("channel", "list", *words)
        assert served.asked == [expected], words
    served.done("context", "use", "lab")
    assert [one["current"] for one in objects(served.done("context", "list", "--json"))] == [
        False,
        True,
    ]
    assert contexts_file().stat().st_mode & 0o077 == 0
    assert "of prod" not in contexts_file().read_text()
    served.done("context", "remove", "lab")
    assert "there are prod" in served.refused("channel", "list", "--context", "lab")
    assert "not the address" in served.refused("context", "add", "x", "--url", "prod:1")
    assert "needs a name" in served.refused("context", "add", "", "--url", "http://a:1")
    contexts_file().write_text("{")
    assert "does not hold contexts" in served.refused("channel", "list")


@pytest.mark.parametrize(
    ("token", "told"), [(None, "give its file with --token-file"), ("x", "the token is wrong")]
)
async def test_a_service_that_wants_a_token(
    monkeypatch: pytest.MonkeyPatch, token: str | None, told: str
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise Unauthenticated("the token is wrong")

    monkeypatch.setattr("tidings.client.connecting.connect", refused)
    with pytest.raises(Unauthenticated, match=told):
        await connection.connected(Service(token=token)).__aenter__()


@pytest.mark.parametrize("content", [None, "", "\nsecret\n"])
def test_a_token_that_cannot_be_read(served: Served, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    result = served.tidings("channel", "list", "--token-file", str(file))
    assert (result.exit_code, str(file) in result.stderr) == (2, True)
    assert "secret" not in result.output
    assert not served.asked


@pytest.mark.parametrize("json", [False, True])
def test_cuts_are_told_once_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    monkeypatch.setattr(render, "_json_asked", json)
    cuts = connection._Cuts("http://here")
    cuts.tell(True, "")  # nothing to say: it was never away
    for there, why in ((False, "gone"), (False, "gone"), (True, ""), (False, "gone")):
        cuts.tell(there, why)
    cuts.tell(True, "3 missed")
    cuts.over = True
    cuts.tell(False, "the client was closed")
    told = capsys.readouterr().err.splitlines()
    if json:
        cut, back = '{"connection":"cut","why":"gone"}', '{"connection":"back","why":"%s"}'
        assert told == [cut, back % "", cut, back % "3 missed"]
    else:
        away, back = "http://here is away (gone); waiting for it", "http://here is back"
        assert told == [away, back, away, f"{back}; 3 missed"]


def completed() -> list[str]:
    """What a shell is told of channels that begin with an a."""
    app = typer.Typer()
    app.command()(lambda: None)
    context: typer.Context = typer.main.get_command(app).make_context("x", [])  # type: ignore[assignment]
    return connection._channel_names(context, "a")


def test_shells_complete_names_of_channels(served: Served) -> None:
    for name in ("auction", "alarms", "traffic"):
        served.done("channel", "create", name)
    assert completed() == ["alarms", "auction"]


def test_without_a_service_there_is_nothing_to_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "http://127.0.0.1:1"
    result = tidings("channel", "list", "--url", nowhere, "--patience", "0.5")
    assert (result.exit_code, "`tidings serve` starts a service" in result.stderr) == (2, True)
    monkeypatch.setenv(connection.URL, nowhere)
    assert completed() == []

    @asynccontextmanager
    async def never(service: Service) -> AsyncIterator[Client]:
        await asyncio.Event().wait()
        raise AssertionError
        yield

    monkeypatch.setattr(connection, "connected", never)
    monkeypatch.setattr(connection, "_COMPLETION_SECONDS", 0.01)
    assert completed() == []  # a slow one is not waited for


# ---------------------------------------------------------------- apply and export

FILE = """\
version = 1

[channels.auction]

[channels.auction.qos]
EventReliability = "Persistent"
ConnectionReliability = "Persistent"

[channels.auction.subscriptions.bargains]
constraints = [
  "$price < 10",
]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "service.toml"
    made.write_text(FILE)
    return made


def test_a_dry_run_tells_as_diff_does_and_what_is_not_in_the_file_stays_unless_pruned(
    served: Served, file: Path
) -> None:
    result = served.tidings("apply", str(file), "--dry-run")
    assert result.exit_code == 1
    assert "+ channel auction\n" in result.stdout
    assert result.stderr == "2 differences; nothing was changed\n"
    assert served.done("channel", "list") == ""
    served.done("apply", str(file))
    served.done("apply", str(file), "--dry-run")
    served.done("channel", "create", "old")
    result = served.tidings("apply", str(file))
    assert "kept, though not in the file: channel old\n" in result.stderr
    assert served.done("apply", str(file), "--prune") == "- channel old\n"
    assert "old" not in served.done("channel", "list")
    file.write_text(FILE.replace("< 10", "< 20"))
    details = ["constraints: - $price < 10", "constraints: + $price < 20"]
    assert objects(served.done("apply", str(file), "--json")) == [
        {"do": "change", "what": "subscription auction/bargains", "details": details},
        {"steps": 1, "done": True, "kept": []},
    ]


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_what_the_service_would_refuse_is_refused_before_anything_is_done(
    served: Served, file: Path, options: tuple[str, ...]
) -> None:
    served.done("apply", str(file))
    more = "[channels.auction.subscriptions.more]\n[channels.new]\n"
    limit = "[channels.auction.admin-properties]\nMaxConsumers = 1\n"
    file.write_text(f"{FILE}{more}{limit}")
    result = served.tidings("apply", str(file), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "MaxConsumers is 1" in result.stderr
    file.write_text(FILE + 'style = "pull"\n\n[channels.new]\n')  # it would lose events
    assert "cannot become pull" in served.refused("apply", str(file), *options)
    assert "new" not in served.done("channel", "list")


@pytest.mark.parametrize("json", [False, True])
def test_when_it_stops_half_way_what_was_done_is_said(
    served: Served, file: Path, monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    does = Applying._make_proxy

    async def fails(self: Applying, action: MakeProxy) -> None:
        if self._transport.__class__.__name__ != "_Copy":
            raise Forbidden("not you")
        await does(self, action)

    monkeypatch.setattr(Applying, "_make_proxy", fails)
    result = served.tidings("apply", str(file), *["--json"] * json)
    monkeypatch.undo()
    assert result.exit_code == 2
    if json:
        told = {"done": 1, "not_finished": ["subscription auction/bargains"]}
        assert objects(result.stderr)[0] == {**told, "lets_all_through": []}
    else:
        assert result.stdout.startswith("+ channel auction\n")
        assert result.stderr == (
            "1 of 2 differences done; not finished:\n+ subscription auction/bargains\n"
            "apply the file again to finish\nerror: not you\n"
        )
    assert "1 difference, all done" in served.tidings("apply", str(file)).stderr


def test_faults_name_the_file_and_the_place(served: Served, file: Path) -> None:
    file.write_text(FILE.replace("$price <", "$price =") + 'filters = ["x"]\nfrom = 1\n')
    told = served.refused("apply", str(file)).splitlines()
    place = f"{file}: channels.auction.subscriptions.bargains"
    assert told[0] == f"error: {place}.from: unknown; did you mean 'form'?"
    assert f"{place}.constraints[0]: line 1, column 8: '=' has no meaning here" in told
    assert f"{place}.filters[0]: the file has no [filters.x]" in "\n".join(told)
    assert served.done("channel", "list") == ""
    for content, message in ((b"\xff", "this is not UTF-8 text"), (b"[", "this is no TOML")):
        file.write_bytes(content)
        assert message in (said := served.refused("apply", str(file)))
        assert str(file) in said
    file.unlink()
    assert f"{file}: no such file" in served.refused("apply", str(file))


def test_what_cannot_be_exported_is_told(served: Served, tmp_path: Path) -> None:
    async def scene(client: Client) -> None:
        await client.create_channel()

    served.run(scene)
    assert served.tidings("export").stderr == "warning: 1 channel without a name left out\n"
    [told] = objects(served.done("export", str(tmp_path / "x.toml"), "--json"))
    assert (told["channels"], told["unnamed_channels"]) == (0, 1)
    nowhere = str(tmp_path / "nowhere" / "x.toml")
    assert "no such file or directory" in served.refused("export", nowhere)


# ---------------------------------------------------------------- serve and settings

TOKEN = "a-token-of-the-owner"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDINGS_LOG__LEVEL", "2")


@pytest.mark.usefixtures("elsewhere")
def test_options_become_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Loaded, Path | None]] = []

    async def run(
        sources: Sources, loaded: Loaded, port_file: Path | None, recover: str | None
    ) -> int:
        assert recover == (None if seen else "root")
        seen.append((loaded, port_file))
        return len(seen) - 1

    monkeypatch.setattr(lifecycle, "run", run)
    Path("x.toml").write_text("[stop]\npatience = 3\n")
    Path("old").write_text("nsspecurl = http://x\n")
    ran = tidings("serve", "--settings", "x.toml", "--properties", "old", "--host", "::1",
                  "--port", "7", "--data", "d", "--token-file", "t", "--log-level", "0",
                  "--memory", "--port-file", "p", "--iiop", "127.0.0.2:9",
                  "--recover-access", "root")  # fmt: skip
    assert ran.exit_code == 0
    loaded, port_file = seen[0]
    settings = loaded.settings
    assert (settings.http.host, settings.http.port, settings.log.level) == ("::1", 7, 0)
    assert (settings.store.dir, settings.http.token_file) == (Path("d"), Path("t"))
    assert settings.store.memory
    iiop = settings.iiop
    assert (iiop.enabled, iiop.host, iiop.port) == (True, "127.0.0.2", 9)
    assert settings.stop.patience == 3
    assert loaded.origins["help.constraint_url"] == "old, line 1 (nsspecurl)"
    assert loaded.origins["http.port"] == "--port"
    assert port_file == Path("p")
    assert tidings("serve").exit_code == 1
    assert seen[1][0].origins == {"log.level": "TIDINGS_LOG__LEVEL"}


@pytest.mark.usefixtures("elsewhere")
def test_wrong_settings_are_told_and_nothing_starts() -> None:
    ran = tidings("serve", "--port", "70000")
    words = "http.port is 70000; right is a whole number from 0 to 65535"
    assert (ran.exit_code, ran.stderr) == (2, f"error: --port: {words}\n")
    assert list(Path().iterdir()) == []


@pytest.mark.usefixtures("elsewhere")
def test_settings_are_shown() -> None:
    assert tidings("settings", "document").stdout == settings_table() + "\n"
    Path("tidings.toml").write_text(f'[http]\ntoken = "{TOKEN}"\nport = 9\n')
    ran = tidings("settings", "show")
    assert ran.exit_code == 0
    rows = [line.split() for line in ran.stdout.splitlines()]
    assert ["http.token", "***", "tidings.toml,", "line", "2"] in rows
    assert ["log.level", "2", "TIDINGS_LOG__LEVEL"] in rows
    assert TOKEN not in ran.stdout
    told = {str(one["name"]): one for one in objects(tidings("settings", "show", "--json").stdout)}
    assert list(told) == list(setting_fields())
    port = {"name": "http.port", "value": "9", "origin": "tidings.toml, line 3"}
    assert told["http.port"] == port
    assert (told["http.token"]["value"], told["http.host"]["origin"]) == ("***", None)


@pytest.mark.usefixtures("elsewhere")
def test_settings_are_checked() -> None:
    ran = tidings("settings", "check")
    assert (ran.exit_code, ran.stdout) == (0, "the settings are good\n")
    no_effect = "warning: naming.enabled (x.toml, line 2) has no effect: iiop.enabled is false"
    for text, code, words in (
        ("[naming]\nenabled = true\n", 0, no_effect),
        ('[http]\ntoken_file = "missing"\n', 2, "the token file missing cannot be read"),
        ('[http]\ntoken = "auto"\n', 0, ""),
    ):
        Path("x.toml").write_text(text)
        ran = tidings("settings", "check", "--settings", "x.toml")
        assert (ran.exit_code, words in ran.stderr) == (code, True)
    assert not Path("tidings-data").exists()


def test_a_certificate_is_shown_with_its_key_or_refused_by_name(tmp_path: Path) -> None:
    make_certificates(tmp_path, ("localhost",), ("me",), utc_now())
    ca, cert, key = (str(tmp_path / name) for name in ("ca.pem", "me.pem", "me.key"))
    assert trusting(None) is None
    for authority in (ca, None):
        made = trusting(authority, cert, key)
        assert made is not None
        assert made.verify_mode is ssl.CERT_REQUIRED
    for shown, of, words in (
        (None, key, "give that with --cert"),
        (cert, None, "me.pem: this is not a certificate in PEM with its key"),
        (cert, str(tmp_path / "none"), "none: no such file"),
    ):
        with pytest.raises(InvalidUsage, match=words):
            trusting(ca, shown, of)
