"""Our IDL files against those of another ORB, and against its compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tidings.cos.idl_files import FOLDER, MODULES
from tidings.events.typecode import TypeCode
from tidings.idl.compile import compile_file
from tidings.idl.faults import InvalidIdl
from tidings.idl.generate import generate
from tidings.idl.model import (
    AliasDef,
    ConstDef,
    EnumDef,
    ExceptionDef,
    InterfaceDef,
    Model,
    StructDef,
    Type,
    UnionDef,
)
from tidings.idl.typecodes import TypeCodes

SYSTEM = Path("/usr/share/idl/omniORB")
OTHERS = SYSTEM / "COS"
# Of these only what is used here was written down.
PARTS = {"CosLifeCycle"}
STANDARD = [name for name in MODULES if name.startswith(("Cos", "TimeBase"))]

# What these need is not there: valuetypes, the interface repository, other files.
UNUSABLE = {
    *("CosCompoundLifeCycle", "CosContainment", "CosExternalizationContainment", "CosGraphs"),
    *("CosExternalizationReference", "CosLifeCycleContainment", "CosLifeCycleReference"),
    *("CosQuery", "CosQueryCollection", "CosReference", "CosRelationships", "CosTSPortability"),
    *("CosExternalization", "DCE_CIOPSecurity", "NRService", "SECIOP"),
    *("SSLIOP", "Security", "SecurityAdmin", "SecurityLevel1", "SecurityLevel2"),
    *("SecurityReplaceable", "CosStream"),
}

needs_files = pytest.mark.skipif(
    not OTHERS.is_dir(), reason="needs omniorb-idl: tools/system_packages.sh tests"
)


class Said(NamedTuple):
    """Everything about a definition that others can notice."""

    id: str
    kind: str
    details: object


def said(model: Model, module: str) -> dict[str, Said]:
    """What one module of a file says, by scoped names."""
    codes = TypeCodes()

    def code(type_: Type | None) -> TypeCode | None:
        return None if type_ is None else codes.of(type_)

    found: dict[str, Said] = {}
    for one in model.definitions:
        if one.scopes[:1] != (module,):
            continue
        details: object
        if isinstance(one, ConstDef):
            details = (code(one.type), one.value)
        elif isinstance(one, InterfaceDef):
            details = (
                tuple(base.id for base in one.bases),
                {
                    (
                        *(each.name, code(each.result), each.oneway),
                        tuple((p.direction, p.name, code(p.type)) for p in each.parameters),
                        frozenset(raised.id for raised in each.raises),
                    )
                    for each in one.operations
                },
            )
        else:
            assert isinstance(one, StructDef | UnionDef | EnumDef | AliasDef | ExceptionDef)
            details = codes.of(one)
        found[one.scoped] = Said(one.id, type(one).__name__, details)
    return found


@needs_files
@pytest.mark.parametrize("name", STANDARD)
def test_a_standard_file_says_what_that_of_the_other_orb_says(name: str) -> None:
    ours = said(compile_file(FOLDER / f"{name}.idl", [FOLDER]), name)
    theirs = said(compile_file(OTHERS / f"{name}.idl", [OTHERS, SYSTEM]), name)
    assert ours.keys() == theirs.keys() or (name in PARTS and ours.keys() < theirs.keys())
    assert len(ours) >= 3
    for scoped, one in ours.items():
        assert one == theirs[scoped], scoped


@needs_files
def test_files_of_the_other_orb_compile_to_python() -> None:
    compiled = 0
    for path in sorted(OTHERS.glob("*.idl")):
        if path.stem in UNUSABLE:
            with pytest.raises(InvalidIdl):
                compile_file(path, [OTHERS, SYSTEM])
            continue
        model = compile_file(path, [OTHERS, SYSTEM])
        compile(generate(model), str(path), "exec")
        compiled += 1
    assert compiled >= 25


@pytest.mark.skipif(not shutil.which("omniidl"), reason="needs omniidl")
@pytest.mark.parametrize("name", MODULES)
def test_the_compiler_of_the_other_orb_takes_our_file(name: str) -> None:
    path = FOLDER / f"{name}.idl"
    done = subprocess.run(
        ["omniidl", f"-I{FOLDER}", f"-I{SYSTEM}", "-bdump", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "rror" not in done.stderr
    assert name in done.stdout
