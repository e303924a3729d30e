"""The owner's token: where it comes from, who can read it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tidings.errors import InvalidUsage, StoreError
from tidings.server.config import ServerSettings, is_token
from tidings.server.tokens import made_token, open_to_others, owner_token, token_path

TOKEN = "a-token-of-the-owner"


def made(folder: Path, **http: object) -> ServerSettings:
    return ServerSettings.model_validate({"http": http, "store": {"dir": str(folder)}})


def test_none_and_given(tmp_path: Path) -> None:
    assert owner_token(made(tmp_path)) is None
    assert owner_token(made(tmp_path, token=TOKEN)) == TOKEN
    assert token_path(made(tmp_path, token=TOKEN)) is None
    assert made_token(made(tmp_path, token=TOKEN)) is None
    assert made_token(made(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    settings = made(tmp_path, token_file=str(path))
    path.write_text(f"{TOKEN}\nsecond line\n")
    assert owner_token(settings) == TOKEN
    assert made_token(settings) is None
    assert open_to_others(path)
    path.chmod(0o600)
    assert not open_to_others(path)


@pytest.mark.parametrize("content", [b"", b"\n", b"auto\n", b"short\n", b"\xff" * 20, b"x" * 300])
def test_files_without_a_token(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    with pytest.raises(InvalidUsage, match=r"token file .*/token ") as caught:
        owner_token(made(tmp_path, token_file=str(path)))
    assert "short" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidUsage, match="missing cannot be read: No such file"):
        owner_token(made(tmp_path, token_file=str(tmp_path / "missing")))


def test_the_service_makes_one_that_only_its_owner_can_read(tmp_path: Path) -> None:
    settings = made(tmp_path / "data", token="auto")
    path = made_token(settings)
    assert path == tmp_path / "data" / "owner.token" == token_path(settings)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    token = owner_token(settings)
    assert token is not None
    assert is_token(token)
    assert made_token(settings) is None
    assert owner_token(settings) == token
    assert [one.name for one in path.parent.iterdir()] == ["owner.token"]
    assert owner_token(made(tmp_path / "other", token=token)) == token


def test_two_services_have_two_tokens(tmp_path: Path) -> None:
    both = [made(tmp_path / name, token="auto") for name in "ab"]
    for settings in both:
        made_token(settings)
    assert owner_token(both[0]) != owner_token(both[1])


def test_a_place_that_takes_no_token(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written to"):
        made_token(made(tmp_path / "file", token="auto"))
