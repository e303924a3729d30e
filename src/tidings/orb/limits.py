"""Limits of messages, against hostile and broken peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """What a decoder takes. More is refused before memory is spent on it.

    Attributes:
        message_size: Octets of a whole message without its header, fragments put together; and of
            all messages of one connection that wait for fragments.
        unfinished: Messages of one connection that may wait for fragments at a time.
        fragments: Fragments of one message; at the limit each has 512 octets of the longest.
        value_depth: How many anys, containers and recursive types may stand inside each other.
            Twice the depth of stored values, since an any may stand between each two.
        typecode_depth: How many TypeCodes may stand inside each other.
        typecode_size: Nodes of one TypeCode, when every indirection is replaced by its target.
        typecodes: TypeCodes of one message, where one is more than a word.
        empty_values: Values of a message that take no octets, such as those of an empty struct.
        elements: Elements of a message that are read one by one: structs, texts, anys.
        profiles: Profiles of one object reference.
        components: Components of one profile.
        reference_size: Octets of all profiles of one object reference.
        contexts: Service contexts of one message.
        url_size: Characters of an object URL.
    """

    message_size: int = 8 * 1024 * 1024
    unfinished: int = 16
    fragments: int = 16_384
    value_depth: int = 130
    typecode_depth: int = 64
    typecode_size: int = 10_000
    typecodes: int = 100_000
    empty_values: int = 10_000
    elements: int = 10_000_000
    profiles: int = 64
    components: int = 256
    reference_size: int = 64 * 1024
    contexts: int = 128
    url_size: int = 2 * 64 * 1024 + 64


DEFAULT_LIMITS: Final = Limits()
