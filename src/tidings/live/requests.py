"""What can be asked of the live objects: requests of their core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from tidings.cores import Most, Question, Request
from tidings.live.area import Area
from tidings.live.board import Looked, View
from tidings.live.model import ObjectInfo, ObjectUpdate

Tag: TypeAlias = Annotated[str, "tag"]
"""The tag of a live object."""


@dataclass(frozen=True, slots=True)
class SetObjects(Request):
    """Set attributes of live objects, all or nothing; objects that do not exist yet are made.

    Values are on the disk a tenth of a second later at most. Answer: `numbers`, of the objects.

    Attributes:
        objects: Each with its new values; attributes that are not named keep theirs.
    """

    objects: Sequence[ObjectUpdate]
    owner: str = ""


@dataclass(frozen=True, slots=True)
class DeleteObject(Request):
    """Delete a live object."""

    object: Tag
    owner: str = ""


@dataclass(frozen=True, slots=True)
class DeleteObjects(Question[int]):
    """Delete all live objects whose tags begin with a pattern; one at least must.

    Of very many, some may be left if the service stops meanwhile.

    Answer: `deleted`, how many.
    """

    pattern: str


@dataclass(frozen=True, slots=True)
class DropObjects(Request):
    """Delete the live objects of these numbers that are still there; the answer is how many."""

    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class SeeLiveObject(Question[ObjectInfo]):
    """See a live object as it is now."""

    object: Tag


@dataclass(frozen=True, slots=True)
class SeeLiveObjects(Question[tuple[ObjectInfo, ...]]):
    """See live objects as they are now, in the order of their numbers.

    Attributes:
        pattern: The beginning of their tags; empty for all.
        area: Where they are; none for everywhere.
        filter: A constraint on their attributes, such as `$height > 3000`; `$tag` is the tag.
        attributes: Which attributes are shown; none for all.
        after: Only objects with a greater number.
        most: How many at most.
    """

    pattern: str = ""
    area: Area | None = None
    filter: str = ""
    attributes: Sequence[str] | None = None
    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class LookAtObjects(Question[View]):
    """Look at live objects from now on: a view, for who is in this process.

    Attributes:
        looked: What is looked at.
    """

    looked: Looked
