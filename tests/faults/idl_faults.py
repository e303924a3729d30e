"""Faults in what reads IDL and makes Python of it."""

from __future__ import annotations

from tests.faults.fault import Fault

SCAN = "idl/scan.py"
PREPROCESS = "idl/preprocess.py"
PARSE_TYPES = "idl/parse_types.py"
CONSTANTS = "idl/constants.py"
RESOLVE = "idl/resolve.py"
RESOLVE_TYPES = "idl/resolve_types.py"
SCOPES = "idl/scopes.py"
TYPECODES = "idl/typecodes.py"
NAMES = "idl/names.py"
MARSHAL = "idl/marshal.py"
GENERATE = "idl/generate.py"
INTERFACES = "idl/generate_interfaces.py"
SUPPORT = "orb/generated.py"

IDL_FAULTS = [
    Fault("an escaped name keeps its underscore", SCAN, "piece[1:], place)", "piece, place)"),
    Fault("octal numbers are decimal", SCAN, "int(piece, 8 if octal else 0)", "int(piece, 10)"),
    Fault(
        "a file may include itself for ever",
        PREPROCESS,
        "if source in self._open and not self._is_guarded(source):",
        "if False:",
    ),
    Fault(
        "a branch behind a taken one is taken too",
        PREPROCESS,
        "now = branch.outer and not branch.taken",
        "now = branch.outer",
    ),
    Fault(
        "what is inside a skipped condition is read",
        PREPROCESS,
        "_Branch(outer, outer and self._holds(word, rest, place), place)",
        "_Branch(outer, self._holds(word, rest, place), place)",
    ),
    Fault(
        "shifts bind tighter than sums",
        PARSE_TYPES,
        '("<<", ">>"), ("+", "-")',
        '("+", "-"), ("<<", ">>")',
    ),
    Fault(
        "division rounds down",
        CONSTANTS,
        "return whole if (left < 0) == (right < 0) else -whole",
        "return left // right",
    ),
    Fault(
        "complements are always signed",
        CONSTANTS,
        "(1 << unsigned_bits) - 1 - operand if unsigned_bits else ~operand",
        "~operand",
    ),
    Fault(
        "a number may be too large for its type", CONSTANTS, "if not low <= found <= high:", "if 0:"
    ),
    Fault(
        "a prefix reaches into included files",
        RESOLVE,
        'self._within(node.body, scope, "")',
        "self._within(node.body, scope, self._prefix)",
    ),
    Fault(
        "a prefix outlives its file",
        RESOLVE,
        "        self._prefix = outer\n\n    def _include",
        "\n    def _include",
    ),
    Fault("a oneway operation may answer", RESOLVE, "if node.oneway and (", "if False and ("),
    Fault(
        "an operation may be declared again below",
        RESOLVE,
        "        if owner is not None:\n",
        "        if False:\n",
    ),
    Fault(
        "a struct may contain itself",
        RESOLVE_TYPES,
        "if isinstance(inner, StructDef | UnionDef) and not inner.complete:",
        "if False:",
    ),
    Fault("a label may stand twice", RESOLVE_TYPES, "if value in self.seen:", "if False:"),
    Fault(
        "dimensions come in the wrong order",
        RESOLVE_TYPES,
        "in reversed(declarator.dimensions)",
        "in declarator.dimensions",
    ),
    Fault(
        "names may differ only in case", SCOPES, "        if entry[0] != name:\n", "        if 0:\n"
    ),
    Fault(
        "a name is looked up from the outside in",
        SCOPES,
        "[self._outermost()] if name.absolute else self._outwards()",
        "[self._outermost()] if name.absolute else reversed(list(self._outwards()))",
    ),
    Fault(
        "a type that contains itself is not known inside another",
        TYPECODES,
        "if known is not None and not (open_ and self._reaches(known, open_)):",
        "if known is not None:",
    ),
    Fault("words of Python stay as they are", NAMES, "if keyword.iskeyword(name)", "if False"),
    Fault("names may meet", NAMES, "while taken & _forms(definition, name):", "while False:"),
    Fault(
        "longs in a row are written as shorts",
        MARSHAL,
        'Kind.LONG: ("i", 4)',
        'Kind.LONG: ("h", 2)',
    ),
    Fault(
        "arrays of nothing cost nothing",
        MARSHAL,
        'count = f"_g.empty_count(r, {type_.length})"',
        "pass",
    ),
    Fault("a union has no default", GENERATE, 'yield "if True:"', 'yield "if False:"'),
    Fault(
        "attributes can be set only",
        INTERFACES,
        'f"_get_{attribute.name}"',
        'f"_set_{attribute.name}"',
    ),
    Fault(
        "results come with the outs first",
        INTERFACES,
        "outs if self.result is None else [self.result, *outs]",
        "outs if self.result is None else [*outs, self.result]",
    ),
    Fault(
        "classes without an order inherit all the same",
        INTERFACES,
        "flat = calls.order(one) is None",
        "flat = False",
    ),
    Fault("bounds are not kept", SUPPORT, "if bound and len(value) > bound:", "if False:"),
    Fault("arrays may be short", SUPPORT, "or len(value) != length:", "or len(value) > length:"),
]
