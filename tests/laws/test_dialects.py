"""Laws of translations: never narrower; exact means equal; what is read back says the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given

from tests.laws.dialect_reference import Expression, Selector, siena_matches, topic_fits
from tests.laws.dialect_worlds import ServiceView, Texts, field_tree
from tests.laws.filter_events import Scene, draw_scene
from tests.laws.filter_reference import answer, fits
from tests.laws.filter_strategies import sources
from tests.laws.filter_trees import constraint_of, draw_tree, draw_types
from tidings.errors import InvalidConstraint, InvalidUsage
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.events.paths import Path
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.dialects import cesql, jms, proximity, siena, topics
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.filters.dialects.writing import Kind, Seen, fixed_names

CASES = 700


def world(rng: Random) -> tuple[Constraint, Scene, bool]:
    """A constraint, an event, and whether it matches."""
    scene = draw_scene(rng)
    tree = (field_tree if rng.random() < 0.85 else draw_tree)(rng, scene)
    types = draw_types(rng) if rng.random() < 0.2 else ()
    matches = answer(tree, scene.fields) is True and fits(types, scene.fields.event_type)
    return constraint_of(tree, types), scene, matches


Check = Callable[[Random], tuple[bool, bool, bool]]
"""Translates a constraint, checks it, and returns whether it matches, is selected, is exact."""


def check_selector(rng: Random) -> tuple[bool, bool, bool]:
    wanted, scene, matches = world(rng)
    view = ServiceView(rng, scene)
    written = jms.write(wanted, view.names)
    for activemq in (True, False):
        selected = Selector(written.text, activemq).matches(view.values)
        assert selected or not matches, (written, view.values)
        nan = activemq and any(map(is_nan, view.values.values()))
        assert selected is matches or not written.exact or nan, (written, view.values)
    return matches, selected, written.exact


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def check_siena(rng: Random) -> tuple[bool, bool, bool]:
    wanted, scene, matches = world(rng)
    view = ServiceView(rng, scene, nan=False)
    written = siena.write(wanted, view.names)
    selected = any(siena_matches(one, view.values) for one in written.filters)
    assert selected or not matches, (written, view.values)
    assert selected is matches or not written.exact, (written, view.values)
    assert siena.read_filters(siena.print_filters(written.filters)) == written.filters
    return matches, selected, written.exact


def check_cesql(rng: Random) -> tuple[bool, bool, bool]:
    wanted, scene, matches = world(rng)
    view = ServiceView(rng, scene, integers=True)
    written = cesql.write(wanted, view.names)
    selected = Expression(written.text or "TRUE").passes(view.values)
    assert selected or not matches, (written, view.values)
    assert selected is matches or not written.exact, (written, view.values)
    return matches, selected, written.exact


def check_topics(rng: Random) -> tuple[bool, bool, bool]:
    syntax = rng.choice((topics.MQTT, topics.NATS))
    levels = rng.choice(
        (("t", "{domain}", "{type}", "{name}"), ("{name}", "x"), ("{type}", "{name}"))
    )
    template = topics.Template(syntax.separator.join(levels), syntax)
    names = [rng.choice(NAMES) for _ in range(3)]
    if rng.random() < 0.5:  # a topic as somebody else writes it
        foreign = [name for name in NAMES if topics.levels_of(name, syntax)[-1] == name]
        topic = syntax.separator.join(rng.choice(foreign) if "{" in one else one for one in levels)
    else:
        topic = template.topic(*names)
    parts = template.parts_of(topic)
    if parts is None:
        assert topic.startswith("$")
        return False, False, True
    texts = [rng.choice((*parts, rng.choice(NAMES))).replace("\\", "") for _ in range(4)]
    quoted = ["'" + text.replace("'", "\\'") + "'" for text in texts]
    asked = [
        f"$event_name == {quoted[0]}", f"$type_name == {quoted[1]} or $event_name == {quoted[2]}",
        f"$domain_name == {quoted[3]}", f"$event_name != {quoted[3]}", "$rate > 3", "TRUE",
    ]  # fmt: skip
    wanted = constraint(" and ".join(f"({rng.choice(asked)})" for _ in range(rng.choice((1, 2)))))
    matches = wanted.matches(fields_of(event(*parts[:2], parts[2], {"rate": rng.choice((2, 4))})))
    written = template.write(wanted)
    form = syntax.separator, syntax.one, syntax.rest
    selected = any(topic_fits(pattern, topic, *form) for pattern in written.patterns)
    assert selected or not matches, (written, topic)
    assert selected is matches or not written.exact, (written, topic)
    return matches, selected, written.exact


NAMES = ("a", "b", "", "a/b", "a.b", "+", "#", "*", ">", "100%", "a%2Fb", "%", "$x", "é ü", "%41")
CHECKS = {"jms": check_selector, "siena": check_siena, "cesql": check_cesql, "topics": check_topics}


@pytest.mark.parametrize("language", CHECKS)
@given(rng=sources())
def test_a_translation_is_never_narrower_and_exact_is_equal(language: str, rng: Random) -> None:
    CHECKS[language](rng)


@pytest.mark.parametrize(
    ("language", "exact", "spared"),
    [("jms", 0.25, 0.3), ("siena", 0.25, 0.3), ("cesql", 0.1, 0.3), ("topics", 0.25, 0.3)],
)
def test_much_is_exact_and_little_comes_in_vain(language: str, exact: float, spared: float) -> None:
    """Of generated constraints so many are exact; of events that do not match so many are spared."""
    rng = Random(16)
    seen = Counter(CHECKS[language](rng) for _ in range(CASES))
    matching = sum(count for (matches, *_), count in seen.items() if matches)
    assert CASES / 5 < matching < CASES * 4 / 5
    assert sum(count for (*_, is_exact), count in seen.items() if is_exact) > CASES * exact
    passed = sum(
        count for (matches, selected, _), count in seen.items() if selected and not matches
    )
    assert passed < (CASES - matching) * (1 - spared)


# Reading.


def matches(read: Constraint, values: dict[str, Any]) -> bool:
    return read.matches(fields_of(event("", "", "", values)))


@given(sources())
def test_a_selector_is_read_exactly(rng: Random) -> None:
    texts = Texts(rng)
    selector = texts.selector()
    selected = Selector(selector, activemq=False).matches(texts.values)
    assert matches(jms.read(selector), texts.values) is selected, (selector, texts.values)


@given(sources())
def test_an_expression_is_read_exactly(rng: Random) -> None:
    texts = Texts(rng, integers=True, mixed=False)
    expression = texts.expression()
    passes = Expression(expression).passes(texts.values)
    assert matches(cesql.read(expression, Path), texts.values) is passes, (expression, texts.values)


@given(sources())
def test_siena_filters_are_read_exactly(rng: Random) -> None:
    texts = Texts(rng)
    filters = tuple(
        tuple(attribute_test(rng, texts) for _ in range(rng.randrange(4)))
        for _ in range(rng.choice((0, 1, 1, 2, 3)))
    )
    written = siena.print_filters(filters)
    assert siena.read_filters(written) == filters
    values = {name: value for name, value in texts.values.items() if not is_nan(value)}
    selected = any(siena_matches(one, values) for one in filters)
    assert matches(siena.read(written), values) is selected, (written, values)


def attribute_test(rng: Random, texts: Texts) -> AttributeTest:
    kind = rng.choice("snb")
    name, value = texts.name(kind), texts.constant(kind)
    while kind == "n" and not math.isfinite(value):
        value = texts.constant(kind)
    operators = [Operator.EQUAL, Operator.NOT_EQUAL]
    if kind != "b":
        operators += [Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL]
    if kind == "s":
        operators += [Operator.PREFIX, Operator.SUBSTRING]
    if rng.random() < 0.15:
        return AttributeTest(name, Operator.ANY)
    return AttributeTest(name, rng.choice(operators), value)


@given(sources())
def test_what_was_written_exactly_reads_the_same(rng: Random) -> None:
    wanted, scene, matched = world(rng)
    view = ServiceView(rng, scene, nan=False)
    selector = jms.write(wanted, view.names)
    if "LIKE" not in selector.text or "*" not in repr(wanted.event_types):
        assert not selector.exact or matches(jms.read(selector.text), view.values) is matched
    filters = siena.write(wanted, view.names)
    if Operator.SUFFIX.value not in siena.print_filters(filters.filters):
        read = siena.read(siena.print_filters(filters.filters))
        assert not filters.exact or matches(read, view.values) is matched


@given(sources())
def test_a_pattern_of_topics_is_read_exactly(rng: Random) -> None:
    syntax = rng.choice((topics.MQTT, topics.NATS))
    template = topics.Template(syntax.separator.join(("t", "{type}", "{name}")), syntax)
    parts = [rng.choice(NAMES) for _ in range(2)]
    topic = template.topic("", *parts)
    assert template.parts_of(topic) == ("", *parts)
    levels = [rng.choice((level, level, syntax.one)) for level in topic.split(syntax.separator)]
    if rng.random() < 0.3:
        levels[rng.randrange(3) :] = [syntax.rest]
    if rng.random() < 0.3:
        levels[-1] = rng.choice(("a", "zz", levels[-1]))
    pattern = syntax.separator.join(levels)
    found = topic_fits(pattern, topic, syntax.separator, syntax.one, syntax.rest)
    try:
        read = template.read(pattern)
    except InvalidConstraint:
        assert not found
        return
    assert read.matches(fields_of(event("", *parts))) is found


@pytest.mark.parametrize(
    ("read", "text", "column", "words"),
    [
        (jms.read, "a >", 4, "ends too early"),
        (jms.read, "a ? b", 3, "begins nothing"),
        (jms.read, "a = 1 b", 7, "cannot stand here"),
        (jms.read, "NOT a = 1", 1, "NOT (…)"),
        (jms.read, "a + 1 > 3", 7, "literal only"),
        (jms.read, "a = b", 3, "literal only"),
        (jms.read, "a < 'x'", 3, "no order"),
        (jms.read, "a LIKE '%x'", 3, "how a text begins"),
        (jms.read, "a = 9007199254740993", 3, "2**53"),
        (jms.read, "(" * 99 + "a", 51, "too deep"),
        (jms.read, "a IN (1)", 3, "takes texts"),
        (cesql.read, "", 1, "empty"),
        (cesql.read, "LENGTH(a) > 3", 1, "function LENGTH"),
        (cesql.read, "x AND y OR z", 9, "binds differently"),
        (cesql.read, "NOT a = 1", 1, "NOT (…)"),
        (cesql.read, "a < 'x'", 3, "only integers"),
        (cesql.read, "a = 4294967296", 5, "32 bits"),
        (cesql.read, "a + 1", 3, "no condition"),
        (siena.read, "filter{ a > }", 13, "a number"),
        (siena.read, "filter{ a *< \"x\" }", 9, "suffixes"),
        (siena.read, "filter{ a = x }", 13, "no value"),
        (siena.read, "filter{ a < true }", 11, "does not take"),
        (siena.read, "price > 3", 1, "filter{"),
        (topics.Template("t/{name}", topics.MQTT).read, "x/a", 1, "t/{name}"),
        (topics.Template("t/{name}", topics.MQTT).read, "t/a/b", 5, "t/{name}"),
        (topics.Template("t/{name}", topics.MQTT).read, "t/a+", 3, "no level"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_place(
    read: Callable[[str], Constraint], text: str, column: int, words: str
) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        read(text)
    assert caught.value.column == column
    assert words in str(caught.value)


# The forms that people see.


def names(path: Path) -> Seen | None:
    fixed = fixed_names(name="subject").get(path)
    numbers = {"rate": Kind.NUMBER, "host": Kind.TEXT}
    kinds = numbers.get(path.root or "", Kind.SIMPLE)
    return fixed or (None if path.steps else Seen(path.root or "", kinds))


@pytest.mark.parametrize(
    ("text", "selector", "filters", "expression"),
    [
        ("", "", "filter{ }", ""),
        (
            "$event_name == 'Speed' and $rate > 30",
            "subject = 'Speed' AND rate > 30.0",
            'filter{ subject = "Speed" rate > 30 }',
            "(EXISTS subject AND subject = 'Speed') AND rate > 30",
        ),
        (
            "$host == 'it\\'s' or $host == 'b1'",
            "host IN ('it''s', 'b1')",
            'filter{ host = "it\'s" } filter{ host = "b1" }',
            "host = 'it\\'s' OR host = 'b1'",
        ),
        (
            "'_' ~ $host",
            r"host LIKE '%\_%' ESCAPE '\'",
            'filter{ host * "_" }',
            r"host LIKE '%\_%'",
        ),
        ("exist $up", "up IS NOT NULL", "filter{ up any }", "EXISTS up"),
        ("not exist $up", "up IS NULL", "filter{ }", "NOT (EXISTS up)"),
        ("FALSE", "1 = 0", "(nothing)", "FALSE"),
    ],
)
def test_translations_are_what_a_person_would_write(
    text: str, selector: str, filters: str, expression: str
) -> None:
    wanted = constraint(text)
    assert jms.write(wanted, names).text == selector
    assert siena.write(wanted, names).translation.text == filters
    assert cesql.write(wanted, names).text == expression


def test_what_is_left_out_is_said() -> None:
    written = jms.write(constraint("$rate / 2 > 3 and $up"), names)
    assert written == (
        "rate IS NOT NULL AND up = TRUE",
        False,
        "also: events that do not meet $rate / 2 > 3",
    )
    assert not siena.write(constraint("not exist $up"), names).exact


def test_identifiers_that_a_language_lacks_are_not_used() -> None:
    def odd(path: Path) -> Seen:
        return Seen("not-a-name")

    for write in (jms.write, cesql.write):
        assert write(constraint("$a == 1"), odd).text == ""
    assert siena.write(constraint("$a == 1"), odd).filters == ((),)
    assert not jms.is_identifier("Like")
    assert not jms.is_identifier("é")


@pytest.mark.parametrize(
    ("text", "subjects", "content"),
    [
        ("", None, ""),
        ("$event_name == 'Speed'", ("Speed",), ""),
        ("$event_name == 'A' or $event_name == 'B'", ("A", "B"), ""),
        ("$event_name == 'A' and $rate > 3", ("A",), "$event_name == 'A' and $rate > 3"),
        ("$event_name > 'A'", None, "$event_name > 'A'"),
        ("$event_name == 'A' and $event_name == 'B'", (), ""),
        ("$rate > 3 or $event_name == 'A'", None, "$rate > 3 or $event_name == 'A'"),
    ],
)
def test_a_constraint_is_split_into_subjects_and_content(
    text: str, subjects: tuple[str, ...] | None, content: str
) -> None:
    found = proximity.split(constraint(text))
    assert (found.subjects, found.content.text) == (subjects, content)


@given(sources())
def test_a_split_constraint_selects_the_same(rng: Random) -> None:
    wanted, scene, matched = world(rng)
    found = proximity.split(wanted)
    heard = found.subjects is None or scene.event.name in found.subjects
    assert (heard and found.content.matches(scene.fields)) is matched


def test_values_of_different_types_are_different_tests() -> None:
    tests = {AttributeTest("a", Operator.EQUAL, value) for value in (1, 1.0, True)}
    assert len(tests) == 3
    assert siena.print_filters([tuple(sorted(tests, key=repr))]).count("a = ") == 3


@pytest.mark.parametrize("text", ["a//{name}", "a/+/{name}", "{name}/{name}", "{nam e#}"])
def test_a_template_that_makes_no_topics_is_refused(text: str) -> None:
    with pytest.raises(InvalidUsage, match="template"):
        topics.Template(text, topics.MQTT)
