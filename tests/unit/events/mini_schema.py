"""As much of JSON Schema as our schemas use; anything else in one is a fault of the test."""

from __future__ import annotations

from collections.abc import Iterator

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KNOWN = {
    *("$schema", "$defs", "$ref", "title", "type", "const", "anyOf"),
    *("properties", "required", "additionalProperties", "items"),
}

Schema = dict[str, object]


def complaints(schema: Schema, value: object) -> list[str]:
    """What a schema has against a value."""
    return list(_complaints(schema, value, schema))


def _complaints(schema: object, value: object, root: Schema) -> Iterator[str]:
    assert isinstance(schema, dict)
    assert schema.keys() <= _KNOWN, f"unknown keywords in {schema}"
    if "$ref" in schema:
        defs = root["$defs"]
        assert isinstance(defs, dict)
        yield from _complaints(defs[schema["$ref"].removeprefix("#/$defs/")], value, root)
    if "type" in schema and not _has_type(schema["type"], value):
        yield f"{value!r} is no {schema['type']}"
    if "const" in schema and value != schema["const"]:
        yield f"{value!r} is not {schema['const']!r}"
    if "anyOf" in schema:
        parts = [list(_complaints(part, value, root)) for part in schema["anyOf"]]
        if all(parts):
            yield f"{value!r}: none of {parts}"
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from _complaints(schema["items"], item, root)
    if isinstance(value, dict):
        yield from _members(schema, value, root)


def _members(schema: Schema, value: dict[str, object], root: Schema) -> Iterator[str]:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    yield from (f"{name} is missing" for name in required if name not in value)
    for name, item in value.items():
        if name in properties:
            yield from _complaints(properties[name], item, root)
        elif schema.get("additionalProperties") is False:
            yield f"{name} is not known"


def _has_type(types: object, value: object) -> bool:
    if isinstance(types, list):
        return any(_has_type(one, value) for one in types)
    assert isinstance(types, str)
    if isinstance(value, bool):
        return types == "boolean"
    return isinstance(value, _TYPES[types])
