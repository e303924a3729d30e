"""What TimeBase.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g

_here: _g.Final = _g.Types(globals())

TimeT_TYPE: _g.Final = _tc.alias("IDL:omg.org/TimeBase/TimeT:1.0", "TimeT", _tc.ULONGLONG)
InaccuracyT_TYPE: _g.Final = _tc.alias("IDL:omg.org/TimeBase/InaccuracyT:1.0", "InaccuracyT", TimeT_TYPE)
TdfT_TYPE: _g.Final = _tc.alias("IDL:omg.org/TimeBase/TdfT:1.0", "TdfT", _tc.SHORT)
UtcT_TYPE: _g.Final = _tc.struct("IDL:omg.org/TimeBase/UtcT:1.0", "UtcT", [
    ("time", TimeT_TYPE), ("inacclo", _tc.ULONG), ("inacchi", _tc.USHORT), ("tdf", TdfT_TYPE)])
IntervalT_TYPE: _g.Final = _tc.struct("IDL:omg.org/TimeBase/IntervalT:1.0", "IntervalT", [("lower_bound", TimeT_TYPE), ("upper_bound", TimeT_TYPE)])

TimeT: _g.TypeAlias = "int"
InaccuracyT: _g.TypeAlias = "TimeT"
TdfT: _g.TypeAlias = "int"

class UtcT(_g.NamedTuple):
    time: TimeT
    inacclo: int
    inacchi: int
    tdf: TdfT

class IntervalT(_g.NamedTuple):
    lower_bound: TimeT
    upper_bound: TimeT
