"""The rules by which changes of interfaces are judged; docs/compatibility.md has a case of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        name: Its name.
        compatible: Whether old clients still work after a change of this kind.
        why: Why, in a sentence.
    """

    name: str
    compatible: bool
    why: str


def table(rows: str) -> Mapping[str, Rule]:
    """Rules from lines of `name yes|no why`."""
    found = [line.split(maxsplit=2) for line in rows.strip().splitlines()]
    return {name: Rule(name, verdict == "yes", why) for name, verdict, why in found}


RULES: Final = table("""
interface-added yes Nobody uses it yet.
interface-removed no There is no object of it any more.
interface-id no Whoever narrows a reference asks the object for the id it knows; the object says no.
interface-id-kept yes The object still answers to the id before, as that of one of its bases.
base-added yes The object answers to more ids, and to those before.
base-removed no The object says no when it is asked for the id of that base.
operation-added yes Old clients never call it.
operation-removed no The object answers BAD_OPERATION.
operation-renamed no Requests carry the name of the operation: the object answers BAD_OPERATION.
operation-moved yes Requests carry the name of the operation, not that of its interface.
oneway-to-twoway yes The old client asks for no reply, and gets none.
twoway-to-oneway yes A reply is sent to whoever asks for one, also by our ORB.
parameter-added no The request or the reply has not the values that the other side reads.
parameter-removed no The request or the reply has not the values that the other side reads.
parameter-renamed yes Values travel in their order, without names.
parameter-mode no The request or the reply has not the values that the other side reads.
parameters-reordered no Values travel in their order: each would be taken for another.
parameters-rearranged yes What is sent keeps its order, and what is returned keeps its own.
result-added no The reply has a value that the old client does not read.
result-removed no The reply lacks the value that the old client reads.
exception-added no The old client cannot read it: it gets UNKNOWN, without the members.
exception-removed yes The old client is prepared for more than may come.
exception-id no An exception is known by its id: the old client gets UNKNOWN, without the members.
attribute-added yes Old clients never ask for it.
attribute-removed no The object answers BAD_OPERATION.
attribute-readonly no The object answers BAD_OPERATION to whoever sets it.
attribute-writable yes Old clients never set it.
constant-added yes Constants do not travel.
constant-removed yes Constants do not travel: old clients have its value.
constant-changed yes Constants do not travel: old clients go on with the value before.
type-changed no The octets of one type are read as those of another.
text-width no Wide characters travel in another form.
fixed-changed no Digits and scale do not travel: both sides must know the same.
array-length no The length of an array does not travel: both sides must know the same.
alias yes Names of types do not travel, and the type behind the name is the same.
type-renamed yes Names and ids of types travel in anys alone, together with the type.
unused-type yes No operation carries it; in an any it travels together with its type.
bound-wider-sent yes The service takes all that old clients may send.
bound-wider-returned no The service may return more than the old client takes: it gets MARSHAL.
bound-narrower-sent no An old client may send more than the service takes: it gets MARSHAL.
bound-narrower-returned yes The old client takes all that the service may return.
member-added no The writer and the reader do not agree on where the value ends.
member-removed no The writer and the reader do not agree on where the value ends.
member-renamed yes Values travel in their order, without names.
members-reordered no Values travel in their order: each would be taken for another.
label-added-sent yes Old clients never send it.
label-added-returned no The service may return a number for which the old client has no label.
label-removed-sent no An old client may send a number for which the service has no label.
label-removed-returned yes The old client is prepared for more than may come.
label-renamed no A label is a value: the same number means something else.
labels-moved no Labels travel as numbers: each would be taken for another.
branch-added no A value that had no branch is read with one, or the other way.
branch-removed no A value that had a branch is read without one, or the other way.
branch-added-unused yes The side that writes the value has no such label.
branch-removed-unused yes The side that writes the value has no such label.
branch-label no The label selects another branch: the value is taken for another.
reference-fits-sent yes What the old client passes is also of the interface that the service uses.
reference-fits-returned yes What the service returns is also of the interface before.
reference-changed no The object is not of the interface that its user knows.
callback-base-added no The service may ask for that base, and the client's object says no.
callback-base-removed yes The client's object answers to more ids than the service asks for.
callback-operation-added no The service may call what the client's object does not have.
callback-operation-removed yes The client's object has more than the service calls.
callback-attribute-added no The service may ask for what the client's object does not have.
callback-attribute-removed yes The client's object has more than the service asks for.
callback-attribute-readonly yes The service does not set it any more.
callback-attribute-writable no The service may set what the client's object lets nobody set.
callback-exception-added yes The client's object never raises it.
callback-exception-removed no The service does not know what the client's object may raise.
""")
"""The rules about interfaces, by name."""
