"""Every question of management as one HTTP request.

`call_of` has the commands; the functions here have what only looks, and dead letters. What
`Call.read` returns is what the same question is answered with inside one process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, urlencode

from tidings.api.call import BASE, Call, reading, unread
from tidings.api.changes import AdvertisementForm, Highest
from tidings.api.command_calls import call_of
from tidings.api.dead_letters import DeadLetters
from tidings.api.filters import AnyFilter, Filter, Filters, Mapping
from tidings.api.objects import Admin, Channel, Channels, Proxies, Proxy
from tidings.api.pulling import PullForm
from tidings.api.rules import RulesForm
from tidings.channel.views import ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Side
from tidings.errors import ChannelNotFound, ProxyNotFound

__all__ = [
    "Call",
    "call_of",
    "drop_dead_letter",
    "get_admin",
    "get_advertisement",
    "get_channel",
    "get_channels",
    "get_dead_letters",
    "get_filter",
    "get_filters",
    "get_highest_number",
    "get_proxies",
    "get_proxy",
    "get_rules",
    "pull",
    "redrive",
]

_read_channels: Final = reading(Channels, lambda found: [one.info() for one in found.channels])
_read_channel: Final = reading(Channel, Channel.info)
_read_admin: Final = reading(Admin, Admin.info)
_read_proxies: Final = reading(Proxies, lambda found: [one.info() for one in found.proxies])
_read_proxy: Final = reading(Proxy, Proxy.info)
_read_advertisement: Final = reading(AdvertisementForm, AdvertisementForm.info)
_read_rules: Final = reading(RulesForm, RulesForm.settings)
_read_highest: Final = reading(Highest, lambda answer: answer.highest)
_read_letters: Final = reading(
    DeadLetters, lambda found: [one.info() for one in found.dead_letters]
)


def _info(found: Filter | Mapping) -> object:
    return found.info()


_read_filter: Final = reading(AnyFilter, _info)  # type: ignore[arg-type]
_read_filters: Final = reading(Filters, lambda found: [one.info() for one in found.filters])


def _get(path: str, read: Callable[[object], Any]) -> Call:
    return Call("GET", BASE + path, None, read)


def _in_path(name: str) -> str | None:
    """A name as a part of a path; None for one that would be taken for something else there."""
    if not name.strip(".") or (name.isascii() and name.isdigit()):
        return None
    return quote(name, safe="")


def get_channels() -> Call:
    """All channels: a list of `ChannelInfo`."""
    return _get("/channels", _read_channels)


def get_channel(id_or_name: int | str) -> Call:
    """One channel: a `ChannelInfo`."""
    if not isinstance(id_or_name, str):
        return _get(f"/channels/{id_or_name}", _read_channel)
    part = _in_path(id_or_name)
    if part is not None:
        return _get(f"/channels/{part}", _read_channel)

    def picked(plain: object) -> ChannelInfo:
        for info in _read_channels(plain):
            if id_or_name and info.name == id_or_name:
                found: ChannelInfo = info
                return found
        raise ChannelNotFound(f"there is no channel named {id_or_name!r}")

    return _get("/channels", picked)


def get_admin(channel: int, side: Side, id: int) -> Call:
    """One admin: an `AdminInfo`."""
    return _get(f"/channels/{channel}/admins/{side.value}/{id}", _read_admin)


def get_proxies(channel: int) -> Call:
    """All proxies of a channel: a list of `ProxyInfo`."""
    return _get(f"/channels/{channel}/proxies", _read_proxies)


def get_proxy(channel: int, id_or_name: int | str) -> Call:
    """One proxy: a `ProxyInfo`."""
    if not isinstance(id_or_name, str):
        return _get(f"/channels/{channel}/proxies/{id_or_name}", _read_proxy)
    part = _in_path(id_or_name)
    if part is not None:
        return _get(f"/channels/{channel}/proxies/{part}", _read_proxy)

    def picked(plain: object) -> ProxyInfo:
        for info in _read_proxies(plain):
            if id_or_name and info.name == id_or_name:
                found: ProxyInfo = info
                return found
        raise ProxyNotFound(f"channel {channel} has no proxy named {id_or_name!r}")

    return _get(f"/channels/{channel}/proxies", picked)


def get_filter(id: int) -> Call:
    """One filter: a `FilterInfo` or `MappingInfo`."""
    return _get(f"/filters/{id}", _read_filter)


def get_rules() -> Call:
    """The settings of the service that decide what is allowed: `Settings`."""
    return _get("/rules", _read_rules)


def get_filters(after: int, most: int) -> Call:
    """Filters by rising ids: a list of `FilterInfo` and `MappingInfo`."""
    return _get(f"/filters?after={after}&most={most}", _read_filters)


def get_advertisement(channel: int) -> Call:
    """What is offered and wanted in a channel: an `Advertisement`."""
    return _get(f"/channels/{channel}/types", _read_advertisement)


def get_highest_number(channel: int, producer: str) -> Call:
    """The highest number a producer's accepted events had, or None."""
    # A client that tidies paths up would take these dots for a way to another place.
    part = quote(producer, safe="") if producer.strip(".") else producer.replace(".", "%2E")
    return _get(f"/channels/{channel}/producers/{part}", _read_highest)


def get_dead_letters(channel: int | None, proxy: int | None, after: int, most: int) -> Call:
    """Dead letters in the order they came: a list of `DeadLetterInfo`."""
    asked = {"channel": channel, "proxy": proxy, "after": after, "most": most}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return _get(f"/dead-letters?{query}", _read_letters)


def redrive(id: int) -> Call:
    """Delivers a dead letter again."""
    return Call("POST", f"{BASE}/dead-letters/{id}/redrive", None, unread)


def drop_dead_letter(id: int) -> Call:
    """Forgets a dead letter."""
    return Call("DELETE", f"{BASE}/dead-letters/{id}", None, unread)


def pull(channel: int, proxy: int, form: PullForm) -> Call:
    """Asks for events as a pull consumer: the answer as it was parsed."""
    path = f"{BASE}/channels/{channel}/proxies/{proxy}/pull"
    return Call("POST", path, form.model_dump(mode="json"), lambda plain: plain)
