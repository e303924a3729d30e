from __future__ import annotations

import pytest

from tidings.channel.vocabulary import Side
from tidings.client.configuration.model import Spot
from tidings.client.configuration.reading import read_configuration


@pytest.mark.parametrize(
    ("spot", "words"),
    [
        (Spot("a"), "channel a"),
        (Spot("a", Side.SUPPLIER, "x"), "supplier admin a/x"),
        (Spot("a", Side.CONSUMER, proxy="s"), "subscription a/s"),
        (Spot("a", Side.SUPPLIER, proxy="s"), "supplier a/s"),
    ],
)
def test_a_spot_in_words(spot: Spot, words: str) -> None:
    assert str(spot) == words


def test_an_admin_comes_before_its_proxies() -> None:
    text = "version = 1\n[channels.a.subscriptions.s]\n[channels.a.suppliers.t]\n[channels.b]"
    spots = [str(spot) for spot, _ in read_configuration(text).holders()]
    assert spots == [
        "supplier admin a/default",
        "consumer admin a/default",
        "supplier a/t",
        "subscription a/s",
        "supplier admin b/default",
        "consumer admin b/default",
    ]
