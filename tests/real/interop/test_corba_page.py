"""The page about CORBA: its program is compiled and run as it stands."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.edges.server.serving import serving, sources
from tidings.bench.iiop_load import built_once

PAGE = Path(__file__).parents[3] / "docs" / "corba.md"


def block(language: str, words: str) -> str:
    """The block of code with these words."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (one,) = [text for text in found if words in text]
    return str(one)


async def run(command: str, folder: Path) -> str:
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(100):
        out, faults = await process.communicate()
    assert process.returncode == 0, faults.decode()
    return out.decode()


def on_port(command: str, port: str) -> str:
    return command.replace("127.0.0.1:2809", f"127.0.0.1:{port}")


def port_of(url: str) -> str:
    found = re.search(r":(\d+)/", url)
    assert found is not None
    return found[1]


@pytest.mark.slow
async def test_the_program_is_compiled_and_gets_the_fast_car() -> None:
    if not shutil.which("omniidl") or not shutil.which("g++"):
        pytest.skip("needs omniORB and g++: tools/system_packages.sh tests")
    *building, running = block("sh", "g++").splitlines()

    def make(folder: Path) -> None:
        (folder / "traffic.cc").write_text(block("cpp", "traffic.cc"), encoding="utf-8")
        for command in building:
            subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)

    built = built_once("traffic", [PAGE, Path(__file__)], make)
    place = sources(None, store__memory=True, iiop__enabled=True, iiop__port=0)
    async with serving(place) as (service, _):
        out = await run(on_port(running, port_of(service.corba_url)), built)
        assert out == "car-7 57.5\n"


async def test_the_commands_of_omnievents_do_what_is_said(tmp_path: Path) -> None:
    if not shutil.which("eventc"):
        pytest.skip("needs omniEvents: tools/system_packages.sh tests")
    place = sources(None, store__memory=True, iiop__enabled=True, iiop__port=0)
    async with serving(place) as (service, http):
        making, removing = block("sh", "rmeventc").splitlines()
        port = port_of(service.corba_url)
        await run(on_port(making, port), tmp_path)
        assert "plain" in (await http.get("/v1/channels")).text
        await run(on_port(removing, port), tmp_path)
        assert "plain" not in (await http.get("/v1/channels")).text
