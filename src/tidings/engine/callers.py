"""Finds out who a caller is, by the token it shows.

A digest takes some 40 ms of a processor: it is computed beside the loop, for one caller at a time,
and a token that fitted once is recognised at once from then on.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from tidings.engine.access import Caller
from tidings.errors import TooManyAttempts, Unauthenticated
from tidings.grants.core import Grants
from tidings.grants.guessing import Guessing
from tidings.grants.model import Credential
from tidings.grants.secrets import fits, token_number, token_secret
from tidings.names import new_secret

_RECOGNISED: Final = 10_000
"""Tokens that are remembered, as keyed hashes; some 2 MB."""
_WRONG: Final = "the token is wrong, or has expired or been revoked: ask for another one"


class Callers:
    """Recognises callers, and slows down those that guess."""

    def __init__(self, grants: Grants, now: Callable[[], int]) -> None:
        self._grants = grants
        self._now = now
        self._guessing = Guessing()
        self._key = new_secret(32)
        self._recognised: OrderedDict[bytes, int] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def by_token(self, text: str, address: str) -> Caller:
        """Return the principal with a token.

        Raises:
            Unauthenticated: No credential fits.
            TooManyAttempts: Too many failed; the message says how long to wait.
        """
        found = self._known(text)
        if found is None:
            found = await self._tried(text, address)
        self._grants.note_login(found.id, self._now())
        return Caller(found.principal, credential=found.id)

    def _known(self, text: str) -> Credential | None:
        number = self._recognised.get(self._hash(text))
        return None if number is None else self._grants.credential(number, self._now())

    async def _tried(self, text: str, address: str) -> Credential:
        number = token_number(text)
        name = f"token {number}" if number is not None else ""
        self._check_pace(address, name)
        found = None if number is None else self._grants.credential(number, self._now())
        async with self._one_at_a_time:
            self._check_pace(address, name)  # others may have failed meanwhile
            # A number without a credential takes as long as one with it.
            kept = _NOBODYS if found is None else found.digest
            secret = text[:64] if number is None else token_secret(text)
            right = await asyncio.to_thread(fits, secret, kept)
        if found is not None:  # it may have been revoked while it was compared
            found = self._grants.credential(found.id, self._now())
        if not right or found is None:
            self._guessing.failed(address, name, self._now())
            raise Unauthenticated(_WRONG)
        self._guessing.succeeded(address, name)
        self._recognised[self._hash(text)] = found.id
        while len(self._recognised) > _RECOGNISED:
            self._recognised.popitem(last=False)
        return found

    def _check_pace(self, address: str, name: str) -> None:
        left = self._guessing.wait(address, name, self._now())
        if left:
            raise TooManyAttempts(f"too many attempts failed: try again in {left / 1e6:.0f} s")

    def _hash(self, text: str) -> bytes:
        return hmac.digest(self._key, text[:512].encode(errors="replace"), hashlib.sha256)


# The digest of something that nobody knows.
_NOBODYS: Final = "scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$" + "A" * 43 + "="
