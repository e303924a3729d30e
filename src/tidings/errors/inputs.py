"""What was handed in is wrong."""

from __future__ import annotations

from tidings.errors.base import FILTER, SYSTEM, BadInput
from tidings.errors.carets import caret_report, line_and_column


class InvalidEvent(BadInput):
    """An event, or the text or octets of one, is outside the rules.

    Args:
        problem: What is wrong and what would be right.
        where: The place inside the event, such as ``data.zones[3]``; empty for the whole.
    """

    code = "invalid_event"
    http_status = 422

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(problem, where)
        self.problem = problem
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def inside(self, place: str) -> InvalidEvent:
        """The same fault seen from further outside; `place` goes before where it is.

        Decoders name places only once something is wrong: building names on the way down
        costs more than the decoding.
        """
        joint = "" if not self.where or self.where.startswith("[") else "."
        self.where = f"{place}{joint}{self.where}"
        self.args = (self.problem, self.where)
        return self


class InvalidTypeCode(BadInput):
    """A type description that describes no type."""

    code = "invalid_typecode"
    http_status = 422
    corba_id = SYSTEM.format("BAD_TYPECODE")


class InvalidConstraint(BadInput):
    """A constraint that cannot be used, with the place of the fault.

    Args:
        problem: What is wrong.
        text: The whole constraint.
        position: Offset into ``text`` of the first wrong character.
        hint: What would be right; may be empty.
    """

    code = "invalid_constraint"
    http_status = 422
    corba_id = FILTER.format("InvalidConstraint")

    def __init__(self, problem: str, text: str, position: int = 0, hint: str = "") -> None:
        self.problem = problem
        self.text = text
        self.position = position
        self.hint = hint
        self.line, self.column = line_and_column(text, position)
        super().__init__(problem, text, position, hint)

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """The message a person reads: place, problem, the line, a caret, the hint."""
        return caret_report(
            f"line {self.line}, column {self.column}: {self.problem}",
            self.text,
            self.position,
            self.hint,
        )


class InvalidGrammar(BadInput):
    """A constraint language nobody here speaks."""

    code = "invalid_grammar"
    corba_id = FILTER.format("InvalidGrammar")


class InvalidEventType(BadInput):
    """An event-type pattern outside the rules."""

    code = "invalid_event_type"
    http_status = 422
    corba_id = "IDL:omg.org/CosNotifyComm/InvalidEventType:1.0"


class InvalidMappingValue(BadInput):
    """A mapping value of another type than its filter's."""

    code = "invalid_mapping_value"
    http_status = 422
    corba_id = FILTER.format("InvalidValue")


class InvalidUsage(BadInput):
    """A command line or setting outside the rules."""

    code = "invalid_usage"


class UnsupportedMedia(BadInput):
    """What was sent is of a media type nobody reads here."""

    code = "unsupported_media"
    http_status = 415
