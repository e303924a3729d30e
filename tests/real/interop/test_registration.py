"""The service registers at omniNames, and a client in C++ finds it there."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.edges.server.serving import serving, sources
from tests.real.interop.notifying import client
from tests.real.interop.test_omninames import omninames


async def test_a_client_finds_the_factory_at_omninames(tmp_path: Path, notify: Path) -> None:
    if not shutil.which("omniNames"):
        pytest.skip("needs omniNames: tools/system_packages.sh tests")
    async with asyncio.timeout(60), omninames(tmp_path) as port:
        place = sources(
            None,
            store__memory=True,
            iiop__enabled=True,
            iiop__port=0,
            naming__enabled=True,
            naming__url=f"corbaloc::127.0.0.1:{port}/NameService",
            naming__factory="services/events.factory",
        )
        async with serving(place), client(notify) as made:
            url = f"corbaname::127.0.0.1:{port}#services/events.factory"
            while await made.do("url", "factory", url):  # noqa: ASYNC110 -- until both are up
                await asyncio.sleep(0.1)
            assert await made.one("show", "factory", "channels") == "1"
