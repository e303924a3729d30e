"""One HTTP request, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from tidings.api.problems import misfit_of
from tidings.errors import TidingsError

BASE: Final = "/v1"
"""What every path begins with."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Call:
    """A request.

    Attributes:
        method: ``GET``, ``POST``, …
        path: From the root of the service, escaped, with the query if there is one.
        body: What is sent as JSON; None for nothing.
        read: From the parsed answer, None for an empty one, to what was asked for.
    """

    method: str
    path: str
    body: object
    read: Callable[[object], Any]


def reading(model: type[_T], pick: Callable[[_T], object]) -> Callable[[object], Any]:
    """Read an answer by a model; return the part that `pick` chooses."""
    adapter: TypeAdapter[_T] = TypeAdapter(model)

    def read(plain: object) -> object:
        try:
            return pick(adapter.validate_python(plain))
        except ValidationError as error:
            told = misfit_of(error.errors(include_url=False))["detail"]
            raise TidingsError(f"the service's answer cannot be read: {told}") from error

    return read
