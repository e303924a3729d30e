"""What an error of the ORB means to who waits for a service."""

from __future__ import annotations

import asyncio

import pytest

from tidings.client.transports.iiop_patience import Patience
from tidings.errors import Stopping, TidingsError, Unreachable
from tidings.orb.exceptions import BAD_INV_ORDER, BAD_PARAM, COMM_FAILURE, TRANSIENT


def told(cause: Exception) -> TidingsError:
    error = Unreachable("told")
    error.__cause__ = cause
    return error


def test_once_the_client_is_closed_errors_say_so() -> None:
    async def scene() -> None:
        patience = Patience(5.0)
        closed = [told(cause) for cause in (TRANSIENT(), COMM_FAILURE(), BAD_INV_ORDER())]
        for error in closed:
            patience.check_end(error)
        patience.end()
        for error in closed:
            with pytest.raises(Stopping, match="the client is closed"):
                patience.check_end(error)
        patience.check_end(told(BAD_PARAM()))  # it comes of something else

    asyncio.run(scene())


def test_a_pause_ends_with_the_client() -> None:
    async def scene() -> None:
        patience = Patience(5.0)
        await patience.pause(0.001)
        pausing = asyncio.create_task(patience.pause(60.0))
        await asyncio.sleep(0)
        patience.end()
        with pytest.raises(Stopping):
            await pausing

    asyncio.run(scene())
