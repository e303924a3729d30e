"""Events as JSON, made once for all who get them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidings.api.delivered import write_delivered
from tidings.channel.effects import Message

if TYPE_CHECKING:
    from tidings.web.state import WebState

# Some ten thousand usual events: what is on its way to many consumers at a time.
_MOST_CHARACTERS: Final = 16 * 1024 * 1024
# What an entry takes beside its text; counted, so that tiny events are bounded too.
_OVERHEAD: Final = 512


class Encoded(dict[Message, str]):
    """The JSON text of events, by the very message that all their consumers share.

    ``encoded[message]`` makes what is missing; beyond `most` characters the oldest goes. It is a
    dict because it is asked once for each event and consumer.
    """

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        super().__init__()
        self._most = most
        self._kept = 0

    def __missing__(self, message: Message) -> str:
        """Makes the text and keeps it, if it is not too large for that."""
        text = write_delivered(message)
        size = len(text) + _OVERHEAD
        if size > self._most:
            return text
        self._kept += size
        while self._kept > self._most:
            self._kept -= len(self.pop(next(iter(self)))) + _OVERHEAD
        self[message] = text
        return text


def encoded_of(state: WebState) -> Encoded:
    """The texts that all sockets and tails of a door share; for `WebState.part`."""
    return Encoded()


def with_redelivered(text: str, redelivered: bool) -> str:
    """An event's JSON as the answer to a pull has it: it says whether it came before."""
    return f'{{"redelivered":{"true" if redelivered else "false"},{text[1:]}'
