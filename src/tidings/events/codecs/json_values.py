"""Values in typed JSON, by their types; docs/events.md has the table.

A plain value has the type that inference gives it. Everything else is written with its type,
``{"$type": T, "value": V}``; inside, members and elements have the types of their places, and a
place of the type any begins again.
"""

from __future__ import annotations

import binascii
import math
import re
from collections.abc import Callable, Collection
from decimal import Decimal

from tidings.errors import InvalidEvent, InvalidTypeCode
from tidings.events.anyvalue import MAX_DEPTH, Any, UnionValue, Value, conform, infer, unboxed
from tidings.events.codecs.json_types import near_miss, type_form, type_from_plain
from tidings.events.reference import Reference
from tidings.events.texts import checked_text, member_name, place_name, shortened
from tidings.events.typecode import INTEGER_RANGES, Kind, Label, TypeCode
from tidings.events.typetext import describe

TYPE = "$type"
"""The name that marks a value written with its type."""

_SELF_EVIDENT = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({int, float, bool})


def value_to_plain(value: Value) -> object:
    """A stored value, ready to be encoded."""
    kind = type(value)
    if kind in _SELF_EVIDENT:
        return value
    if kind is float and math.isfinite(value):  # type: ignore[arg-type]
        return value
    if isinstance(value, tuple):
        if _SELF_EVIDENT.issuperset(map(type, value)):
            return value
        if _NUMBERS.issuperset(map(type, value)) and all(map(math.isfinite, value)):  # type: ignore[arg-type]
            return value
        return [value_to_plain(v) for v in value]
    if isinstance(value, dict) and TYPE not in value:
        return {name: value_to_plain(v) for name, v in value.items()}
    if isinstance(value, Any):
        type_, inner = value.type, value.value
    else:
        type_ = infer(value)
        inner = conform(type_, value)
    return {TYPE: type_form(type_), "value": _typed_to_plain(type_, inner)}


def _typed_to_plain(type_: TypeCode, value: Value) -> object:
    type_ = type_.unaliased
    write = _WRITERS.get(type_.kind)
    return value if write is None else write(type_, value)


def _write_real(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, float)
    return value if math.isfinite(value) else real_name(value)


def real_name(value: float) -> str:
    """The text for a number that JSON cannot spell."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _write_elements(type_: TypeCode, value: Value) -> object:
    if isinstance(value, bytes):
        return _base64(value)
    content = type_.element_type.unaliased
    if content.kind not in _WRITERS:
        return value
    return [_typed_to_plain(content, v) for v in value]  # type: ignore[union-attr]


def _write_struct(type_: TypeCode, value: Value) -> object:
    items = [
        _typed_to_plain(type_.member_type(i), v)
        for i, v in enumerate(value)  # type: ignore[arg-type]
    ]
    names = object_names(type_)
    return items if names is None else dict(zip(names, items, strict=True))


def object_names(type_: TypeCode) -> list[str] | None:
    """The members' names, if they can be the names of a JSON object."""
    names = [member.name for member in type_.members]
    return names if all(names) and len(set(names)) == len(names) else None


def _write_union(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, UnionValue)
    branch = type_.branch_index(value.discriminator)
    inner = None if branch < 0 else _typed_to_plain(type_.member_type(branch), value.value)
    return {"_d": value.discriminator, "value": inner}


def _write_reference(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, Reference)
    profiles = [[tag, _base64(octets)] for tag, octets in value.profiles]
    return {"type_id": value.type_id, "profiles": profiles}


def _base64(octets: bytes) -> str:
    return binascii.b2a_base64(octets, newline=False).decode()


_WRITERS: dict[Kind, Callable[[TypeCode, Value], object]] = {
    Kind.FLOAT: _write_real,
    Kind.DOUBLE: _write_real,
    Kind.LONGDOUBLE: _write_real,
    Kind.FIXED: lambda type_, value: format(value, "f"),
    Kind.ANY: lambda type_, value: value_to_plain(value),
    Kind.TYPECODE: lambda type_, value: type_form(value),  # type: ignore[arg-type]
    Kind.STRUCT: _write_struct,
    Kind.EXCEPT: _write_struct,
    Kind.UNION: _write_union,
    Kind.SEQUENCE: _write_elements,
    Kind.ARRAY: _write_elements,
    Kind.OBJREF: _write_reference,
}


_TYPED_KEYS = {TYPE, "value"}
_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
# Each level of a value may be in a box, which is a level of JSON too.
_MAX_JSON_DEPTH = 2 * MAX_DEPTH


def value_from_plain(plain: object, depth: int = 0) -> Value:
    """The stored form of a value in plain or typed form."""
    kind = type(plain)
    if kind is str:
        return checked_text(plain, "")  # type: ignore[arg-type]
    if kind is int:
        if not _LOWEST <= plain <= _HIGHEST:  # type: ignore[operator]
            raise InvalidEvent(f"{shortened(plain)} is outside the integers, -2**63 to 2**64-1")
        return plain  # type: ignore[return-value]
    if kind is bool or plain is None:
        return plain  # type: ignore[return-value]
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else _refuse_real(plain)
    if depth >= _MAX_JSON_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}")
    if isinstance(plain, list):
        return _list_from_plain(plain, depth)
    if isinstance(plain, dict):
        if TYPE in plain:
            return unboxed(boxed_from_plain(plain, depth))
        return _dict_from_plain(plain, depth)
    raise InvalidEvent(f"a {kind.__name__} is not a valid JSON value")


def _refuse_real(plain: float) -> Value:
    # A parser more lenient than ours may have let it in.
    hint = f'{{"$type": "double", "value": "{real_name(plain)}"}}'
    raise InvalidEvent(f"JSON has no {plain}; write {hint}")


def _list_from_plain(plain: list[object], depth: int) -> Value:
    kinds = set(map(type, plain))
    if len(kinds) == 1 and _all_fit(kinds.pop(), plain):
        return tuple(plain)  # type: ignore[arg-type]
    return _each(lambda item: value_from_plain(item, depth + 1), plain)


def _all_fit(kind: type, plain: list[object]) -> bool:
    """Whether elements of one type can be taken as they are, all at once."""
    if kind is int:
        return min(plain) >= _LOWEST and max(plain) <= _HIGHEST  # type: ignore[type-var, operator]
    if kind is float:
        return all(map(math.isfinite, plain))  # type: ignore[arg-type]
    return kind is bool or (kind is str and all(map(str.isascii, plain)))  # type: ignore[arg-type]


def _each(read: Callable[[object], Value], plain: list[object]) -> tuple[Value, ...]:
    found: list[Value] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for item in plain:
            found.append(read(item))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"[{len(found)}]") from error.__cause__
    return tuple(found)


def _dict_from_plain(plain: dict[object, object], depth: int) -> Value:
    found: dict[str, Value] = {}
    for name, item in plain.items():
        try:
            found[member_name(name, "")] = value_from_plain(item, depth + 1)
        except InvalidEvent as error:
            raise error.inside(place_name(name)) from error.__cause__
    return found


def is_typed(plain: object) -> bool:
    """Whether a value is written with its type."""
    return isinstance(plain, dict) and TYPE in plain


def boxed_from_plain(plain: dict[object, object], depth: int = 0) -> Any:
    """The value and type of a value in typed form, which has the key `$type`."""
    if plain.keys() != _TYPED_KEYS:
        raise InvalidEvent(
            "a value with its type has the two names $type and value, not "
            f"{shortened(', '.join(map(str, plain)), 60)}; "
            "a record with a member $type is itself written with its type"
        )
    try:
        type_ = type_from_plain(plain[TYPE])
    except InvalidTypeCode as error:
        raise InvalidEvent(str(error), TYPE) from error
    return Any.trusted(type_, _typed_from_plain(type_, plain["value"], depth + 1))


def _typed_from_plain(type_: TypeCode, plain: object, depth: int) -> Value:
    type_ = type_.unaliased
    read = _READERS.get(type_.kind)
    if read is None:
        return conform(type_, plain)
    if depth >= _MAX_JSON_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}")
    return read(type_, plain, depth)


_REALS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _read_real(type_: TypeCode, plain: object, depth: int) -> Value:
    if isinstance(plain, float) and not math.isfinite(plain):
        return _refuse_real(plain)
    if not isinstance(plain, str):
        return conform(type_, plain)
    if plain not in _REALS:
        hint = near_miss(plain, list(_REALS))
        raise InvalidEvent(f"{shortened(plain)} is not a valid {describe(type_)}; {hint}")
    return _REALS[plain]


def _read_fixed(type_: TypeCode, plain: object, depth: int) -> Value:
    if isinstance(plain, float):
        raise InvalidEvent(f'a {describe(type_)} is written as text, such as "{plain}"')
    if not isinstance(plain, str):
        return conform(type_, plain)
    if not _DECIMAL.fullmatch(plain):
        raise InvalidEvent(f"{shortened(plain)} is not a valid decimal number")
    return conform(type_, Decimal(plain))


_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII)


def _read_any(type_: TypeCode, plain: object, depth: int) -> Value:
    return value_from_plain(plain, depth)


def _read_typecode(type_: TypeCode, plain: object, depth: int) -> Value:
    try:
        return type_from_plain(plain)
    except InvalidTypeCode as error:
        raise InvalidEvent(str(error)) from error


def _read_elements(type_: TypeCode, plain: object, depth: int) -> Value:
    content = type_.element_type.unaliased
    if content.kind is Kind.OCTET:
        return conform(type_, octets_from_base64(plain) if isinstance(plain, str) else plain)
    if not isinstance(plain, list):
        raise InvalidEvent(f"{shortened(plain)} is not a valid {describe(type_)}, which is a list")
    if _all_of(content, plain):
        items = tuple(plain)
    else:
        items = _each(lambda item: _typed_from_plain(content, item, depth + 1), plain)
    if type_.kind is Kind.ARRAY and len(items) != type_.bound:
        raise InvalidEvent(f"{describe(type_)} has not {len(items)} elements")
    if type_.kind is Kind.SEQUENCE and type_.bound and len(items) > type_.bound:
        raise InvalidEvent(f"{len(items)} elements are more than {describe(type_)} holds")
    return items


def _all_of(content: TypeCode, plain: list[object]) -> bool:
    """Whether all elements are of the type as they are, checked at once."""
    if set(map(type, plain)) != {_PYTHON_TYPES.get(content.kind)}:
        return False
    if content.kind in INTEGER_RANGES:
        low, high = INTEGER_RANGES[content.kind]
        return min(plain) >= low and max(plain) <= high  # type: ignore[type-var, operator]
    return content.kind is not Kind.DOUBLE or all(map(math.isfinite, plain))  # type: ignore[arg-type]


_PYTHON_TYPES: dict[Kind, type] = {
    **dict.fromkeys(INTEGER_RANGES, int),
    Kind.DOUBLE: float,
    Kind.BOOLEAN: bool,
}


def octets_from_base64(plain: str) -> bytes:
    """Decode base64."""
    try:
        return binascii.a2b_base64(plain, strict_mode=True)
    except ValueError as error:
        raise InvalidEvent(f"{shortened(plain)} is not base64: {error}") from error


def _read_struct(type_: TypeCode, plain: object, depth: int) -> Value:
    names = object_names(type_)
    if isinstance(plain, dict) and names is not None:
        _check_names(plain, names, describe(type_))
        plain = [plain[name] for name in names]
    if not isinstance(plain, list):
        form = "a list" if names is None else "an object"
        raise InvalidEvent(f"{shortened(plain)} is not a valid {describe(type_)}, which is {form}")
    if len(plain) != len(type_.members):
        raise InvalidEvent(f"{describe(type_)} has {len(type_.members)} members, not {len(plain)}")
    found: list[Value] = []
    for i, item in enumerate(plain):
        try:
            found.append(_typed_from_plain(type_.member_type(i), item, depth + 1))
        except InvalidEvent as error:
            raise error.inside(place_name(type_.members[i].name or f"[{i}]")) from error.__cause__
    return tuple(found)


def _check_names(plain: dict[str, object], names: Collection[str], what: str) -> None:
    if plain.keys() == set(names):
        return
    known = list(names)
    for name in plain:
        if name not in names:
            raise InvalidEvent(f"{what} has no {shortened(name)}; {near_miss(str(name), known)}")
    missing = next(name for name in names if name not in plain)
    raise InvalidEvent(f"{what} needs {shortened(missing)}")


def _read_union(type_: TypeCode, plain: object, depth: int) -> Value:
    if not isinstance(plain, dict) or "_d" not in plain or type_.discriminator is None:
        form = '{"_d": label, "value": value}'
        raise InvalidEvent(f"{shortened(plain)} is not a valid {describe(type_)}, which is {form}")
    _check_names({"value": None, **plain}, ("_d", "value"), describe(type_))
    try:
        label = conform(type_.discriminator, plain["_d"])
    except InvalidEvent as error:
        raise error.inside("_d") from error.__cause__
    assert isinstance(label, Label)
    branch = type_.branch_index(label)
    if branch < 0:
        return conform(type_, UnionValue(label, plain.get("value")))
    try:
        inner = _typed_from_plain(type_.member_type(branch), plain.get("value"), depth + 1)
    except InvalidEvent as error:
        raise error.inside("value") from error.__cause__
    return UnionValue(label, inner)


def _read_reference(type_: TypeCode, plain: object, depth: int) -> Value:
    profiles = plain.get("profiles", []) if isinstance(plain, dict) else None
    if not isinstance(plain, dict) or not isinstance(profiles, list):
        form = '{"type_id": text, "profiles": [[tag, base64], ...]}'
        raise InvalidEvent(f"{shortened(plain)} is not a valid reference, which is {form}")
    _check_names({"type_id": "", "profiles": [], **plain}, ("type_id", "profiles"), "a reference")
    return Reference(plain.get("type_id", ""), [_profile(item) for item in profiles])


def _profile(plain: object) -> tuple[int, bytes]:
    match plain:
        case [int(tag), str(octets)]:
            return tag, octets_from_base64(octets)
    raise InvalidEvent(f"{shortened(plain)} is not a valid tag with base64", "profiles")


_READERS: dict[Kind, Callable[[TypeCode, object, int], Value]] = {
    Kind.FLOAT: _read_real,
    Kind.DOUBLE: _read_real,
    Kind.LONGDOUBLE: _read_real,
    Kind.FIXED: _read_fixed,
    Kind.ANY: _read_any,
    Kind.TYPECODE: _read_typecode,
    Kind.STRUCT: _read_struct,
    Kind.EXCEPT: _read_struct,
    Kind.UNION: _read_union,
    Kind.SEQUENCE: _read_elements,
    Kind.ARRAY: _read_elements,
    Kind.OBJREF: _read_reference,
}
