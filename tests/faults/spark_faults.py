"""Faults in what makes Spark expressions of constraints; the modules are in `filters/to_spark`."""

from __future__ import annotations

from tests.faults.fault import Fault

OPERATORS = "operators.py"
VALUES = "values.py"
MEMBERSHIP = "membership.py"
TRANSLATE = "translate.py"

NUMBERS = [
    Fault(
        "NaN is above every literal",
        OPERATORS,
        'return f"((-{left}) {_MIRRORED[symbol]} (-{right}))"',
        "return plainly",
    ),
    Fault(
        "NaN is above every field",
        OPERATORS,
        'return both(plainly, f"NOT isnan({greater})")',
        "return plainly",
    ),
    Fault(
        "NaN equals itself",
        OPERATORS,
        'return both(plainly, f"NOT isnan({left})")',
        "return plainly",
    ),
    Fault(
        "NaN is not unequal to itself",
        OPERATORS,
        'return either(plainly, f"isnan({left})")',
        "return plainly",
    ),
    Fault(
        "an integer and a real compare exactly",
        OPERATORS,
        "return _doubles(symbol, to_double(value), other, True, finite)",
        'return f"(CAST({value} AS DECIMAL(38,1)) {symbol} CAST({other} AS DECIMAL(38,1)))"',
    ),
    Fault(
        "integers have no end",
        OPERATORS,
        'return kept if symbol in {"/", "%"} else',
        "return kept if symbol else",
    ),
    Fault(
        "the largest integer is a signed one",
        OPERATORS,
        "<= {(HIGHEST - LOWEST) // 2}.5BD",
        "<= {(HIGHEST - LOWEST) // 4}.5BD",
    ),
    Fault(
        "integer division is rounded",
        OPERATORS,
        '"try_divide({0} - try_mod({0}, {1}), {1})"',
        '"try_divide({0}, {1})"',
    ),
    Fault(
        "the remainder has no sign",
        OPERATORS,
        '    "%": "try_mod({}, {})",\n    # Without',
        '    "%": "try_mod(abs({}), {})",\n    # Without',
    ),
    Fault(
        "a real divided by zero is infinite",
        OPERATORS,
        '"/": "try_divide({}, {})"',
        '"/": "coalesce(try_divide({}, {}), DOUBLE(\'Infinity\'))"',
    ),
    Fault(
        "a boolean is no integer",
        VALUES,
        "{INT: _itself, WIDE: _itself, BOOL: as_bigint, CODE: _itself}",
        "{INT: _itself, WIDE: _itself, CODE: _itself}",
    ),
    Fault("`$curtime` counts microseconds", TRANSLATE, "* 10L +", "* 1L +"),
]

ANSWERS = [
    Fault(
        "a literal on the left compares the other way round",
        OPERATORS,
        "return compared(_MIRRORED[symbol], right, left, scope)",
        "return compared(symbol, right, left, scope)",
    ),
    Fault(
        "enum labels have an order",
        OPERATORS,
        "(kind == LABEL and symbol in _EQUALITY)",
        "kind == LABEL",
    ),
    Fault(
        "`~` looks the other way round",
        OPERATORS,
        'f"contains({text}, {needle})"',
        'f"contains({needle}, {text})"',
    ),
    Fault(
        "a one-character literal does not count as its code",
        TRANSLATE,
        "Value(({TEXT: text, CODE: code},), is_total=True)",
        "Value(({TEXT: text},), is_total=True)",
    ),
    Fault(
        "`and` passes over an error",
        VALUES,
        'return f"get(array(FALSE, {right}), CAST({left} AS INT))"',
        'return f"({left} AND {right})"',
    ),
    Fault(
        "`or` passes over an error",
        VALUES,
        'return f"get(array({right}, TRUE), CAST({left} AS INT))"',
        'return f"({left} OR {right})"',
    ),
    Fault(
        "`not` does not tell an error from FALSE",
        TRANSLATE,
        "inner, total = self.truth(node.operand, exact=True)",
        "inner, total = self.truth(node.operand, exact=False)",
    ),
    Fault(
        "an `or` does not tell an error from FALSE on its left",
        TRANSLATE,
        "exact=exact or at < last",
        "exact=exact",
    ),
    Fault(
        "NaN is an element like others",
        MEMBERSHIP,
        'answers.append(found if left.is_finite else both(found, f"NOT isnan({real})"))',
        "answers.append(found)",
    ),
    Fault(
        "nothing is known about an empty sequence",
        MEMBERSHIP,
        'yield from _among_none(left, items["data_ints"])',
        "yield from ()",
    ),
]

PLACES = [
    Fault(
        "the data win over the header",
        VALUES,
        "for layer in reversed(self.layers):",
        "for layer in self.layers:",
    ),
    Fault(
        "a text in the header lets a number in the data through",
        VALUES,
        "if others:",
        "if others and not self.layers:",
    ),
    Fault(
        "the header wins only with all kinds at once",
        VALUES,
        "{' OR '.join(f'{part} IS NOT NULL'",
        "{' AND '.join(f'{part} IS NOT NULL'",
    ),
    Fault(
        "a sequence is found behind the header",
        MEMBERSHIP,
        "if place.in_header:",
        "if not place.in_data:",
    ),
    Fault(
        "what no map holds does not exist",
        TRANSLATE,
        'tests += [columns.listed(f"{part}_other", place.name) for part in _parts(place)]',
        "tests += []",
    ),
    Fault(
        "what no map holds is judged by the maps",
        TRANSLATE,
        '("data_other", place.in_data)',
        '("data_other", False)',
    ),
    Fault(
        "what is known of the data counts for the header",
        "columns.py",
        "name in self.maps.get(column, ())",
        "name in self.maps.get(column.replace('header', 'data'), ())",
    ),
    Fault(
        "what is known of one kind counts for all",
        "columns.py",
        "name in self.maps.get(column, ())",
        "name in self.maps.get('data_int', ())",
    ),
    Fault(
        "what occurs as no map holds it is taken for missing",
        "columns.py",
        "return self.others is None or name in self.others",
        "return self.others is None",
    ),
    Fault(
        "a bare value is judged by the columns",
        TRANSLATE,
        "if reads_event(tree) and occurring.as_other(BARE):",
        "if not BARE:",
    ),
    Fault(
        "a long spelling leads to the other part",
        "places.py",
        "Property(step.name, names == _HEADER, names == _DATA)",
        "Property(step.name, names == _DATA, names == _HEADER)",
    ),
    Fault(
        "a sign in a text ends it",
        "columns.py",
        '''return "'" + "".join(map(_escaped, text)) + "'"''',
        '''return "'" + text + "'"''',
    ),
    Fault(
        "an event type's domain does not matter",
        "event_types.py",
        "if not pattern.any_domain:",
        "if not pattern:",
    ),
    Fault(
        "the ends of a wildcard may overlap",
        "event_types.py",
        '{inner}.*{_literally(last)}\\\\z"',
        '{inner}.*(?<={_literally(last)})\\\\z"',
    ),
]

SPARK_FAULTS = [*NUMBERS, *ANSWERS, *PLACES]
