from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import pytest

from tidings.cli.interrupts import ended_at_once

LOADS = (
    "import signal, sys\n"
    "from tidings.cli.interrupts import ended_at_once\n"
    "{before}\n"
    "with ended_at_once():\n"
    "    signal.raise_signal(signal.SIGINT)\n"
    "sys.exit(7)\n"
)


@pytest.mark.parametrize(
    ("before", "code"),
    [("", -signal.SIGINT), ("signal.signal(signal.SIGINT, signal.SIG_IGN)", 7)],
)
def test_ctrl_c_ends_without_a_word_unless_it_is_ignored(before: str, code: int) -> None:
    source = LOADS.format(before=before)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_afterwards_it_is_as_before(handler: Any) -> None:
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyError), ended_at_once():
            raise KeyError
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_the_commands_are_loaded() -> None:
    source = (
        "import signal, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'tidings.cli.main':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from tidings.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
