"""Faults in what reads, answers, rewrites and prints constraints."""

from __future__ import annotations

from tests.faults.fault import Fault

TRUTH = "filters/truth.py"
TO_PYTHON = "filters/to_python.py"
REWRITE = "filters/rewrite.py"
PRINTING = "filters/printing.py"
PARSE = "filters/parse.py"
SCAN = "filters/scan.py"
PATHS = "events/paths.py"

OPERATORS = [
    Fault(
        "integer division rounds down",
        TRUTH,
        "return quotient if (left < 0) == (right < 0) else -quotient",
        "return left // right",
    ),
    Fault(
        "the remainder has the sign of the right",
        TRUTH,
        "return -rest if left < 0 else rest",
        "return -rest if right < 0 else rest",
    ),
    Fault(
        "a string of digits counts as a number",
        TRUTH,
        "    if kind is Char or kind is OneChar:",
        "    if kind is str and value.isdigit():\n"
        "        return int(value)\n"
        "    if kind is Char or kind is OneChar:",
    ),
    Fault(
        "a character compares with a longer string",
        TRUTH,
        "return len(left) == len(right) == 1",
        "return True",
    ),
    Fault(
        "a one-character literal does not count as its code",
        TRUTH,
        "if kind is Char or kind is OneChar:",
        "if kind is Char:",
    ),
    Fault(
        "an enum compares with a string",
        TRUTH,
        "if type(left) is EnumLabel or type(right) is EnumLabel:",
        "if type(left) is EnumLabel and type(right) is EnumLabel:",
    ),
    Fault(
        "enum labels have an order",
        TRUTH,
        "return test(str(left), str(right)) if for_labels else None",
        "return test(str(left), str(right))",
    ),
    Fault(
        "NaN equals itself",
        TRUTH,
        "equal = _comparison(operator.eq, for_labels=True)\nnot",
        "equal = _comparison(lambda one, two: one is two or one == two, for_labels=True)\nnot",
    ),
    Fault(
        "an integer and a real compare exactly",
        TRUTH,
        "        return float(left), float(right)",
        "        return left, right",
    ),
    Fault(
        "`in` passes over elements of a wrong kind",
        TRUTH,
        "if found is not False:",
        "if found:",
    ),
    Fault(
        "integers have no end",
        TRUTH,
        "return result if result is not None and LOWEST <= result <= HIGHEST else None",
        "return result",
    ),
    Fault(
        "the largest integer is a signed one",
        TRUTH,
        "LOWEST, HIGHEST = -(2**63), 2**64 - 1",
        "LOWEST, HIGHEST = -(2**63), 2**63 - 1",
    ),
    Fault(
        "a real divided by zero is infinite",
        TRUTH,
        "return None if right == 0 else left / right",
        "return math.inf if right == 0 else left / right",
    ),
    Fault(
        "the quotient of decimals is rounded",
        TRUTH,
        "Context(prec=31, rounding=ROUND_DOWN)",
        "Context(prec=31)",
    ),
    Fault("`~` looks the other way round", TRUTH, "return needle in text", "return text in needle"),
    Fault(
        "a number beyond an octet breaks `in`",
        TRUTH,
        "return 0 <= value < 256 and value in items",
        "return value in items",
    ),
]

BACK_ENDS = [
    Fault(
        "the bound of a range does not belong to it",
        TO_PYTHON,
        "op, literal = node.symbol, node.right",
        'op, literal = node.symbol.replace("<=", "<"), node.right',
    ),
    Fault(
        "an integer field is not made a double",
        TO_PYTHON,
        '("int", f"float({left}) {op} {right}")',
        '("int", f"{left} {op} {right}")',
    ),
    Fault("`and` passes over an error", TO_PYTHON, "if not answer:", "if answer is False:"),
    Fault("`or` passes over an error", TO_PYTHON, "if answer is not False:", "if answer:"),
    Fault(
        "`not` of an error is TRUE",
        TO_PYTHON,
        "return None if answer is None else not answer",
        "return not answer",
    ),
    Fault(
        "`not` of a short `and` is forgotten",
        TO_PYTHON,
        "self._tail(node.operand, no, yes)",
        "self._tail(node.operand, yes, no)",
    ),
    Fault(
        "a field that is no boolean is taken for its truth",
        TO_PYTHON,
        "Comparison | Contains | In | Exist | Boolean):",
        "Comparison | Contains | In | Exist | Boolean | Component):",
    ),
    Fault(
        "a composite does not exist",
        TO_PYTHON,
        'f"{self._field()} is not MISSING"',
        'f"{self._field()}.__class__ in (int, float, bool, str)"',
    ),
    Fault(
        "the shape forgets that a literal is real",
        "filters/shape.py",
        'return "r"',
        'return "i"',
    ),
    Fault(
        "the shape forgets the field",
        "filters/shape.py",
        "        return path\n",
        '        return "$"\n',
    ),
    Fault(
        "explain forgets `not`",
        "filters/explain.py",
        "return Explained(node, not part.value, parts=(part,))",
        "return Explained(node, part.value, parts=(part,))",
    ),
    Fault(
        "explain goes on behind what decided",
        "filters/explain.py",
        "if value is not (not deciding):",
        "if value is None:",
    ),
]

REWRITING = [
    Fault(
        "De Morgan without exchange",
        REWRITE,
        "return And(pushed) if (kind is And) is not negated else Or(pushed)",
        "return And(pushed) if kind is And else Or(pushed)",
    ),
    Fault(
        "not (x < y) becomes x >= y",
        REWRITE,
        "    return Not(node)",
        '    if kind.__name__ == "Less":\n'
        '        return COMPARISONS[">="](node.left, node.right)\n'
        "    return Not(node)",
    ),
    Fault(
        "an error before FALSE is folded away",
        REWRITE,
        "            break  # what",
        "            return folded  # what",
    ),
    Fault(
        "TRUE is left out where the other operand may be no boolean",
        REWRITE,
        "    if boolean or _is_boolean(only):",
        "    if only:",
    ),
    Fault(
        "a double `not` is left out where its operand may be no boolean",
        REWRITE,
        "if isinstance(operand, Not) and (boolean or _is_boolean(operand.operand)):",
        "if isinstance(operand, Not):",
    ),
    Fault(
        "the last operand of a difference loses its parentheses",
        PRINTING,
        "return _infix(node, _SUM, _PRODUCT), _SUM",
        "return _infix(node, _SUM, _SUM), _SUM",
    ),
    Fault(
        "`or` inside `or` loses its parentheses",
        PRINTING,
        "_operand(n, level + 1)",
        "_operand(n, level)",
    ),
    Fault("a quote is not escaped", PRINTING, """.replace("'", "\\\\'")""", ""),
]

READING = [
    Fault("% binds like +", PARSE, '"%": _PRODUCT', '"%": _SUM'),
    Fault(
        "differences are read from the right",
        PARSE,
        "operands = [left, self.expression(level + 1)]",
        "operands = [left, self.expression(level)]",
    ),
    Fault("a sum may follow `in`", PARSE, "if _level(behind) >= _IN:", "if False:"),
    Fault(
        "the smallest integer is refused",
        PARSE,
        "if negative and token.value > 2**63:",
        "if negative and token.value >= 2**63:",
    ),
    Fault(
        "every backslash in a string is left out",
        SCAN,
        '_ESCAPE = re.compile(r"\\\\([\\\\\'])")',
        '_ESCAPE = re.compile(r"\\\\(.)")',
    ),
    Fault(
        "keywords are read in one case only",
        SCAN,
        "if piece.lower() in _WORDS:",
        "if piece in _WORDS:",
    ),
    Fault(
        "the sign of a union label is lost",
        SCAN,
        'Branch("int", -number if negative else number)',
        'Branch("int", number)',
    ),
    Fault(
        "a wildcard's ends may overlap",
        "filters/constraint.py",
        "if len(text) < len(first) + len(last):",
        "if not text:",
    ),
    Fault(
        "a constraint is tried for all event types",
        "filters/constraint.py",
        "return self.is_tried(*fields.event_type) and self.predicate(fields) is True",
        "return self.predicate(fields) is True",
    ),
    Fault("a draft's name is not warned of", "filters/check.py", ', "eventheader": "header"', ""),
]

PLACES = [
    Fault(
        "a union label must be the discriminator",
        PATHS,
        "lambda active: type_.same_branch(wanted, active)",
        "lambda active: wanted == active",
    ),
    Fault(
        "a number selects no branch of a union by an enum",
        PATHS,
        "labels: tuple[Label, ...] = switch.labels",
        "labels: tuple[Label, ...] = ()",
    ),
    Fault(
        "every branch is the default branch",
        PATHS,
        "return active == type_.default_index\n\n\ndef _type_id",
        "return active >= 0\n\n\ndef _type_id",
    ),
    Fault(
        "the last pair of a name wins",
        PATHS,
        "    for item in value:\n        if isinstance(item, tuple)",
        "    for item in reversed(value):\n        if isinstance(item, tuple)",
    ),
    Fault(
        "the data win over the header",
        "events/fields.py",
        "if root in event.header:",
        "if root in event.header and root not in event.data:",
    ),
]

FILTER_FAULTS = [*OPERATORS, *BACK_ENDS, *REWRITING, *READING, *PLACES]
