from __future__ import annotations

import pytest

from tidings.orb.codesets import OUR_COMPONENT
from tidings.orb.components import (
    OUR_ORB_TYPE,
    alternate_component,
    code_sets_component,
    encapsulated,
    orb_type_component,
    read_alternate,
    read_code_sets_component,
    read_orb_type,
)
from tidings.orb.exceptions import MARSHAL


def test_components_survive() -> None:
    assert read_orb_type(orb_type_component().data) == OUR_ORB_TYPE
    assert read_code_sets_component(code_sets_component(OUR_COMPONENT).data) == OUR_COMPONENT
    assert read_alternate(alternate_component("h", 9).data) == ("h", 9)


def test_octets_that_are_no_encapsulation_are_refused() -> None:
    with pytest.raises(MARSHAL):
        encapsulated(b"")
