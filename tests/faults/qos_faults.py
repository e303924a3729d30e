"""Faults in the properties of channels: quality of service and administration."""

from __future__ import annotations

from tests.faults.fault import Fault

VALUE = "channel/property_errors.py"
TABLE = "channel/qos.py"
CHECK = "channel/qos_check.py"
ADMIN = "channel/properties.py"

QOS_FAULTS = [
    Fault(
        "an alias is another type",
        VALUE,
        "if not value.type.equivalent(wanted):",
        "if value.type != wanted:",
    ),
    Fault(
        "a boolean passes for a number",
        VALUE,
        "isinstance(value, int) and not isinstance(value, bool)",
        "isinstance(value, int)",
    ),
    Fault(
        "a batch of none is refused",
        VALUE,
        "if asked.zero and not plain:",
        "if False:",
    ),
    Fault(
        "the greatest legal value is refused",
        VALUE,
        "if not asked.low <= plain <= asked.high:",
        "if not asked.low <= plain < asked.high:",
    ),
    Fault(
        "what is not supported is taken",
        VALUE,
        "low is not None and high is not None and not low <= plain <= high",
        "low is None",
    ),
    Fault(
        "the lowest priority is that of a short",
        TABLE,
        '"Priority", tc.SHORT, -32767',
        '"Priority", tc.SHORT, -32768',
    ),
    Fault(
        "events may be put in last in first out order",
        TABLE,
        '"OrderPolicy", tc.SHORT, 0, 3',
        '"OrderPolicy", tc.SHORT, 0, 4',
    ),
    Fault(
        "a proxy takes an EventReliability",
        TABLE,
        "tc.SHORT, 0, 1, 0, _HEADER | {Level.CHANNEL}",
        "tc.SHORT, 0, 1, 0, _HEADER | _OBJECTS",
    ),
    Fault(
        "start times are not supported until asked for",
        TABLE,
        '"StartTimeSupported", tc.BOOLEAN, False, True, True',
        '"StartTimeSupported", tc.BOOLEAN, False, True, False',
    ),
    Fault(
        "only the first bad property is listed",
        CHECK,
        "raise UnsupportedQoS(bad)",
        "raise UnsupportedQoS(bad[:1])",
    ),
    Fault(
        "the type is looked at before the level",
        CHECK,
        "if not known.may_be_set(self.level, self.widened):",
        "if self.level not in known.levels and isinstance(judged(known, value, {}), int):",
    ),
    Fault(
        "a start time is taken whether supported or not",
        CHECK,
        "return self.qos.start_time_supported",
        "return True",
    ),
    Fault(
        "the reliabilities of one request do not see each other",
        CHECK,
        "both = {**self.qos, **requested}",
        "both = dict(self.qos)",
    ),
    Fault(
        "an admin is more reliable than its channel",
        CHECK,
        "high = min(high or 0, self.parent[_CONNECTION])",
        "pass",
    ),
    Fault(
        "connections below persistent events become unreliable",
        CHECK,
        "low = low if _EVENT in requested else max(low or 0, both[_EVENT])",
        "pass",
    ),
    Fault(
        "both reliabilities are blamed for one conflict",
        CHECK,
        "low = low if _EVENT in requested else max(low or 0, both[_EVENT])",
        "low = max(low or 0, both[_EVENT])",
    ),
    Fault(
        "an event's header is not looked at",
        CHECK,
        "    if not given:\n        return HeaderValues(",
        "    if given:\n        return HeaderValues(",
    ),
    Fault(
        "of the administration the good part is set",
        ADMIN,
        "    if bad:",
        "    if len(bad) == len(answers):",
    ),
    Fault(
        "a full channel discards until asked not to",
        ADMIN,
        "tc.BOOLEAN, False, True, True",
        "tc.BOOLEAN, False, True, False",
    ),
]
