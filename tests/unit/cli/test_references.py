"""`tidings ior show` and `tidings ior check`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.unit.cli.running import objects, tidings
from tests.unit.orb.echo import INTERFACE, EchoServant
from tidings.events.reference import Reference
from tidings.orb.aio import Address, Orb
from tidings.orb.ior import make_reference, to_ior
from tidings.orb.poa import Found

REFERENCE = make_reference(INTERFACE.id, "127.0.0.1", 1, b"echo", alternates=[("::1", 2)])


@contextmanager
def served() -> Iterator[Address]:
    """An ORB in a thread of its own: it has `echo`, and sends callers of `moved` elsewhere."""
    address: list[Address] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    def find(key: bytes) -> Found:
        return REFERENCE if key == b"moved" else None

    async def run() -> None:
        async with Orb(find=find) as orb:
            address.append(await orb.listen())
            orb.activate(EchoServant(), b"echo")
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    try:
        assert ready.wait(10)
        yield address[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()


class TestShow:
    def test_tells_type_addresses_and_key(self) -> None:
        shown = tidings("ior", "show", to_ior(REFERENCE))
        assert shown.exit_code == 0
        lines = shown.stdout.splitlines()
        assert lines[:3] == ["type: IDL:tests/Echo:1.0", "IIOP 1.2 at 127.0.0.1:1", "  key: 'echo'"]

    def test_gives_the_same_as_json(self) -> None:
        (shown,) = objects(tidings("ior", "show", "--json", to_ior(REFERENCE)).stdout)
        assert shown == {
            "type_id": INTERFACE.id,
            "ior": to_ior(REFERENCE),
            "profiles": [
                {"addresses": ["127.0.0.1:1", "[::1]:2"], "minor": 2, "key": b"echo".hex()}
            ],
        }

    def test_reads_files_and_standard_input(self, tmp_path: Path) -> None:
        file = tmp_path / "echo.ior"
        file.write_text(f"{to_ior(REFERENCE)}\n")
        expected = tidings("ior", "show", to_ior(REFERENCE)).stdout
        for name in (f"file:{file}", f"file://{file}"):
            assert tidings("ior", "show", name).stdout == expected
        assert tidings("ior", "show", "-", given=to_ior(REFERENCE)).stdout == expected

    def test_says_what_is_wrong(self, tmp_path: Path) -> None:
        missing = tidings("ior", "show", f"file:{tmp_path / 'nothing.ior'}")
        assert (missing.exit_code, "nothing.ior" in missing.stderr) == (2, True)
        bad = tidings("ior", "show", "IOR:zz")
        assert (bad.exit_code, "hexadecimal" in bad.stderr) == (2, True)
        name = tidings("ior", "show", "corbaname::x#y")
        assert (name.exit_code, "IOR: or corbaloc:" in name.stderr) == (2, True)

    def test_nil_is_told(self) -> None:
        assert "nil" in tidings("ior", "show", to_ior(Reference())).stdout


class TestCheck:
    def test_says_which_address_answers_and_why_others_do_not(self) -> None:
        with served() as (host, port):
            reference = make_reference("", "127.0.0.1", 1, b"echo", alternates=[(host, port)])
            checked = tidings("ior", "check", to_ior(reference))
        assert checked.exit_code == 0
        assert checked.stdout.splitlines() == [
            "127.0.0.1:1: Connection refused",
            f"127.0.0.1:{port}: has the object",
        ]

    def test_an_object_that_is_nowhere_gives_exit_code_1(self) -> None:
        with served() as (host, port):
            checked = tidings("ior", "check", f"corbaloc::{host}:{port}/nobody")
        assert checked.exit_code == 1
        assert checked.stdout == f"127.0.0.1:{port}: answers, and has no such object\n"

    def test_tells_where_callers_are_sent(self) -> None:
        with served() as (host, port):
            url = f"corbaloc::{host}:{port}/moved"
            checked = tidings("ior", "check", url)
            (told,) = objects(tidings("ior", "check", "--json", url).stdout)
        assert checked.stdout.splitlines()[:2] == [
            f"127.0.0.1:{port}: sends callers elsewhere",
            "  type: IDL:tests/Echo:1.0",
        ]
        assert told == {
            "address": f"127.0.0.1:{port}",
            "found": True,
            "said": "sends callers elsewhere",
            "forward": to_ior(REFERENCE),
        }
