"""`python -m tidings`, or `tidings` alone, is the command line."""

from __future__ import annotations

from tidings.cli.interrupts import ended_at_once


def main() -> None:
    """The `tidings` command."""
    with ended_at_once():  # loading all commands takes long enough to press Ctrl-C
        from tidings.cli.main import main as run
    run()


if __name__ == "__main__":
    main()
