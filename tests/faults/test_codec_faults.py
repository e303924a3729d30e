"""Planted faults: each is a slip that could happen in the codecs, and a law or case must notice.

A fault is a replacement in the source of one module. The package is imported anew with it, the
named check is run, and has to fail; without the fault the same checks pass.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, settings

LAWS = "tests.property.test_codec_laws"
TEXT = "tests.unit.events.codecs.test_json_text"
JSON = "tests.unit.events.codecs.test_json_codec"
READING = "tests.unit.events.codecs.test_json_reading"
CLOUD = "tests.unit.events.codecs.test_cloudevents_codec"
ARROW = "tests.unit.events.codecs.test_arrow_codec"
SCHEMA = "tests.unit.events.test_schema"
CODECS = "tidings.events.codecs"


@dataclass(frozen=True)
class Fault:
    """What is replaced by what, where, and who has to notice."""

    what: str
    module: str
    old: str
    new: str
    noticed_by: str


FAULTS = [
    Fault(
        "NaN is written as if JSON could spell it",
        f"{CODECS}.json_writing",
        "if kind is float and math.isfinite(value):",
        "if kind is float:",
        f"{LAWS}:test_typed_json",
    ),
    Fault(
        "a record with a member $type is written plainly",
        f"{CODECS}.json_writing",
        "isinstance(value, dict) and TYPE not in value",
        "isinstance(value, dict)",
        f"{LAWS}:test_typed_json",
    ),
    Fault(
        "members of one name become one",
        f"{CODECS}.json_writing",
        "all(names) and len(set(names)) == len(names)",
        "all(names)",
        f"{LAWS}:test_typed_json",
    ),
    Fault(
        "values stay in boxes they need not be in",
        f"{CODECS}.json_reading",
        "return unboxed(boxed_from_plain(plain, depth))",
        "return boxed_from_plain(plain, depth)",
        f"{LAWS}:test_typed_json",
    ),
    Fault(
        "a priority that is a long becomes a short",
        f"{CODECS}.json_codec",
        "if name not in STANDARD_HEADER:",
        "if name:",
        f"{LAWS}:test_typed_json",
    ),
    Fault(
        "the length of an array is not checked",
        f"{CODECS}.json_reading",
        "if type_.kind is Kind.ARRAY and len(items) != type_.bound:",
        "if type_.kind is Kind.ARRAY and len(items) > type_.bound:",
        f"{READING}:test_what_is_no_value",
    ),
    Fault(
        "exceptions are read as structs",
        f"{CODECS}.json_types",
        'lambda parts: tc.exception(parts.text("id")',
        'lambda parts: tc.struct(parts.text("id")',
        f"{LAWS}:test_types_as_plain_data",
    ),
    Fault(
        "bounds of sequences of named types are lost",
        f"{CODECS}.json_types",
        "if kind is Kind.ARRAY or type_.bound:",
        "if kind is Kind.ARRAY:",
        f"{LAWS}:test_types_as_plain_data",
    ),
    Fault(
        "of two members with one name the last counts",
        f"{CODECS}.json_text",
        'if octets.count(b":")',
        'if False and octets.count(b":")',
        f"{TEXT}:test_twins_are_found_wherever_they_are",
    ),
    Fault(
        "an escaped colon hides a member that stands twice",
        f"{CODECS}.json_text",
        " + _escaped_colons(octets) != pairs",
        " < pairs",
        f"{TEXT}:test_what_is_no_json",
    ),
    Fault(
        "values are counted after they are parsed",
        f"{CODECS}.json_text",
        "if values is not None and",
        "if values is not None and _decoder.decode(octets) and",
        f"{TEXT}:test_values_are_counted_before_they_are_parsed",
    ),
    Fault(
        "all faults of a request are told, however many they are",
        "tidings.api.problems",
        "for fault in found[:MOST_FAULTS]]",
        "for fault in found]",
        "tests.unit.api.test_problems:test_of_very_many_faults_the_first_are_told",
    ),
    Fault(
        "deep JSON ends in a RecursionError",
        f"{CODECS}.json_text",
        'count(b":")\n    except RecursionError as error:',
        'count(b":")\n    except ZeroDivisionError as error:',
        f"{JSON}:test_values_nest_so_deep_and_no_deeper",
    ),
    Fault(
        "times of arrival lose their microseconds",
        f"{CODECS}.cloudevents_mapping",
        'isoformat("T", "microseconds")',
        'isoformat("T", "milliseconds")',
        f"{LAWS}:test_cloudevents_of_ours",
    ),
    Fault(
        "attributes are not checked against the data",
        f"{CODECS}.cloudevents_mapping",
        "_check_copies(attributes, _our_attributes(envelope))",
        "pass",
        f"{CLOUD}:test_what_is_cut_is_refused",
    ),
    Fault(
        "percent signs go into headers as they are",
        f"{CODECS}.cloudevents_model",
        """{ord('"'), ord("%")}""",
        """{ord('"')}""",
        f"{LAWS}:test_cloudevents_of_others_in_headers",
    ),
    Fault(
        "no data, null and {} are not told apart",
        f"{CODECS}.cloudevents_mapping",
        "if value is None or value == {}:",
        "if value is None:",
        f"{LAWS}:test_cloudevents_of_others",
    ),
    Fault(
        "the data of others are read as typed JSON",
        f"{CODECS}.cloudevents_mapping",
        'pack(cloudevent.data.value, "data")',
        '__import__("tidings.events.codecs.json_reading", fromlist=["x"])'
        ".value_from_plain(cloudevent.data.value)",
        f"{LAWS}:test_cloudevents_of_others",
    ),
    Fault(
        "an integer just beyond int64 is put into a map",
        f"{CODECS}.arrow_codec",
        "_MOST: Final = 2**63 - 1",
        "_MOST: Final = 2**63",
        f"{ARROW}:test_the_columns",
    ),
    Fault(
        "booleans count as integers in the maps",
        f"{CODECS}.arrow_codec",
        "entries = maps.get(kind)",
        "entries = maps.get(int if kind is bool else kind)",
        f"{LAWS}:test_maps_of_properties",
    ),
    Fault(
        "records inside records stay in their boxes",
        "tidings.events.anyvalue",
        "if content.kind not in (Kind.STRUCT, Kind.SEQUENCE):",
        "if True:",
        f"{LAWS}:test_inference_gives_the_type_back",
    ),
    Fault(
        "a long in a header becomes a short on the way through an any",
        "tidings.events.structured",
        'pack_header(_typed_integers(_properties(variable, "header")))',
        'pack_header(_properties(variable, "header"))',
        f"{LAWS}:test_events_as_values",
    ),
    Fault(
        "a number that becomes wider is called a conflict",
        "tidings.events.schema",
        'dict.fromkeys((Kind.FLOAT, Kind.DOUBLE, Kind.LONGDOUBLE, Kind.FIXED), "number")',
        'dict.fromkeys((Kind.FLOAT, Kind.DOUBLE, Kind.LONGDOUBLE, Kind.FIXED), "real")',
        f"{SCHEMA}:test_what_is_no_conflict",
    ),
    Fault(
        "merging forgets who sent what",
        "tidings.events.schema",
        "seen.producers[producer] = seen.producers.get(producer, 0) + count",
        "seen.producers[producer] = count",
        f"{LAWS}:test_catalogues_merge",
    ),
]


class _Planter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module before anybody else does, with another source."""

    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        place = f"<planted fault in {self._name}>"
        exec(compile(self._source, place, "exec"), module.__dict__)


@contextmanager
def planted(fault: Fault | None) -> Iterator[None]:
    """Everything of ours is imported anew, with the fault in it; afterwards all is as before."""
    finders: list[_Planter] = []
    if fault is not None:
        source = inspect.getsource(importlib.import_module(fault.module))
        assert source.count(fault.old) == 1, f"{fault.old!r} must stand once in {fault.module}"
        finders.append(_Planter(fault.module, source.replace(fault.old, fault.new)))
    before = {name: m for name, m in sys.modules.items() if name.partition(".")[0] in OURS}
    for name in before:
        del sys.modules[name]
    sys.meta_path[:0] = finders
    try:
        yield
    finally:
        del sys.meta_path[: len(finders)]
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            del sys.modules[name]
        sys.modules.update(before)


OURS = ("tidings", "tests")


def run(check: str, examples: int) -> None:
    """Runs a test function with all its parameters, or so many examples."""
    module, _, name = check.partition(":")
    function: Callable[..., None] = getattr(importlib.import_module(module), name)
    if hasattr(function, "hypothesis"):
        searching = settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],  # what fails need not be made small
            suppress_health_check=list(HealthCheck),
        )
        searching(function)()
        return
    marks = [m for m in getattr(function, "pytestmark", ()) if m.name == "parametrize"]
    if not marks:
        function()
        return
    (mark,) = marks
    names, rows = mark.args
    names = [names] if isinstance(names, str) else list(names)
    for row in rows:
        function(**dict(zip(names, row if len(names) > 1 else [row], strict=True)))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_fault_is_noticed(fault: Fault) -> None:
    with planted(fault):
        try:
            run(fault.noticed_by, 500)
        except BaseException as error:  # noqa: BLE001 -- pytest's own failures are no Exceptions
            assert not isinstance(error, KeyboardInterrupt | SystemExit | SyntaxError)  # noqa: PT017
            return
    pytest.fail(f"nobody noticed that {fault.what}")


@pytest.mark.parametrize("check", sorted({fault.noticed_by for fault in FAULTS}))
def test_without_a_fault_there_is_nothing_to_notice(check: str) -> None:
    with planted(None):
        run(check, 30)
