"""The documentation of settings is made of the model."""

from __future__ import annotations

from tidings.server.config import LIVE, WITHOUT_EFFECT, ServerSettings, setting_fields
from tidings.server.document import settings_table

TEXT = settings_table()
ROWS = {row.split("`")[1]: row for row in TEXT.splitlines() if row.startswith("| `")}


def test_every_setting_has_a_row_in_order() -> None:
    assert list(ROWS) == list(setting_fields())
    assert TEXT.count("\n### ") + 1 == len(ServerSettings.model_fields)


def test_a_row() -> None:
    assert ROWS["http.port"] == (
        "| `http.port` | `8080` | The port; 0 takes a free one, which is then told. | a whole "
        "number from 0 to 65535 | restart |"
    )
    assert ROWS["store.retention_age"].endswith("| a time or none | yes |")


def test_what_a_reload_applies_and_what_has_no_effect_is_told() -> None:
    for name, row in ROWS.items():
        assert row.endswith("| yes |") is (name in LIVE), name
        assert ("Without effect yet" in row) is (name in WITHOUT_EFFECT), name
