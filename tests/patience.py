"""How long tests wait for what must happen: a guard against hanging, and no measurement.

A test goes on as soon as what it waits for is so. A machine that is ten times as slow and busy
with other work must not fail, so this is far beyond what anything takes. Whoever expects a test to
hang, since a fault was planted, sets `TIDINGS_PATIENCE` to fewer seconds.
"""

from __future__ import annotations

import os
from typing import Final

__all__ = ["PATIENCE"]

PATIENCE: Final = float(os.environ.get("TIDINGS_PATIENCE", "100"))
"""In seconds; less than the timeout of a test, so that the wait itself can say what is missing."""
