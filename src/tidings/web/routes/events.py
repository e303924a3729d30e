"""Events in: one, a batch, or a stream of JSON lines with answers that stream back."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from tidings.api.forms import Answer, examples
from tidings.engine.turns import Turns
from tidings.errors import TidingsError
from tidings.events.codecs.cloudevents_codec import BATCH_MEDIA_TYPE, STRUCTURED_MEDIA_TYPE
from tidings.events.codecs.json_text import write_json
from tidings.web.bodies import StrictRoute, check_charset, media_type, read_body
from tidings.web.event_bodies import (
    JSON_MEDIA_TYPE,
    LINES_MEDIA_TYPES,
    Incoming,
    Numbering,
    read_events,
)
from tidings.web.paths import ChannelId, Number
from tidings.web.publisher import LineAnswers, Publisher, result_form
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["events"], route_class=StrictRoute)

# Of binary CloudEvents the media type is that of their data.
_JSON_MEDIA_TYPES: Final = frozenset(
    {JSON_MEDIA_TYPE, STRUCTURED_MEDIA_TYPE, BATCH_MEDIA_TYPE, *LINES_MEDIA_TYPES}
)

_EVENT: Final = {"domain": "Auction", "type": "books", "name": "lot 7", "data": {"price": 12.5}}
_CLOUDEVENT: Final = {
    "specversion": "1.0",
    "id": "7",
    "source": "/auction",
    "type": "books",
    "data": {"price": 12.5},
}
_OBJECT: Final[dict[str, Any]] = {"type": "object"}
_OBJECTS: Final[dict[str, Any]] = {"type": "array", "items": _OBJECT}
_BODY: Final[dict[str, Any]] = {
    "required": True,
    "content": {
        JSON_MEDIA_TYPE: {
            "schema": {"anyOf": [_OBJECT, _OBJECTS]},
            "examples": {
                "one": {"value": _EVENT},
                "batch with marks": {
                    "value": [{"event": _EVENT, "producer": "hall-1", "number": 41}]
                },
            },
        },
        STRUCTURED_MEDIA_TYPE: {"schema": _OBJECT, "example": _CLOUDEVENT},
        BATCH_MEDIA_TYPE: {"schema": _OBJECTS, "example": [_CLOUDEVENT]},
        **{
            one: {"schema": {"type": "string", "description": "One event in each line."}}
            for one in LINES_MEDIA_TYPES
        },
    },
}
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "What became of the events, each judged on its own.",
        "content": {
            LINES_MEDIA_TYPES[0]: {
                "schema": {
                    "type": "string",
                    "description": 'A line for each line: {"line": n, "seq": …} or {"line": n, '
                    '"error": …}. All lines up to the last one answered are dealt with.',
                }
            }
        },
    }
}


class EventResult(Answer):
    """What became of an event; what does not apply is left out."""

    seq: int = Field(
        default=0,
        description="Its number; 0 if a filter stopped it, -1 if it came before and its number "
        "is forgotten.",
    )
    error: dict[str, Any] = Field(default={}, description="A problem: why it was not taken.")
    warnings: list[str] = Field(default=[], description="What in its header has no effect.")
    trail: dict[str, Any] = Field(
        default={}, description="How it was judged, if that was asked for."
    )


class OneResult(EventResult):
    """What became of a single event."""

    model_config = examples({"origin": "0" * 31 + "1", "seq": 1041})

    origin: str = Field(description="The channel's, for event ids.")


class BatchResult(Answer):
    """What became of the events of a batch."""

    origin: str = Field(description="The channel's, for event ids.")
    results: list[EventResult]


@router.post(
    "/channels/{channel}/events",
    summary="Send events",
    response_model=BatchResult | OneResult,
    responses=_RESPONSES,
    openapi_extra={
        "requestBody": _BODY,
        "parameters": [
            {
                "name": "Tidings-Producer",
                "in": "header",
                "schema": {"type": "string", "maxLength": 256},
                "description": "Who sends: with the numbers, what is sent again is taken once.",
            },
            {
                "name": "Tidings-Number",
                "in": "header",
                "schema": {"type": "integer", "minimum": 0},
                "description": "The number of the first event; the others count up from it.",
            },
        ],
    },
)
async def send_events(
    request: Request,
    state: State,
    door: Door,
    channel: ChannelId,
    publisher: Annotated[
        Number | None, Query(description="A supplier's proxy; the door's own if left out.")
    ] = None,
    trail: Annotated[
        bool, Query(description="Whether the answers say how each event was judged.")
    ] = False,
) -> Response:
    """Sends events: one, a batch, or JSON lines, which are answered while they still come.

    An accepted event has a number; if it is Persistent, it is on the disk when that is answered.
    Events of a batch are judged one by one. An event that comes again with the same mark, its
    producer's name and number, is answered with the number it got the first time; one so far
    behind that nobody can tell whether it came before is refused (`number_too_old`). CloudEvents
    may be structured, binary (headers `ce-…`) or batched.
    """
    numbering = Numbering(request.headers)
    target = Publisher(state, door, channel, publisher, trail=trail)
    kind = media_type(request)
    if kind in _JSON_MEDIA_TYPES:
        check_charset(request)
    if kind in LINES_MEDIA_TYPES:
        with state.stream() as held:
            await target.begin()
            return LineAnswers(target, numbering, state, held.pop_all())
    body = await read_body(request, state.options)
    found = await read_events(kind, request.headers, body, state.bounds)
    if isinstance(found, Incoming):
        return await _one(target, numbering.mark(found), state)
    await target.begin()
    answers = await target.answers(target.ask([numbering.mark(one) for one in found]))
    results, turns = [], Turns()
    for one in answers:
        results.append(result_form(one, state.counts))
        await turns.give()
    return _json({"origin": target.origin, "results": results})


async def _one(target: Publisher, incoming: Incoming, state: WebState) -> Response:
    await target.begin()
    (answer,) = await target.answers(target.ask([incoming]))
    if isinstance(answer, TidingsError):
        state.counts.rejected += 1
        raise answer
    return _json({"origin": target.origin, **result_form(answer, state.counts)})


def _json(plain: object) -> Response:
    return Response(write_json(plain), media_type=JSON_MEDIA_TYPE)
