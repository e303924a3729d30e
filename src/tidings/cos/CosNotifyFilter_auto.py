"""What CosNotifyFilter.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

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
ConstraintIDSeq: _g.TypeAlias = "_g.Sequence[ConstraintID]"
FilterID: _g.TypeAlias = "int"
FilterIDSeq: _g.TypeAlias = "_g.Sequence[FilterID]"
CallbackID: _g.TypeAlias = "int"
CallbackIDSeq: _g.TypeAlias = "_g.Sequence[CallbackID]"

class ConstraintExp(_g.NamedTuple):
    event_types: _CosNotification.EventTypeSeq
    constraint_expr: str

ConstraintExpSeq: _g.TypeAlias = "_g.Sequence[ConstraintExp]"

class ConstraintInfo(_g.NamedTuple):
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID

ConstraintInfoSeq: _g.TypeAlias = "_g.Sequence[ConstraintInfo]"

class MappingConstraintPair(_g.NamedTuple):
    constraint_expression: ConstraintExp
    result_to_set: _g.Value

MappingConstraintPairSeq: _g.TypeAlias = "_g.Sequence[MappingConstraintPair]"

class MappingConstraintInfo(_g.NamedTuple):
    constraint_expression: ConstraintExp
    constraint_id: ConstraintID
    value: _g.Value

MappingConstraintInfoSeq: _g.TypeAlias = "_g.Sequence[MappingConstraintInfo]"
class UnsupportedFilterableData(_g.UserException, types=_here, type=UnsupportedFilterableData_TYPE): ...
class InvalidGrammar(_g.UserException, types=_here, type=InvalidGrammar_TYPE): ...

class InvalidConstraint(_g.UserException, types=_here, type=InvalidConstraint_TYPE):
    constr: ConstraintExp

class DuplicateConstraintID(_g.UserException, types=_here, type=DuplicateConstraintID_TYPE):
    id: ConstraintID

class ConstraintNotFound(_g.UserException, types=_here, type=ConstraintNotFound_TYPE):
    id: ConstraintID

class CallbackNotFound(_g.UserException, types=_here, type=CallbackNotFound_TYPE): ...

class InvalidValue(_g.UserException, types=_here, type=InvalidValue_TYPE):
    constr: ConstraintExp
    value: _g.Value

class FilterNotFound(_g.UserException, types=_here, type=FilterNotFound_TYPE): ...

Filter_INTERFACE: _g.Final = _here.interface(Filter_TYPE, "CosNotifyFilter::Filter", (),
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
    _here.operation("_get_constraint_grammar", gives={"": _tc.STRING}, method="get_constraint_grammar"))
class _Filter_methods:
    async def add_constraints(self, constraint_list: ConstraintExpSeq) -> ConstraintInfoSeq: ...
    async def modify_constraints(self, del_list: ConstraintIDSeq, modify_list: ConstraintInfoSeq) -> None: ...
    async def get_constraints(self, id_list: ConstraintIDSeq) -> ConstraintInfoSeq: ...
    async def get_all_constraints(self) -> ConstraintInfoSeq: ...
    async def remove_all_constraints(self) -> None: ...
    async def destroy(self) -> None: ...
    async def match(self, filterable_data: _g.Value) -> bool: ...
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> bool: ...
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> bool: ...
    async def attach_callback(self, callback: _g.Reference) -> CallbackID: ...
    async def detach_callback(self, callback: CallbackID) -> None: ...
    async def get_callbacks(self) -> CallbackIDSeq: ...
    async def get_constraint_grammar(self) -> str: ...
class Filter(_Filter_methods, _g.Stub, of=Filter_INTERFACE): ...
class FilterServant(_Filter_methods, _g.Servant, of=Filter_INTERFACE): ...

MappingFilter_INTERFACE: _g.Final = _here.interface(MappingFilter_TYPE, "CosNotifyFilter::MappingFilter", (),
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
    _here.operation("_get_default_value", gives={"": _tc.ANY}, method="get_default_value"))
class _MappingFilter_methods:
    async def add_mapping_constraints(self, pair_list: MappingConstraintPairSeq) -> MappingConstraintInfoSeq: ...
    async def modify_mapping_constraints(self, del_list: ConstraintIDSeq, modify_list: MappingConstraintInfoSeq) -> None: ...
    async def get_mapping_constraints(self, id_list: ConstraintIDSeq) -> MappingConstraintInfoSeq: ...
    async def get_all_mapping_constraints(self) -> MappingConstraintInfoSeq: ...
    async def remove_all_mapping_constraints(self) -> None: ...
    async def destroy(self) -> None: ...
    async def match(self, filterable_data: _g.Value) -> tuple[bool, _g.Value]: ...
    async def match_structured(self, filterable_data: _CosNotification.StructuredEvent) -> tuple[bool, _g.Value]: ...
    async def match_typed(self, filterable_data: _CosNotification.PropertySeq) -> tuple[bool, _g.Value]: ...
    async def get_constraint_grammar(self) -> str: ...
    async def get_value_type(self) -> _g.TypeCode: ...
    async def get_default_value(self) -> _g.Value: ...
class MappingFilter(_MappingFilter_methods, _g.Stub, of=MappingFilter_INTERFACE): ...
class MappingFilterServant(_MappingFilter_methods, _g.Servant, of=MappingFilter_INTERFACE): ...

FilterFactory_INTERFACE: _g.Final = _here.interface(FilterFactory_TYPE, "CosNotifyFilter::FilterFactory", (),
    _here.operation("create_filter", takes={"constraint_grammar": _tc.STRING}, gives={"": Filter_TYPE}, raises=(InvalidGrammar, )),
    _here.operation("create_mapping_filter", takes={"constraint_grammar": _tc.STRING, "default_value": _tc.ANY},
        gives={"": MappingFilter_TYPE}, raises=(InvalidGrammar, )))
class _FilterFactory_methods:
    async def create_filter(self, constraint_grammar: str) -> _g.Reference: ...
    async def create_mapping_filter(self, constraint_grammar: str, default_value: _g.Value) -> _g.Reference: ...
class FilterFactory(_FilterFactory_methods, _g.Stub, of=FilterFactory_INTERFACE): ...
class FilterFactoryServant(_FilterFactory_methods, _g.Servant, of=FilterFactory_INTERFACE): ...

FilterAdmin_INTERFACE: _g.Final = _here.interface(FilterAdmin_TYPE, "CosNotifyFilter::FilterAdmin", (),
    _here.operation("add_filter", takes={"new_filter": Filter_TYPE}, gives={"": FilterID_TYPE}),
    _here.operation("remove_filter", takes={"filter": FilterID_TYPE}, raises=(FilterNotFound, )),
    _here.operation("get_filter", takes={"filter": FilterID_TYPE}, gives={"": Filter_TYPE}, raises=(FilterNotFound, )),
    _here.operation("get_all_filters", gives={"": FilterIDSeq_TYPE}),
    _here.operation("remove_all_filters"))
class _FilterAdmin_methods:
    async def add_filter(self, new_filter: _g.Reference) -> FilterID: ...
    async def remove_filter(self, filter: FilterID) -> None: ...
    async def get_filter(self, filter: FilterID) -> _g.Reference: ...
    async def get_all_filters(self) -> FilterIDSeq: ...
    async def remove_all_filters(self) -> None: ...
class FilterAdmin(_FilterAdmin_methods, _g.Stub, of=FilterAdmin_INTERFACE): ...
class FilterAdminServant(_FilterAdmin_methods, _g.Servant, of=FilterAdmin_INTERFACE): ...
