"""How a new proxy is asked for: itself, its private filter and its event types in one request."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from tidings.api.filters import Constraints, to_constraints
from tidings.api.model import (
    Asked,
    EventType,
    FormWord,
    Id,
    SideWord,
    StyleWord,
    examples,
    pattern_in,
)
from tidings.api.objects import FORM_WORDS
from tidings.api.properties import QoSProperties, properties_in, properties_out
from tidings.channel import management
from tidings.channel.vocabulary import Form, Place, Side, Style


class NewProxy(Asked):
    """A proxy to be made, all or nothing."""

    model_config = examples(
        {"name": "billing", "constraints": ["$price > 100"], "types": ["Auction::books"]},
        {"side": "supplier", "form": "sequence"},
    )

    side: SideWord = Field(default="consumer", description="For a supplier or a consumer.")
    style: StyleWord = Field(default="push", description="Which of the two begins.")
    form: FormWord = Field(default="structured", description="In which form events go through it.")
    admin: Id = Field(default=0, description="Under which admin; 0 is the default one.")
    qos: QoSProperties = Field(default_factory=dict, description="What differs from the admin's.")
    name: str = Field(default="", description="For people; unique in the channel. Empty for none.")
    bare: bool = Field(
        default=False, description="Event Service style: not in lists of ids, no qos, no filters."
    )
    keep: bool = Field(
        default=True,
        description="For a consumer's: events wait from now on, before anybody has connected.",
    )
    constraints: Constraints = Field(
        default_factory=list,
        description="A private filter of which one constraint must match; [] for no filter.",
    )
    types: list[EventType] = Field(
        default_factory=list,
        description="Event types it asks for or offers; for a consumer's, empty means all.",
    )

    @classmethod
    def of(cls, command: management.ObtainProxy) -> Self:
        """The request for a command. Who asks becomes the owner, and connects next."""
        return cls(
            side=command.side.value,
            style=command.style.value,
            form=FORM_WORDS[command.form],
            admin=command.admin,
            qos=properties_out(command.qos),
            name=command.name,
            bare=command.bare,
            keep=False,
        )

    def to_command(self, channel: int) -> management.ObtainProxy:
        """What is asked of the core first."""
        return management.ObtainProxy(
            channel,
            Side(self.side),
            Style(self.style),
            Form[self.form.upper()],
            self.admin,
            properties_in(self.qos),
            self.name,
            bare=self.bare,
        )

    def to_filter(self) -> management.CreateFilter | None:
        """The private filter it gets; None for none.

        Raises:
            InvalidConstraint: A text is none; the error has the place.
            InvalidEventType: An event type is outside the rules.
        """
        if not self.constraints:
            return None
        return management.CreateFilter(to_constraints(self.constraints), private=True)

    def to_types(
        self, place: Place
    ) -> management.OfferChange | management.SubscriptionChange | None:
        """The change of event types at the new proxy; None for none.

        Raises:
            InvalidEventType: An event type is outside the rules.
        """
        if not self.types:
            return None
        added = tuple(pattern_in(one) for one in self.types)
        if self.side == "consumer":
            return management.SubscriptionChange(place, added)
        return management.OfferChange(place, added)
