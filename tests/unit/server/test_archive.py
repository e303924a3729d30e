from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.engine.fake_archive import FakeArchive
from tests.unit.engine.hosts import until
from tests.unit.server.serving import scene, serving, sources
from tidings.engine import archiving as archiving_module
from tidings.engine.archive_plan import ArchivePlan
from tidings.errors import InvalidUsage
from tidings.server import archive as archive_module
from tidings.server import lifecycle
from tidings.server.archive import ArchiveSection, archive_plan
from tidings.server.config import ServerSettings


def test_the_settings_become_a_plan() -> None:
    assert archive_plan(ArchiveSection()) is None
    section = ArchiveSection.model_validate({
        "dir": "a", "seal_after": "2 min", "seal_size": "1 MiB", "seal_rows": 7,
        "retention_age": "3 s", "retention_size": "5 kB", "hold": "9 B",
    })  # fmt: skip
    assert archive_plan(section) == ArchivePlan(Path("a"), 120.0, 2**20, 7, 5_000, 3_000_000, 9)
    assert archive_plan(ArchiveSection(dir=Path("a"))) == ArchivePlan(Path("a"))


def test_without_pyarrow_the_service_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "find_spec", {"json": True}.get)
    place = sources(store__dir=str(tmp_path / "data"), archive__dir=str(tmp_path / "archive"))

    async def play() -> None:
        with pytest.raises(InvalidUsage, match=r"pip install tidings\[arrow\]"):
            async with serving(place):
                pass

    scene(play)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("store", "words"),
    [
        ({"memory": True}, "store.memory is true"),
        ({"dir": "../{here}/a"}, "a folder of its own"),
        ({"dir": "a"}, "a folder of its own"),
    ],
)
def test_an_archive_needs_a_journal_and_a_folder_of_its_own(
    store: dict[str, object], words: str
) -> None:
    where = {name: str(value).format(here=Path.cwd().name) for name, value in store.items()}
    given = {"store": {**store, **({"dir": where["dir"]} if "dir" in where else {})}}
    with pytest.raises(ValueError, match=words):
        ServerSettings.model_validate({**given, "archive": {"dir": "a"}})


def faked(monkeypatch: pytest.MonkeyPatch, fake: FakeArchive) -> None:
    class Archiving(archiving_module.Archiving):
        def __init__(self, host: object, plan: ArchivePlan) -> None:
            super().__init__(host, plan, fake.command)  # type: ignore[arg-type]

    monkeypatch.setattr(lifecycle, "Archiving", Archiving)


def words_of(fake: FakeArchive, word: str) -> Sequence[str]:
    return [line for line in fake.told() if line.startswith(word)]


def test_the_archive_begins_and_ends_with_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")
    faked(monkeypatch, fake)
    place = sources(store__dir=str(tmp_path / "data"), archive__dir=str(tmp_path / "archive"))

    async def play() -> None:
        async with serving(place) as (service, client):
            assert service.host.archiving is not None
            await client.post("/v1/channels", json={"name": "a"})
            assert (await client.get("/health/ready")).json()["archive"] == "good"
        assert service.host.archiving.sealed is not None
        assert not service.host.archiving.state().running

    scene(play)
    assert fake.told()[-2:] == ["seal", "end"]
    assert f", archive in {tmp_path / 'archive'} (tidings " in capsys.readouterr().err


def test_what_can_be_changed_is_and_the_folder_needs_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")
    faked(monkeypatch, fake)
    file = tmp_path / "x.toml"
    file.write_text(f'[archive]\ndir = "{tmp_path / "archive"}"\n')

    async def play() -> None:
        async with serving(sources(file, store__dir=str(tmp_path / "data"))) as (service, _):
            assert await service.reloader.reload()
            file.write_text('[archive]\ndir = "b"\nseal_rows = 7\nhold = "5 B"\n')
            archiving = service.host.archiving
            assert archiving is not None
            await until(lambda: archiving.state().running)
            assert await service.reloader.reload()
            assert archiving.plan == ArchivePlan(tmp_path / "archive", seal_rows=7, hold=5)

    scene(play)
    [options] = words_of(fake, "options ")
    assert '"seal_rows": 7' in options
    told = capsys.readouterr().err
    assert "reloaded: archive.seal_rows, archive.hold changed" in told
    assert "archive.dir: changed, but only a restart applies it" in told
