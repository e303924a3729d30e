"""Settings that change while the service runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.server.serving import TOKEN, scene, serving, sources
from tidings.server.config import LIVE, ServerSettings
from tidings.server.reload import changes
from tidings.stores.retention import Retention

OTHER = "another-token-is-used"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_changes() -> None:
    one = ServerSettings.model_validate({"http": {"token": TOKEN}, "log": {"level": 2}})
    two = ServerSettings.model_validate({"http": {"token": OTHER}, "log": {"level": 2}})
    assert changes(one, one) == []
    assert changes(one, two) == ["http.token"]
    assert changes(ServerSettings(), two) == ["http.token", "log.level"]


def test_what_can_be_applied_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.toml"
    file.write_text("")

    async def play() -> None:
        async with serving(sources(file, store__dir=str(tmp_path / "data"))) as (service, client):
            await client.post("/v1/channels", json={"name": "kept"})
            file.write_text(
                f'[http]\ntoken = "{TOKEN}"\nallowed_hosts = ["a.example"]\nmax_batch = 7\n'
                '[log]\nlevel = 4\nformat = "json"\n[stop]\npatience = 3\n'
                '[store]\nretention_size = "1 MiB"\nretention_age = "none"\ndisk_quota = "5 MiB"\n'
            )
            assert await service.reloader.reload()
            assert (await client.get("/v1/channels")).status_code == 401
            answer = await client.get("/v1/channels", headers=bearer(TOKEN))
            assert [one["name"] for one in answer.json()["channels"]] == ["kept"]
            keeping = service.host.housekeeping
            assert keeping.retention == Retention(2**20, None)
            assert keeping.disk_quota == 5 * 2**20
            assert service.reloader.settings.stop.patience == 3
            assert service.reloader.settings.http.max_batch == 1_000
            told = capsys.readouterr().err
            assert '"message": "http.max_batch: changed, but only a restart applies it"' in told
            assert "GET /v1/channels: 401" in told
            assert TOKEN not in told

            file.write_text("")
            assert await service.reloader.reload()
            assert (await client.get("/v1/channels")).status_code == 200
            assert keeping.retention == Retention()
            assert "max_batch" not in capsys.readouterr().err

    scene(play)


def test_what_is_wrong_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, token = tmp_path / "x.toml", tmp_path / "token"
    token.write_text(TOKEN)
    good = f'[http]\ntoken_file = "{token}"\n'
    file.write_text(good)

    async def play() -> None:
        async with serving(sources(file, store__memory=True)) as (service, client):
            before = service.reloader.settings
            for bad in ('[log]\nlevel = 4\n[http]\nprot = 1\n', "[log]\nlevel = 9\n", "oops",
                        '[http]\ntoken_file = "missing"\n[log]\nlevel = 4\n'):  # fmt: skip
                capsys.readouterr()
                file.write_text(bad)
                assert not await service.reloader.reload()
                assert "the settings stay as they were: " in capsys.readouterr().err
                assert service.reloader.settings == before
                assert (await client.get("/v1/channels", headers=bearer(TOKEN))).is_success
            file.unlink()
            assert not await service.reloader.reload()

    scene(play)


def test_the_token_file_is_read_again(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN)

    async def play() -> None:
        place = sources(store__memory=True, http__token_file=token)
        async with serving(place) as (service, client):
            token.write_text(OTHER)
            assert (await client.get("/v1/channels", headers=bearer(TOKEN))).is_success
            assert await service.reloader.reload()
            assert (await client.get("/v1/channels", headers=bearer(OTHER))).is_success
            assert (await client.get("/v1/channels", headers=bearer(TOKEN))).status_code == 401

    scene(play)


def test_a_token_does_not_go_while_others_can_reach_the_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f'[http]\nhost = "0.0.0.0"\ntoken = "{TOKEN}"\n')

    async def play() -> None:
        async with serving(sources(file, store__memory=True)) as (service, client):
            file.write_text('[http]\nhost = "127.0.0.1"\n')
            assert not await service.reloader.reload()
            assert "http.host is 0.0.0.0" in capsys.readouterr().err
            assert (await client.get("/v1/channels")).status_code == 401

    scene(play)


def test_the_service_can_make_its_token_on_reload(tmp_path: Path) -> None:
    file, data = tmp_path / "x.toml", tmp_path / "data"
    file.write_text("")

    async def play() -> None:
        async with serving(sources(file, store__dir=str(data))) as (service, client):
            file.write_text('[http]\ntoken = "auto"\n')
            assert await service.reloader.reload()
            token = (data / "owner.token").read_text().strip()
            assert (await client.get("/v1/channels")).status_code == 401
            assert (await client.get("/v1/channels", headers=bearer(token))).is_success

    scene(play)


def test_allowed_hosts_and_origins(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("")
    headers = {"Host": "desk.example", "Origin": "https://page.example"}

    async def play() -> None:
        async with serving(sources(file, store__memory=True)) as (service, client):
            assert (await client.get("/v1/channels", headers=headers)).status_code == 403
            file.write_text(
                '[http]\nallowed_hosts = ["desk.example"]\n'
                'allowed_origins = ["https://page.example"]\n'
            )
            assert await service.reloader.reload()
            answer = await client.get("/v1/channels", headers=headers)
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == "https://page.example"

    scene(play)


def test_every_live_setting_is_named_in_these_tests() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    for name in LIVE:
        section, _, key = name.partition(".")
        assert key in text or section == "archive"  # see test_archive.py
