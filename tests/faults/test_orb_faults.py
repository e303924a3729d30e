"""Planted faults in what reads and writes the octets of CORBA; a law or case must notice each."""

from __future__ import annotations

import pytest

from tests.faults.test_codec_faults import Fault, planted, run

ORB = "tidings.orb"
LAWS = "tests.property.test_cdr_laws"
UNIT = "tests.unit.orb"
HOSTILE = f"{UNIT}.test_hostile_octets"
FRAMING = f"{UNIT}.test_framing"
VALUES = f"{LAWS}:test_every_value_of_every_type_survives"
TYPES = f"{UNIT}.test_cdr_typecode"
REPEATED = f"{UNIT}.aio.test_repeated"

CDR_FAULTS = [
    Fault(
        "padding counts from the buffer and not from the origin",
        f"{ORB}.cdr_output",
        "padding = (self.origin - len(buffer)) & mask",
        "padding = -len(buffer) & mask",
        VALUES,
    ),
    Fault(
        "doubles are aligned as longs",
        f"{ORB}.cdr_output",
        'self._number(value, octets, 7, "double")',
        'self._number(value, octets, 3, "double")',
        VALUES,
    ),
    Fault(
        "an encapsulation does not restart alignment",
        f"{ORB}.cdr_output",
        "        self.origin = len(self.buffer)\n",
        "",
        f"{LAWS}:test_every_type_survives",
    ),
    Fault(
        "a count is believed",
        f"{ORB}.cdr_input",
        "elif count * smallest > self.end - self.at:",
        "elif count > 2**32:",
        f"{UNIT}.test_cdr_input:test_a_count_is_compared_with_what_is_left",
    ),
    Fault(
        "an encapsulation may leave what holds it",
        f"{ORB}.cdr_input",
        "if not 1 <= count <= self.end - start:",
        "if not 1 <= count:",
        f"{UNIT}.test_cdr_input:test_an_encapsulation_is_inside_what_holds_it",
    ),
    Fault(
        "the byte order of an encapsulation is that around it",
        f"{ORB}.cdr_input",
        "inner.little = little = self.buffer[start] & 1 == 1",
        "inner.little = little = self.little",
        f"{UNIT}.test_cdr_input:test_an_encapsulation_has_its_own_order_alignment_and_end",
    ),
    Fault(
        "a string need not end",
        f"{ORB}.cdr_text_input",
        "        if buffer[end - 1]:\n",
        "        if False:\n",
        f"{UNIT}.test_cdr_text_input:test_strings_that_are_none",
    ),
    Fault(
        "a mark in front of a wide text is kept",
        f"{ORB}.cdr_text_input",
        "return octets[2:], True",
        "return octets, True",
        f"{UNIT}.test_cdr_text_input:test_wide_strings_of_giop_1_2",
    ),
    Fault(
        "a text that begins like a mark loses it",
        f"{ORB}.cdr_text_output",
        "octets = _BIG_MARK + octets",
        "octets = octets[:]",
        f"{UNIT}.test_cdr_text_output:test_wide_texts",
    ),
    Fault(
        "wide characters of GIOP 1.1 are big endian",
        f"{ORB}.cdr_text_output",
        '"utf-16-le" if self.minor < 2 and self.little else "utf-16-be"',
        '"utf-16-be"',
        f"{UNIT}.test_cdr_text_output:test_wide_texts",
    ),
    Fault(
        "negative fixed numbers lose their sign",
        f"{ORB}.cdr_text_output",
        '("d" if exact < 0 else "c")',
        '"c"',
        VALUES,
    ),
    Fault(
        "long doubles are not turned",
        f"{ORB}.cdr_text_input",
        "return octets[::-1] if self.little else octets",
        "return octets",
        VALUES,
    ),
    Fault(
        "an enum takes any place",
        f"{ORB}.cdr_value_reader",
        "        if place >= len(labels):\n",
        "        if place > len(labels):\n",
        f"{UNIT}.test_cdr_value_reader:test_values_outside_their_type_are_refused",
    ),
    Fault(
        "an any of a long long loses its type",
        f"{ORB}.cdr_value_reader",
        "return Any.trusted(tc.LONGLONG, value) if -(2**31) <= value < 2**31 else value",
        "return value",
        f"{UNIT}.test_cdr_value_reader:test_anys_are_unboxed_where_their_type_can_be_told",
    ),
    Fault(
        "an empty sequence of longs counts as told",
        f"{ORB}.cdr_telling",
        "    if not value:  # an empty one is a sequence of anys\n        raise _Untold\n",
        "",
        f"{LAWS}:test_a_type_is_told_from_a_value_as_events_tell_it",
    ),
    Fault(
        "values without octets are not counted",
        f"{ORB}.cdr_input",
        "spent > self.limits.empty_values",
        "spent < 0",
        f"{HOSTILE}:test_many_small_anys_of_empty_types_end_at_the_limit",
    ),
    Fault(
        "anys nest without end",
        f"{ORB}.cdr_value_reader",
        "if reader.depth > reader.limits.value_depth:",
        "if reader.depth < 0:",
        f"{HOSTILE}:test_anys_inside_anys_end_at_the_limit",
    ),
]

TYPE_FAULTS = [
    Fault(
        "an indirection counts from its kind",
        f"{ORB}.cdr_typecode",
        "target = reader.at - 4 + offset",
        "target = reader.at - 8 + offset",
        f"{LAWS}:test_every_type_survives",
    ),
    Fault(
        "repeated types are forgotten",
        f"{ORB}.cdr_typecode",
        "        self.known[at] = known\n",
        "",
        f"{TYPES}:test_a_repeat_crosses_encapsulations",
    ),
    Fault(
        "a part of a recursive type stays open outside of it",
        f"{ORB}.cdr_typecode",
        "return self.closed(reader, known.type)",
        "return known.type",
        f"{TYPES}:test_a_part_of_a_recursive_type_may_stand_outside_of_it",
    ),
    Fault(
        "repeats do not count",
        f"{ORB}.cdr_typecode",
        "        self.grow(reader, known.size)\n",
        "",
        f"{TYPES}:test_a_repeat_counts_with_all_that_is_in_it",
    ),
    Fault(
        "types nest without end",
        f"{ORB}.cdr_typecode",
        "            if depth > self.limits.typecode_depth:\n",
        "            if depth < 0:\n",
        f"{HOSTILE}:test_types_nest_as_deep_as_the_limit_and_no_deeper",
    ),
    Fault(
        "types that are remembered pass the limits",
        f"{ORB}.cdr_typecode",
        "if known.size > limits.typecode_size or known.type.depth > limits.typecode_depth:",
        "if known.size < 0:",
        f"{TYPES}:test_the_limits_hold_for_types_that_are_remembered",
    ),
    Fault(
        "octets of one version are taken for those of another",
        f"{ORB}.cdr_typecode_writer",
        "key = (type_, writer.little, min(writer.minor, 2), codesets.char, codesets.wchar)",
        "key = (type_, True, 2, codesets.char, codesets.wchar)",
        f"{LAWS}:test_every_type_survives",
    ),
    Fault(
        "the label of a default branch is looked at",
        f"{ORB}.cdr_typecode",
        "    if is_default:\n        return None\n",
        "",
        f"{TYPES}:test_the_label_of_a_default_branch_means_nothing",
    ),
]

MESSAGE_FAULTS = [
    Fault(
        "a body is not aligned",
        f"{ORB}.giop_writing",
        "            writer.align(8)\n",
        "            writer.align(4)\n",
        f"{UNIT}.test_giop_writing:test_requests_survive",
    ),
    Fault(
        "padding stands where no body is",
        f"{ORB}.giop_writing",
        "            del buffer[header_end:]  # padding stands only before a body\n",
        "            pass\n",
        f"{UNIT}.test_giop_writing:test_padding_stands_only_before_a_body",
    ),
    Fault(
        "the request id of a fragment is taken for data",
        f"{ORB}.framing",
        "HEADER_SIZE if header.minor < 2 else HEADER_SIZE + 4",
        "HEADER_SIZE",
        f"{FRAMING}:test_a_tiny_last_fragment_as_omniorb_sends_it",
    ),
    Fault(
        "fragments have no end",
        f"{ORB}.framing",
        "if message.size > self._limits.message_size or message.count > self._limits.fragments:",
        "if message.size < 0:",
        f"{FRAMING}:test_fragments_are_bounded",
    ),
    Fault(
        "a cancelled request is put together all the same",
        f"{ORB}.framing",
        "            self._drop(header, frame)\n",
        "            pass\n",
        f"{FRAMING}:test_a_cancelled_request_is_forgotten_with_what_follows_of_it",
    ),
    Fault(
        "a size is believed before it is looked at",
        f"{ORB}.framing",
        "if header.size > self._limits.message_size:",
        "if header.size < 0:",
        f"{FRAMING}:test_a_message_is_too_large_before_it_has_come",
    ),
    Fault(
        "a broken stream goes on",
        f"{ORB}.framing",
        "            self._broken = str(error)\n",
        "",
        f"{FRAMING}:test_what_is_no_message_is_refused_and_so_is_all_after_it",
    ),
    Fault(
        "a client takes its own set though the server lacks it",
        f"{ORB}.codesets",
        "if native == server or native in server_conversions:",
        "if native:",
        f"{UNIT}.test_codesets:test_a_client_chooses_the_best_set_for_chars",
    ),
    Fault(
        "a plain corbaloc speaks GIOP 1.2",
        f"{ORB}.corbaloc",
        'int(found["minor"] or 0)',
        'int(found["minor"] or 2)',
        f"{UNIT}.test_corbaloc:test_addresses_and_keys",
    ),
]

CALL_FAULTS = [
    Fault(
        "octets pass through that mean something else in other code sets",
        f"{ORB}.cdr_text_input",
        "        if not text.isascii():\n            self.foreign[0] += 1\n",
        "",
        "tests.unit.cos.test_events:test_octets_that_other_code_sets_would_change_do_not_pass",
    ),
    Fault(
        "a mould forgets the service contexts of GIOP 1.0",
        f"{ORB}.giop_writing",
        'f"{order}I4xI"',
        'f"{order}II"',
        f"{UNIT}.test_giop_writing:test_a_request_from_a_mould_is_the_request",
    ),
    Fault(
        "a mould is made before code sets were agreed on",
        f"{ORB}.connection",
        "if self._offer or self._negotiates(destination.codesets, minor):",
        "if self._offer:",
        f"{REPEATED}:test_on_a_connection_where_nothing_was_agreed_none_is_begun",
    ),
    Fault(
        "a call has only what the one before has left of the time",
        f"{ORB}.aio.repeated",
        "if left > 0:",
        "if left > self._seconds:",
        f"{REPEATED}:test_each_call_has_the_whole_time",
    ),
    Fault(
        "a connection takes more calls than it may",
        f"{ORB}.aio.outgoing",
        "len(self._waiting) < self._options.max_calls and",
        "bool(self._options.max_calls) and",
        f"{REPEATED}:test_a_connection_with_all_it_may_have_takes_no_more",
    ),
]

FAULTS = [*CDR_FAULTS, *TYPE_FAULTS, *MESSAGE_FAULTS, *CALL_FAULTS]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_fault_is_noticed(fault: Fault) -> None:
    with planted(fault):
        try:
            run(fault.noticed_by, 3_000)
        except BaseException as error:  # noqa: BLE001 -- pytest's own failures are no Exceptions
            assert not isinstance(error, KeyboardInterrupt | SystemExit | SyntaxError)  # noqa: PT017
            return
    pytest.fail(f"nobody noticed that {fault.what}")


@pytest.mark.parametrize("check", sorted({fault.noticed_by for fault in FAULTS}))
def test_without_a_fault_there_is_nothing_to_notice(check: str) -> None:
    with planted(None):
        run(check, 30)


def test_no_fault_stands_twice() -> None:
    assert len({fault.what for fault in FAULTS}) == len(FAULTS)
