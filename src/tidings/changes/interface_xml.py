"""An interface in IDL as the element `Interface` of `notice.dtd`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Final

from tidings.changes.documents import Element, element
from tidings.errors import BadInput
from tidings.idl import model as m
from tidings.idl.compile import compile_source
from tidings.idl.diff import shown
from tidings.idl.faults import Source
from tidings.idl.sources import Only

_VERSION: Final = re.compile(r".*:(\d+\.\d+)")
_type: Final = partial(shown, behind=False)
_MODES: Final = {"in": "IN", "out": "OUT", "inout": "INOUT"}


def interface_element(id: str, idl: str) -> Element:
    """Return the element; of an interface whose IDL is not known, only its id and name."""
    found = _interface(id, idl)
    if found is None:
        return element("Interface", Id=id, Name=_name(id), Version=_version(id))
    definitions, interface = found
    return element(
        "Interface",
        "",
        *_bases(interface),
        *_constants(definitions, interface),
        *_attributes(interface),
        *_operations(interface),
        Id=id,
        Name=interface.scoped,
        Version=_version(interface.id),
    )


@lru_cache(64)
def _interface(id: str, idl: str) -> tuple[tuple[m.NamedDef, ...], m.InterfaceDef] | None:
    """Return all definitions and the interface, by its repository id or its name."""
    if not idl:
        return None
    try:
        definitions = compile_source(Source("interface.idl", idl), Only()).definitions
    except BadInput:  # an announcement may bring anything
        return None
    named = (one for one in definitions if isinstance(one, m.InterfaceDef))
    found = next((one for one in named if id in (one.id, one.scoped)), None)
    return None if found is None else (definitions, found)


def _name(id: str) -> str:
    inner = id.partition(":")[2].rpartition(":")[0] if id.startswith("IDL:") else id
    return inner.replace("/", "::")


def _version(id: str) -> str:
    found = _VERSION.fullmatch(id)
    return found[1] if found else "1.0"


def _whole(interface: m.InterfaceDef) -> Iterator[tuple[m.InterfaceDef, dict[str, str]]]:
    """The interface and those that it inherits from, with the mark for what is inherited."""
    for one in interface.ancestors:
        yield one, {"Derived": "YES"}
    yield interface, {}


def _inner(owner: m.NamedDef, name: str) -> dict[str, str]:
    """The attributes that say which part of an interface it is."""
    version = _version(owner.id)
    lead = owner.id.removesuffix(f":{version}")
    return {"Id": f"{lead}/{name}:{version}", "Name": name, "Version": version}


def _bases(interface: m.InterfaceDef) -> list[Element]:
    if not interface.ancestors:
        return []
    links = [
        element("Link", Source=one.id, Dest=base.id)
        for one in (*interface.ancestors, interface)
        for base in one.bases
    ]
    bases = [element("BaseInterface", Id=one.id, Name=one.scoped) for one in interface.ancestors]
    return [element("BaseInterfaces", "", *bases, *links)]


def _constants(definitions: Iterable[m.NamedDef], interface: m.InterfaceDef) -> Iterator[Element]:
    constants = [one for one in definitions if isinstance(one, m.ConstDef)]
    for owner, derived in _whole(interface):
        path = (*owner.scopes, owner.name)
        for one in (each for each in constants if each.scopes == path):
            told = {"Id": one.id, "Name": one.name, "Version": _version(one.id)}
            type_, value = _type(one.type), str(one.value)
            yield element("Constant", **told, Type=type_, Value=value, **derived)


def _attributes(interface: m.InterfaceDef) -> Iterator[Element]:
    for owner, derived in _whole(interface):
        names = {one.name for one in owner.operations}
        for one in owner.operations:
            if not one.name.startswith("_get_") or one.result is None:
                continue
            name = one.name.removeprefix("_get_")
            mode = "NORMAL" if f"_set_{name}" in names else "READONLY"
            told = _inner(owner, name)
            yield element("Attribute", **told, Type=_type(one.result), Mode=mode, **derived)


def _operations(interface: m.InterfaceDef) -> Iterator[Element]:
    for owner, derived in _whole(interface):
        for one in owner.operations:
            if one.name.startswith("_"):
                continue
            parameters = (
                element("Parameter", Name=p.name, Type=_type(p.type), Mode=_MODES[p.direction])
                for p in one.parameters
            )
            yield element(
                "Operation",
                "",
                *parameters,
                *map(_exception, one.raises),
                **_inner(owner, one.name),
                Type=_type(one.result),
                Mode="ONEWAY" if one.oneway else "NORMAL",
                **derived,
            )


def _exception(found: m.ExceptionDef) -> Element:
    members = (element("Member", Name=one.name, Type=_type(one.type)) for one in found.members)
    told = {"Id": found.id, "Name": found.scoped, "Version": _version(found.id)}
    return element("Exception", "", *members, **told)
