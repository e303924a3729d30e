"""What a buyer looks for: a constraint and the categories it is evaluated for."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from tidings.apps.auction_alert.market import Market
from tidings.apps.auction_alert.scene import CATEGORIES, DOMAIN
from tidings.filters.check import check
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.limits import ConstraintLimits

# A person types it; it is evaluated here for a preview, between other requests.
_LIMITS: Final = ConstraintLimits(octets=4_000, depth=30, nodes=200)
_PREVIEWED: Final = 100

# The fields of an offer and their kinds: a misspelt name is found while it is typed.
_KNOWN: Final = {
    "item": ["string"],
    "category": ["string"],
    "start_price": ["number"],
    "closes": ["composite"],
    "seller": ["string"],
}


class Wish(BaseModel):
    """What a page sends; no categories stand for all."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=2_000)] = ""
    categories: Annotated[list[str], Field(max_length=len(CATEGORIES))] = []

    @property
    def types(self) -> list[str]:
        """The event types, which the channel's advertiser shows as wanted."""
        return [f"{DOMAIN}::{one}" for one in self.categories] or [f"{DOMAIN}::*"]

    def constraint(self) -> Constraint:
        """Return the constraint; raise InvalidConstraint with the place of the error."""
        return constraint(self.text, self.types, _LIMITS)


def preview(wish: Wish, market: Market) -> dict[str, object]:
    """Check a wish as the service will; return warnings, and how many offers it matches now."""
    asked = wish.constraint()
    offers = market.open()
    tried = offers[:_PREVIEWED]
    return {
        "warnings": [one.report(wish.text) for one in check(wish.text, _KNOWN).cautions],
        "matching": sum(asked.matches(offer.fields) for offer in tried),
        "tried": len(tried),
        "open": len(offers),
    }
