from __future__ import annotations

import pyarrow as pa

from tidings.stores.archive.schema import KINDS, events_schema, schema_of


def test_the_columns_of_events_in_their_order() -> None:
    assert events_schema().names == [
        *("origin", "channel", "seq", "arrival_us", "plan", "domain", "type", "name", "priority"),
        *("expiry_us", "start_us", "producer", "number", "hops"),
        *("header_int", "header_double", "header_string", "header_bool"),
        *("data_int", "data_double", "data_string", "data_bool"),
        *("data_ints", "data_doubles", "data_strings", "data_bools"),
        *("header_other", "data_other", "raw", "durable", "views", "position", "carried"),
    ]
    types = {field.name: field.type for field in events_schema()}
    assert types["data_doubles"] == pa.map_(pa.string(), pa.list_(pa.float64()))
    assert types["priority"] == pa.int16()
    assert types["durable"] == pa.list_(pa.int32())


def test_the_columns_of_the_others() -> None:
    assert [schema_of(kind).names for kind in KINDS[1:]] == [
        ["origin", "channel", "proxy", "seq", "outcome", "at_us", "detail", "position"],
        ["origin", "channel", "version", "whole", "change", "at_us", "position"],
        ["origin", "channel", "object", "id", "present", "state", "at_us", "position"],
    ]
    nullable = {f.name for kind in KINDS[1:] for f in schema_of(kind) if f.nullable}
    assert nullable == {"at_us", "detail", "state"}
