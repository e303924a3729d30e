"""The protocol of one GIOP connection, without any input or output.

Octets that came are handed to `receive_data`, which tells what they mean; what is to be sent
is fetched with `data_to_send`. Whoever has the socket does both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tidings.orb import giop
from tidings.orb.codesets import NOT_NEGOTIATED, CodeSets, accept
from tidings.orb.contexts import (
    BI_DIR_IIOP,
    CODE_SETS,
    read_code_sets,
    read_listen_points,
    write_code_sets,
    write_listen_points,
)
from tidings.orb.exceptions import FramingError, SystemException
from tidings.orb.giop import Wire
from tidings.orb.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from tidings.orb.destination import Destination


class Call(NamedTuple):
    """A request came for an object here; its reply is written as `wire` says."""

    request: giop.Request
    wire: Wire

    @property
    def request_id(self) -> int:
        """What the reply is to be told apart by."""
        return self.request.request_id


class Refusal(NamedTuple):
    """A request came that cannot be carried out on this connection."""

    call: Call
    error: SystemException


class Locate(NamedTuple):
    """The peer asks whether an object is here."""

    request: giop.LocateRequest
    wire: Wire


class Answer(NamedTuple):
    """The answer to a call from here came."""

    reply: giop.Reply | giop.LocateReply
    codesets: CodeSets


class Cancel(NamedTuple):
    """The peer does not wait for the reply to this request any more."""

    request_id: int


class ListenPoints(NamedTuple):
    """The peer offers that its objects at these addresses are called over this connection."""

    points: tuple[tuple[str, int], ...]


class End(NamedTuple):
    """The connection is over; what is to be sent still is, then it is closed.

    Attributes:
        why: The reason.
        unseen: Whether the peer has told that it did nothing about the calls without answers.
        fault: Whether the peer broke the rules.
    """

    why: str
    unseen: bool
    fault: bool


Incoming: TypeAlias = Call | Refusal | Locate | Answer | Cancel | ListenPoints | End


_AnswerType: TypeAlias = type[giop.Reply] | type[giop.LocateReply]


class _Asked(NamedTuple):
    """What was asked of the peer: in which minor version, and what the answer must be."""

    minor: int
    answer: _AnswerType


class Connection:
    """One side of a GIOP connection.

    Args:
        opener: Whether it was opened from this side.
        little: The byte order of what is sent.
        limits: What a message may hold.
        accept_points: Whether the peer may offer that its objects are called over it.
    """

    def __init__(
        self,
        *,
        opener: bool,
        little: bool = True,
        limits: Limits = DEFAULT_LIMITS,
        accept_points: bool = False,
    ) -> None:
        self.heard = 0
        """How many messages came."""
        self.ended = False
        self._opener = opener
        self._little = little
        self._minor = 0
        self._codesets = NOT_NEGOTIATED
        self._accept_points = accept_points
        self._calls_allowed = opener
        self._requests_allowed = not opener
        self._negotiated = False
        self._offer: tuple[tuple[str, int], ...] = ()
        # The opener's ids are even and the acceptor's odd, so that both may call.
        self._next_id = 2 if opener else 3
        self._calls: dict[int, _Asked] = {}
        self._requests: set[int] = set()
        self._framer = giop.Framer(limits)
        self._out: list[bytes] = []
        self._wires = self._new_wires()

    def _new_wires(self) -> tuple[Wire, Wire, Wire]:
        """How messages are written in each version: 1.0 knows no negotiation of code sets."""
        return (
            Wire(0, self._little, NOT_NEGOTIATED),
            Wire(1, self._little, self._codesets),
            Wire(2, self._little, self._codesets),
        )

    # ------------------------------------------------------------ what comes in

    @property
    def in_message(self) -> bool:
        """Whether a message has begun and is not whole yet."""
        return self._framer.in_message

    @property
    def oldest(self) -> object | None:
        """What tells the message apart that has waited longest for fragments, if one does."""
        return self._framer.oldest

    def receive_data(self, octets: bytes) -> list[Incoming]:
        """What the octets mean that came, in their order."""
        return [incoming for step in self.receive_steps(octets) for incoming in step]

    def receive_steps(self, octets: bytes) -> Iterator[list[Incoming]]:
        """What the octets mean that came, message by message; a fragment may mean nothing yet.

        The octets are taken at once.
        """
        if self.ended:  # what crosses our own CloseConnection is not ours to act on
            return iter(())
        return self._steps(self._framer.steps(octets))

    def _steps(self, messages: Iterator[giop.Message | None]) -> Iterator[list[Incoming]]:
        try:
            for message in messages:
                found: list[Incoming] = []
                if message is not None:
                    self.heard += 1
                    self._take(message, found)
                yield found
                if self.ended:
                    return
        except FramingError as error:
            yield [self._broken(str(error))]

    def _take(self, message: giop.Message, found: list[Incoming]) -> None:
        if isinstance(message, giop.Request):
            self._take_request(message, found)
        elif isinstance(message, giop.Reply | giop.LocateReply):
            self._take_reply(message, found)
        elif isinstance(message, giop.LocateRequest):
            if self._requests_allowed:
                self._minor = max(self._minor, message.minor)
                found.append(Locate(message, self._wires[message.minor]))
            else:
                found.append(self._broken("a LocateRequest came to a side that only calls"))
        elif isinstance(message, giop.CancelRequest):
            if message.request_id in self._requests:
                self._requests.discard(message.request_id)
                found.append(Cancel(message.request_id))
        elif isinstance(message, giop.CloseConnection):
            self.ended = True
            found.append(End("the peer closed the connection", unseen=True, fault=False))
        else:
            self.ended = True
            why = f"the peer does not understand what it was sent; it speaks GIOP 1.{message.minor}"
            found.append(End(why, unseen=False, fault=True))

    def _take_request(self, request: giop.Request, found: list[Incoming]) -> None:
        if not self._requests_allowed:
            found.append(self._broken("a Request came to a side that only calls"))
            return
        if request.request_id in self._requests:
            found.append(self._broken(f"request id {request.request_id} came twice"))
            return
        error = None
        for id, data in request.contexts:
            try:
                if id == CODE_SETS and request.minor:
                    self._agree(accept(read_code_sets(data)))
                elif id == BI_DIR_IIOP and self._accept_points and request.minor >= 2:
                    found.append(ListenPoints(read_listen_points(data)))
            except SystemException as fault:
                error = fault
        self._minor = max(self._minor, request.minor)
        call = Call(request, self._wires[request.minor])
        if request.response_flags & 1:
            self._requests.add(request.request_id)
        found.append(call if error is None else Refusal(call, error))

    def _take_reply(self, reply: giop.Reply | giop.LocateReply, found: list[Incoming]) -> None:
        if not self._calls_allowed:
            found.append(self._broken("a reply came to a side that never called"))
            return
        asked = self._calls.pop(reply.request_id, None)
        if asked is None:
            return  # it comes after its caller gave up: nobody wants it
        if isinstance(reply, asked.answer):
            found.append(Answer(reply, self._wires[reply.minor].codesets))
        else:
            why = f"a {type(reply).__name__} came where a {asked.answer.__name__} was to come"
            found.append(self._broken(why))

    def _agree(self, codesets: CodeSets) -> None:
        self._codesets = codesets
        self._negotiated = True
        self._wires = self._new_wires()

    def _broken(self, why: str) -> End:
        self.ended = True
        self._out.append(giop.encode_message_error(little=self._little))
        return End(why, unseen=False, fault=True)

    # ------------------------------------------------------------ what goes out

    def fits(self, codesets: CodeSets | None) -> bool:
        """Whether calls with these code sets may go over this connection; None asks for none."""
        return codesets is None or not self._negotiated or codesets == self._codesets

    def offer(self, points: tuple[tuple[str, int], ...]) -> None:
        """Offers the peer to call objects at these addresses over this connection."""
        self._offer = points

    @property
    def both_ways(self) -> bool:
        """Whether either side may call over this connection."""
        return self._calls_allowed and self._requests_allowed

    def allow_calls(self) -> None:
        """The peer's offer is taken: this side may call too."""
        self._calls_allowed = True

    def call(
        self,
        target: giop.Target,
        operation: str,
        write_body: giop.WriteBody | None = None,
        *,
        minor: int = 2,
        response_flags: int = giop.ORDINARY,
        codesets: CodeSets | None = None,
        contexts: giop.Contexts = (),
    ) -> int:
        """Sends a request.

        Args:
            target: The object.
            operation: The operation's name on the wire.
            write_body: Writes the arguments.
            minor: The version, which is none above that of the object's profile.
            response_flags: Whether a reply is wanted.
            codesets: What to agree on with the peer, if nothing was agreed yet.
            contexts: What else travels beside it, from GIOP 1.2 on.

        Returns:
            The request id, by which the answer is told.
        """
        beside = list(contexts) if minor >= 2 else []
        wire = self._wires[minor]
        negotiates = self._negotiates(codesets, minor)
        if codesets is not None and negotiates:
            wire = wire._replace(codesets=codesets)
            beside.append((CODE_SETS, write_code_sets(codesets)))
        offers = bool(self._offer) and minor >= 2
        if offers:
            beside.append((BI_DIR_IIOP, write_listen_points(self._offer)))
        octets = giop.encode_request(
            wire,
            self._next_id,
            target,
            operation,
            response_flags=response_flags,
            contexts=beside,
            write_body=write_body,
        )
        # Only now: arguments that cannot be written must not change what was agreed.
        if codesets is not None and negotiates:
            self._agree(codesets)
        if offers:
            self._offer = ()
            self._requests_allowed = True
        return self._asked(octets, minor, giop.Reply if response_flags & 1 else None)

    def _negotiates(self, codesets: CodeSets | None, minor: int) -> bool:
        return codesets is not None and minor > 0 and self._opener and not self._negotiated

    def mould(
        self, destination: Destination, operation: str, contexts: giop.Contexts = ()
    ) -> giop.RequestMould | None:
        """For calls of one operation again and again; None while something is to be agreed on."""
        minor = destination.minor
        if self._offer or self._negotiates(destination.codesets, minor):
            return None
        beside = contexts if minor >= 2 else ()
        return giop.RequestMould(self._wires[minor], destination.key, operation, beside)

    def fits_mould(self, mould: giop.RequestMould) -> bool:
        """Whether nothing was agreed on since it was made."""
        return mould.wire is self._wires[mould.wire.minor]

    def call_again(self, mould: giop.RequestMould, body: bytes) -> int:
        """Sends a request from a mould that fits; gives its id."""
        octets = mould.request(self._next_id, body)
        return self._asked(octets, mould.wire.minor, giop.Reply)

    def locate(self, target: giop.Target, *, minor: int = 2) -> int:
        """Asks where an object is; gives the request id."""
        octets = giop.encode_locate_request(self._wires[minor], self._next_id, target)
        return self._asked(octets, minor, giop.LocateReply)

    def _asked(self, octets: bytes, minor: int, answer: _AnswerType | None) -> int:
        request_id = self._next_id
        self._next_id = (request_id + 2) & 0xFFFFFFFF
        self._minor = max(self._minor, minor)
        self._out.append(octets)
        if answer is not None:
            self._calls[request_id] = _Asked(minor, answer)
        return request_id

    def cancel(self, request_id: int) -> None:
        """Nobody here waits for this answer any more."""
        asked = self._calls.pop(request_id, None)
        if asked is not None and not self.ended:
            self._out.append(
                giop.encode_cancel_request(request_id, minor=asked.minor, little=self._little)
            )

    def reply(self, request_id: int, octets: bytes | None) -> None:
        """Sends the reply to a request, unless it was cancelled; None if there is none."""
        if request_id in self._requests:
            self._requests.discard(request_id)
            if octets is not None and not self.ended:
                self._out.append(octets)

    def send(self, octets: bytes) -> None:
        """Sends the reply to a LocateRequest."""
        self._out.append(octets)

    def close(self) -> None:
        """Ends the connection in good order: what was asked and not answered was not done."""
        # Before GIOP 1.2 only the side that was called may say so.
        if not self.ended and (self._minor >= 2 or not self._opener):
            self._out.append(giop.encode_close_connection(minor=self._minor, little=self._little))
        self.ended = True

    def give_up(self) -> None:
        """Ends the connection because what came does not become a message."""
        self._broken("")

    def data_to_send(self) -> bytes:
        """What is to be sent now, handed out once."""
        out = self._out
        if not out:
            return b""
        octets = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        return octets
