"""What CosTradingDynamic.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading

_here: _g.Final = _g.Types(globals(), _CosTrading._here)

DPEvalFailure_TYPE: _g.Final = _tc.exception("IDL:omg.org/CosTradingDynamic/DPEvalFailure:1.0", "DPEvalFailure", [
    ("name", _CosTrading.PropertyName_TYPE), ("returned_type", _tc.TYPECODE), ("extra_info", _tc.ANY)])
DynamicPropEval_TYPE: _g.Final = _tc.objref("IDL:omg.org/CosTradingDynamic/DynamicPropEval:1.0", "DynamicPropEval")
DynamicProp_TYPE: _g.Final = _tc.struct("IDL:omg.org/CosTradingDynamic/DynamicProp:1.0", "DynamicProp", [
    ("eval_if", DynamicPropEval_TYPE), ("returned_type", _tc.TYPECODE), ("extra_info", _tc.ANY)])

class DPEvalFailure(_g.UserException, types=_here, type=DPEvalFailure_TYPE):
    name: _CosTrading.PropertyName
    returned_type: _g.TypeCode
    extra_info: _g.Value

DynamicPropEval_INTERFACE: _g.Final = _here.interface(DynamicPropEval_TYPE, "CosTradingDynamic::DynamicPropEval", (),
    _here.operation("evalDP", takes={"name": _CosTrading.PropertyName_TYPE, "returned_type": _tc.TYPECODE, "extra_info": _tc.ANY},
        gives={"": _tc.ANY}, raises=(DPEvalFailure, )))
class _DynamicPropEval_methods:
    async def evalDP(self, name: _CosTrading.PropertyName, returned_type: _g.TypeCode, extra_info: _g.Value) -> _g.Value: ...
class DynamicPropEval(_DynamicPropEval_methods, _g.Stub, of=DynamicPropEval_INTERFACE): ...
class DynamicPropEvalServant(_DynamicPropEval_methods, _g.Servant, of=DynamicPropEval_INTERFACE): ...

class DynamicProp(_g.NamedTuple):
    eval_if: _g.Reference
    returned_type: _g.TypeCode
    extra_info: _g.Value
