"""The naming service of omniORB, found by a corbaloc."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.real.interop.objects import Impl, T
from tidings.cos import CosNaming_auto as naming
from tidings.orb.aio import Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, TRANSIENT


@asynccontextmanager
async def omninames(folder: Path) -> AsyncIterator[int]:
    """omniNames on a free port, while the block lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = await asyncio.create_subprocess_exec(
        *("omniNames", "-start", str(port), "-logdir", str(folder)),
        *("-ORBendPoint", f"giop:tcp:127.0.0.1:{port}"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield port
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.parametrize("version", ["", "1.1@", "1.2@"])
async def test_names_are_bound_and_found(version: str, tmp_path: Path) -> None:
    if not shutil.which("omniNames"):
        pytest.skip("needs omniNames: tools/system_packages.sh tests")
    async with omninames(tmp_path) as port, Orb() as orb:
        url = f"corbaloc::{version}127.0.0.1:{port}/NameService"
        root = orb.stub(naming.NamingContext, url)
        await _answering(root)
        await orb.listen()
        name = (naming.NameComponent("echo", "object"),)
        own = orb.activate(Impl(orb), b"interop")
        await root.bind(name, own)
        with pytest.raises(naming.NamingContext_AlreadyBound):
            await root.bind(name, own)
        found = await root.resolve(name)
        assert await orb.stub(T.I, found).text("hi") == "hi"
        inner = orb.stub(naming.NamingContext, await root.bind_new_context(_named("inner")))
        await inner.bind(name, found)
        assert await root.resolve(_named("inner") + name) == found
        with pytest.raises(naming.NamingContext_NotFound) as missing:
            await root.resolve((*_named("inner"), *_named("nobody")))
        assert missing.value.rest_of_name == _named("nobody")
        listed, rest = await root.list(10)
        assert {each.binding_name[0].id for each in listed} == {"echo", "inner"}
        assert not rest.profiles


def _named(id: str) -> tuple[naming.NameComponent, ...]:
    return (naming.NameComponent(id, ""),)


async def _answering(root: naming.NamingContext) -> None:
    """Waits for its port, and then for the object behind it."""
    for _ in range(100):
        try:
            await root._orb.call(
                root._reference, naming.NamingContext_INTERFACE.operations["list"], (0,)
            )
        except (OBJECT_NOT_EXIST, TRANSIENT):
            await asyncio.sleep(0.05)
        else:
            return
    raise AssertionError("omniNames does not answer")
