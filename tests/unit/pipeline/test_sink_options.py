"""Options of the sink: what is taken, and what is said of the rest."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.pipeline.sink_options import SinkOptions, check_columns, write_options

NEEDED = {"url": "http://here", "channel": "c"}


def test_url_and_channel_are_enough() -> None:
    assert write_options(NEEDED) == SinkOptions("http://here", "c")


def test_all_options_are_read() -> None:
    given = {
        **NEEDED,
        "TOKEN": "t",
        "producer": "p",
        "key": "origin, seq",
        "batchSize": "7",
        "onRefused": "skip",
        "patience": "1.5",
        "checkpointLocation": "/c",
    }
    assert write_options(given) == SinkOptions(
        "http://here", "c", "t", "p", ("origin", "seq"), 7, True, 1.5
    )


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("url", "", 'needs .option."url"'),
        ("channel", "", 'needs .option."channel"'),
        ("chanel", "x", "no option 'chanel'"),
        ("key", "a,b,c", "one column or two"),
        ("batchSize", "0", "from 1 to 10000"),
        ("onRefused", "weep", "skip or fail"),
        ("patience", "-1", "number of seconds"),
        ("patience", "nan", "number of seconds"),
    ],
)
def test_what_is_wrong_is_told(name: str, value: str, words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        write_options({**NEEDED, name: value})


def test_columns_must_make_an_event() -> None:
    options = write_options({**NEEDED, "key": "id"})
    for columns in (["raw", "id"], ["event", "id"], ["domain", "type", "id"]):
        check_columns(options, columns)
    with pytest.raises(InvalidUsage, match="a row to publish has"):
        check_columns(options, ["domain", "id"])
    with pytest.raises(InvalidUsage, match="the key names 'id'"):
        check_columns(options, ["raw"])
