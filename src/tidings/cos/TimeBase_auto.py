"""What TimeBase.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

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
read_TimeT: _g.Reads[TimeT] = _here.reads(TimeT_TYPE)
write_TimeT: _g.Writes[TimeT] = _here.writes(TimeT_TYPE)

InaccuracyT: _g.TypeAlias = "TimeT"
read_InaccuracyT: _g.Reads[InaccuracyT] = _here.reads(InaccuracyT_TYPE)
write_InaccuracyT: _g.Writes[InaccuracyT] = _here.writes(InaccuracyT_TYPE)

TdfT: _g.TypeAlias = "int"
read_TdfT: _g.Reads[TdfT] = _here.reads(TdfT_TYPE)
write_TdfT: _g.Writes[TdfT] = _here.writes(TdfT_TYPE)

class UtcT(_g.NamedTuple):
    """struct TimeBase::UtcT"""
    time: TimeT
    inacclo: int
    inacchi: int
    tdf: TdfT
read_UtcT: _g.Reads[UtcT] = _here.reads(UtcT_TYPE)
write_UtcT: _g.Writes[UtcT] = _here.writes(UtcT_TYPE)

class IntervalT(_g.NamedTuple):
    """struct TimeBase::IntervalT"""
    lower_bound: TimeT
    upper_bound: TimeT
read_IntervalT: _g.Reads[IntervalT] = _here.reads(IntervalT_TYPE)
write_IntervalT: _g.Writes[IntervalT] = _here.writes(IntervalT_TYPE)
