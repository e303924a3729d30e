from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import objects
from tests.unit.cli.served import Served
from tidings.client.client import Client
from tidings.client.configuration.applying import Applying
from tidings.client.configuration.steps import MakeProxy
from tidings.errors import Forbidden

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


def test_apply_then_export_gives_the_file(served: Served, file: Path, tmp_path: Path) -> None:
    result = served.tidings("apply", str(file))
    assert result.exit_code == 0
    assert result.stdout == (
        "+ channel auction\n"
        "    qos: EventReliability: Persistent\n"
        "    qos: ConnectionReliability: Persistent\n"
        "+ subscription auction/bargains\n"
        "    push, structured, consumer admin auction/default\n"
        "    constraints: + $price < 10\n"
    )
    assert result.stderr == "2 differences, all done\n"
    assert served.done("export").partition("\n")[2] == FILE
    other = tmp_path / "other.toml"
    assert served.done("export", str(other)) == ""
    assert other.read_text() == served.done("export")
    assert [one.name for one in tmp_path.glob("other*")] == ["other.toml"]


def test_apply_twice_changes_nothing(served: Served, file: Path) -> None:
    served.done("apply", str(file))
    result = served.tidings("apply", str(file))
    assert (result.stdout, result.exit_code) == ("", 0)
    assert result.stderr == "nothing to do: the service is as the file says\n"


def test_a_dry_run_tells_as_diff_does(served: Served, file: Path) -> None:
    result = served.tidings("apply", str(file), "--dry-run")
    assert result.exit_code == 1
    assert "+ channel auction\n" in result.stdout
    assert result.stderr == "2 differences; nothing was changed\n"
    assert served.done("channel", "list") == ""
    served.done("apply", str(file))
    assert served.tidings("apply", str(file), "--dry-run").exit_code == 0


def test_what_the_service_would_refuse_is_refused_before_anything_is_done(
    served: Served, file: Path
) -> None:
    served.done("apply", str(file))
    admin = "[channels.auction.consumer-admins.default.qos]\nEventReliability = 0\n"
    file.write_text(f"{FILE}{admin}[channels.new]\n")
    for options in (["--dry-run"], []):
        result = served.tidings("apply", str(file), *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: EventReliability: cannot be set at this level\n"
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


def test_what_is_not_in_the_file_stays_unless_pruned(served: Served, file: Path) -> None:
    served.done("channel", "create", "old")
    served.done("apply", str(file))
    result = served.tidings("apply", str(file))
    assert "kept, though not in the file: channel old\n" in result.stderr
    assert served.done("apply", str(file), "--prune") == "- channel old\n"
    assert "old" not in served.done("channel", "list")


def test_a_change_as_json(served: Served, file: Path) -> None:
    served.done("apply", str(file))
    file.write_text(FILE.replace("< 10", "< 20"))
    change, last = objects(served.done("apply", str(file), "--json"))
    assert change == {
        "do": "change",
        "what": "subscription auction/bargains",
        "details": ["constraints: - $price < 10", "constraints: + $price < 20"],
    }
    assert last == {"steps": 1, "done": True, "kept": []}


def test_events_that_wait_are_not_lost(served: Served, file: Path) -> None:
    served.done("apply", str(file))
    served.done("publish", "auction", "A::b", "price=5")
    file.write_text(FILE.replace("< 10", "< 20"))
    served.done("apply", str(file))
    served.done("publish", "auction", "A::b", "price=15")
    shown = served.done("subscribe", "auction", "--name", "bargains", "--count", "2")
    assert len(shown.splitlines()) == 2


def test_faults_name_the_file_and_the_place(served: Served, file: Path) -> None:
    file.write_text(FILE.replace("$price <", "$price =") + 'filters = ["x"]\nfrom = 1\n')
    result = served.tidings("apply", str(file))
    assert result.exit_code == 2
    place = "channels.auction.subscriptions.bargains"
    told = result.stderr.splitlines()
    assert told[0] == f"error: {file}: {place}.from: unknown; did you mean 'form'?"
    assert f"{file}: {place}.constraints[0]: line 1, column 8: '=' has no meaning here" in told
    assert f"{file}: {place}.filters[0]: the file has no [filters.x]" in result.stderr
    assert served.done("channel", "list") == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff", "this is not UTF-8 text"), (b"[", "this is no TOML"), (None, "no such file")],
)
def test_files_that_are_none(
    served: Served, tmp_path: Path, content: bytes | None, message: str
) -> None:
    file = tmp_path / "x.toml"
    if content is not None:
        file.write_bytes(content)
    result = served.tidings("apply", str(file))
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert str(file) in result.stderr


def test_what_would_lose_events_is_refused_as_a_whole(served: Served, file: Path) -> None:
    served.done("apply", str(file))
    file.write_text(FILE + 'style = "pull"\n\n[channels.new]\n')
    result = served.tidings("apply", str(file))
    assert (result.exit_code, "cannot become pull" in result.stderr) == (2, True)
    assert "new" not in served.done("channel", "list")


def test_standard_input(served: Served) -> None:
    served.done("apply", "-", given=FILE)
    assert "auction" in served.done("channel", "list")


def test_channels_without_a_name_are_told(served: Served, tmp_path: Path) -> None:
    async def scene(client: Client) -> None:
        await client.create_channel()

    served.run(scene)
    result = served.tidings("export")
    assert result.stderr == "warning: 1 channel without a name left out\n"
    [told] = objects(served.done("export", str(tmp_path / "x.toml"), "--json"))
    assert (told["channels"], told["unnamed_channels"]) == (0, 1)


def test_a_file_that_cannot_be_written(served: Served, tmp_path: Path) -> None:
    result = served.tidings("export", str(tmp_path / "nowhere" / "x.toml"))
    assert (result.exit_code, "no such file or directory" in result.stderr) == (2, True)
