"""Filters and mapping filters on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field

from tidings.api.model import Answer, Asked, EventType, Id, Key, examples, pattern_in, pattern_out
from tidings.api.plain import plain_of
from tidings.channel import management
from tidings.channel.settings import FilterPart
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_reading import value_from_plain
from tidings.filters.constraint import Constraint, accepted_constraint, constraint
from tidings.filters.mapping import MappedConstraint

_CONSTRAINT = {"text": "$price < 20 and $title ~ 'python'", "types": ["Auction::books"]}


def _value(plain: object, where: str) -> Value:
    try:
        return value_from_plain(plain)
    except InvalidEvent as error:
        raise error.inside(where) from error.__cause__


class ConstraintForm(Asked):
    """A constraint: of which events it is asked, and the expression."""

    model_config = examples(_CONSTRAINT)

    text: str = Field(default="", description="The expression; blank text is TRUE.")
    types: list[EventType] = Field(
        default_factory=list, description="Of which event types it is asked; [] for all."
    )

    @classmethod
    def of(cls, given: Constraint) -> Self:
        """How a constraint is written."""
        return cls(text=given.text, types=[pattern_out(one) for one in given.event_types])

    def to_constraint(self) -> Constraint:
        """The constraint.

        Raises:
            InvalidConstraint: The text is none; the error has the place.
            InvalidEventType: An event type is outside the rules.
        """
        return constraint(self.text, [pattern_in(one) for one in self.types])

    def accepted(self) -> Constraint:
        """The constraint, if the service has accepted it before."""
        return accepted_constraint(self.text, tuple(pattern_in(one) for one in self.types))


Constraints: TypeAlias = list[ConstraintForm | str]
"""Constraints, each with its event types or as a text alone."""


def filter_parts(given: Iterable[ConstraintForm | str]) -> list[FilterPart]:
    """What counts of constraints for the size of their filter."""
    return [
        FilterPart(one, 0) if isinstance(one, str) else FilterPart(one.text, len(one.types))
        for one in given
    ]


def to_constraints(given: Iterable[ConstraintForm | str]) -> tuple[Constraint, ...]:
    """The constraints.

    Raises:
        InvalidConstraint: A text is none; the error has the place.
        InvalidEventType: An event type is outside the rules.
    """
    return tuple(constraint(one) if isinstance(one, str) else one.to_constraint() for one in given)


class MappedForm(ConstraintForm):
    """A constraint, and the value an event gets that matches it."""

    model_config = examples({**_CONSTRAINT, "value": {"$type": "short", "value": 5}})

    value: Any = Field(description="A value in typed JSON, of the type of the filter's default.")

    @classmethod
    def of_mapped(cls, given: MappedConstraint) -> Self:
        """How a constraint with its value is written."""
        form = ConstraintForm.of(given.constraint)
        return cls(text=form.text, types=form.types, value=plain_of(given.value))

    def to_mapped(self) -> MappedConstraint:
        """The constraint with its value.

        Raises:
            InvalidConstraint: The text is none; the error has the place.
            InvalidEventType: An event type is outside the rules.
            InvalidEvent: The value is none.
        """
        return MappedConstraint(self.to_constraint(), _value(self.value, "value"))

    def accepted_mapped(self) -> MappedConstraint:
        """The constraint with its value, if the service has accepted it before."""
        return MappedConstraint(self.accepted(), _value(self.value, "value"))


def to_mapped(given: Iterable[MappedForm]) -> tuple[MappedConstraint, ...]:
    """The constraints with their values; raises what `MappedForm.to_mapped` raises."""
    return tuple(one.to_mapped() for one in given)


_FILTER: dict[str, Any] = {
    "kind": "filter",
    "id": 4,
    "version": 2,
    "constraints": {"1": _CONSTRAINT},
    "holders": 1,
    "owner": "",
    "private": False,
}


class Filter(Answer):
    """A filter as it is now."""

    model_config = examples(_FILTER)

    kind: Literal["filter"] = "filter"
    id: int = Field(description="Unique at the service.")
    version: int = Field(description="Rises with every change.")
    constraints: dict[Key, ConstraintForm] = Field(description="By id.")
    holders: int = Field(description="How many admins and proxies hold it.")
    owner: str = Field(description="Who may change it.")
    private: bool = Field(description="It ends with the last object that holds it.")

    @classmethod
    def of(cls, info: FilterInfo) -> Self:
        """The answer that shows a filter."""
        return cls(
            id=info.id,
            version=info.version,
            constraints={id: ConstraintForm.of(one) for id, one in info.constraints.items()},
            holders=info.holders,
            owner=info.owner,
            private=info.private,
        )

    def info(self) -> FilterInfo:
        """The filter that was shown."""
        constraints = {id: one.accepted() for id, one in self.constraints.items()}
        return FilterInfo(
            self.id, self.version, constraints, self.holders, self.owner, self.private
        )


class Mapping(Answer):
    """A mapping filter as it is now."""

    model_config = examples(
        {
            "kind": "mapping",
            "id": 5,
            "version": 2,
            "default": {"$type": "short", "value": 0},
            "mapped": {"1": {**_CONSTRAINT, "value": {"$type": "short", "value": 5}}},
            "holders": 1,
            "owner": "",
        }
    )

    kind: Literal["mapping"] = "mapping"
    id: int = Field(description="Unique at the service.")
    version: int = Field(description="Rises with every change.")
    default: Any = Field(description="What an event gets that matches nothing; typed JSON.")
    mapped: dict[Key, MappedForm] = Field(description="By id.")
    holders: int = Field(description="How many admins and proxies hold it.")
    owner: str = Field(description="Who may change it.")

    @classmethod
    def of(cls, info: MappingInfo) -> Self:
        """The answer that shows a mapping filter."""
        return cls(
            id=info.id,
            version=info.version,
            default=plain_of(info.default),
            mapped={id: MappedForm.of_mapped(one) for id, one in info.mapped.items()},
            holders=info.holders,
            owner=info.owner,
        )

    def info(self) -> MappingInfo:
        """The mapping filter that was shown."""
        mapped = {id: one.accepted_mapped() for id, one in self.mapped.items()}
        default = _value(self.default, "default")
        return MappingInfo(self.id, self.version, default, mapped, self.holders, self.owner)


AnyFilter: TypeAlias = Annotated[Filter | Mapping, Field(discriminator="kind")]
"""A filter or mapping filter, by its `kind`."""


class Filters(Answer):
    """All filters and mapping filters."""

    model_config = examples({"filters": [_FILTER]})

    filters: list[AnyFilter]


def filter_of(info: FilterInfo | MappingInfo) -> Filter | Mapping:
    """The answer that shows a filter or mapping filter."""
    return Filter.of(info) if isinstance(info, FilterInfo) else Mapping.of(info)


class NewFilter(Asked):
    """A filter to be made."""

    model_config = examples({"constraints": [_CONSTRAINT, "$severity >= 3"]})

    constraints: Constraints = Field(default_factory=list, description="What it begins with.")
    grammar: str = Field(default="", description="The constraint language; empty for ours.")
    private: bool = Field(default=False, description="It ends with the last object that holds it.")

    @classmethod
    def of(cls, command: management.CreateFilter) -> Self:
        """The request for a command. Who asks becomes the owner."""
        return cls(
            constraints=[ConstraintForm.of(one) for one in command.constraints],
            grammar=command.grammar,
            private=command.private,
        )

    def to_command(self) -> management.CreateFilter:
        """What is asked of the core; raises what `to_constraints` raises."""
        return management.CreateFilter(
            to_constraints(self.constraints), self.grammar, private=self.private
        )


class NewMapping(Asked):
    """A mapping filter to be made."""

    model_config = examples(
        {
            "default": {"$type": "short", "value": 0},
            "mapped": [{**_CONSTRAINT, "value": {"$type": "short", "value": 5}}],
        }
    )

    default: Any = Field(
        description="What an event gets that matches nothing; it fixes the type of all values."
    )
    mapped: list[MappedForm] = Field(default_factory=list, description="What it begins with.")
    grammar: str = Field(default="", description="The constraint language; empty for ours.")
    private: bool = Field(default=False, description="It ends with the last object that holds it.")

    @classmethod
    def of(cls, command: management.CreateMapping) -> Self:
        """The request for a command. Who asks becomes the owner."""
        return cls(
            default=plain_of(command.default),
            mapped=[MappedForm.of_mapped(one) for one in command.mapped],
            grammar=command.grammar,
            private=command.private,
        )

    def to_command(self) -> management.CreateMapping:
        """What is asked of the core; raises what `MappedForm.to_mapped` raises."""
        return management.CreateMapping(
            _value(self.default, "default"),
            to_mapped(self.mapped),
            self.grammar,
            private=self.private,
        )


class MadeFilter(Answer):
    """A filter that was made: its id, and those of its constraints in order."""

    model_config = examples({"id": 4, "constraints": [1, 2]})

    id: int
    constraints: list[int]


class NewConstraints(Asked):
    """Constraints to be added."""

    model_config = examples({"constraints": [_CONSTRAINT, "$severity >= 3"]})

    constraints: Constraints

    def to_command(self, filter: int) -> management.AddConstraints:
        """What is asked of the core; raises what `to_constraints` raises."""
        return management.AddConstraints(filter, to_constraints(self.constraints))


class NewMapped(Asked):
    """Constraints with values to be added."""

    model_config = examples({"mapped": [{**_CONSTRAINT, "value": {"$type": "short", "value": 5}}]})

    mapped: list[MappedForm]

    def to_command(self, filter: int) -> management.AddMapped:
        """What is asked of the core; raises what `MappedForm.to_mapped` raises."""
        return management.AddMapped(filter, to_mapped(self.mapped))


class MadeConstraints(Answer):
    """Constraints that were added: their ids, in order."""

    model_config = examples({"constraints": [3, 4]})

    constraints: list[int]


class ModifyConstraintsForm(Asked):
    """Constraints to be deleted and replaced, all or nothing."""

    model_config = examples({"delete": [2], "replace": {"1": _CONSTRAINT}})

    delete: list[Id] = Field(default_factory=list, description="Ids.")
    replace: dict[Key, ConstraintForm | str] = Field(default_factory=dict, description="By id.")

    def to_command(self, filter: int) -> management.ModifyConstraints:
        """What is asked of the core; raises what `to_constraints` raises."""
        new = dict(zip(self.replace, to_constraints(self.replace.values()), strict=True))
        return management.ModifyConstraints(filter, tuple(self.delete), new)


class ModifyMappedForm(Asked):
    """Constraints with values to be deleted and replaced, all or nothing."""

    model_config = examples(
        {
            "delete": [2],
            "replace": {"1": {**_CONSTRAINT, "value": {"$type": "short", "value": 7}}},
        }
    )

    delete: list[Id] = Field(default_factory=list, description="Ids.")
    replace: dict[Key, MappedForm] = Field(default_factory=dict, description="By id.")

    def to_command(self, filter: int) -> management.ModifyMapped:
        """What is asked of the core; raises what `MappedForm.to_mapped` raises."""
        new = {id: one.to_mapped() for id, one in self.replace.items()}
        return management.ModifyMapped(filter, tuple(self.delete), new)
