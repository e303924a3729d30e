"""Values by their TypeCode: reading and writing, as one."""

from __future__ import annotations

from tidings.orb.cdr_value_reader import read_value
from tidings.orb.cdr_value_writer import write_value

__all__ = ["read_value", "write_value"]
