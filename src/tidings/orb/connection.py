"""The protocol of one GIOP connection, without any input or output.

`receive_data` takes octets and returns what they mean; `data_to_send` returns the octets to send.
The owner of the socket calls both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from tidings.orb import giop
from tidings.orb.codesets import NOT_NEGOTIATED, CodeSets, accept
from tidings.orb.exceptions import BAD_PARAM, FramingError, SystemException
from tidings.orb.framing import Framer
from tidings.orb.giop import Wire
from tidings.orb.ior import encapsulation_reader, encapsulation_writer
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

if TYPE_CHECKING:
    from tidings.orb.calls import Destination


# Service contexts of requests.
CODE_SETS: Final = 1
BI_DIR_IIOP: Final = 5

# More addresses than this are no offer that anybody could want.
MOST_POINTS: Final = 64


class Call(msgspec.Struct, frozen=True):
    """A request for an object here; `wire` says how to encode its reply."""

    request: giop.Request
    wire: Wire


class Refusal(NamedTuple):
    """A request that cannot be handled on this connection."""

    call: Call
    error: SystemException


class Locate(NamedTuple):
    """The peer asks whether an object is here."""

    request: giop.LocateRequest
    wire: Wire


class Answer(msgspec.Struct, frozen=True):
    """The answer to a call from here."""

    reply: giop.Reply | giop.LocateReply
    codesets: CodeSets


class Cancel(NamedTuple):
    """The peer no longer waits for the reply to this request."""

    request_id: int


class ListenPoints(NamedTuple):
    """The peer offers to be called at these addresses over this connection."""

    points: tuple[tuple[str, int], ...]


class End(NamedTuple):
    """The connection is over: send what is left, then close it.

    Attributes:
        why: The reason.
        unseen: Whether the peer did nothing about the calls without answers.
        fault: Whether the peer broke the rules.
    """

    why: str
    unseen: bool
    fault: bool


Incoming: TypeAlias = Call | Refusal | Locate | Answer | Cancel | ListenPoints | End


_AnswerType: TypeAlias = type[giop.Reply] | type[giop.LocateReply]
_ANSWERS: Final = (giop.Reply, giop.LocateReply)


class _PendingCall(msgspec.Struct, frozen=True):
    """A call without an answer yet: its minor version, and the type of its answer."""

    minor: int
    answer: _AnswerType


class Connection:
    """One side of a GIOP connection; `accept_points` if the peer may offer to be called over it."""

    def __init__(
        self,
        *,
        opener: bool,
        little: bool = True,
        limits: MessageLimits = DEFAULT_LIMITS,
        accept_points: bool = False,
    ) -> None:
        self.received = 0
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
        self._calls: dict[int, _PendingCall] = {}
        self._requests: set[int] = set()
        self.framer = Framer(limits)
        self.out: list[bytes] = []  # for `data_to_send`
        self._wires = self._new_wires()

    def _new_wires(self) -> tuple[Wire, Wire, Wire]:
        """The encoding of each version: 1.0 does not negotiate code sets."""
        return (
            Wire(0, self._little, NOT_NEGOTIATED),
            Wire(1, self._little, self._codesets),
            Wire(2, self._little, self._codesets),
        )

    # ------------------------------------------------------------ what comes in

    def receive_data(self, octets: bytes) -> list[Incoming]:
        """What the octets mean, in order."""
        return [incoming for step in self.receive_steps(octets) for incoming in step]

    def receive_steps(self, octets: bytes) -> Iterator[list[Incoming]]:
        """What the octets mean, message by message; a fragment may mean nothing yet."""
        if self.ended:  # what crosses our own CloseConnection is not ours to act on
            return iter(())
        return self._steps(self.framer.feed(octets))

    def _steps(self, messages: Iterator[giop.Message | None]) -> Iterator[list[Incoming]]:
        try:
            for message in messages:
                yield [] if message is None else self._take(message)
                if self.ended:
                    return
        except FramingError as error:
            yield [self._broken(str(error))]

    def _take(self, message: giop.Message) -> list[Incoming]:
        self.received += 1
        if isinstance(message, giop.Request):
            return self._take_request(message)
        if isinstance(message, _ANSWERS):
            return self._take_reply(message)
        if isinstance(message, giop.LocateRequest):
            if not self._requests_allowed:
                return [self._broken("a LocateRequest came to a side that only calls")]
            self._minor = max(self._minor, message.minor)
            return [Locate(message, self._wires[message.minor])]
        if isinstance(message, giop.CancelRequest):
            if message.request_id not in self._requests:
                return []
            self._requests.discard(message.request_id)
            return [Cancel(message.request_id)]
        self.ended = True
        if isinstance(message, giop.CloseConnection):
            return [End("the peer closed the connection", unseen=True, fault=False)]
        why = f"the peer does not understand what it was sent; it speaks GIOP 1.{message.minor}"
        return [End(why, unseen=False, fault=True)]

    def _take_request(self, request: giop.Request) -> list[Incoming]:
        if not self._requests_allowed:
            return [self._broken("a Request came to a side that only calls")]
        if request.request_id in self._requests:
            return [self._broken(f"request id {request.request_id} came twice")]
        found: list[Incoming] = []
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
        return found

    def _take_reply(self, reply: giop.Reply | giop.LocateReply) -> list[Incoming]:
        if not self._calls_allowed:
            return [self._broken("a reply came to a side that never called")]
        asked = self._calls.pop(reply.request_id, None)
        if asked is None:
            return []  # it comes after its caller gave up: nobody wants it
        if isinstance(reply, asked.answer):
            return [Answer(reply, self._wires[reply.minor].codesets)]
        why = f"a {type(reply).__name__} came where a {asked.answer.__name__} was to come"
        return [self._broken(why)]

    def _agree(self, codesets: CodeSets) -> None:
        self._codesets = codesets
        self._negotiated = True
        self._wires = self._new_wires()

    def _broken(self, why: str) -> End:
        self.ended = True
        self.out.append(giop.encode_bare(giop.MessageType.MESSAGE_ERROR, little=self._little))
        return End(why, unseen=False, fault=True)

    # ------------------------------------------------------------ what goes out

    def fits(self, codesets: CodeSets | None) -> bool:
        """Whether calls with these code sets may use this connection; None asks for none."""
        return codesets is None or not self._negotiated or codesets == self._codesets

    def offer(self, points: tuple[tuple[str, int], ...]) -> None:
        """Offer the peer to call objects at these addresses over this connection."""
        self._offer = points

    @property
    def both_ways(self) -> bool:
        """Whether either side may call over this connection."""
        return self._calls_allowed and self._requests_allowed

    def allow_calls(self) -> None:
        """Accept the peer's offer: this side may call too."""
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
        """Send a request and return its id.

        Code sets are agreed with the first request; `contexts` are sent from GIOP 1.2 on.
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
        return self._send_call(octets, minor, giop.Reply if response_flags & 1 else None)

    def _negotiates(self, codesets: CodeSets | None, minor: int) -> bool:
        return codesets is not None and minor > 0 and self._opener and not self._negotiated

    def template(
        self, destination: Destination, operation: str, contexts: giop.Contexts = ()
    ) -> giop.RequestTemplate | None:
        """A template for repeated calls; None while something is to be agreed on."""
        minor = destination.minor
        if self._offer or self._negotiates(destination.codesets, minor):
            return None
        beside = contexts if minor >= 2 else ()
        return giop.RequestTemplate(self._wires[minor], destination.key, operation, beside)

    def fits_template(self, template: giop.RequestTemplate) -> bool:
        """Whether nothing was agreed on since it was made."""
        return template.wire is self._wires[template.wire.minor]

    def call_again(self, template: giop.RequestTemplate, body: bytes) -> int:
        """Send a request from a template that fits, and return its id."""
        octets = template.request(self._next_id, body)
        return self._send_call(octets, template.wire.minor, giop.Reply)

    def locate(self, target: giop.Target, *, minor: int = 2) -> int:
        """Ask where an object is; returns the request id."""
        octets = giop.encode_locate_request(self._wires[minor], self._next_id, target)
        return self._send_call(octets, minor, giop.LocateReply)

    def _send_call(self, octets: bytes, minor: int, answer: _AnswerType | None) -> int:
        request_id = self._next_id
        self._next_id = (request_id + 2) & 0xFFFFFFFF
        self._minor = max(self._minor, minor)
        self.out.append(octets)
        if answer is not None:
            self._calls[request_id] = _PendingCall(minor, answer)
        return request_id

    def cancel(self, request_id: int) -> None:
        """Stop waiting for this answer."""
        asked = self._calls.pop(request_id, None)
        if asked is not None and not self.ended:
            self.out.append(
                giop.encode_cancel_request(request_id, minor=asked.minor, little=self._little)
            )

    def reply(self, request_id: int, octets: bytes | None) -> None:
        """Send the reply to a request, unless it was cancelled; None if there is none."""
        if request_id in self._requests:
            self._requests.discard(request_id)
            if octets is not None and not self.ended:
                self.out.append(octets)

    def send(self, octets: bytes) -> None:
        """Send the reply to a LocateRequest."""
        self.out.append(octets)

    def close(self) -> None:
        """End the connection in good order: requests without an answer were not done."""
        # Before GIOP 1.2 only the side that was called may say so.
        if not self.ended and (self._minor >= 2 or not self._opener):
            kind = giop.MessageType.CLOSE_CONNECTION
            self.out.append(giop.encode_bare(kind, minor=self._minor, little=self._little))
        self.ended = True

    def give_up(self) -> None:
        """End the connection because the octets do not become a message."""
        self._broken("")

    def data_to_send(self) -> bytes:
        """The octets to send now, returned once."""
        out = self.out
        if not out:
            return b""
        octets = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        return octets


# ---------------------------------------------------------------- service contexts


def write_code_sets(codesets: CodeSets) -> bytes:
    """The context that names the code sets in force."""
    writer = encapsulation_writer()
    writer.ulong(codesets.char)
    writer.ulong(codesets.wchar or 0)
    return writer.getvalue()


def read_code_sets(data: bytes) -> CodeSets:
    """The code sets a context names, supported or not."""
    reader = encapsulation_reader(data)
    char, wchar = reader.ulong(), reader.ulong()
    return CodeSets(char, wchar or None)


def write_listen_points(points: Iterable[tuple[str, int]]) -> bytes:
    """The context that offers objects at these addresses on this connection."""
    listed = list(points)
    writer = encapsulation_writer()
    writer.ulong(len(listed))
    for host, port in listed:
        writer.latin(host)
        writer.ushort(port)
    return writer.getvalue()


def read_listen_points(data: bytes) -> tuple[tuple[str, int], ...]:
    """The addresses whose objects may be called over the connection."""
    reader = encapsulation_reader(data)
    count = reader.length(6)
    if count > MOST_POINTS:
        raise BAD_PARAM(why=f"{count} listen points; at most {MOST_POINTS} are accepted")
    return tuple([(reader.latin(), reader.ushort()) for _ in range(count)])
