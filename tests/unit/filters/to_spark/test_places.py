from __future__ import annotations

import pytest

from tidings.events.paths import Path
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.scan import scan
from tidings.filters.to_spark.places import (
    Arrival,
    Body,
    Deep,
    Fixed,
    HeaderText,
    Nowhere,
    Place,
    Property,
    Whole,
    place_of,
)


def path(text: str) -> Path:
    (found,) = (
        token.value for token in scan(text, DEFAULT_LIMITS) if isinstance(token.value, Path)
    )
    return found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("$rate", Property("rate")),
        ("$.header.variable_header(Priority)", Property("Priority", in_data=False)),
        ("$.0.1(Priority)", Property("Priority", in_data=False)),
        ("$variable_header(Priority)", Property("Priority", in_data=False)),
        ("$.filterable_data(rate)", Property("rate", in_header=False)),
        ("$filterable_data(rate)", Property("rate", in_header=False)),
        ("$domain_name", HeaderText("domain")),
        ("$.header.fixed_header.event_type.type_name", HeaderText("type")),
        ("$fixed_header.1", HeaderText("name")),
        ("$event_type.0", HeaderText("domain")),
        ("$curtime.time", Arrival()),
        ("$curtime.0", Arrival()),
        ("$curtime.tdf", Fixed(0)),
        ("$._type_id", Fixed("StructuredEvent")),
        ("$_type_id", Fixed("StructuredEvent")),
        ("$", Whole()),
        ("$curtime", Whole()),
        ("$header", Whole()),
        ("$filterable_data", Whole(is_sequence=True)),
        ("$remainder_of_body", Body()),
        ("$.EventHeader.fixed_header", Nowhere()),
        ("$.7", Nowhere()),
        ("$curtime.nobody", Nowhere()),
        ("$addr.street", Deep()),
        ("$tags[0]", Deep()),
        ("$.filterable_data(addr).street", Deep()),
        ("$.filterable_data._length", Deep()),
        ("$.remainder_of_body.x", Deep()),
        ("$domain_name.x", Deep()),
        ("$curtime.time.x", Deep()),
    ],
)
def test_where_a_path_leads(text: str, place: Place) -> None:
    assert place_of(path(text)) == place
