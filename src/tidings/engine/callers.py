"""Finds out who a caller is, by the token, password or certificate it shows.

A digest takes some 40 ms of a processor and 16 MiB: it is computed beside the loop, for one caller
at a time, and a token that fitted once is recognised at once from then on. So that strangers who
guess cannot keep out those who know, callers who succeeded from the same address before go first,
and few of all others may wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from tidings.engine.access import Caller
from tidings.errors import TooManyAttempts, Unauthenticated
from tidings.grants.core import Grants
from tidings.grants.guessing import Guessing, network
from tidings.grants.model import Credential, CredentialKind
from tidings.grants.secrets import fits, token_number, token_secret
from tidings.names import new_secret

_T = TypeVar("_T")

MOST_WAITING: Final = 64
"""Callers whose secret waits to be checked: some three seconds. As many known ones may wait."""
MOST_WAITING_OF_ONE: Final = 2
"""The same, from one address."""
_RECOGNISED: Final = 10_000
"""Tokens that are remembered, as keyed hashes, and passwords; some 2 MB each."""
_TOKENS: Final = frozenset({CredentialKind.TOKEN, CredentialKind.LOGIN})
_WRONG_TOKEN: Final = "the token is wrong, or has expired or been revoked: ask for another one"
_WRONG_PASSWORD: Final = "the name or the password is wrong"


def certified(grants: Grants, fingerprint: str, now: int) -> Caller | None:
    """Return the principal with a certificate that TLS has verified; None if it is nobody's.

    A certificate counts once grants decide: until then its owner may do what anybody there may.
    """
    found = None if grants.is_open else grants.certificate(fingerprint, now)
    if found is None:
        return None
    grants.note_login(found.id, now)
    return Caller(found.principal, credential=found.id)


class Callers:
    """Recognises callers, and slows down those that guess."""

    def __init__(self, grants: Grants, now: Callable[[], int], time: Callable[[], int]) -> None:
        self._grants = grants
        self._now = now  # cannot be set
        self._time = time
        self._guessing = Guessing()
        self._key = new_secret(32)
        self._recognised: OrderedDict[bytes, int] = OrderedDict()
        self._fitting: OrderedDict[bytes, str] = OrderedDict()
        self._queue = _HashingQueue()

    async def by_token(self, text: str, address: str) -> Caller:
        """Return the principal with a token.

        Raises:
            Unauthenticated: No credential fits.
            TooManyAttempts: Too many failed; the message says how long to wait.
        """
        found = self._known(text)
        if found is None:
            number = token_number(text)
            found = None if number is None else self._grants.credential(number, self._time())
            if found is not None and found.kind not in _TOKENS:
                found = None
            name = "" if number is None else f"token {number}"
            secret = text[:64] if number is None else token_secret(text)
            found = await self._checked(secret, found, address, name, _WRONG_TOKEN)
            self._recognised[self._hash(text)] = found.id
            while len(self._recognised) > _RECOGNISED:
                self._recognised.popitem(last=False)
        self._grants.note_login(found.id, self._time())
        return Caller(found.principal, credential=found.id)

    async def by_password(self, name: str, password: str, address: str) -> Credential:
        """Return the password of a principal, if it is that; raises as `by_token` does."""
        found = self._grants.password(name, self._time())
        shown = f"password of {name[:64]}"
        found = await self._checked(password, found, address, shown, _WRONG_PASSWORD)
        self._grants.note_login(found.id, self._time())
        return found

    def _known(self, text: str) -> Credential | None:
        number = self._recognised.get(self._hash(text))
        return None if number is None else self._grants.credential(number, self._time())

    async def fits(self, password: str, kept: str, name: str, address: str) -> bool:
        """Return whether a password fits a digest; an empty digest fits none.

        Raises:
            TooManyAttempts: Too many failed; the message says how long to wait.
        """
        key = self._hash(f"{name}\0{password}")
        if kept and self._fitting.get(key) == kept:
            return True
        right = await self._tried(password, kept or _NOBODYS, address, name) and bool(kept)
        if right:
            self._guessing.succeeded(address, name)
            self._fitting[key] = kept
            while len(self._fitting) > _RECOGNISED:
                self._fitting.popitem(last=False)
        else:
            self._guessing.failed(address, name, self._now())
        return right

    async def _checked(
        self, secret: str, found: Credential | None, address: str, name: str, wrong: str
    ) -> Credential:
        """Return a credential if a secret fits it; none takes as long as one that does not fit."""
        kept = _NOBODYS if found is None else found.digest
        right = await self._tried(secret, kept, address, name)
        live = None if found is None else self._grants.credential(found.id, self._time())
        if not right or live is None:
            self._guessing.failed(address, name, self._now())
            raise Unauthenticated(wrong)
        self._guessing.succeeded(address, name)
        return live

    async def _tried(self, secret: str, kept: str, address: str, name: str) -> bool:
        """Return whether a secret fits a digest, at the pace of whoever guesses."""
        self._check_pace(address, name)
        knows = self._guessing.knows(address, name)
        await self._queue.enter(network(address), first=knows)
        try:
            self._check_pace(address, name)  # others may have failed meanwhile
        except TooManyAttempts:
            self._queue.leave()
            raise
        return await self._queue.run(partial(fits, secret, kept))

    def _check_pace(self, address: str, name: str) -> None:
        left = self._guessing.wait(address, name, self._now())
        if left:
            seconds = -(-left // 1_000_000)
            raise TooManyAttempts(f"too many attempts failed: try again in {seconds} s")

    def _hash(self, text: str) -> bytes:
        return hmac.digest(self._key, text[:512].encode(errors="replace"), hashlib.sha256)


class _HashingQueue:
    """One digest at a time: who is known goes first, and a bounded number of others waits."""

    def __init__(self) -> None:
        self._busy = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()
        self._waiting: Counter[str] = Counter()

    async def enter(self, address: str, *, first: bool) -> None:
        """Wait for a turn; raise TooManyAttempts if too many wait already.

        Whoever has it ends it by `run` or `leave`.
        """
        if not self._busy:
            self._busy = True
            return
        queue = self._first if first else self._others
        if len(queue) >= MOST_WAITING or self._waiting[address] >= MOST_WAITING_OF_ONE:
            raise TooManyAttempts("too many callers are being checked: try again in 1 s")
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._waiting[address] += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                queue.remove(turn)
            else:  # its turn had come
                self.leave()
            raise
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    async def run(self, work: Callable[[], _T]) -> _T:
        """Run what takes long beside the loop; the turn lasts as long as it does."""
        job = asyncio.get_running_loop().run_in_executor(None, work)
        job.add_done_callback(lambda _: self.leave())
        return await asyncio.shield(job)  # whoever goes away has not stopped it

    def leave(self) -> None:
        """Give the turn to the next caller."""
        for queue in (self._first, self._others):
            if queue:
                queue.popleft().set_result(None)
                return
        self._busy = False


# The digest of something that nobody knows.
_NOBODYS: Final = "scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$" + "A" * 43 + "="
