from __future__ import annotations

import pytest

from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties, changed
from tidings.channel.property_errors import Level
from tidings.errors import PropertyErrorCode, UnsupportedAdmin


def test_the_defaults() -> None:
    plain = AdminProperties()
    assert (plain.max_queue_length, plain.max_consumers, plain.max_suppliers) == (0, 0, 0)
    assert plain.reject_new_events is True


def test_every_accessor_reads_its_own_property() -> None:
    asked = {"MaxQueueLength": 1, "MaxConsumers": 2, "MaxSuppliers": 3, "RejectNewEvents": False}
    after = changed(AdminProperties(), asked)
    assert (after.max_queue_length, after.max_consumers, after.max_suppliers) == (1, 2, 3)
    assert after.reject_new_events is False
    assert after == asked


def test_a_change_keeps_the_others_and_the_old_value() -> None:
    before = AdminProperties({"MaxConsumers": 2})
    after = changed(before, [("MaxSuppliers", 1), ("MaxSuppliers", 3)])
    assert after == {**AdminProperties(), "MaxConsumers": 2, "MaxSuppliers": 3}
    assert before.max_suppliers == 0


def test_every_bad_property_is_listed() -> None:
    asked = {"MaxConsumers": -1, "MaxSuppliers": 4, "RejectNewEvents": 1, "Priority": 1}
    with pytest.raises(UnsupportedAdmin) as caught:
        changed(AdminProperties(), asked)
    assert caught.value.errors == (
        (PropertyErrorCode.BAD_VALUE, "MaxConsumers", 0, 2**31 - 1),
        (PropertyErrorCode.BAD_TYPE, "RejectNewEvents", None, None),
        (PropertyErrorCode.BAD_PROPERTY, "Priority", None, None),
    )


def test_an_installation_may_support_less() -> None:
    narrowed = {"MaxQueueLength": (1, 1000)}
    with pytest.raises(UnsupportedAdmin, match="use 1 to 1000"):
        changed(AdminProperties(), {"MaxQueueLength": 0}, narrowed)


def test_they_are_the_channels_only() -> None:
    assert {line.levels for line in ADMIN_PROPERTIES.values()} == {frozenset({Level.CHANNEL})}
