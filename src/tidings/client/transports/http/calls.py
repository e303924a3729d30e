"""A client's HTTP requests, retried where that is safe."""

from __future__ import annotations

import ssl
from typing import Any, Final

import httpx2
import msgspec

from tidings.api.operations import Call, call_of
from tidings.api.problems import error_of
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.commands import Command
from tidings.channel.management import CreateChannel, ObtainProxy
from tidings.client.transports.backoff import CLOSED, Patience
from tidings.cores import Question
from tidings.errors import InvalidUsage, Stopping, TidingsError, Unreachable
from tidings.names import checked_name

# Errors raised before anything was sent.
_NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_CONNECTING: Final = 5.0
# Seconds to answer, in addition to the wait the request asks for.
_ANSWERING: Final = 30.0
# The service closes idle connections after 5 seconds; no request may race with that.
_IDLE: Final = 4.0
_CONNECTIONS: Final = 1_000


class Caller:
    """Sends requests, and retries for `patience` seconds while the service is unreachable."""

    def __init__(
        self, url: str, headers: dict[str, str], tls: ssl.SSLContext | None, patience: float
    ) -> None:
        self._patience = Patience(patience)
        self._url = url
        self._http = httpx2.AsyncClient(
            base_url=url,
            headers=headers,
            verify=False if url.startswith("http:") else tls or True,
            trust_env=False,
            timeout=httpx2.Timeout(_ANSWERING, connect=_CONNECTING, pool=None),
            limits=httpx2.Limits(
                max_connections=_CONNECTIONS, max_keepalive_connections=20, keepalive_expiry=_IDLE
            ),
        )

    async def ask(self, command: Command | Question[Any]) -> Any:  # noqa: ANN401 -- see the command
        """Run a command or answer a question."""
        call = call_of(command)
        if isinstance(command, CreateChannel | ObtainProxy):
            checked_name(command.name)  # some invalid names cannot even be sent
        row = OPERATIONS[type(command)]
        return await self.call(call, safe=row.safe, done=row.done)

    async def call(
        self,
        call: Call,
        *,
        safe: bool,
        done: type[TidingsError] | None = None,
        seconds: float = 0.0,
    ) -> Any:  # noqa: ANN401 -- see the call
        """Send a request; retry while the service is unreachable.

        Only a `safe` one is retried when its outcome is unknown; `done` is the error by which a
        retry learns that an earlier try succeeded. The service may wait for `seconds`.
        """
        tries, unsure = self._patience.tries(), False
        while True:
            if self._patience.ended:
                raise Stopping(CLOSED)
            try:
                return call.read(await self._once(call, seconds))
            except (*_NOT_SENT, Stopping) as error:  # not accepted: safe to retry
                if (distrusted := _distrust(error)) is not None:
                    why = distrusted.verify_message
                    raise Unreachable(
                        f"the certificate of {self._url} is not trusted: {why}; name the authority "
                        "that has signed it: --ca FILE, or tls= in Python"
                    ) from error
                told, silent = self._in_words(call, error), False
            except (httpx2.RequestError, Unreachable) as error:
                told, silent = self._in_words(call, error), isinstance(error, httpx2.ReadTimeout)
                if not safe:
                    raise told from error
                unsure = True
            except TidingsError as error:
                if unsure and done is not None and isinstance(error, done):
                    return None
                raise
            if not await tries.again(spent=silent):  # a read timeout has used up the patience
                raise told

    def _in_words(self, call: Call, error: Exception) -> TidingsError:
        if self._patience.ended:
            return Stopping(
                f"{call.method} {call.path}: the client was closed before an answer came"
            )
        if isinstance(error, TidingsError):
            return error
        why = str(error) or type(error).__name__
        if isinstance(error, _NOT_SENT):
            return Unreachable(f"{self._url} cannot be reached: {why}")
        told = f"{call.method} {call.path}: no answer came ({why})"
        if call.method == "GET":
            return Unreachable(told)
        return Unreachable(
            f"{told}, and whether the service has done it is unknown: look before asking again"
        )

    async def _once(self, call: Call, seconds: float) -> object:
        try:
            content = None if call.body is None else msgspec.json.encode(call.body)
        except UnicodeEncodeError as error:
            raise InvalidUsage(f"a text holds what no text can be sent with: {error}") from error
        headers = {} if content is None else {"content-type": "application/json"}
        timeout = httpx2.Timeout(_ANSWERING + seconds, connect=_CONNECTING, pool=None)
        response = await self._http.request(
            call.method, call.path, content=content, headers=headers, timeout=timeout
        )
        body = response.content
        try:
            plain = msgspec.json.decode(body) if body else None
        except msgspec.DecodeError as error:
            if response.is_success:
                raise TidingsError("the service's answer cannot be read: it is no JSON") from error
            plain = None
        if not response.is_success:
            raise error_of(plain if isinstance(plain, dict) else {}, response.status_code)
        return plain

    async def close(self) -> None:
        """Close all connections; pending calls raise `Stopping`."""
        self._patience.end()
        await self._http.aclose()


def _distrust(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error
