"""A transport that writes down what it is asked, and answers as it is told."""

from __future__ import annotations

from typing import Any, cast

from tidings.client.transport import Transport


class FakeTransport:
    """Answers each kind of command from a list; an exception in it is raised.

    Attributes:
        asked: The commands, in order.
    """

    def __init__(self, **answers: list[object]) -> None:
        self.asked: list[Any] = []
        self._answers = answers

    async def ask(self, command: object) -> object:
        """The next answer to this kind of command; None if there is none left."""
        self.asked.append(command)
        waiting = self._answers.get(type(command).__name__)
        answer = waiting.pop(0) if waiting else None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def tell(self, command: object) -> None:
        """Writes the command down."""
        self.asked.append(command)

    @property
    def kinds(self) -> list[str]:
        """Of which kinds the commands were."""
        return [type(command).__name__ for command in self.asked]

    def as_transport(self) -> Transport:
        """For who takes whole transports only."""
        return cast("Transport", self)
