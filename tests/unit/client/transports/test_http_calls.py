from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import msgspec
import pytest

from tidings.api.call import Call
from tidings.api.problems import problem_of
from tidings.channel.commands import Command
from tidings.channel.management import CreateChannel, DestroyChannel, Suspend
from tidings.client.transports.http_calls import Caller
from tidings.errors import (
    ChannelNotFound,
    ConnectionAlreadyInactive,
    InvalidUsage,
    Stopping,
    TidingsError,
    Unreachable,
)

GET = Call("GET", "/v1/x", None, lambda plain: plain)
POST = Call("POST", "/v1/x", {"a": 1}, lambda plain: plain)


def answered(
    work: Callable[[Caller], Any], *answers: Exception | httpx2.Response | object
) -> tuple[object, list[httpx2.Request]]:
    """What a caller makes of answers, one after the other, and what it asked."""
    requests: list[httpx2.Request] = []
    left = list(answers)

    def handle(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, TidingsError):
            return httpx2.Response(answer.http_status, json=problem_of(answer))
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx2.Response):
            return answer
        return httpx2.Response(200, content=msgspec.json.encode(answer))

    return asyncio.run(_with_transport(handle, work)), requests


async def _with_transport(
    handle: Callable[[httpx2.Request], Any], work: Callable[[Caller], Any], patience: float = 0.2
) -> object:
    """What a caller whose requests a function answers comes to; its error if it raises one."""
    caller = Caller("http://localhost:1", {"Authorization": "Bearer t"}, None, patience)
    await caller._http.aclose()
    caller._http = httpx2.AsyncClient(
        transport=httpx2.MockTransport(handle), base_url="http://localhost:1"
    )
    try:
        return await work(caller)
    except TidingsError as error:
        return error
    finally:
        await caller.close()


def asked(command: Command, *answers: object) -> tuple[object, list[httpx2.Request]]:
    return answered(lambda caller: caller.ask(command), *answers)


LOST = httpx2.ReadError("cut")
REFUSED = httpx2.ConnectError("nobody is there")


def test_an_answer_is_read_and_an_error_is_the_one_it_was() -> None:
    assert answered(lambda c: c.call(GET), {"b": 2})[0] == {"b": 2}
    found, _ = answered(lambda c: c.call(GET), ChannelNotFound("there is no channel 5"))
    assert isinstance(found, ChannelNotFound)
    assert str(found) == "there is no channel 5"


def test_what_was_not_sent_is_sent_again_until_patience_ends() -> None:
    found, requests = answered(lambda c: c.call(POST), REFUSED, REFUSED, [1])
    assert (found, len(requests)) == ([1], 3)
    found, requests = answered(lambda c: c.call(POST), REFUSED)
    assert isinstance(found, Unreachable)
    assert "cannot be reached" in str(found)
    assert len(requests) > 2


def test_what_may_have_been_done_is_asked_again_only_if_that_is_safe() -> None:
    assert answered(lambda c: c.call(GET), LOST, [1])[0] == [1]
    found, requests = answered(lambda c: c.call(POST), LOST, [1])
    assert isinstance(found, Unreachable)
    assert "whether the service has done it is unknown" in str(found)
    assert len(requests) == 1


def test_what_was_deleted_by_the_first_try_counts_as_deleted() -> None:
    gone = ChannelNotFound("there is no channel 1")
    assert asked(DestroyChannel(1), LOST, gone)[0] is None
    assert isinstance(asked(DestroyChannel(1), gone)[0], ChannelNotFound)
    inactive = ConnectionAlreadyInactive("it has a pause")
    assert asked(Suspend(1, 2), LOST, inactive)[0] is None
    assert isinstance(asked(Suspend(1, 2), inactive)[0], ConnectionAlreadyInactive)


def test_a_service_that_is_stopping_is_asked_again() -> None:
    found, requests = answered(lambda c: c.call(POST), Stopping("the service stops"), [1])
    assert (found, len(requests)) == ([1], 2)
    assert isinstance(answered(lambda c: c.call(POST), Stopping("it stops"))[0], Stopping)


def test_what_speaks_no_json_is_no_service_and_not_asked_again() -> None:
    page = httpx2.Response(200, text="<html>")
    found, requests = answered(lambda c: c.call(GET), page)
    assert (type(found), len(requests)) == (TidingsError, 1)
    assert "cannot be read: it is no JSON" in str(found)


def test_patience_begins_when_the_service_is_away() -> None:
    # It took longer over an answer than whoever asked has patience, and was cut then.
    async def late(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        if len(requests) == 1:
            await asyncio.sleep(0.05)
            raise LOST
        return httpx2.Response(200, json=[1])

    requests: list[httpx2.Request] = []
    found = asyncio.run(_with_transport(late, lambda c: c.call(GET), patience=0.04))
    assert found == [1]


def test_a_service_that_is_silent_for_long_is_not_asked_again() -> None:
    found, requests = answered(lambda c: c.call(GET), httpx2.ReadTimeout("silent"))
    assert (type(found), len(requests)) == (Unreachable, 1)


def test_an_answer_that_cannot_be_unpacked_is_told() -> None:
    found, _ = answered(lambda c: c.call(POST), httpx2.DecodingError("no gzip"))
    assert isinstance(found, Unreachable)


@pytest.mark.parametrize("failure", [LOST, REFUSED])
def test_whoever_waits_when_the_client_is_closed_is_told_at_once(failure: Exception) -> None:
    async def scene(caller: Caller) -> object:
        calls = [asyncio.create_task(caller.call(one)) for one in (GET, GET)]
        await asyncio.sleep(0.05)
        await caller.close()
        async with asyncio.timeout(0.1):
            found = await asyncio.gather(*calls, caller.call(GET), return_exceptions=True)
        return [type(one) for one in found]

    async def fail(request: httpx2.Request) -> httpx2.Response:
        raise failure

    assert asyncio.run(_with_transport(fail, scene, patience=30)) == [Stopping] * 3


@pytest.mark.parametrize("name", ["\ud800", "a\nb"])
def test_what_is_no_name_is_not_sent(name: str) -> None:
    found, requests = asked(CreateChannel("0" * 32, name=name), {})
    assert isinstance(found, InvalidUsage)
    assert requests == []


def test_a_text_that_cannot_be_sent_is_told() -> None:
    found, _ = answered(lambda c: c.call(Call("POST", "/v1/x", {"a": "\ud800"}, print)), {})
    assert isinstance(found, InvalidUsage)
