"""Publishing from a task: pushes in order, several on their way, again where a channel is full."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final

import tidings
from tidings.channel.commands import Push
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.errors import ChannelFull, PipelineFailed, TidingsError
from tidings.pipeline.sink.marks import Marked
from tidings.pipeline.sink.options import SinkOptions

# Pushes without an answer: enough that the service never waits for the next one.
_UNANSWERED: Final = 4
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_SHOWN: Final = 3


class Published:
    """What became of a task's rows.

    Attributes:
        accepted: How many the channel has, now or from an earlier attempt.
        stopped: How many a filter on the supplier's side stopped.
        refused: How many were refused; only if these are skipped.
        reasons: Of the first few.
    """

    def __init__(self) -> None:
        self.accepted = 0
        self.stopped = 0
        self.refused = 0
        self.reasons: list[str] = []


def publish_rows(options: SinkOptions, rows: Iterator[list[Marked]]) -> Published:
    """Publishes rows, and waits until the channel has answered for all of them."""
    return asyncio.run(_publish(options, rows))


async def _publish(options: SinkOptions, rows: Iterator[list[Marked]]) -> Published:
    client = await tidings.connect(
        options.url, token=options.token or None, patience=options.patience
    )
    async with client:
        channel = options.channel
        number = int(channel) if channel.isdecimal() else channel
        async with await client.publisher(number) as publisher:
            sender = RowSender(options, client, publisher)
            # Rows come from a pipe: while they are waited for, answers must be heard.
            while (batch := await asyncio.to_thread(next, rows, None)) is not None:
                await sender.send(batch)
            await sender.finish()
            return sender.published


class RowSender:
    """Sends the rows of one task.

    Args:
        options: Where to, and how.
        client: The way to the service.
        publisher: Through which they go; its own marks are not used.

    Attributes:
        published: What became of them so far.
    """

    def __init__(self, options: SinkOptions, client: Client, publisher: Publisher) -> None:
        self._options = options
        self._client = client
        self._publisher = publisher
        self._unanswered: deque[asyncio.Task[None]] = deque()
        self.published = Published()

    async def send(self, rows: Sequence[Marked]) -> None:
        """Sends rows, as soon as few enough are on their way."""
        good: list[Marked] = []
        for row in rows:
            if isinstance(row[0], TidingsError):
                self._refuse(row[0])
            else:
                good.append(row)
        for start in range(0, len(good), self._options.at_once):
            while len(self._unanswered) >= _UNANSWERED:
                await self._unanswered.popleft()
            part = good[start : start + self._options.at_once]
            self._unanswered.append(asyncio.create_task(self._push(part)))

    async def finish(self) -> None:
        """Waits for all answers; raises as `send` does."""
        while self._unanswered:
            await self._unanswered.popleft()

    async def _push(self, rows: Sequence[Marked]) -> None:
        pause, waited = _FIRST_PAUSE, 0.0
        while rows:
            rows = self._settled(rows, await self._answers(rows))
            if rows:
                if waited >= self._options.patience:
                    raise ChannelFull(
                        f"the channel {self._options.channel} has been full for {waited:.0f} s; "
                        "publishing the same rows again later is safe"
                    )
                await asyncio.sleep(pause)
                waited += pause
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _answers(self, rows: Sequence[Marked]) -> Sequence[Any]:
        events = [event for event, _ in rows]
        marks = [mark for _, mark in rows]
        push = Push(self._publisher.channel, self._publisher.proxy, events, marks)  # type: ignore[arg-type]
        try:
            answers: Sequence[Any] = await self._client.transport.ask(push)
        except ChannelFull as error:
            return [error] * len(rows)
        return answers

    def _settled(self, rows: Sequence[Marked], answers: Sequence[Any]) -> list[Marked]:
        """Counts what is answered; the rows to send again."""
        again: list[Marked] = []
        published = self.published
        for row, answer in zip(rows, answers, strict=True):
            if isinstance(answer, ChannelFull):
                again.append(row)
            elif isinstance(answer, TidingsError):
                self._refuse(answer)
            elif answer:
                published.accepted += 1
            else:
                published.stopped += 1
        return again

    def _refuse(self, error: TidingsError) -> None:
        if not self._options.skip_refused:
            raise PipelineFailed(
                f"a row was refused by the channel {self._options.channel}: {error}; "
                'with .option("onRefused", "skip") such rows are left out and counted'
            ) from error
        self.published.refused += 1
        if len(self.published.reasons) < _SHOWN:
            self.published.reasons.append(str(error))
