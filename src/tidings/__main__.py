"""`python -m tidings` is the command line."""

from __future__ import annotations

from tidings.cli.main import main

if __name__ == "__main__":
    main()
