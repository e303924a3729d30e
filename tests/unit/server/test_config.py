"""What the model takes, and what does not fit together."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import SecretStr, ValidationError

from tidings.server.config import (
    LIVE,
    WITHOUT_EFFECT,
    HttpSection,
    ServerSettings,
    flat,
    is_loopback,
    is_token,
    setting_fields,
    shown_settings,
)
from tidings.server.kinds import from_text
from tidings.web.options import WebOptions

TOKEN = "a-token-of-the-owner"


def made(**sections: dict[str, object]) -> ServerSettings:
    return ServerSettings.model_validate(sections)


def refusal(**sections: dict[str, object]) -> str:
    with pytest.raises(ValidationError) as caught:
        made(**sections)
    return str(caught.value.errors()[0]["msg"])


def test_the_service_is_for_this_machine_unless_told_otherwise() -> None:
    settings = ServerSettings()
    assert settings.http.host == "127.0.0.1"
    assert settings.http.token is None
    assert settings.log.level == 1


def test_every_option_of_the_door_can_be_set_and_has_its_default() -> None:
    for one in fields(WebOptions):
        assert getattr(HttpSection(), one.name) == getattr(WebOptions(), one.name), one.name


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)
    assert made(http={"host": host}).http.host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.evil.org"])
def test_elsewhere_a_token_is_needed(host: str) -> None:
    assert not is_loopback(host)
    told = refusal(http={"host": host})
    assert host in told
    assert 'http.token = "auto"' in told
    assert "--token-file" in told
    for given in ({"token": TOKEN}, {"token": "auto"}, {"token_file": "x"}):
        made(http={"host": host, **given})


@pytest.mark.parametrize(
    ("token", "good"),
    [(TOKEN, True), ("x" * 16, True), ("x" * 15, False), ("x" * 257, False), ("", False),
     ("with a blank inside it", False), ("with/slash/in/it/", False), ("größer-und-größer-", False),
     ("ends-with-a-newline\n", False)],
)  # fmt: skip
def test_tokens(token: str, good: bool) -> None:
    assert is_token(token) is good
    if good:
        assert made(http={"token": token}).http.token == SecretStr(token)
    else:
        refusal(http={"token": token})


def test_what_does_not_fit_together() -> None:
    assert "both set" in refusal(http={"token": TOKEN, "token_file": "x"})
    assert "no other door" in refusal(http={"enabled": False})
    made(http={"enabled": False}, iiop={"enabled": True})
    assert "store.memory" in refusal(http={"token": "auto"}, store={"memory": True})
    assert "retry_longest" in refusal(rules={"retry_longest": "1 ms"})


def test_nothing_is_read_as_another_type() -> None:
    wrong: tuple[dict[str, object], ...] = (
        {"port": "8080"}, {"port": 80.0}, {"port": True}, {"enabled": "yes"}, {"enabled": 1},
        {"host": 5}, {"allowed_hosts": [5]},
    )  # fmt: skip
    for given in wrong:
        refusal(http=given)


def test_secrets_are_not_shown() -> None:
    settings = made(http={"token": TOKEN})
    assert TOKEN not in repr(settings)
    assert shown_settings(settings)["http.token"] == "***"
    assert TOKEN not in "".join(shown_settings(settings).values())


def test_every_setting_has_words_and_stands_in_one_list() -> None:
    known = setting_fields()
    assert [name for name, _, _ in flat(ServerSettings())] == list(known)
    assert all(field.description for field in known.values())
    assert known.keys() >= LIVE
    assert known.keys() >= WITHOUT_EFFECT.keys()


def test_what_can_be_changed_while_the_service_runs() -> None:
    assert set(LIVE) == {
        "http.token", "http.token_file", "http.allowed_hosts", "http.allowed_origins",
        "log.level", "log.format", "stop.patience",
        "store.retention_size", "store.retention_age", "store.disk_quota",
        "archive.seal_after", "archive.seal_size", "archive.seal_rows", "archive.retention_age",
        "archive.retention_size", "archive.hold",
    }  # fmt: skip


def test_the_settings_that_are_shown_can_be_written_like_that() -> None:
    known = setting_fields()
    for name, text in shown_settings(ServerSettings()).items():
        section, key = name.split(".")
        read = made(**{section: {key: from_text(known[name], text)}})
        assert read == ServerSettings(), name
