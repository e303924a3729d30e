"""The bus: python-can, with a reader of our own that no error escapes.

Two threads talk to python-can: one reads and hands over what it has read in one call, however fast
frames come; the other sends. Whatever python-can raises ends the line with a cause, once; a frame
that cannot be read does not. python-can's own Notifier is not used, since its errors get lost.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from tidings.errors import InvalidUsage, MissingExtra, Unreachable
from tidings.services.cosmic.channels import Channel
from tidings.services.cosmic.frames import HIGHEST_ID, HIGHEST_TAG, Frame
from tidings.services.cosmic.settings import CosmicSettings

log = logging.getLogger(__name__)

MOST_READ: Final = 10_000
"""Frames that wait for the loop; then the oldest goes: a bus cannot be asked to wait."""
_MOST_UNREADABLE: Final = 100
# Seconds: how long the reader and the sender wait for python-can, and `close` for the reader.
_LOOK: Final = 0.1
_SENDING: Final = 1.0
_CLOSING: Final = 5.0
# Of Linux' error frames: the controller has left the bus after too many errors.
_BUS_OFF: Final = 0x40
# The controller's queue is full: the frame can be sent later.
_FULL: Final = (errno.ENOBUFS, errno.EAGAIN)


def load_can(interface: str) -> Any:  # noqa: ANN401
    """Import python-can, which takes a while, and check that it knows an interface.

    Raises:
        MissingExtra: It is not installed.
        InvalidUsage: There is no such interface.
    """
    try:
        import can
    except ImportError as error:
        raise MissingExtra("python-can, which CAN buses need,", "cosmic") from error
    if interface not in can.interfaces.BACKENDS:
        raise InvalidUsage(
            f"python-can has no interface {interface!r:.60}; it has: "
            f"{', '.join(sorted(can.interfaces.BACKENDS))}"
        )
    return can


class Line:
    """One connection with a bus.

    Attributes:
        counts: error frames, unreadable frames, and frames overrun because the loop was busy.
    """

    def __init__(
        self,
        settings: CosmicSettings,
        heard: Callable[[Sequence[Frame]], None],
        lost: Callable[[str], None],
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._can = load_can(settings.interface)
        self._settings = settings
        self._heard = heard
        self._lost = lost
        self._read: deque[Frame] = deque(maxlen=MOST_READ)
        self._bus: Any = None
        self._closing = False
        self._told = False
        self._handing_over = False
        self._lock = threading.Lock()
        self._sender = ThreadPoolExecutor(1, "cosmic-send")

    async def open(self) -> None:
        """Open the bus and begin to read; Unreachable if it cannot be opened."""
        self._loop = asyncio.get_running_loop()
        settings = self._settings
        try:
            self._bus = await self._loop.run_in_executor(
                self._sender,
                lambda: self._can.Bus(
                    interface=settings.interface,
                    channel=settings.channel,
                    bitrate=settings.bit_rate,
                    can_filters=_filters(()),
                    receive_own_messages=False,
                    ignore_config=True,
                    **settings.options,
                ),
            )
        except Exception as error:  # drivers of vendors raise anything
            self._sender.shutdown()
            missing = ": pip install msgpack" if "msgpack" in str(error) else ""
            raise Unreachable(f"the bus {self._name} cannot be opened: {error}{missing}") from error
        self._reader = threading.Thread(target=self._reading, name="cosmic-read", daemon=True)
        self._reader.start()

    @property
    def _name(self) -> str:
        return f"{self._settings.interface} {self._settings.channel}"

    def listen(self, channels: Iterable[Channel]) -> None:
        """Have the controller or the kernel pass on the frames of these channels."""
        try:
            self._bus.set_filters(_filters(channels))
        except Exception as error:
            raise Unreachable(f"the bus {self._name} takes no filters: {error}") from error

    async def send(self, following: Callable[[Frame | None], Frame | None]) -> bool:
        """Give frames to the controller, one after the other; whether it has taken all.

        Args:
            following: Takes the frame that was sent last, and returns the next one; None ends it.
                It is called in the sender's thread: a change of threads for every frame would
                take longer than the frame.

        Raises:
            Unreachable: The bus does not work.
        """
        try:
            return await self._loop.run_in_executor(self._sender, self._send_all, following)
        except Unreachable as error:
            self._report(str(error))
            raise

    def _send_all(self, following: Callable[[Frame | None], Frame | None]) -> bool:
        frame = following(None)
        while frame is not None:
            if not self._send(frame):
                return False
            frame = following(frame)
        return True

    def _send(self, frame: Frame) -> bool:
        message = self._can.Message(
            arbitration_id=frame.id, data=frame.data, is_extended_id=frame.extended
        )
        try:
            self._bus.send(message, _SENDING)
        except self._can.CanTimeoutError:
            return False
        except Exception as error:
            if getattr(error, "error_code", None) in _FULL:
                return False
            cause = f"sending over the bus {self._name} failed: {error}"
            raise Unreachable(cause) from error
        return True

    async def close(self) -> None:
        """Stop reading, and close the bus."""
        self._closing = True
        await asyncio.to_thread(self._reader.join, _CLOSING)
        try:
            await self._loop.run_in_executor(self._sender, self._bus.shutdown)
        except Exception:
            log.exception("the bus %s cannot be closed", self._name)
        self._sender.shutdown(wait=False)

    # In the reader's thread.

    def _reading(self) -> None:
        unreadable = 0
        while not self._closing:
            try:
                message = self._bus.recv(_LOOK)
                if message is None and self._bus.state is self._can.BusState.ERROR:
                    return self._end("the controller has left the bus (bus-off)")
            except Exception as error:  # noqa: BLE001 -- drivers of vendors raise anything
                # A frame of garbage is an error of the sender's; the same again and again is not.
                if error.__cause__ is None or isinstance(error.__cause__, OSError):
                    return self._end(f"{type(error).__name__}: {error}")
                unreadable += 1
                self.counts["unreadable"] += 1
                if unreadable > _MOST_UNREADABLE:
                    return self._end(f"nothing that comes can be read: {error}")
                continue
            unreadable = 0
            if message is not None and (cause := self._take(message)):
                return self._end(cause)
        return None

    def _take(self, message: Any) -> str:  # noqa: ANN401
        """Hand a message over; return why the bus has gone, if the message says so."""
        if message.is_error_frame:
            self.counts["error frames"] += 1
            if self._settings.interface == "socketcan" and message.arbitration_id & _BUS_OFF:
                return "the controller has left the bus after too many errors (bus-off)"
            if self.counts["error frames"].bit_count() == 1:  # 1, 2, 4, 8 …
                log.warning("bus %s: %d error frames", self._name, self.counts["error frames"])
            return ""
        if message.is_remote_frame or message.is_fd:
            self.counts["unreadable"] += 1
            return ""
        frame = Frame(message.arbitration_id, bytes(message.data), message.is_extended_id)
        with self._lock:
            self.counts["overrun"] += len(self._read) == MOST_READ
            self._read.append(frame)
            if self._handing_over:
                return ""
            self._handing_over = True
        self._on_loop(self._hand_over)
        return ""

    def _end(self, cause: str) -> None:
        self._on_loop(self._report, f"the bus {self._name} is lost: {cause}")

    def _on_loop(self, call: Callable[..., None], *given: str) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *given)
        except RuntimeError:  # the loop has ended, and nobody is left to hear it
            self._closing = True

    # On the loop.

    def _hand_over(self) -> None:
        with self._lock:
            self._handing_over = False
            frames = list(self._read)
            self._read.clear()
        if not self._closing:
            self._heard(frames)

    def _report(self, cause: str) -> None:
        if not self._told and not self._closing:
            self._told = True
            self._lost(cause)


def _filters(channels: Iterable[Channel]) -> list[dict[str, object]]:
    """Filters of python-can for some channels; without any, one for what nobody sends."""
    found: list[dict[str, object]] = [
        {
            "can_id": channel.id,
            "can_mask": HIGHEST_ID if channel.plain else HIGHEST_TAG,
            "extended": channel.extended,
        }
        for channel in channels
    ]
    return found or [{"can_id": HIGHEST_ID, "can_mask": HIGHEST_ID, "extended": True}]
