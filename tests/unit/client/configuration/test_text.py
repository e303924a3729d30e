from __future__ import annotations

import tomllib
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.client.configuration.worlds import configurations
from tidings.channel.vocabulary import Side
from tidings.client.configuration.model import Configuration
from tidings.client.configuration.reading import read_configuration
from tidings.client.configuration.text import written

QUICK = settings(settings.get_profile("quick"))


@QUICK
@given(configurations())
def test_what_was_written_is_read_as_the_same(configuration: Configuration) -> None:
    text = written(configuration)
    assert read_configuration(text) == configuration
    assert written(read_configuration(text)) == text


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda name: not (name.isascii() and name.isdigit())
)


@QUICK
@given(NAMES, NAMES)
def test_every_name_is_a_key(channel: str, subscription: str) -> None:
    start = read_configuration("version = 1\n[channels.a.subscriptions.s]").channels["a"]
    proxies = {side: dict(named) for side, named in start.proxies.items()}
    proxies[Side.CONSUMER] = {subscription: proxies[Side.CONSUMER]["s"]}
    made = Configuration({channel: replace(start, proxies=proxies)})
    assert read_configuration(written(made)) == made


@QUICK
@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_every_text_is_a_text(text: str) -> None:
    from tidings.client.configuration.text import _text

    assert tomllib.loads(f"x = {_text(text)}") == {"x": text}


def test_the_text_is_for_people() -> None:
    text = """\
# A service of Tidings, as `tidings export` writes it and `tidings apply` makes it.
version = 1

[filters.cheap]
constraints = [
  "$price < 10",
  { text = "$a == 'x'", types = ["B::*"] },
]

[channels.auction]

[channels.auction.qos]
EventReliability = "Persistent"
ConnectionReliability = "Persistent"

[channels.auction.admin-properties]
MaxQueueLength = 100
RejectNewEvents = false

[channels.auction.consumer-admins.shop]
operator = "or"
filters = ["cheap"]

[channels.auction.subscriptions."night shift"]
admin = "shop"
style = "pull"
form = "any"
types = ["A::b", "C::d"]
constraints = [
  "$x == 'a' and $y == '\\\\\\\\'",
]

[channels.auction.subscriptions."night shift".qos]
Priority = 3
"""
    assert written(read_configuration(text)) == text


def test_null_has_a_way_to_be_written() -> None:
    text = """\
[mappings.m]
default = { "$type" = "null" }
mapped = [{ text = "TRUE", value = { "$type" = "null" } }]
[channels.a.subscriptions.s]
"""
    from tidings.client.configuration.reading import _Reading

    reading = _Reading()
    found = reading.everything(tomllib.loads("version = 1\n" + text))
    assert found.mappings["m"].default is None
    assert '"$type" = "null"' in written(found)
