"""What became of pushed events, as JSON."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from tidings.api.operations import view_json
from tidings.api.problems import problem_of
from tidings.channel.commands import Warned
from tidings.channel.trail import Traced
from tidings.channel.vocabulary import Item
from tidings.errors import TidingsError
from tidings.events.envelope import ProducerMark
from tidings.web.state import Counts

log = logging.getLogger(__name__)


def plain_results(answers: Sequence[object], counts: Counts) -> list[int | dict[str, Any]]:
    """The answers to a push: numbers, and objects for those with a trail, warnings or an error."""
    return [
        one if type(one) is int else result_form(one, counts)  # no subclass: `Traced`, `Warned`
        for one in answers
    ]


def result_form(answer: object, counts: Counts) -> dict[str, Any]:
    """The answer to one pushed event as an object; an error is counted."""
    if isinstance(answer, Traced):
        return {"seq": int(answer), "trail": view_json(answer.trail)}
    if isinstance(answer, Warned):
        return {"seq": int(answer), "warnings": list(answer.warnings)}
    if isinstance(answer, int):
        return {"seq": answer}
    assert isinstance(answer, Exception)
    counts.rejected += 1
    if not isinstance(answer, TidingsError):
        log.error("an event has met a fault", exc_info=answer)
    return {"error": problem_of(answer)}


def without_bad(
    items: Sequence[Item | TidingsError], marks: Sequence[ProducerMark] | None
) -> tuple[list[Item], Sequence[ProducerMark] | None, dict[int, TidingsError]]:
    """The events that are some, with their marks; and what stood in the place of others."""
    bad = {at: one for at, one in enumerate(items) if isinstance(one, TidingsError)}
    good = [one for one in items if not isinstance(one, TidingsError)]
    if bad and marks is not None:
        marks = [mark for at, mark in enumerate(marks) if at not in bad]
    return good, marks, bad
