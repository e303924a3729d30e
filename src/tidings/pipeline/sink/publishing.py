"""Publish from a task: ordered pushes, several in flight, retried while the channel is full."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pyspark.sql.datasource import WriterCommitMessage

import tidings
from tidings.channel.commands import Push
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.errors import ChannelFull, PipelineFailed, RateExceeded, TidingsError
from tidings.pipeline.options import SinkOptions
from tidings.pipeline.sink.marks import Marked

# Pushes in flight: enough to keep the service busy.
_UNANSWERED: Final = 4
_LATER: Final = (ChannelFull, RateExceeded)
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_SHOWN: Final = 3


@dataclass
class Published(WriterCommitMessage):
    """Counts of a task's rows, as its message to the driver."""

    accepted: int = 0  # now or by an earlier attempt
    stopped: int = 0  # by a supplier-side filter
    refused: int = 0  # only if refused rows are skipped
    reasons: list[str] = field(default_factory=list)  # of the first few refused


async def push_all(
    client: Client,
    publisher: Publisher,
    rows: Sequence[Marked],
    patience: float,
    full: str,
    settle: Callable[[int, Any], None],
) -> None:
    """Push rows, and retry those for which the channel is full, for up to `patience` seconds.

    The publisher's own marks are not used. `settle` is called with the index of each row and its
    answer: a sequence number, 0 if a filter stopped it, or an error.
    """
    waiting: Sequence[int] = range(len(rows))
    pause, waited = _FIRST_PAUSE, 0.0
    while waiting:
        events, marks = zip(*(rows[at] for at in waiting), strict=True)
        push = Push(publisher.channel, publisher.proxy, events, marks)
        try:
            answers: Sequence[Any] = await client.transport.ask(push)
        except _LATER as error:
            answers = [error] * len(waiting)
        again = []
        for at, answer in zip(waiting, answers, strict=True):
            if isinstance(answer, _LATER):
                again.append(at)
            else:
                settle(at, answer)
        waiting = again
        if waiting:
            if waited >= patience:
                raise ChannelFull(full.format(f"{waited:.0f}"))
            await asyncio.sleep(pause)
            waited += pause
            pause = min(2 * pause, _LONGEST_PAUSE)


async def publish_rows(options: SinkOptions, rows: Iterator[list[Marked]]) -> Published:
    """Publish rows and wait until the channel has answered all of them."""
    client = await tidings.connect(
        options.url, token=options.token or None, patience=options.patience
    )
    async with client:
        channel = options.channel
        number = int(channel) if channel.isdecimal() else channel
        async with await client.publisher(number) as publisher:
            sender = RowSender(options, client, publisher)
            # Rows come from a pipe; answers must be processed while waiting for it.
            while (batch := await asyncio.to_thread(next, rows, None)) is not None:
                await sender.send(batch)
            await sender.finish()
            return sender.published


class RowSender:
    """Sends the rows of one task; `published` has the counts so far."""

    def __init__(self, options: SinkOptions, client: Client, publisher: Publisher) -> None:
        self._options = options
        self._client = client
        self._publisher = publisher
        self._unanswered: deque[asyncio.Task[None]] = deque()
        self.published = Published()

    async def send(self, rows: Sequence[Marked]) -> None:
        """Send rows as soon as few enough pushes are in flight."""
        options = self._options
        full = (
            f"the channel {options.channel} has been full for {{}} s; "
            "publishing the same rows again later is safe"
        )
        good: list[Marked] = []
        for row in rows:
            if isinstance(row[0], TidingsError):
                self._refuse(row[0])
            else:
                good.append(row)
        for start in range(0, len(good), options.at_once):
            while len(self._unanswered) >= _UNANSWERED:
                await self._unanswered.popleft()
            part = good[start : start + options.at_once]
            ends = (self._client, self._publisher)
            push = push_all(*ends, part, options.patience, full, self._settle)
            self._unanswered.append(asyncio.create_task(push))

    async def finish(self) -> None:
        """Wait for all answers; raises as `send` does."""
        while self._unanswered:
            await self._unanswered.popleft()

    def _settle(self, _at: int, answer: Any) -> None:  # noqa: ANN401 -- a number or an error
        if isinstance(answer, TidingsError):
            self._refuse(answer)
        elif answer:
            self.published.accepted += 1
        else:
            self.published.stopped += 1

    def _refuse(self, error: TidingsError) -> None:
        if not self._options.skip_refused:
            raise PipelineFailed(
                f"a row was refused by the channel {self._options.channel}: {error}; "
                'with .option("onRefused", "skip") such rows are left out and counted'
            ) from error
        self.published.refused += 1
        if len(self.published.reasons) < _SHOWN:
            self.published.reasons.append(str(error))
