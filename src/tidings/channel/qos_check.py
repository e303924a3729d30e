"""Whether a change of quality of service is possible, and what applies to one event.

Notification Service 8.2 to 8.4. A property is checked in this order: is the name known, may it be
set at the level, is it available given the other settings, and then its value: type, legal range,
supported range, available range. The first failure is reported.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from tidings.channel.property_errors import (
    NOT_NARROWED,
    Level,
    Property,
    PropertyRange,
    Request,
    Supported,
    judged,
)
from tidings.channel.qos import QOS_PROPERTIES, QoS, Reliability
from tidings.errors import PropertyError, PropertyErrorCode, UnsupportedQoS
from tidings.events.standard_header import misfit

_EVENT: Final = "EventReliability"
_CONNECTION: Final = "ConnectionReliability"
_RELIABILITIES: Final = (_EVENT, _CONNECTION)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where properties are to be set: an object, or an event's header.

    `qos` is what applies there; for an event, at the proxy it comes through.
    """

    level: Level
    qos: QoS
    parent: QoS | None
    narrowed: Supported

    def available(self, name: str) -> bool:
        """Return whether a property can be set at all, given the other settings."""
        if name == "StartTime":
            return self.qos.start_time_supported
        if name == "StopTime":
            return self.qos.stop_time_supported
        return True

    def range_now(self, asked: Property, requested: Mapping[str, int]) -> PropertyRange:
        """Return the supported values that the other settings allow (8.2).

        Persistent events on BestEffort connections are one fault, not two: when both are in the
        request, EventReliability is the one reported.
        """
        name, low, high = supported = asked.supported(self.narrowed)
        if name not in _RELIABILITIES:
            return supported
        both = {**self.qos, **requested}
        best_effort = both[_CONNECTION] == Reliability.BEST_EFFORT
        if name == _EVENT and best_effort:
            # An event's header may always repeat the inherited value.
            persistent = self.level is Level.EVENT and self.qos[_EVENT]
            high = high if persistent else Reliability.BEST_EFFORT.value
        elif name == _CONNECTION and self.level is Level.CHANNEL:
            low = low if _EVENT in requested else max(low or 0, both[_EVENT])
        elif name == _CONNECTION and self.parent is not None:
            high = min(high or 0, self.parent[_CONNECTION])
        return PropertyRange(name, low, high)

    def judge(self, request: Request) -> tuple[dict[str, int], list[PropertyError]]:
        """Return the valid values of a request, and the errors of the others."""
        answers = {name: self._judged(name, value) for name, value in dict(request).items()}
        good = {n: a for n, a in answers.items() if not isinstance(a, PropertyError)}
        for name, value in good.items():
            _, low, high = self.range_now(QOS_PROPERTIES[name], good)
            if low is not None and high is not None and not low <= value <= high:
                code = PropertyErrorCode.UNAVAILABLE_VALUE
                answers[name] = PropertyError(code, name, low, high)
        return good, [a for a in answers.values() if isinstance(a, PropertyError)]

    def _judged(self, name: str, value: object) -> int | PropertyError:
        """Check one property by itself: everything but the available range."""
        known = QOS_PROPERTIES.get(name)
        if known is None:
            return PropertyError(PropertyErrorCode.BAD_PROPERTY, name)
        if self.level not in known.levels:
            return PropertyError(PropertyErrorCode.UNSUPPORTED_PROPERTY, name)
        if not self.available(name):
            return PropertyError(PropertyErrorCode.UNAVAILABLE_PROPERTY, name)
        return judged(known, value, self.narrowed)

    def accepted(self, request: Request) -> dict[str, int]:
        """Return the values of a valid request, or raise UnsupportedQoS with every bad property."""
        good, bad = self.judge(request)
        if bad:
            raise UnsupportedQoS(bad)
        return good

    def open_ranges(self, taken: Mapping[str, int]) -> tuple[PropertyRange, ...]:
        """Return the other properties that could be set here, with their ranges."""
        known = QOS_PROPERTIES.values()
        lines = [line for line in known if self.level in line.levels]
        free = [line for line in lines if line.name not in taken and self.available(line.name)]
        ranges = [self.range_now(line, {}) for line in free]
        return tuple(r for r in ranges if r.low is None or r.high is None or r.low <= r.high)


def changed(
    qos: QoS,
    level: Level,
    parent: QoS | None,
    properties: Request,
    narrowed: Supported = NOT_NARROWED,
) -> QoS:
    """Carry out set_qos (8.2), or raise UnsupportedQoS with every bad property.

    Of two values for one name the last counts. `parent` is what applies now at the parent, None for
    a channel; `narrowed` says where this installation supports less than is legal.
    """
    good = _Place(level, qos, parent, narrowed).accepted(properties)
    # An unchanged QoS is shared: there are very many proxies.
    return qos if good.items() <= qos.items() else QoS({**qos, **good})


def validate(
    qos: QoS,
    level: Level,
    parent: QoS | None,
    required: Request,
    narrowed: Supported = NOT_NARROWED,
) -> tuple[PropertyRange, ...]:
    """Carry out validate_qos (8.4): return what else could be set beside the required properties.

    Each range holds for one more property; two of them together may conflict. Arguments and errors
    are those of `changed`.
    """
    good = _Place(level, qos, parent, narrowed).accepted(required)
    return _Place(level, QoS({**qos, **good}), parent, narrowed).open_ranges(good)


def validate_event(
    proxy: QoS, required: Request, narrowed: Supported = NOT_NARROWED
) -> tuple[PropertyRange, ...]:
    """Carry out validate_event_qos (8.4): return what else an event's header could carry."""
    place = _Place(Level.EVENT, proxy, None, narrowed)
    return place.open_ranges(place.accepted(required))


_HEADER_NAMES: Final = [n for n, line in QOS_PROPERTIES.items() if Level.EVENT in line.levels]


# Header properties that this installation or proxy cannot honour are ignored with a warning (8.4).
_IGNORED: Final = frozenset(
    {
        PropertyErrorCode.UNAVAILABLE_PROPERTY,
        PropertyErrorCode.UNAVAILABLE_VALUE,
        PropertyErrorCode.UNSUPPORTED_VALUE,
    }
)
# A header may have thousands of properties of its own; a slip is among the first.
_NAMES_LOOKED_AT: Final = 16
# As near as a letter too many, too few or another one, and no nearer than `time` to Timeout.
_NEAR: Final = 0.85
_FOLDED: Final = {name.lower(): name for name in _HEADER_NAMES}


class HeaderValues(NamedTuple):
    """The standard properties in an event's header, and warnings for those without effect."""

    values: dict[str, int]
    warnings: tuple[str, ...]


def header_values(
    event_header: Mapping[str, object], proxy: QoS, narrowed: Supported = NOT_NARROWED
) -> HeaderValues:
    """Return an event's standard properties; raise InvalidEvent for a wrong type or range."""
    given = {n: event_header[n] for n in _HEADER_NAMES if n in event_header}
    others = [n for n in islice(event_header, _NAMES_LOOKED_AT) if n not in given]
    warnings = [warning for warning in map(_slip, others) if warning]
    if not given:
        return HeaderValues({}, tuple(warnings))
    good, bad = _Place(Level.EVENT, proxy, None, narrowed).judge(given)
    for error in bad:
        if error.code not in _IGNORED:
            raise misfit(error.name, given[error.name])
        good.pop(error.name, None)
        warnings.append(f"header.{error} (it has no effect)")
    return HeaderValues(good, tuple(warnings))


def is_plain(event_header: Mapping[str, object]) -> bool:
    """Whether nothing in an event's header but a priority has an effect, or deserves a warning."""
    if len(event_header) > _NAMES_LOOKED_AT:
        return False
    for name, value in event_header.items():
        if name == "Priority":
            if type(value) is not int:
                return False
        elif _slip(name):  # of every other standard name as well
            return False
    return True


@lru_cache(maxsize=1_000)
def _slip(name: str) -> str:
    """Return a warning for a misplaced or misspelt standard property; empty for other names."""
    if name in QOS_PROPERTIES:
        return f"header.{name} has no effect: it is set at a channel, an admin or a proxy"
    near = difflib.get_close_matches(name[:80].lower(), _FOLDED, 1, _NEAR)
    return f"header.{name} has no effect; did you mean {_FOLDED[near[0]]}?" if near else ""
