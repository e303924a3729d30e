"""What CosNotifyFilter.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm

_here: _g.Final = _g.Types(globals(), _CosEventComm._here, _CosNotification._here, _CosNotifyComm._here)

ConstraintID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintID:1.0", "ConstraintID", _tc.LONG)
ConstraintIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintIDSeq:1.0", "ConstraintIDSeq", _tc.sequence(ConstraintID_TYPE))
FilterID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/FilterID:1.0", "FilterID", _tc.LONG)
FilterIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/FilterIDSeq:1.0", "FilterIDSeq", _tc.sequence(FilterID_TYPE))
CallbackID_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/CallbackID:1.0", "CallbackID", _tc.LONG)
CallbackIDSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/CallbackIDSeq:1.0", "CallbackIDSeq", _tc.sequence(CallbackID_TYPE))
ConstraintExp_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotifyFilter/ConstraintExp:1.0", "ConstraintExp", [
    ("event_types", _CosNotification.EventTypeSeq_TYPE), ("constraint_expr", _tc.STRING)])
ConstraintExpSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintExpSeq:1.0", "ConstraintExpSeq", _tc.sequence(ConstraintExp_TYPE))
ConstraintInfo_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotifyFilter/ConstraintInfo:1.0", "ConstraintInfo", [
    ("constraint_expression", ConstraintExp_TYPE), ("constraint_id", ConstraintID_TYPE)])
ConstraintInfoSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/ConstraintInfoSeq:1.0", "ConstraintInfoSeq", _tc.sequence(ConstraintInfo_TYPE))
MappingConstraintPair_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotifyFilter/MappingConstraintPair:1.0", "MappingConstraintPair", [
    ("constraint_expression", ConstraintExp_TYPE), ("result_to_set", _tc.ANY)])
MappingConstraintPairSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/MappingConstraintPairSeq:1.0", "MappingConstraintPairSeq", _tc.sequence(MappingConstraintPair_TYPE))
MappingConstraintInfo_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosNotifyFilter/MappingConstraintInfo:1.0", "MappingConstraintInfo", [
    ("constraint_expression", ConstraintExp_TYPE), ("constraint_id", ConstraintID_TYPE), ("value", _tc.ANY)])
MappingConstraintInfoSeq_TYPE: _g.Final = _tc.alias("IDL:omg.org/CosNotifyFilter/MappingConstraintInfoSeq:1.0", "MappingConstraintInfoSeq", _tc.sequence(MappingConstraintInfo_TYPE))
UnsupportedFilterableData_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/UnsupportedFilterableData:1.0", "UnsupportedFilterableData", [])
InvalidGrammar_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidGrammar:1.0", "InvalidGrammar", [])
InvalidConstraint_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidConstraint:1.0", "InvalidConstraint", [("constr", ConstraintExp_TYPE)])
DuplicateConstraintID_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/DuplicateConstraintID:1.0", "DuplicateConstraintID", [("id", ConstraintID_TYPE)])
ConstraintNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/ConstraintNotFound:1.0", "ConstraintNotFound", [("id", ConstraintID_TYPE)])
CallbackNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/CallbackNotFound:1.0", "CallbackNotFound", [])
InvalidValue_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/InvalidValue:1.0", "InvalidValue", [("constr", ConstraintExp_TYPE), ("value", _tc.ANY)])
FilterNotFound_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosNotifyFilter/FilterNotFound:1.0", "FilterNotFound", [])
Filter_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyFilter/Filter:1.0", "Filter")
MappingFilter_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyFilter/MappingFilter:1.0", "MappingFilter")
FilterFactory_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyFilter/FilterFactory:1.0", "FilterFactory")
FilterAdmin_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosNotifyFilter/FilterAdmin:1.0", "FilterAdmin")

ConstraintID: _g.TypeAlias = "int"
read_ConstraintID: _g.Reads[ConstraintID] = _here.reads(ConstraintID_TYPE)
write_ConstraintID: _g.Writes[ConstraintID] = _here.writes(ConstraintID_TYPE)

ConstraintIDSeq: _g.TypeAlias = "_g.Sequence[ConstraintID]"
read_ConstraintIDSeq: _g.Reads[ConstraintIDSeq] = _here.reads(ConstraintIDSeq_TYPE)
write_ConstraintIDSeq: _g.Writes[ConstraintIDSeq] = _here.writes(ConstraintIDSeq_TYPE)

FilterID: _g.TypeAlias = "int"
read_FilterID: _g.Reads[FilterID] = _here.reads(FilterID_TYPE)
write_FilterID: _g.Writes[FilterID] = _here.writes(FilterID_TYPE)

FilterIDSeq: _g.TypeAlias = "_g.Sequence[FilterID]"
read_FilterIDSeq: _g.Reads[FilterIDSeq] = _here.reads(FilterIDSeq_TYPE)
write_FilterIDSeq: _g.Writes[FilterIDSeq] = _here.writes(FilterIDSeq_TYPE)

CallbackID: _g.TypeAlias = "int"
read_CallbackID: _g.Reads[CallbackID] = _here.reads(CallbackID_TYPE)
write_CallbackID: _g.Writes[CallbackID] = _here.writes(CallbackID_TYPE)

CallbackIDSeq: _g.TypeAlias = "_g.Sequence[CallbackID]"
read_CallbackIDSeq: _g.Reads[CallbackIDSeq] = _here.reads(CallbackIDSeq_TYPE)
write_CallbackIDSeq: _g.Writes[CallbackIDSeq] = _here.writes(CallbackIDSeq_TYPE)

class ConstraintExp(_g.NamedTuple):
    """struct CosNotifyFilter::ConstraintExp"""
    event_types: _CosNotification.EventTypeSeq
    constraint_expr: str
read_ConstraintExp: _g.Reads[ConstraintExp] = _here.reads(ConstraintExp_TYPE)
write_ConstraintExp: _g.Writes[ConstraintExp] = _here.writes(ConstraintExp_TYPE)

ConstraintExpSeq: _g.TypeAlias = "_g.Sequence[ConstraintExp]"
read_ConstraintExpSeq: _g.Reads[ConstraintExpSeq] = _here.reads(ConstraintExpSeq_TYPE)
write_ConstraintExpSeq: _g.Writes[ConstraintExpSeq] = _here.writes(ConstraintExpSeq_TYPE)

class ConstraintInfo(_g.NamedTuple):
    """struct CosNotifyFilter::ConstraintInfo"""
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID
read_ConstraintInfo: _g.Reads[ConstraintInfo] = _here.reads(ConstraintInfo_TYPE)
write_ConstraintInfo: _g.Writes[ConstraintInfo] = _here.writes(ConstraintInfo_TYPE)

ConstraintInfoSeq: _g.TypeAlias = "_g.Sequence[ConstraintInfo]"
read_ConstraintInfoSeq: _g.Reads[ConstraintInfoSeq] = _here.reads(ConstraintInfoSeq_TYPE)
write_ConstraintInfoSeq: _g.Writes[ConstraintInfoSeq] = _here.writes(ConstraintInfoSeq_TYPE)

class MappingConstraintPair(_g.NamedTuple):
    """struct CosNotifyFilter::MappingConstraintPair"""
    constraint_expression: ConstraintExp
    result_to_set: _g.Value
read_MappingConstraintPair: _g.Reads[MappingConstraintPair] = _here.reads(MappingConstraintPair_TYPE)
write_MappingConstraintPair: _g.Writes[MappingConstraintPair] = _here.writes(MappingConstraintPair_TYPE)

MappingConstraintPairSeq: _g.TypeAlias = "_g.Sequence[MappingConstraintPair]"
read_MappingConstraintPairSeq: _g.Reads[MappingConstraintPairSeq] = _here.reads(MappingConstraintPairSeq_TYPE)
write_MappingConstraintPairSeq: _g.Writes[MappingConstraintPairSeq] = _here.writes(MappingConstraintPairSeq_TYPE)

class MappingConstraintInfo(_g.NamedTuple):
    """struct CosNotifyFilter::MappingConstraintInfo"""
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID
    value: _g.Value
read_MappingConstraintInfo: _g.Reads[MappingConstraintInfo] = _here.reads(MappingConstraintInfo_TYPE)
write_MappingConstraintInfo: _g.Writes[MappingConstraintInfo] = _here.writes(MappingConstraintInfo_TYPE)

MappingConstraintInfoSeq: _g.TypeAlias = "_g.Sequence[MappingConstraintInfo]"
read_MappingConstraintInfoSeq: _g.Reads[MappingConstraintInfoSeq] = _here.reads(MappingConstraintInfoSeq_TYPE)
write_MappingConstraintInfoSeq: _g.Writes[MappingConstraintInfoSeq] = _here.writes(MappingConstraintInfoSeq_TYPE)

read_UnsupportedFilterableData: _g.Reads[UnsupportedFilterableData] = _here.reads(UnsupportedFilterableData_TYPE)
write_UnsupportedFilterableData: _g.Writes[UnsupportedFilterableData] = _here.writes(UnsupportedFilterableData_TYPE)
class UnsupportedFilterableData(_g.UserException):
    """exception CosNotifyFilter::UnsupportedFilterableData"""
    ID = corba_id = UnsupportedFilterableData_TYPE.id
    TYPE = UnsupportedFilterableData_TYPE
    read, write = staticmethod(read_UnsupportedFilterableData), staticmethod(write_UnsupportedFilterableData)
    def __init__(self) -> None:
        super().__init__()

read_InvalidGrammar: _g.Reads[InvalidGrammar] = _here.reads(InvalidGrammar_TYPE)
write_InvalidGrammar: _g.Writes[InvalidGrammar] = _here.writes(InvalidGrammar_TYPE)
class InvalidGrammar(_g.UserException):
    """exception CosNotifyFilter::InvalidGrammar"""
    ID = corba_id = InvalidGrammar_TYPE.id
    TYPE = InvalidGrammar_TYPE
    read, write = staticmethod(read_InvalidGrammar), staticmethod(write_InvalidGrammar)
    def __init__(self) -> None:
        super().__init__()

read_InvalidConstraint: _g.Reads[InvalidConstraint] = _here.reads(InvalidConstraint_TYPE)
write_InvalidConstraint: _g.Writes[InvalidConstraint] = _here.writes(InvalidConstraint_TYPE)
class InvalidConstraint(_g.UserException):
    """exception CosNotifyFilter::InvalidConstraint"""
    ID = corba_id = InvalidConstraint_TYPE.id
    TYPE = InvalidConstraint_TYPE
    read, write = staticmethod(read_InvalidConstraint), staticmethod(write_InvalidConstraint)
    __match_args__ = ("constr", )
    def __init__(self, constr: ConstraintExp) -> None:
        super().__init__(constr)
        self.constr = constr

read_DuplicateConstraintID: _g.Reads[DuplicateConstraintID] = _here.reads(DuplicateConstraintID_TYPE)
write_DuplicateConstraintID: _g.Writes[DuplicateConstraintID] = _here.writes(DuplicateConstraintID_TYPE)
class DuplicateConstraintID(_g.UserException):
    """exception CosNotifyFilter::DuplicateConstraintID"""
    ID = corba_id = DuplicateConstraintID_TYPE.id
    TYPE = DuplicateConstraintID_TYPE
    read, write = staticmethod(read_DuplicateConstraintID), staticmethod(write_DuplicateConstraintID)
    __match_args__ = ("id", )
    def __init__(self, id: ConstraintID) -> None:
        super().__init__(id)
        self.id = id

read_ConstraintNotFound: _g.Reads[ConstraintNotFound] = _here.reads(ConstraintNotFound_TYPE)
write_ConstraintNotFound: _g.Writes[ConstraintNotFound] = _here.writes(ConstraintNotFound_TYPE)
class ConstraintNotFound(_g.UserException):
    """exception CosNotifyFilter::ConstraintNotFound"""
    ID = corba_id = ConstraintNotFound_TYPE.id
    TYPE = ConstraintNotFound_TYPE
    read, write = staticmethod(read_ConstraintNotFound), staticmethod(write_ConstraintNotFound)
    __match_args__ = ("id", )
    def __init__(self, id: ConstraintID) -> None:
        super().__init__(id)
        self.id = id

read_CallbackNotFound: _g.Reads[CallbackNotFound] = _here.reads(CallbackNotFound_TYPE)
write_CallbackNotFound: _g.Writes[CallbackNotFound] = _here.writes(CallbackNotFound_TYPE)
class CallbackNotFound(_g.UserException):
    """exception CosNotifyFilter::CallbackNotFound"""
    ID = corba_id = CallbackNotFound_TYPE.id
    TYPE = CallbackNotFound_TYPE
    read, write = staticmethod(read_CallbackNotFound), staticmethod(write_CallbackNotFound)
    def __init__(self) -> None:
        super().__init__()

read_InvalidValue: _g.Reads[InvalidValue] = _here.reads(InvalidValue_TYPE)
write_InvalidValue: _g.Writes[InvalidValue] = _here.writes(InvalidValue_TYPE)
class InvalidValue(_g.UserException):
    """exception CosNotifyFilter::InvalidValue"""
    ID = corba_id = InvalidValue_TYPE.id
    TYPE = InvalidValue_TYPE
    read, write = staticmethod(read_InvalidValue), staticmethod(write_InvalidValue)
    __match_args__ = ("constr", "value", )
    def __init__(self, constr: ConstraintExp, value: _g.Value) -> None:
        super().__init__(constr, value)
        self.constr = constr
        self.value = value

read_FilterNotFound: _g.Reads[FilterNotFound] = _here.reads(FilterNotFound_TYPE)
write_FilterNotFound: _g.Writes[FilterNotFound] = _here.writes(FilterNotFound_TYPE)
class FilterNotFound(_g.UserException):
    """exception CosNotifyFilter::FilterNotFound"""
    ID = corba_id = FilterNotFound_TYPE.id
    TYPE = FilterNotFound_TYPE
    read, write = staticmethod(read_FilterNotFound), staticmethod(write_FilterNotFound)
    def __init__(self) -> None:
        super().__init__()

Filter_INTERFACE: _g.Final = _here.interface(
    Filter_TYPE, "CosNotifyFilter::Filter", (),
    _here.operation("add_constraints", takes={"constraint_list": ConstraintExpSeq_TYPE}, gives={"": ConstraintInfoSeq_TYPE},
        raises=(InvalidConstraint, )),
    _here.operation("modify_constraints", takes={"del_list": ConstraintIDSeq_TYPE, "modify_list": ConstraintInfoSeq_TYPE},
        raises=(InvalidConstraint, ConstraintNotFound, )),
    _here.operation("get_constraints", takes={"id_list": ConstraintIDSeq_TYPE}, gives={"": ConstraintInfoSeq_TYPE},
        raises=(ConstraintNotFound, )),
    _here.operation("get_all_constraints", gives={"": ConstraintInfoSeq_TYPE}),
    _here.operation("remove_all_constraints"),
    _here.operation("destroy"),
    _here.operation("match", takes={"filterable_data": _tc.ANY}, gives={"": _tc.BOOLEAN}, raises=(UnsupportedFilterableData, )),
    _here.operation("match_structured", takes={"filterable_data": _CosNotification.StructuredEvent_TYPE}, gives={"": _tc.BOOLEAN},
        raises=(UnsupportedFilterableData, )),
    _here.operation("match_typed", takes={"filterable_data": _CosNotification.PropertySeq_TYPE}, gives={"": _tc.BOOLEAN},
        raises=(UnsupportedFilterableData, )),
    _here.operation("attach_callback", takes={"callback": _CosNotifyComm.NotifySubscribe_TYPE}, gives={"": CallbackID_TYPE}),
    _here.operation("detach_callback", takes={"callback": CallbackID_TYPE}, raises=(CallbackNotFound, )),
    _here.operation("get_callbacks", gives={"": CallbackIDSeq_TYPE}),
    _here.operation("_get_constraint_grammar", gives={"": _tc.STRING}, method="get_constraint_grammar"),
)

class Filter(_g.Stub):
    """interface CosNotifyFilter::Filter"""
    __slots__ = ()
    INTERFACE = Filter_INTERFACE
    async def add_constraints(self, constraint_list: ConstraintExpSeq) -> ConstraintInfoSeq:
        return await self._call("add_constraints", constraint_list)
    async def modify_constraints(self, del_list: ConstraintIDSeq, modify_list: ConstraintInfoSeq) -> None:
        await self._call("modify_constraints", del_list, modify_list)
    async def get_constraints(self, id_list: ConstraintIDSeq) -> ConstraintInfoSeq:
        return await self._call("get_constraints", id_list)
    async def get_all_constraints(self) -> ConstraintInfoSeq: return await self._call("get_all_constraints")
    async def remove_all_constraints(self) -> None: await self._call("remove_all_constraints")
    async def destroy(self) -> None: await self._call("destroy")
    async def match(self, filterable_data: _g.Value) -> bool: return await self._call("match", filterable_data)
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> bool:
        return await self._call("match_structured", filterable_data)
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> bool:
        return await self._call("match_typed", filterable_data)
    async def attach_callback(self, callback: _g.Reference) -> CallbackID:
        return await self._call("attach_callback", callback)
    async def detach_callback(self, callback: CallbackID) -> None: await self._call("detach_callback", callback)
    async def get_callbacks(self) -> CallbackIDSeq: return await self._call("get_callbacks")
    async def get_constraint_grammar(self) -> str: return await self._call("_get_constraint_grammar")

class FilterServant(_g.Servant):
    """interface CosNotifyFilter::Filter"""
    INTERFACE = Filter_INTERFACE
    async def add_constraints(self, constraint_list: ConstraintExpSeq) -> ConstraintInfoSeq:
        _g.not_done(self, "add_constraints")
    async def modify_constraints(self, del_list: ConstraintIDSeq, modify_list: ConstraintInfoSeq) -> None:
        _g.not_done(self, "modify_constraints")
    async def get_constraints(self, id_list: ConstraintIDSeq) -> ConstraintInfoSeq: _g.not_done(self, "get_constraints")
    async def get_all_constraints(self) -> ConstraintInfoSeq: _g.not_done(self, "get_all_constraints")
    async def remove_all_constraints(self) -> None: _g.not_done(self, "remove_all_constraints")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
    async def match(self, filterable_data: _g.Value) -> bool: _g.not_done(self, "match")
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> bool:
        _g.not_done(self, "match_structured")
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> bool: _g.not_done(self, "match_typed")
    async def attach_callback(self, callback: _g.Reference) -> CallbackID: _g.not_done(self, "attach_callback")
    async def detach_callback(self, callback: CallbackID) -> None: _g.not_done(self, "detach_callback")
    async def get_callbacks(self) -> CallbackIDSeq: _g.not_done(self, "get_callbacks")
    async def get_constraint_grammar(self) -> str: _g.not_done(self, "get_constraint_grammar")

MappingFilter_INTERFACE: _g.Final = _here.interface(
    MappingFilter_TYPE, "CosNotifyFilter::MappingFilter", (),
    _here.operation("add_mapping_constraints", takes={"pair_list": MappingConstraintPairSeq_TYPE}, gives={"": MappingConstraintInfoSeq_TYPE},
        raises=(InvalidConstraint, InvalidValue, )),
    _here.operation("modify_mapping_constraints", takes={"del_list": ConstraintIDSeq_TYPE, "modify_list": MappingConstraintInfoSeq_TYPE},
        raises=(InvalidConstraint, InvalidValue, ConstraintNotFound, )),
    _here.operation("get_mapping_constraints", takes={"id_list": ConstraintIDSeq_TYPE}, gives={"": MappingConstraintInfoSeq_TYPE},
        raises=(ConstraintNotFound, )),
    _here.operation("get_all_mapping_constraints", gives={"": MappingConstraintInfoSeq_TYPE}),
    _here.operation("remove_all_mapping_constraints"),
    _here.operation("destroy"),
    _here.operation("match", takes={"filterable_data": _tc.ANY}, gives={"": _tc.BOOLEAN, "result_to_set": _tc.ANY},
        raises=(UnsupportedFilterableData, )),
    _here.operation("match_structured", takes={"filterable_data": _CosNotification.StructuredEvent_TYPE},
        gives={"": _tc.BOOLEAN, "result_to_set": _tc.ANY}, raises=(UnsupportedFilterableData, )),
    _here.operation("match_typed", takes={"filterable_data": _CosNotification.PropertySeq_TYPE},
        gives={"": _tc.BOOLEAN, "result_to_set": _tc.ANY}, raises=(UnsupportedFilterableData, )),
    _here.operation("_get_constraint_grammar", gives={"": _tc.STRING}, method="get_constraint_grammar"),
    _here.operation("_get_value_type", gives={"": _tc.TYPECODE}, method="get_value_type"),
    _here.operation("_get_default_value", gives={"": _tc.ANY}, method="get_default_value"),
)

class MappingFilter(_g.Stub):
    """interface CosNotifyFilter::MappingFilter"""
    __slots__ = ()
    INTERFACE = MappingFilter_INTERFACE
    async def add_mapping_constraints(self, pair_list: MappingConstraintPairSeq) -> MappingConstraintInfoSeq:
        return await self._call("add_mapping_constraints", pair_list)
    async def modify_mapping_constraints(self, del_list: ConstraintIDSeq, modify_list: MappingConstraintInfoSeq) -> None:
        await self._call("modify_mapping_constraints", del_list, modify_list)
    async def get_mapping_constraints(self, id_list: ConstraintIDSeq) -> MappingConstraintInfoSeq:
        return await self._call("get_mapping_constraints", id_list)
    async def get_all_mapping_constraints(self) -> MappingConstraintInfoSeq:
        return await self._call("get_all_mapping_constraints")
    async def remove_all_mapping_constraints(self) -> None: await self._call("remove_all_mapping_constraints")
    async def destroy(self) -> None: await self._call("destroy")
    async def match(self, filterable_data: _g.Value) -> tuple[bool, _g.Value]:
        return await self._call("match", filterable_data)
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> tuple[bool, _g.Value]:
        return await self._call("match_structured", filterable_data)
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> tuple[bool, _g.Value]:
        return await self._call("match_typed", filterable_data)
    async def get_constraint_grammar(self) -> str: return await self._call("_get_constraint_grammar")
    async def get_value_type(self) -> _g.TypeCode: return await self._call("_get_value_type")
    async def get_default_value(self) -> _g.Value: return await self._call("_get_default_value")

class MappingFilterServant(_g.Servant):
    """interface CosNotifyFilter::MappingFilter"""
    INTERFACE = MappingFilter_INTERFACE
    async def add_mapping_constraints(self, pair_list: MappingConstraintPairSeq) -> MappingConstraintInfoSeq:
        _g.not_done(self, "add_mapping_constraints")
    async def modify_mapping_constraints(self, del_list: ConstraintIDSeq, modify_list: MappingConstraintInfoSeq) -> None:
        _g.not_done(self, "modify_mapping_constraints")
    async def get_mapping_constraints(self, id_list: ConstraintIDSeq) -> MappingConstraintInfoSeq:
        _g.not_done(self, "get_mapping_constraints")
    async def get_all_mapping_constraints(self) -> MappingConstraintInfoSeq:
        _g.not_done(self, "get_all_mapping_constraints")
    async def remove_all_mapping_constraints(self) -> None: _g.not_done(self, "remove_all_mapping_constraints")
    async def destroy(self) -> None: _g.not_done(self, "destroy")
    async def match(self, filterable_data: _g.Value) -> tuple[bool, _g.Value]: _g.not_done(self, "match")
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> tuple[bool, _g.Value]:
        _g.not_done(self, "match_structured")
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> tuple[bool, _g.Value]:
        _g.not_done(self, "match_typed")
    async def get_constraint_grammar(self) -> str: _g.not_done(self, "get_constraint_grammar")
    async def get_value_type(self) -> _g.TypeCode: _g.not_done(self, "get_value_type")
    async def get_default_value(self) -> _g.Value: _g.not_done(self, "get_default_value")

FilterFactory_INTERFACE: _g.Final = _here.interface(
    FilterFactory_TYPE, "CosNotifyFilter::FilterFactory", (),
    _here.operation("create_filter", takes={"constraint_grammar": _tc.STRING}, gives={"": Filter_TYPE}, raises=(InvalidGrammar, )),
    _here.operation("create_mapping_filter", takes={"constraint_grammar": _tc.STRING, "default_value": _tc.ANY},
        gives={"": MappingFilter_TYPE}, raises=(InvalidGrammar, )),
)

class FilterFactory(_g.Stub):
    """interface CosNotifyFilter::FilterFactory"""
    __slots__ = ()
    INTERFACE = FilterFactory_INTERFACE
    async def create_filter(self, constraint_grammar: str) -> _g.Reference:
        return await self._call("create_filter", constraint_grammar)
    async def create_mapping_filter(self, constraint_grammar: str, default_value: _g.Value) -> _g.Reference:
        return await self._call("create_mapping_filter", constraint_grammar, default_value)

class FilterFactoryServant(_g.Servant):
    """interface CosNotifyFilter::FilterFactory"""
    INTERFACE = FilterFactory_INTERFACE
    async def create_filter(self, constraint_grammar: str) -> _g.Reference: _g.not_done(self, "create_filter")
    async def create_mapping_filter(self, constraint_grammar: str, default_value: _g.Value) -> _g.Reference:
        _g.not_done(self, "create_mapping_filter")

FilterAdmin_INTERFACE: _g.Final = _here.interface(
    FilterAdmin_TYPE, "CosNotifyFilter::FilterAdmin", (),
    _here.operation("add_filter", takes={"new_filter": Filter_TYPE}, gives={"": FilterID_TYPE}),
    _here.operation("remove_filter", takes={"filter": FilterID_TYPE}, raises=(FilterNotFound, )),
    _here.operation("get_filter", takes={"filter": FilterID_TYPE}, gives={"": Filter_TYPE}, raises=(FilterNotFound, )),
    _here.operation("get_all_filters", gives={"": FilterIDSeq_TYPE}),
    _here.operation("remove_all_filters"),
)

class FilterAdmin(_g.Stub):
    """interface CosNotifyFilter::FilterAdmin"""
    __slots__ = ()
    INTERFACE = FilterAdmin_INTERFACE
    async def add_filter(self, new_filter: _g.Reference) -> FilterID: return await self._call("add_filter", new_filter)
    async def remove_filter(self, filter: FilterID) -> None: await self._call("remove_filter", filter)
    async def get_filter(self, filter: FilterID) -> _g.Reference: return await self._call("get_filter", filter)
    async def get_all_filters(self) -> FilterIDSeq: return await self._call("get_all_filters")
    async def remove_all_filters(self) -> None: await self._call("remove_all_filters")

class FilterAdminServant(_g.Servant):
    """interface CosNotifyFilter::FilterAdmin"""
    INTERFACE = FilterAdmin_INTERFACE
    async def add_filter(self, new_filter: _g.Reference) -> FilterID: _g.not_done(self, "add_filter")
    async def remove_filter(self, filter: FilterID) -> None: _g.not_done(self, "remove_filter")
    async def get_filter(self, filter: FilterID) -> _g.Reference: _g.not_done(self, "get_filter")
    async def get_all_filters(self) -> FilterIDSeq: _g.not_done(self, "get_all_filters")
    async def remove_all_filters(self) -> None: _g.not_done(self, "remove_all_filters")
