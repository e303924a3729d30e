"""The settings of the core as sections of the service's settings, with their own descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field as Setting
from pydantic import create_model

from tidings.api.properties import properties_in
from tidings.channel import properties, qos_check
from tidings.channel.properties import AdminProperties
from tidings.channel.property_errors import Level
from tidings.channel.qos import DiscardPolicy, OrderPolicy, QoS
from tidings.channel.settings import Inheritance, Limits, Settings
from tidings.errors import InvalidUsage, TidingsError
from tidings.filters.plan import Operator
from tidings.server.kinds import Count, Duration, Octets, Right, Section

_SECOND: Final = 1_000_000

TIMES: Final = (
    "retry_first",
    "retry_longest",
    "poll_interval",
    "sweep_interval",
    "unused_filter_lifetime",
    "unused_proxy_lifetime",
)
"""Settings of the core that are times; it counts them in microseconds."""

_ENUMS: Final[Mapping[str, type[Enum]]] = {
    "default_operator": Operator,
    "any_order": OrderPolicy,
    "any_discard": DiscardPolicy,
    "inheritance": Inheritance,
}
_PROPERTIES: Final = Annotated[
    dict[str, int | bool | str],
    Right('a table of properties, such as { OrderPolicy = "FifoOrder" }'),
]
_TABLES: Final[Mapping[str, Any]] = {
    "default_qos": _PROPERTIES,
    "default_admin": _PROPERTIES,
    "narrowed": Annotated[
        dict[str, Annotated[tuple[int, int], Setting(strict=False)]],
        Right("a table of properties with their lowest and highest value"),
    ],
}


def _words(kind: type[Enum]) -> tuple[str, ...]:
    """What can be chosen; `any` says nothing of what it stands for."""
    return tuple(one.name.lower() for one in kind if one.name != "ANY")


def _setting(one: Field[Any]) -> tuple[Any, Any]:
    """The type and default of a setting of the core, as a file has it."""
    if one.name in _TABLES:
        return _TABLES[one.name], {}
    assert one.default is not MISSING
    if one.name in TIMES:
        return Annotated[Duration, Setting(ge=1 / _SECOND)], one.default / _SECOND
    if one.name in _ENUMS:
        words = Literal[_words(_ENUMS[one.name])]  # type: ignore[valid-type]
        return words, one.default.name.lower()
    if isinstance(one.default, bool):
        return bool, one.default
    return Annotated[int, Setting(ge=0)], one.default


def _limit(one: Field[Any]) -> tuple[Any, Any]:
    kind = Octets if "octets" in one.name else Count
    return kind, one.default


def _section(name: str, doc: str, of: type, kinds: Mapping[str, tuple[Any, Any]]) -> type[Section]:
    """A section with the descriptions that the core's own class has."""
    attributes = cleandoc(of.__doc__ or "").partition("\n\nAttributes:\n")[2]
    text = f"{doc}\n\nAttributes:\n{attributes}"
    members: dict[str, Any] = dict(kinds)
    return create_model(name, __base__=Section, __doc__=text, __module__=__name__, **members)


if TYPE_CHECKING:
    RulesSection = Section
    LimitsSection = Section
else:
    RulesSection = _section(
        "RulesSection",
        "How this installation reads the standard where it is silent.",
        Settings,
        {one.name: _setting(one) for one in fields(Settings) if one.name != "limits"},
    )
    LimitsSection = _section(
        "LimitsSection",
        "What the service keeps in memory, whatever the quality of service says.",
        Limits,
        {one.name: _limit(one) for one in fields(Limits)},
    )


def channel_settings(rules: Section, limits: Section) -> Settings:
    """The settings of the core; those that do not fit together are refused."""
    given: dict[str, Any] = rules.model_dump()
    if given["retry_longest"] < given["retry_first"]:
        raise InvalidUsage("rules.retry_longest must be at least rules.retry_first")
    for name in TIMES:
        given[name] = round(given[name] * _SECOND)
    for name, kind in _ENUMS.items():
        given[name] = kind[given[name].upper()]
    name = "default_qos"
    try:
        asked = properties_in(given[name])
        given[name] = qos_check.changed(QoS(), Level.CHANNEL, None, asked)
        name = "default_admin"
        given[name] = properties.changed(AdminProperties(), properties_in(given[name]))
    except TidingsError as error:
        raise InvalidUsage(f"rules.{name}: {error}") from error
    try:
        return Settings(**given, limits=Limits(**limits.model_dump()))
    except InvalidUsage as error:
        raise InvalidUsage(f"rules: {error}") from error
