"""The cheap WebSocket client understands what a server sends, however it is cut up."""

from __future__ import annotations

import asyncio

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from tidings.bench.web_load import Socket, client_frame

_HEAD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_a_frame_of_ours_is_one_of_the_standard(size: int) -> None:
    reader = StreamReader()
    reader.feed_data(client_frame(b"x" * size))
    parsing = Frame.parse(reader.read_exact, mask=True, max_size=None)
    with pytest.raises(StopIteration) as end:
        next(parsing)
    assert end.value.value == Frame(Opcode.TEXT, b"x" * size)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1_000_000])
def test_frames_come_whole_in_whatever_pieces(step: int) -> None:
    texts = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 70_000, b"e"]
    octets = _HEAD + b"".join(Frame(Opcode.TEXT, one).serialize(mask=False) for one in texts)

    async def work() -> list[bytes]:
        came: list[bytes] = []
        socket = Socket(came.append)
        for at in range(0, len(octets), step):
            socket.data_received(octets[at : at + step])
        return came

    assert asyncio.run(work()) == texts


def test_an_answer_that_is_no_websocket_is_told() -> None:
    async def work() -> None:
        with pytest.raises(AssertionError, match=r"no WebSocket: HTTP/1\.1 404 Not Found"):
            Socket(print).data_received(b"HTTP/1.1 404 Not Found\r\n\r\n")

    asyncio.run(work())
