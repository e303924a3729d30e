"""The live objects of a service; a core of its own.

Who wants to know how something is now, and not what has happened to it, looks at a live object.
Its values survive a stop; nobody waits until they are on the disk, a tenth of a second at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import (
    BadInput,
    Forbidden,
    InvalidUsage,
    LimitExceeded,
    NotFound,
    StoreError,
    TooManyObjects,
)
from tidings.events.codecs.json_text import parse_json
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.texts import shortened
from tidings.filters.constraint import constraint
from tidings.live import requests as r
from tidings.live.board import Board, Looked, View
from tidings.live.model import (
    Attribute,
    LiveObject,
    ObjectUpdate,
    attribute,
    checked_attribute_name,
    checked_pattern,
    checked_tag,
)

NAME: Final = "live"
"""The name of the core, in the journal too."""
MOST_OBJECTS: Final = 100_000
MOST_ATTRIBUTES: Final = 100
MOST_AT_ONCE: Final = 1_000
"""Objects of one request or answer."""
MOST_SET: Final = 5_000
"""Attributes of one request: all or nothing is set, so that the loop has to wait for all."""
MAX_FILTER: Final = 16_384
MAX_OBJECT: Final = 16_384
"""Characters of an object's attributes, as JSON."""

_VERSION: Final = 1
_COUNTERS: Final = "counters"


class Live:
    """The live objects.

    Attributes:
        board: The objects; whoever looks may read it, and only this core changes it.
    """

    name: Final = NAME
    wake_at: int | None = None

    def __init__(self) -> None:
        self.board = Board()
        self._effects: list[Keep] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.SetObjects: self._set,
            r.DeleteObject: self._delete,
            r.DropObjects: self._drop_numbered,
            r.SeeLiveObject: lambda asked, _: self._find(asked.object).info(),
            r.LookAtObjects: lambda asked, _: View(self.board, asked.looked),
        }
        self.requests = tuple(self._handlers)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands."""
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, list(effects)

    def _set(self, asked: r.SetObjects, now: int) -> tuple[int, ...]:
        if len(asked.objects) > MOST_AT_ONCE:
            raise LimitExceeded(
                f"{len(asked.objects)} objects at once are more than {MOST_AT_ONCE}"
            )
        given = sum([len(one.attributes) for one in asked.objects])
        if given > MOST_SET:
            raise LimitExceeded(f"{given} attributes at once are more than {MOST_SET}")
        tags = Counter([one.tag for one in asked.objects])
        if len(tags) < len(asked.objects):
            twice = tags.most_common(1)[0][0]
            raise InvalidUsage(f"object {shortened(twice)} is set twice in one request")
        found = [self.board.find(checked_tag(tag)) for tag in tags]
        checked = list(map(self._checked, asked.objects, found, repeat(asked.owner)))
        if len(self.board) + found.count(None) > MOST_OBJECTS:
            raise TooManyObjects(f"the service keeps {MOST_OBJECTS} live objects at most")
        numbers: list[int] = []
        for tag, known, attributes in zip(tags, found, checked, strict=True):
            one = known or self.board.make(tag, asked.owner)
            self.board.set(one, attributes, now)
            self._effects.append(Keep(NAME, _key(one), _state(one), waits=known is None))
            numbers.append(one.number)
        return tuple(numbers)

    @staticmethod
    def _checked(
        update: ObjectUpdate, found: LiveObject | None, owner: str
    ) -> dict[str, Attribute]:
        """Return what an update sets, or raise what is wrong with it."""
        if found is not None:
            _refuse_others(found, owner)
        of = f"object {update.tag}: "
        given = {name: attribute(name, value, of) for name, value in update.attributes.items()}
        then = given if found is None else found.attributes | given
        if len(then) > MOST_ATTRIBUTES:
            raise LimitExceeded(f"{of}{MOST_ATTRIBUTES} attributes are the most")
        size = sum([len(one.text) for one in then.values()])
        if size > MAX_OBJECT:
            raise LimitExceeded(
                f"{of}its attributes take {size} characters, more than {MAX_OBJECT}"
            )
        return given

    def _delete(self, asked: r.DeleteObject, _: int) -> None:
        one = self._find(asked.object)
        _refuse_others(one, asked.owner)
        self._drop(one)

    def _drop_numbered(self, asked: r.DropObjects, _: int) -> int:
        there = [one for one in map(self.board.get, asked.numbers) if one is not None]
        for one in there:
            self._drop(one)
        return len(there)

    def _drop(self, one: LiveObject) -> None:
        self.board.delete(one)
        self._effects.append(Keep(NAME, _key(one), None))
        if one.number == self.board.last_number:
            self._effects.append(Keep(NAME, _COUNTERS, self._counters()))

    def _find(self, tag: str) -> LiveObject:
        found = self.board.find(tag)
        if found is None:
            raise NotFound(f"there is no live object {shortened(tag)}")
        return found

    # What is kept.

    def _counters(self) -> State:
        return {"version": _VERSION, "object": self.board.last_number}

    def snapshot(self) -> Iterator[tuple[str, State]]:
        """The objects, and the last number."""
        for number in self.board.candidates():
            if (one := self.board.get(number)) is not None:
                yield _key(one), _state(one)
        yield _COUNTERS, self._counters()

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take the objects back."""
        for key, state in states.items():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"the live {key} was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
        try:
            kept = [state for key, state in states.items() if key != _COUNTERS]
            for state in sorted(kept, key=lambda state: state["number"]):
                self._restore(state)
            last = states.get(_COUNTERS, {}).get("object", 0)
        except (KeyError, TypeError, ValueError, BadInput) as error:
            raise StoreError(f"the live objects cannot be understood: {error}") from error
        self.board.last_number = max(self.board.last_number, last)
        return ()

    def _restore(self, state: State) -> None:
        made = self.board.make(state["tag"], state["owner"], state["number"])
        plain = parse_json(state["attributes"])
        assert isinstance(plain, dict)
        values = {name: attribute(name, value_from_plain(one)) for name, one in plain.items()}
        self.board.set(made, values, state["changed"])


def looked_at(asked: r.SeeLiveObjects) -> Looked:
    """Return what is looked at; raise what is wrong with that."""
    names = asked.attributes
    if names is not None and len(names) > MOST_ATTRIBUTES:
        raise LimitExceeded(f"{len(names)} attributes to look at are more than {MOST_ATTRIBUTES}")
    if len(asked.filter) > MAX_FILTER:
        raise LimitExceeded(
            f"the filter has {len(asked.filter)} characters, more than {MAX_FILTER}"
        )
    return Looked(
        checked_pattern(asked.pattern),
        asked.area,
        constraint(asked.filter) if asked.filter.strip() else None,
        None if names is None else frozenset(map(checked_attribute_name, names)),
    )


def _refuse_others(one: LiveObject, owner: str) -> None:
    """Refuse to change what somebody else has made; the service's owner is nobody else."""
    if owner and one.owner != owner:
        whose = f"{one.owner}'s" if one.owner else "the service owner's"
        raise Forbidden(f"live object {one.tag} is {whose}: {owner} may not change it")


def _key(one: LiveObject) -> str:
    return f"object {one.number}"


def _state(one: LiveObject) -> State:
    return {
        "version": _VERSION,
        "number": one.number,
        "tag": one.tag,
        "owner": one.owner,
        "changed": one.changed,
        "attributes": one.json(),
    }
