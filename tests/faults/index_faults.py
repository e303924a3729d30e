"""Faults in the match index."""

from __future__ import annotations

from tests.faults.fault import Fault

FACE = "filters/index/match_index.py"
BUCKET = "filters/index/bucket.py"
FIELD = "filters/index/field_index.py"
GRID = "filters/index/grid.py"
EQUALITY = "filters/index/equality.py"
ORDERED = "filters/index/ordered.py"
NEEDLES = "filters/index/needles.py"
ACCESS = "filters/index/access.py"
TYPES = "filters/index/event_types.py"
ROWS = "filters/index/rows.py"
ROWCODE = "filters/index/rowcode.py"
UNEQUAL = "filters/index/unequal.py"

INDEX_FAULTS = [
    Fault(
        "what was removed stays in its bucket",
        FACE,
        "                entry.home.discard(entry)",
        "                entry.place = 0",
    ),
    Fault(
        "a subscription reached in two ways is reported twice",
        FACE,
        "found += dict.fromkeys(repeated)",
        "found += repeated",
    ),
    Fault(
        "event types are ignored",
        FACE,
        "if of_type is not None:",
        "if of_type is False:",
    ),
    Fault(
        "the answers of patterns are remembered too long",
        TYPES,
        "self._patterns[path] = patterns\n                self._answers.clear()",
        "self._patterns[path] = patterns",
    ),
    Fault(
        "an event type's domain and type run into each other",
        TYPES,
        'return f"{len(domain)}:{domain}{type}"',
        "return type",
    ),
    Fault(
        "the last one moves and its place is not noted",
        BUCKET,
        "        last.place = entry.place\n        self._check_empty()",
        "        self._check_empty()",
    ),
    Fault(
        "an interval does not reach its last cell",
        GRID,
        "for cell in range(first, last + 1):",
        "for cell in range(first, last):",
    ),
    Fault(
        "the lower end of an interval is not tested",
        FIELD,
        "Side.LOWER: used[:1]",
        "Side.LOWER: ()",
    ),
    Fault(
        "the longest run of a text is not looked up",
        NEEDLES,
        "for length in range(1, _RUN + 1):",
        "for length in range(1, _RUN):",
    ),
    Fault(
        "large integers are looked up as they are",
        EQUALITY,
        "if type(value) is float and not -EXACT < value < EXACT:",
        "if type(value) is complex:",
    ),
    Fault(
        "a character's code is not a way to its literal",
        EQUALITY,
        "        if kind is OneChar:",
        "        if kind is bytes:",
    ),
    Fault(
        "a bound belongs to the range above it",
        ORDERED,
        "Greater: (True, False),",
        "Greater: (True, True),",
    ),
    Fault(
        "`not` of a range leaves out NaN",
        ORDERED,
        "return slice(None) if self.name.negated else slice(0)",
        "return slice(0)",
    ),
    Fault(
        "large integers and reals are ordered exactly",
        ORDERED,
        "return asked, float if large else None",
        "return asked, None",
    ),
    Fault(
        "the wrong one of several equal bounds goes",
        ORDERED,
        "at = bisect_left(self.entries, entry.place, start, end, key=_PLACE)",
        "at = start",
    ),
    Fault(
        "the mirror of < keeps the bound",
        "filters/index/conjuncts.py",
        "    Less: Greater,",
        "    Less: GreaterEqual,",
    ),
    Fault(
        "characters and strings share one `or`",
        ACCESS,
        "    if OneChar in classes:\n        return False",
        "    if OneChar in classes:\n        return True",
    ),
    Fault(
        "`exist $x == FALSE` waits for the field to exist",
        ACCESS,
        "isinstance(part, Or | And | Exist) for part in walk_tree(node)",
        "isinstance(part, Or | And) for part in walk_tree(node)",
    ),
    Fault(
        "an element of a wrong kind before the wanted one is passed over",
        FIELD,
        "sought &= _COMPARABLE.get(type(item), 0)",
        "sought &= _EVERY_KIND",
    ),
    Fault(
        "rows of large integers are compared as they are",
        ROWCODE,
        'return "i" if -truth.EXACT <= value <= truth.EXACT else AWKWARD',
        'return "i"',
    ),
    Fault(
        "a row that has moved is looked for in its old place",
        ROWS,
        "self.rows[entry.place], self.entries[entry.place] = row, last",
        "self.rows[entry.place] = row",
    ),
    Fault(
        "the names of an event leave out its header",
        "events/fields.py",
        "return (*self._event.header, *self._event.data)",
        "return (*self._event.data,)",
    ),
    Fault(
        "an integer and a double that are equal are taken for one element",
        FIELD,
        "for item in set(items) if len(kinds) == 1 else items:",
        "for item in set(items):",
    ),
    Fault(
        "a `!=` decides though what stands before it is an error",
        UNEQUAL,
        "if not all(holds(fields[path]) for path, holds in self.guard):",
        "if not all(True for path, holds in self.guard):",
    ),
    Fault(
        "a `!=` keeps those whose literal the value equals",
        UNEQUAL,
        "if not e.way.compiled()(fields)}",
        "if False}",
    ),
    Fault(
        "an `or` of equalities is taken for one whatever the classes of its literals",
        ACCESS,
        "return len(classes) == 1 and not _large(literals)",
        "return True",
    ),
    Fault(
        "rows beside bounds are not tested",
        ORDERED,
        "if self.tested and keys:",
        "if False:",
    ),
    Fault(
        "of an `or` only the first operand leads anywhere",
        BUCKET,
        "        for operand in either.operands:\n            way",
        "        for operand in either.operands[:1]:\n            way",
    ),
]
