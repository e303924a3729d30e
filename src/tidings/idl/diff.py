"""What changed between two versions of an interface, and whether old clients still work.

An old client has stubs made from the version before; it calls an object of the version after. What
it says and hears are octets without names or types, so each change is judged by the way its values
go: `SENT` from the client's side to the service's, `RETURNED` the other way. An object that the
client passes is called by the service: there the ways are turned round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from tidings.errors import NotFound
from tidings.events.typecode import KEYWORDS, Kind, Label
from tidings.idl import model as m
from tidings.idl.canonical import canonical_definition, closure, own_interfaces
from tidings.idl.compile import compile_source
from tidings.idl.faults import Source
from tidings.idl.rules import RULES, Rule
from tidings.idl.sources import Folders, Only

OBJECT_ID: Final = "IDL:omg.org/CORBA/Object:1.0"


class Way(Enum):
    """Which side writes a value."""

    SENT = "sent"
    RETURNED = "returned"

    @property
    def back(self) -> Way:
        """The other way."""
        return Way.RETURNED if self is Way.SENT else Way.SENT


@dataclass(frozen=True, slots=True)
class Difference:
    """One change.

    Attributes:
        where: What changed: `Bank::Account.deposit(amount)`, `Bank::Sum.unit`.
        what: The kind of change in a few words: `parameter added`.
        compatible: Whether old clients still work.
        rule: The name of the rule that says so.
        text: The change in words.
    """

    where: str
    what: str
    compatible: bool
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What has changed.

    Attributes:
        compatible: Whether old clients still work.
        differences: Each change, in the order of the definitions; none if nothing has changed.
    """

    compatible: bool = True
    differences: tuple[Difference, ...] = ()


class Notes:
    """Collects changes; of two rules about one change, the one that forbids it counts."""

    def __init__(self, rules: Mapping[str, Rule] = RULES) -> None:
        self._rules = rules
        self._found: dict[tuple[str, str, str], Rule] = {}

    def add(self, where: str, what: str, rule: str, text: str) -> None:
        """Note a change, judged by a rule."""
        key = (where, what, text)
        before = self._found.get(key)
        if before is None or before.compatible:
            self._found[key] = self._rules[rule]

    def comparison(self) -> Comparison:
        """All of them."""
        differences = tuple(
            Difference(where, what, rule.compatible, rule.name, text)
            for (where, what, text), rule in self._found.items()
        )
        return Comparison(all(one.compatible for one in differences), differences)


def compare_interfaces(
    before: str, after: str, id: str = "", after_id: str = "", files: Folders | None = None
) -> Comparison:
    """Compare two texts: the interface with an id or of a name, or all that they define.

    Afterwards it may have another id, `after_id`; if none is given and the id is not there any
    more, the interface of the same name is meant. Included files come from `files`; without, none
    can be included.
    """
    found = files or Only()
    old = compile_source(Source("before.idl", before), found)
    new = compile_source(Source("after.idl", after), found)
    return compare_models(old, new, id, after_id)


def compare_models(before: m.Model, after: m.Model, id: str = "", after_id: str = "") -> Comparison:
    """Compare two models: the interface with an id, or all that their main files define."""
    comparison = _Comparing(before, after)
    if id:
        comparison.one(id, after_id or id)
    else:
        comparison.all()
    return comparison.notes.comparison()


# What is compared by names and places.


class _Named(NamedTuple):
    """A member, parameter or branch."""

    name: str
    type: m.Type


class _Aligned(NamedTuple):
    """Which members before and after are the same."""

    pairs: list[tuple[int, int]]
    removed: list[int]
    added: list[int]


def _aligned(before: Sequence[_Named], after: Sequence[_Named]) -> _Aligned:
    """Find members again by name; else by place and type, where the name is all that changed."""
    places = {one.name: at for at, one in enumerate(after)}
    pairs = [(at, places[one.name]) for at, one in enumerate(before) if one.name in places]
    removed = [at for at, one in enumerate(before) if one.name not in places]
    known = {one.name for one in before}
    added = [at for at, one in enumerate(after) if one.name not in known]
    if len(before) == len(after):
        for at in [one for one in removed if one in added]:
            if shown(m.unaliased(before[at].type)) == shown(m.unaliased(after[at].type)):
                pairs.append((at, at))
                removed.remove(at)
                added.remove(at)
    return _Aligned(sorted(pairs), removed, added)


def _is_rising(numbers: Iterable[int]) -> bool:
    found = list(numbers)
    return found == sorted(found)


def shown(type_: m.Type | None, *, behind: bool = True) -> str:
    """A type in words, with what is `behind` a typedef."""
    if type_ is None:
        return "void"
    if isinstance(type_, m.Basic):
        return "Object" if type_.kind is Kind.OBJREF else KEYWORDS[type_.kind]
    if isinstance(type_, m.TextOf):
        bound = f"<{type_.bound}>" if type_.bound else ""
        return f"{'wstring' if type_.wide else 'string'}{bound}"
    if isinstance(type_, m.FixedOf):
        return f"fixed<{type_.digits},{type_.scale}>"
    if isinstance(type_, m.SequenceOf):
        bound = f", {type_.bound}" if type_.bound else ""
        return f"sequence<{shown(type_.element, behind=behind)}{bound}>"
    if isinstance(type_, m.ArrayOf):
        return f"{shown(type_.element, behind=behind)}[{type_.length}]"
    if isinstance(type_, m.AliasDef) and behind:
        return f"{type_.scoped} ({shown(m.unaliased(type_))})"
    return type_.scoped


def _signature(one: m.OperationDef) -> str:
    parameters = ", ".join(f"{it.direction} {shown(it.type)} {it.name}" for it in one.parameters)
    raises = ", ".join(sorted(it.scoped for it in one.raises))
    lead = "oneway " if one.oneway else ""
    return f"{lead}{shown(one.result)} ({parameters}) raises ({raises})"


# Operations and attributes of an interface, with the inherited ones.


class _Operation(NamedTuple):
    owner: m.InterfaceDef
    made: m.OperationDef


class _Attribute(NamedTuple):
    owner: m.InterfaceDef
    type: m.Type
    readonly: bool


class _Members(NamedTuple):
    operations: dict[str, _Operation]
    attributes: dict[str, _Attribute]


def _members_of(interface: m.InterfaceDef) -> _Members:
    operations: dict[str, _Operation] = {}
    attributes: dict[str, _Attribute] = {}
    for owner in (*interface.ancestors, interface):
        writable = {one.name for one in owner.operations}
        for one in owner.operations:
            if one.name.startswith("_get_"):
                name = one.name.removeprefix("_get_")
                assert one.result is not None
                attributes[name] = _Attribute(owner, one.result, f"_set_{name}" not in writable)
            elif not one.name.startswith("_"):
                operations[one.name] = _Operation(owner, one)
    return _Members(operations, attributes)


def _ids(interface: m.InterfaceDef) -> set[str]:
    """The ids that an object of an interface answers to."""
    return {OBJECT_ID, interface.id, *(base.id for base in interface.ancestors)}


_Composite: TypeAlias = m.StructDef | m.ExceptionDef | m.UnionDef | m.EnumDef | m.AliasDef


class _Comparing:
    def __init__(self, before: m.Model, after: m.Model) -> None:
        self.notes = Notes()
        self._before = before
        self._after = after
        self._seen: set[tuple[m.NamedDef, m.NamedDef, Way]] = set()

    # ------------------------------------------------------------ which

    def one(self, id: str, after_id: str) -> None:
        """Compare the interface with an id."""
        before = _interface_called(self._before, id, "")
        after = _interface_called(self._after, after_id, before.scoped if before else "")
        if before is not None and after is not None:
            self._interface(before, after, Way.SENT)
            self._constants(_constants_of(self._before, before), _constants_of(self._after, after))
        elif before is not None or after is not None:
            name = next(one.scoped for one in (before, after) if one is not None)
            self._presence(name, "interface", added=before is None)
        else:
            raise NotFound(f"there is no interface {id} before, and none after")

    def all(self) -> None:
        """Compare all interfaces of the main files, and what belongs to none."""
        before = {one.scoped: one for one in own_interfaces(self._before)}
        after = {one.scoped: one for one in own_interfaces(self._after)}
        for name, one in before.items():
            other = after.get(name) or next((it for it in after.values() if it.id == one.id), None)
            if other is None:
                self._presence(name, "interface", added=False)
            else:
                self._interface(one, other, Way.SENT)
                after = {key: it for key, it in after.items() if it is not other}
        for name in after:
            self._presence(name, "interface", added=True)
        models = (self._before, self._after)
        self._constants(*(_constants_of(model) for model in models))
        self._unused(*(_unused_of(model) for model in models))

    def _presence(self, where: str, kind: str, *, added: bool, callback: bool = False) -> None:
        word = "added" if added else "removed"
        lead = "callback-" if callback else ""
        self.notes.add(
            where, f"{kind} {word}", f"{lead}{kind}-{word}", f"{kind} {where} was {word}"
        )

    def _constants(self, before: Mapping[str, m.ConstDef], after: Mapping[str, m.ConstDef]) -> None:
        for name, one in before.items():
            other = after.get(name)
            if other is None:
                self._presence(name, "constant", added=False)
            elif (one.value, shown(one.type)) != (other.value, shown(other.type)):
                old, new = (f"{it.value!r} ({shown(it.type)})" for it in (one, other))
                text = f"constant {name} is {new}, and was {old}"
                self.notes.add(name, "constant changed", "constant-changed", text)
        for name in after.keys() - before.keys():
            self._presence(name, "constant", added=True)

    def _unused(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                word = "changed" if name in before and name in after else "added"
                word = "removed" if name not in after else word
                text = f"type {name}, which no operation uses, was {word}"
                self.notes.add(name, f"type {word}", "unused-type", text)

    # ------------------------------------------------------------ interfaces

    def _interface(self, before: m.InterfaceDef, after: m.InterfaceDef, way: Way) -> None:
        """Compare; SENT if clients call the service's object, RETURNED if it calls theirs."""
        if self._visited(before, after, way):
            return
        callback = way is Way.RETURNED
        self._identity(before, after, callback)
        old, new = _members_of(before), _members_of(after)
        renamed = _renamed(old.operations, new.operations)
        for name, one in old.operations.items():
            where = f"{one.owner.scoped}.{name}"
            if name in renamed:
                self.notes.add(
                    where, "operation renamed", "operation-renamed",
                    f"operation {where} looks as if renamed to {renamed[name]}",
                )  # fmt: skip
            elif name not in new.operations:
                self._presence(where, "operation", added=False, callback=callback)
            else:
                self._moved(where, one.owner, new.operations[name].owner, before, after)
                self._operation(where, one.made, new.operations[name].made, way)
        for name, one in new.operations.items():
            if name not in old.operations and name not in renamed.values():
                where = f"{one.owner.scoped}.{name}"
                self._presence(where, "operation", added=True, callback=callback)
        self._attributes(old.attributes, new.attributes, way)

    def _identity(self, before: m.InterfaceDef, after: m.InterfaceDef, callback: bool) -> None:
        """The ids that an object answers to: whoever narrows a reference asks for them."""
        name, lead = before.scoped, "callback-" if callback else ""
        asked, answered = (after, before) if callback else (before, after)
        if before.scoped != after.scoped:
            text = f"interface {name} is called {after.scoped}"
            self.notes.add(name, "interface renamed", "type-renamed", text)
        if before.id != after.id:
            kept = asked.id in _ids(answered)
            text = f"the repository id of {name} is {after.id}, and was {before.id}"
            rule = "interface-id-kept" if kept else "interface-id"
            self.notes.add(name, "repository id changed", rule, text)
        old = {base.id: base.scoped for base in before.ancestors}
        new = {base.id: base.scoped for base in after.ancestors}
        for id in old.keys() - new.keys() - {after.id}:
            text = f"{name} is not derived from {old[id]} any more"
            self.notes.add(name, "base removed", f"{lead}base-removed", text)
        for id in new.keys() - old.keys() - {before.id}:
            text = f"{name} is derived from {new[id]}"
            self.notes.add(name, "base added", f"{lead}base-added", text)

    def _moved(
        self,
        where: str,
        old: m.InterfaceDef,
        new: m.InterfaceDef,
        before: m.InterfaceDef,
        after: m.InterfaceDef,
    ) -> None:
        if old.scoped != new.scoped and (old is not before or new is not after):
            text = f"{where} is declared in {new.scoped} now"
            self.notes.add(where, "declared elsewhere", "operation-moved", text)

    def _operation(
        self, where: str, before: m.OperationDef, after: m.OperationDef, way: Way
    ) -> None:
        if before.oneway != after.oneway:
            rule = "oneway-to-twoway" if before.oneway else "twoway-to-oneway"
            word = "oneway now" if after.oneway else "not oneway any more"
            self.notes.add(where, "oneway changed", rule, f"{where} is {word}")
        asker = before if way is Way.SENT else after
        if not asker.oneway:  # otherwise nobody hears the reply
            self._result(where, before.result, after.result, way)
            self._raises(where, before.raises, after.raises, way)
        self._parameters(where, before, after, way, heard=not asker.oneway)

    def _result(self, where: str, before: m.Type | None, after: m.Type | None, way: Way) -> None:
        if before is not None and after is not None:
            self._types(where, before, after, way.back)
        elif before is not None or after is not None:
            word = "removed" if after is None else "added"
            text = f"{where} returns {shown(after)}, and returned {shown(before)}"
            self.notes.add(where, f"result {word}", f"result-{word}", text)

    def _parameters(
        self, where: str, before: m.OperationDef, after: m.OperationDef, way: Way, *, heard: bool
    ) -> None:
        old, new = before.parameters, after.parameters
        found = _aligned(*([_Named(it.name, it.type) for it in side] for side in (old, new)))
        for word, side, places in (("removed", old, found.removed), ("added", new, found.added)):
            for at in places:
                one = side[at]
                if one.direction != "out" or heard:
                    text = f"parameter {one.direction} {shown(one.type)} {one.name} was {word}"
                    place = f"{where}({one.name})"
                    self.notes.add(place, f"parameter {word}", f"parameter-{word}", text)
        self._order(where, [(old[i], j, new[j]) for i, j in found.pairs])
        for i, j in found.pairs:
            one, other = old[i], new[j]
            place = f"{where}({one.name})"
            if one.name != other.name:
                text = f"parameter {one.name} is called {other.name}"
                self.notes.add(place, "parameter renamed", "parameter-renamed", text)
            modes = {one.direction, other.direction}
            if len(modes) > 1 and (heard or "out" in modes):
                text = f"parameter {one.name} is {other.direction}, and was {one.direction}"
                self.notes.add(place, "mode changed", "parameter-mode", text)
            if modes & {"in", "inout"}:
                self._types(place, one.type, other.type, way)
            if heard and modes & {"out", "inout"}:
                self._types(place, one.type, other.type, way.back)

    def _order(
        self, where: str, pairs: Sequence[tuple[m.ParameterDef, int, m.ParameterDef]]
    ) -> None:
        if _is_rising(j for _, j, _ in pairs):
            return
        given = _is_rising(j for one, j, _ in pairs if one.direction != "out")
        returned = _is_rising(j for one, j, _ in pairs if one.direction != "in")
        rule = "parameters-rearranged" if given and returned else "parameters-reordered"
        names = ", ".join(one.name for _, _, one in sorted(pairs, key=lambda each: each[1]))
        self.notes.add(where, "parameters reordered", rule, f"the parameters stand as {names}")

    def _raises(
        self,
        where: str,
        before: Sequence[m.ExceptionDef],
        after: Sequence[m.ExceptionDef],
        way: Way,
    ) -> None:
        lead = "callback-" if way is Way.RETURNED else ""
        old, new = ({one.id: one for one in side} for side in (before, after))
        names = {one.scoped: one for id, one in new.items() if id not in old}
        for id, one in old.items():
            if id in new:
                self._struct(one, new[id], way.back)
            elif one.scoped in names:
                other = names.pop(one.scoped)
                text = f"the repository id of {one.scoped} is {other.id}, and was {id}"
                self.notes.add(where, "exception's id changed", "exception-id", text)
            else:
                text = f"{where} does not raise {one.scoped} any more"
                self.notes.add(where, "exception removed", f"{lead}exception-removed", text)
        for name in names:
            text = f"{where} raises {name}"
            self.notes.add(where, "exception added", f"{lead}exception-added", text)

    def _attributes(
        self, before: Mapping[str, _Attribute], after: Mapping[str, _Attribute], way: Way
    ) -> None:
        callback = way is Way.RETURNED
        lead = "callback-" if callback else ""
        for name, one in before.items():
            where, other = f"{one.owner.scoped}.{name}", after.get(name)
            if other is None:
                self._presence(where, "attribute", added=False, callback=callback)
                continue
            if one.readonly != other.readonly:
                word = "readonly" if other.readonly else "writable"
                text = f"attribute {where} is {word} now"
                self.notes.add(where, f"became {word}", f"{lead}attribute-{word}", text)
            self._types(where, one.type, other.type, way.back)
            if not (one.readonly or other.readonly):
                self._types(where, one.type, other.type, way)
        for name, one in after.items():
            if name not in before:
                where = f"{one.owner.scoped}.{name}"
                self._presence(where, "attribute", added=True, callback=callback)

    # ------------------------------------------------------------ types

    def _visited(self, before: m.NamedDef, after: m.NamedDef, way: Way) -> bool:
        key = (before, after, way)
        if key in self._seen:
            return True
        self._seen.add(key)
        return False

    def _types(self, where: str, before: m.Type, after: m.Type, way: Way) -> None:
        """Compare the types of values that go one way."""
        if _is_same_alias(before, after):
            assert isinstance(before, m.AliasDef)
            assert isinstance(after, m.AliasDef)
            if not self._visited(before, after, way):
                self._types(before.scoped, before.type, after.type, way)
            return
        old, new = m.unaliased(before), m.unaliased(after)
        if isinstance(before, m.AliasDef) or isinstance(after, m.AliasDef):
            self._spelling(where, before, after, old, new)
        if _is_reference(old) and _is_reference(new):
            self._references(where, old, new, way)
        elif type(old) is not type(new):
            self._changed(where, before, after, "type-changed")
        elif isinstance(old, m.StructDef) and isinstance(new, m.StructDef):
            self._struct(old, new, way)
        elif isinstance(old, m.UnionDef) and isinstance(new, m.UnionDef):
            self._union(old, new, way)
        elif isinstance(old, m.EnumDef) and isinstance(new, m.EnumDef):
            self._enum(old, new, way)
        else:
            self._unnamed(where, old, new, way)

    def _unnamed(self, where: str, before: m.Type, after: m.Type, way: Way) -> None:
        """Compare types of one kind that have no names."""
        if isinstance(before, m.SequenceOf) and isinstance(after, m.SequenceOf):
            self._bounds(where, before.bound, after.bound, way)
            self._types(f"{where}[]", before.element, after.element, way)
        elif isinstance(before, m.ArrayOf) and isinstance(after, m.ArrayOf):
            if before.length != after.length:
                self._changed(where, before, after, "array-length")
            self._types(f"{where}[]", before.element, after.element, way)
        elif isinstance(before, m.TextOf) and isinstance(after, m.TextOf):
            if before.wide != after.wide:
                self._changed(where, before, after, "text-width")
            self._bounds(where, before.bound, after.bound, way)
        elif before != after:
            rule = "fixed-changed" if isinstance(before, m.FixedOf) else "type-changed"
            rule = "text-width" if {before, after} == _CHARACTERS else rule
            self._changed(where, before, after, rule)

    def _changed(self, where: str, before: m.Type, after: m.Type, rule: str) -> None:
        text = f"the type of {where} is {shown(after)}, and was {shown(before)}"
        self.notes.add(where, "type changed", rule, text)

    def _spelling(
        self, where: str, before: m.Type, after: m.Type, old: m.Type, new: m.Type
    ) -> None:
        if type(old) is type(new) and shown(old) == shown(new):
            text = f"the type of {where} is written {shown(after)}, and was {shown(before)}"
            self.notes.add(where, "type written otherwise", "alias", text)

    def _bounds(self, where: str, before: int, after: int, way: Way) -> None:
        if before == after:
            return
        wider = not after or (bool(before) and after > before)
        rule = f"bound-{'wider' if wider else 'narrower'}-{way.value}"
        old, new = (f"at most {it}" if it else "any number" for it in (before, after))
        text = f"{where} holds {new}, and held {old}"
        self.notes.add(where, "bound changed", rule, text)

    def _names(self, before: _Composite, after: _Composite) -> None:
        for old, new, what in (
            (before.scoped, after.scoped, "type renamed"),
            (before.id, after.id, "repository id changed"),
        ):
            if old != new:
                lead = "" if what == "type renamed" else "the repository id of "
                text = f"{lead}{before.scoped} is {new}"
                self.notes.add(before.scoped, what, "type-renamed", text)
                return

    def _struct(
        self,
        before: m.StructDef | m.ExceptionDef,
        after: m.StructDef | m.ExceptionDef,
        way: Way,
    ) -> None:
        if self._visited(before, after, way):
            return
        self._names(before, after)
        old, new = before.members, after.members
        found = _aligned(*([_Named(it.name, it.type) for it in side] for side in (old, new)))
        for word, side, places in (("removed", old, found.removed), ("added", new, found.added)):
            for at in places:
                place = f"{before.scoped}.{side[at].name}"
                text = f"member {shown(side[at].type)} {side[at].name} was {word}"
                self.notes.add(place, f"member {word}", f"member-{word}", text)
        if not _is_rising(j for _, j in found.pairs):
            names = ", ".join(one.name for one in new)
            text = f"the members stand as {names}"
            self.notes.add(before.scoped, "members reordered", "members-reordered", text)
        for i, j in found.pairs:
            place = f"{before.scoped}.{old[i].name}"
            if old[i].name != new[j].name:
                text = f"member {old[i].name} is called {new[j].name}"
                self.notes.add(place, "member renamed", "member-renamed", text)
            self._types(place, old[i].type, new[j].type, way)

    def _enum(self, before: m.EnumDef, after: m.EnumDef, way: Way) -> None:
        self._names(before, after)
        old, new, where = before.labels, after.labels, before.scoped
        least = min(len(old), len(new))
        if old[:least] == new[:least]:
            for label in new[least:]:
                text = f"label {label} was added at the end"
                self.notes.add(where, "label added", f"label-added-{way.value}", text)
            for label in old[least:]:
                text = f"label {label} was removed from the end"
                self.notes.add(where, "label removed", f"label-removed-{way.value}", text)
        elif len(old) == len(new) and set(old) != set(new):
            for one, other in zip(old, new, strict=True):
                if one != other:
                    text = f"label {one} is called {other}"
                    self.notes.add(where, "label renamed", "label-renamed", text)
        else:
            text = f"the labels are {', '.join(new)}, and were {', '.join(old)}"
            self.notes.add(where, "labels moved", "labels-moved", text)

    def _union(self, before: m.UnionDef, after: m.UnionDef, way: Way) -> None:
        if self._visited(before, after, way):
            return
        self._names(before, after)
        self._types(f"{before.scoped}(switch)", before.switch, after.switch, way)
        known = ({it.name for it in side.branches} for side in (before, after))
        names_before, names_after = known
        writer = before if way is Way.SENT else after
        for label in _labels(before, after):
            old, new = _branch(before, label), _branch(after, label)
            can = label is None or _may_write(writer, label)
            self._selected(before.scoped, label, old, new, can)
            if old is None or new is None or not can:
                continue
            place = f"{before.scoped}.{old.name}"
            if old.name != new.name:
                if old.name in names_after or new.name in names_before:
                    text = f"{_told(label)} selects {new.name}, and selected {old.name}"
                    self.notes.add(place, "branch changed", "branch-label", text)
                else:
                    text = f"branch {old.name} is called {new.name}"
                    self.notes.add(place, "branch renamed", "member-renamed", text)
            self._types(place, old.type, new.type, way)

    def _selected(
        self,
        where: str,
        label: Label | None,
        old: m.BranchDef | None,
        new: m.BranchDef | None,
        can: bool,
    ) -> None:
        """Note that a value of the switch has a branch now, or none any more."""
        if (old is None) == (new is None):
            return
        found = old or new
        assert found is not None
        word = "added" if old is None else "removed"
        rule = f"branch-{word}" if can else f"branch-{word}-unused"
        text = f"{_told(label)} selects {'nothing' if new is None else new.name}"
        self.notes.add(f"{where}.{found.name}", f"branch {word}", rule, text)

    # ------------------------------------------------------------ references

    def _references(self, where: str, before: m.Type, after: m.Type, way: Way) -> None:
        """Compare references: the side that gets one uses the object."""
        old, new = (it if isinstance(it, m.InterfaceDef) else None for it in (before, after))
        if old is None and new is None:
            return
        same = old is not None and new is not None and _is_same(old, new)
        if not same:
            given, wanted = (old, new) if way is Way.SENT else (new, old)
            fits = wanted is None or (given is not None and wanted.id in _ids(given))
            rule = f"reference-fits-{way.value}" if fits else "reference-changed"
            self._changed(where, before, after, rule)
            if not fits:
                return
        if old is not None and new is not None and old.complete and new.complete:
            # What the service hands out is called by the client, and the other way.
            if not same:  # what its user knows is a base
                old = _with_id(old, new.id) if way is Way.SENT else old
                new = _with_id(new, old.id) if way is Way.RETURNED else new
            self._interface(old, new, way.back)


_CHARACTERS: Final = {m.Basic(Kind.CHAR), m.Basic(Kind.WCHAR)}


def _is_same_alias(before: m.Type, after: m.Type) -> bool:
    if not isinstance(before, m.AliasDef) or not isinstance(after, m.AliasDef):
        return False
    return before.scoped == after.scoped


def _is_reference(type_: m.Type) -> bool:
    return isinstance(type_, m.InterfaceDef) or type_ == m.Basic(Kind.OBJREF)


def _with_id(interface: m.InterfaceDef, id: str) -> m.InterfaceDef:
    """An interface, or the one of its bases that has an id."""
    return next(one for one in (interface, *interface.ancestors) if one.id == id)


def _is_same(old: m.InterfaceDef, new: m.InterfaceDef) -> bool:
    return old.id == new.id or old.scoped == new.scoped


def _renamed(old: Mapping[str, _Operation], new: Mapping[str, _Operation]) -> dict[str, str]:
    """Operations that are gone, and those in their place with the same signature."""
    gone = {name: _signature(one.made) for name, one in old.items() if name not in new}
    come = {name: _signature(one.made) for name, one in new.items() if name not in old}
    found = {}
    for name, signature in gone.items():
        alike = [other for other, text in come.items() if text == signature]
        if len(alike) == 1 and list(gone.values()).count(signature) == 1:
            found[name] = alike[0]
    return found


def _interface_called(model: m.Model, id: str, name: str) -> m.InterfaceDef | None:
    found = [one for one in model.definitions if isinstance(one, m.InterfaceDef)]
    by_id = next((one for one in found if one.id == id), None)
    return by_id or next((one for one in found if one.scoped in (id, name)), None)


def _constants_of(model: m.Model, interface: m.InterfaceDef | None = None) -> dict[str, m.ConstDef]:
    """The constants of an interface and its bases, or of the main file."""
    scopes = set()
    if interface is not None:
        scopes = {(*one.scopes, one.name) for one in (interface, *interface.ancestors)}
    return {
        one.scoped: one
        for one in model.definitions
        if isinstance(one, m.ConstDef)
        and (one.source is model.main if interface is None else one.scopes in scopes)
    }


def _unused_of(model: m.Model) -> dict[str, str]:
    """The types of the main file that no interface uses, as text."""
    used = closure(*(one for one in model.definitions if isinstance(one, m.InterfaceDef)))
    return {
        one.scoped: canonical_definition(model, one)
        for one in model.definitions
        if one.source is model.main and one not in used and not isinstance(one, m.ConstDef)
    }


# Labels of unions.


def _labels(*unions: m.UnionDef) -> Iterator[Label | None]:
    """All labels, and None for a value that none of them has, where there is one."""
    named = {label: None for one in unions for it in one.branches for label in it.labels}
    enums: dict[Label, None] = {}
    for one in unions:
        switch = m.unaliased(one.switch)
        if isinstance(switch, m.EnumDef):
            enums |= dict.fromkeys(switch.labels)
        elif switch == m.Basic(Kind.BOOLEAN):
            enums |= {False: None, True: None}
    named.pop(None, None)
    if enums:
        yield from dict.fromkeys((*named, *enums))
    else:
        yield from named
        yield None


def _branch(union: m.UnionDef, label: Label | None) -> m.BranchDef | None:
    default = next((one for one in union.branches if None in one.labels), None)
    if label is None:
        return default
    return next((one for one in union.branches if label in one.labels), default)


def _may_write(union: m.UnionDef, label: Label) -> bool:
    switch = m.unaliased(union.switch)
    return label in switch.labels if isinstance(switch, m.EnumDef) else True


def _told(label: Label | None) -> str:
    return "any other value" if label is None else f"case {label}"
