"""Hypothesis strategies for IDL: trees to print, and files whose types have values."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from tests.laws.strategies import mixed
from tidings.events.typecode import KEYWORDS, Kind
from tidings.idl import tree as t

Draw = st.DrawFn

# ---------------------------------------------------------------- trees

identifiers = st.one_of(
    st.sampled_from(["a", "B", "x_1", "module", "EventType", "Object", "factory", "TRUE", "in"]),
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}", fullmatch=True),
)
scoped_names = st.builds(
    t.ScopedName, st.lists(identifiers, min_size=1, max_size=3).map(tuple), st.booleans()
)
latin_texts = st.text(st.characters(max_codepoint=255, exclude_characters="\x00"), max_size=6)
wide_texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)

literals = st.one_of(
    st.integers(0, 2**64 - 1).map(lambda n: t.Literal("integer", n)),
    st.floats(0, allow_nan=False, allow_infinity=False).map(lambda x: t.Literal("real", x)),
    st.decimals(0, 10**9, places=3).map(lambda d: t.Literal("fixed", Decimal(d))),
    st.booleans().map(lambda b: t.Literal("boolean", b)),
    latin_texts.map(lambda s: t.Literal("string", s)),
    wide_texts.map(lambda s: t.Literal("wstring", s)),
    st.characters(max_codepoint=255).map(lambda c: t.Literal("char", c)),
    st.characters(codec="utf-8").map(lambda c: t.Literal("wchar", c)),
    scoped_names.map(t.Named),
)
expressions: st.SearchStrategy[t.Expression] = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.builds(t.Unary, st.sampled_from("-+~"), inner),
        st.builds(t.Binary, st.sampled_from(["|", "^", "&", "<<", ">>", *"+-*/%"]), inner, inner),
    ),
    max_leaves=5,
)
bounds = st.one_of(st.none(), expressions)

WORD_TYPES = [kind for kind in KEYWORDS if kind not in (Kind.NULL, Kind.VOID, Kind.TYPECODE)]
leaf_types: st.SearchStrategy[t.TypeSpec] = st.one_of(
    st.sampled_from([*WORD_TYPES, Kind.OBJREF]).map(t.BasicType),
    st.builds(t.StringType, st.booleans(), bounds),
    st.builds(t.FixedType, expressions, expressions),
    scoped_names,
)


def declarators(most: int = 2) -> st.SearchStrategy[t.Declarator]:
    """Names, some of them of arrays."""
    return st.builds(t.Declarator, identifiers, st.lists(expressions, max_size=most).map(tuple))


simple_types: st.SearchStrategy[t.TypeSpec] = st.recursive(
    leaf_types, lambda inner: st.builds(t.SequenceType, inner, bounds), max_leaves=2
)


def _composites(inner: st.SearchStrategy[t.TypeSpec]) -> st.SearchStrategy[t.TypeSpec]:
    names = st.lists(declarators(), min_size=1, max_size=2).map(tuple)
    members = st.lists(st.builds(t.Member, inner, names), max_size=3).map(tuple)
    labels = st.lists(bounds, min_size=1, max_size=3).map(tuple)
    cases = st.lists(st.builds(t.Case, labels, inner, declarators()), max_size=3).map(tuple)
    several = st.lists(identifiers.map(t.Declarator), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        simple_types,
        st.builds(t.Struct, identifiers, members),
        st.builds(t.Union, identifiers, inner, cases),
        st.builds(t.Enum, identifiers, several),
    )


types = st.recursive(leaf_types, _composites, max_leaves=4)


@st.composite
def constants(draw: Draw) -> t.Const:
    """Constants; only they may be just `fixed`."""
    type_ = draw(st.one_of(simple_types, st.just(t.FixedType())))
    return t.Const(type_, draw(identifiers), draw(expressions))


@st.composite
def simple_definitions(draw: Draw) -> t.Definition:
    """What may stand in modules and interfaces alike."""
    type_ = draw(types)
    if isinstance(type_, t.Struct | t.Union | t.Enum) and draw(st.booleans()):
        return type_
    names = tuple(draw(st.lists(declarators(), min_size=1, max_size=2)))
    choice = draw(st.integers(0, 3))
    if choice == 0:
        return t.Typedef(type_, names)
    if choice == 1:
        members = tuple(draw(st.lists(st.builds(t.Member, types, st.just(names)), max_size=2)))
        return t.Exception_(draw(identifiers), members)
    if choice == 2:
        return t.Pragma("prefix", None, draw(st.sampled_from(["", "omg.org", "a/b"])))
    return draw(constants())


@st.composite
def operations(draw: Draw) -> t.Definition:
    """Operations and attributes."""
    if draw(st.booleans()):
        names = draw(st.lists(declarators(0), min_size=1, max_size=2))
        return t.Attribute(draw(simple_types), tuple(names), draw(st.booleans()))
    directions = st.sampled_from(["in", "out", "inout"])
    parameters = st.builds(t.Parameter, directions, simple_types, identifiers)
    return t.Operation(
        draw(identifiers),
        draw(st.one_of(st.none(), simple_types)),
        tuple(draw(st.lists(parameters, max_size=2))),
        tuple(draw(st.lists(scoped_names, max_size=2))),
        draw(st.booleans()),
    )


interfaces = st.builds(
    t.Interface,
    identifiers,
    st.lists(scoped_names, max_size=2).map(tuple),
    st.lists(st.one_of(simple_definitions(), operations()), max_size=3).map(tuple),
)
forwards = st.builds(t.Forward, st.sampled_from(["interface", "struct", "union"]), identifiers)
ids = st.builds(
    t.Pragma, st.just("ID"), scoped_names, st.sampled_from(["IDL:x/Y:1.0", "RMI:z", "LOCAL:q"])
)
versions = st.builds(t.Pragma, st.just("version"), scoped_names, st.sampled_from(["1.0", "12.3"]))
definitions: st.SearchStrategy[t.Definition] = st.recursive(
    st.one_of(simple_definitions(), interfaces, forwards, ids, versions),
    lambda inner: st.builds(t.Module, identifiers, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=5,
)
specifications = st.builds(t.Specification, st.lists(definitions, max_size=4).map(tuple))

# ---------------------------------------------------------------- files whose types have values

PLAIN = [
    *("short", "unsigned short", "long", "unsigned long", "long long", "unsigned long long"),
    *("float", "double", "boolean", "char", "octet", "wchar", "string", "wstring", "any"),
    *("Object", "string<4>", "wstring<3>", "fixed<5,2>", "fixed<4,4>", "TypeCode"),
]
SWITCHES = {
    "long": ["-1", "0", "7"],
    "unsigned short": ["0", "65535"],
    "long long": ["1", "-5"],
    "boolean": ["TRUE"],
    "char": ["'a'", "'\\''"],
    "wchar": ["L'a'", "L'\\u20ac'"],
    "Color": ["red", "blue"],
}


@st.composite
def typed_files(draw: Draw) -> str:
    """A file with types of every sort, the later made of the earlier."""
    known = ["Color"]
    lines = ["enum Color {red, green, blue};"]
    for i in range(draw(st.integers(1, 5))):
        name = f"T{i}"
        lines.append(draw(_definition(name, list(known))))
        known.append(name)
    return f"module M {{\n{chr(10).join(lines)}\n}};\n"


@st.composite
def _some_type(draw: Draw, known: list[str]) -> str:
    base = draw(mixed((1, st.sampled_from(PLAIN)), (1, st.sampled_from(known))))
    around = draw(st.sampled_from(["{}", "{}", "sequence<{}>", "sequence<{}, 2>"]))
    return around.format(base)


@st.composite
def _definition(draw: Draw, name: str, known: list[str]) -> str:
    shape = draw(st.integers(0, 4))
    if shape == 0:
        dimensions = draw(st.sampled_from(["", "", "[2]", "[2][3]"]))
        return f"typedef {draw(_some_type(known))} {name}{dimensions};"
    if shape == 1:
        return draw(_union(name, known))
    members = [
        f"{draw(_some_type(known))} m{i}{draw(st.sampled_from(['', '', '[2]']))};"
        for i in range(draw(st.integers(0, 3)))
    ]
    if shape == 2:
        members.append(f"sequence<{name}> again;")
    return f"struct {name} {{ {' '.join(members)} }};"


@st.composite
def _union(draw: Draw, name: str, known: list[str]) -> str:
    switch = draw(st.sampled_from(list(SWITCHES)))
    labels = SWITCHES[switch]
    cases = [f"case {label}: {draw(_some_type(known))} b{i};" for i, label in enumerate(labels)]
    if draw(st.booleans()):
        cases = [" ".join(f"case {label}:" for label in labels) + f" {draw(_some_type(known))} b;"]
    if draw(st.booleans()):
        cases.append(f"default: sequence<{name}> other;")
    return f"union {name} switch ({switch}) {{ {' '.join(cases)} }};"
