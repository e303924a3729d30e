"""The past of a channel, page by page; nothing is taken from anybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response

from tidings.api.delivered import write_delivered
from tidings.engine.turns import Turns
from tidings.events.codecs.json_text import write_json
from tidings.web.bodies import StrictRoute
from tidings.web.paths import ChannelId, Most, Number
from tidings.web.replay import Since, Wanted
from tidings.web.state import Door

router = APIRouter(tags=["events"], route_class=StrictRoute)

_PAGE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Past events, in the order of their numbers.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["origin", "events", "next", "end", "last", "lost"],
                    "properties": {
                        "origin": {"type": "string"},
                        "events": {"type": "array", "items": {"type": "object"}},
                        "next": {"type": "integer", "description": "Go on after this number."},
                        "end": {"type": "boolean", "description": "Whether that was all."},
                        "last": {"type": "integer", "description": "The channel's latest number."},
                        "lost": {
                            "type": "array",
                            "items": {"type": "array", "items": {"type": "integer"}},
                            "description": "First and last numbers of events up to `next` that "
                            "damage in the journal has cost.",
                        },
                    },
                },
                "example": {
                    "origin": "0" * 31 + "1",
                    "events": [
                        {
                            "seq": 1041,
                            "arrival": 1760000000000000,
                            "priority": 0,
                            "event": {"domain": "Auction", "type": "books"},
                        }
                    ],
                    "next": 1041,
                    "end": True,
                    "last": 1041,
                    "lost": [[1037, 1039]],
                },
            }
        },
    }
}


@router.get(
    "/channels/{channel}/events",
    summary="Past events",
    response_class=Response,
    responses=_PAGE,
)
async def past_events(
    door: Door,
    channel: ChannelId,
    wanted: Wanted,
    since: Since,
    after: Annotated[
        Number | None, Query(description="Events with larger numbers; all that are kept if not.")
    ] = None,
    most: Most = 100,
) -> Response:
    """Events that the channel took in before, as far as the journal keeps them.

    Page on with `after` until `end`. A page may have fewer events than asked for, or none,
    before that.
    """
    page = await door.history(channel, after, since, most, wanted.constraint)
    turns, texts = Turns(), []
    for one in page.messages:
        texts.append(write_delivered(one))
        await turns.give()
    origin = door.views.channel(channel).origin
    end = "true" if page.end else "false"
    text = (
        f'{{"origin":"{origin}","events":[{",".join(texts)}],"next":{page.next},"end":{end},'
        f'"last":{page.last},"lost":{_lost(page.lost)}}}'
    )
    return Response(text, media_type="application/json")


def _lost(runs: Sequence[tuple[int, int]]) -> str:
    return write_json([list(run) for run in runs]).decode()
