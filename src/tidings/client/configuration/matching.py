"""Matching a service's admins and filters to those in a file.

They have no names at the service. Admins match by their named proxies, then by content, then by
position; filters by their constraints and holders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from tidings.channel.vocabulary import Side
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    Holder,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.state import OWN, Found

_T = TypeVar("_T")
_P = TypeVar("_P", AdminPart, ProxyPart)


def in_words_of(wanted: Configuration, found: Found) -> Found:
    """Relabel a service's objects with the file's labels for the same things."""
    found = _renamed_admins(found, _admin_labels(wanted, found.configuration))
    have = found.configuration
    filters = _paired(
        wanted.filters,
        have.filters,
        _held_at(wanted, lambda one: one.filters),
        _held_at(have, lambda one: one.filters),
        lambda one, other: True,
    )
    mappings = _paired(
        wanted.mappings,
        have.mappings,
        _held_at(wanted, _mapping_labels),
        _held_at(have, _mapping_labels),
        # A mapping filter's default and its value type cannot be changed.
        lambda one, other: one.default == other.default,
    )
    return _renamed_filters(
        found,
        _all_labels(have.filters, filters, wanted.filters),
        _all_labels(have.mappings, mappings, wanted.mappings),
    )


def _mapping_labels(holder: Holder) -> tuple[str, ...]:
    return tuple(label for label in (holder.priority, holder.lifetime) if label)


def _all_labels(
    have: Collection[str], paired: Mapping[str, str], wanted: Collection[str]
) -> dict[str, str]:
    """Label everything; objects not in the file must not share a label with one in it."""
    return {
        label: paired.get(label, f"the service's {label}" if label in wanted else label)
        for label in have
    }


# Admins.


def _admin_labels(
    wanted: Configuration, have: Configuration
) -> dict[tuple[str, Side], dict[str, str]]:
    """Map the service's admin labels to the file's, for each channel and side."""
    labels: dict[tuple[str, Side], dict[str, str]] = {}
    for name, there in have.channels.items():
        for side in Side:
            paired = {DEFAULT_ADMIN: DEFAULT_ADMIN}
            if name in wanted.channels:
                paired |= _paired_admins(wanted, wanted.channels[name], have, there, side)
                known: Collection[str] = wanted.channels[name].admins[side]
            else:
                known = ()
            labels[name, side] = _all_labels(there.admins[side], paired, known)
    return labels


def _paired_admins(
    wanted: Configuration, here: ChannelPart, have: Configuration, there: ChannelPart, side: Side
) -> dict[str, str]:
    ours = [label for label in here.admins[side] if label != DEFAULT_ADMIN]
    theirs = [label for label in there.admins[side] if label != DEFAULT_ADMIN]
    paired: dict[str, str] = {}

    def pair(same: Callable[[str, str], bool]) -> None:
        for label in theirs:
            free = [one for one in ours if one not in paired.values()]
            fitting = next((one for one in free if same(one, label)), None)
            if label not in paired and fitting is not None:
                paired[label] = fitting

    proxies = {
        (proxy.admin, there.proxies[side][name].admin)
        for name, proxy in here.proxies[side].items()
        if name in there.proxies[side]
    }
    pair(lambda one, label: (one, label) in proxies)
    pair(
        lambda one, label: (
            _content(wanted, here.admins[side][one]) == _content(have, there.admins[side][label])
        )
    )
    pair(lambda one, label: here.admins[side][one].operator is there.admins[side][label].operator)
    return paired


def _content(inside: Configuration, admin: AdminPart) -> object:
    shared = [inside.filters[label] for label in admin.filters]
    return admin.operator, admin.types, admin.constraints, shared, dict(admin.qos)


# Filters.


def _held_at(
    configuration: Configuration, labels: Callable[[Holder], Collection[str]]
) -> dict[str, set[Spot]]:
    held: dict[str, set[Spot]] = {}
    for spot, holder in configuration.holders():
        for label in labels(holder):
            held.setdefault(label, set()).add(spot)
    return held


def _paired(
    wanted: Mapping[str, _T],
    have: Mapping[str, _T],
    wanted_at: Mapping[str, set[Spot]],
    have_at: Mapping[str, set[Spot]],
    possible: Callable[[_T, _T], bool],
) -> dict[str, str]:
    """Map the service's labels to the file's, best matches first."""
    likely: list[tuple[bool, int, int, str, str]] = []
    for label, content in wanted.items():
        for other, there in have.items():
            same = content == there
            common = len(wanted_at.get(label, set()) & have_at.get(other, set()))
            if (same or common) and possible(content, there):
                likely.append((not same, -common, len(likely), label, other))
    paired: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, _, label, other in sorted(likely):
        if other not in paired and label not in taken:
            paired[other] = label
            taken.add(label)
    return paired


# Renaming.


def _renamed_admins(found: Found, labels: Mapping[tuple[str, Side], Mapping[str, str]]) -> Found:
    def moved(spot: Spot) -> Spot:
        if spot.side is None or not spot.admin:
            return spot
        return replace(spot, admin=labels[spot.channel, spot.side][spot.admin])

    channels = {}
    for name, channel in found.configuration.channels.items():
        admins, proxies = {}, {}
        for side in Side:
            words = labels[name, side]
            admins[side] = {words[label]: one for label, one in channel.admins[side].items()}
            proxies[side] = {
                proxy: replace(one, admin=words[one.admin])
                for proxy, one in channel.proxies[side].items()
            }
        channels[name] = replace(channel, admins=admins, proxies=proxies)
    return replace(
        found,
        configuration=replace(found.configuration, channels=channels),
        places={moved(spot): place for spot, place in found.places.items()},
        attachments={moved(spot): one for spot, one in found.attachments.items()},
    )


def _renamed_filters(
    found: Found, filters: Mapping[str, str], mappings: Mapping[str, str]
) -> Found:
    def renamed(holder: _P) -> _P:
        return replace(
            holder,
            filters=tuple(filters[label] for label in holder.filters),
            priority=mappings.get(holder.priority, ""),
            lifetime=mappings.get(holder.lifetime, ""),
        )

    channels = {
        name: replace(
            channel,
            admins={
                side: {label: renamed(one) for label, one in channel.admins[side].items()}
                for side in Side
            },
            proxies={
                side: {label: renamed(one) for label, one in channel.proxies[side].items()}
                for side in Side
            },
        )
        for name, channel in found.configuration.channels.items()
    }
    have = found.configuration
    words = {OWN: OWN, **filters}
    return replace(
        found,
        configuration=Configuration(
            channels,
            {filters[label]: one for label, one in have.filters.items()},
            {mappings[label]: one for label, one in have.mappings.items()},
        ),
        attachments={
            spot: {words[label]: ids for label, ids in one.items()}
            for spot, one in found.attachments.items()
        },
        filters={filters[label]: id for label, id in found.filters.items()},
        mappings={mappings[label]: id for label, id in found.mappings.items()},
    )
