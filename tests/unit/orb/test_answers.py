"""What an answer says that cannot be read."""

from __future__ import annotations

import pytest

from tests.unit.orb.echo import ECHO
from tidings.orb import giop
from tidings.orb.answers import result_of
from tidings.orb.codesets import OURS
from tidings.orb.connection import Answer
from tidings.orb.exceptions import MARSHAL, Completion
from tidings.orb.limits import DEFAULT_LIMITS

Status = giop.ReplyStatus


@pytest.mark.parametrize(
    ("status", "completed"),
    [
        (Status.NO_EXCEPTION, Completion.YES),
        (Status.USER_EXCEPTION, Completion.YES),
        (Status.SYSTEM_EXCEPTION, Completion.MAYBE),
        (Status.LOCATION_FORWARD, Completion.NO),
        (Status.LOCATION_FORWARD_PERM, Completion.NO),
        (Status.NEEDS_ADDRESSING_MODE, Completion.NO),
    ],
)
def test_whether_the_operation_was_carried_out_is_told_by_the_status(
    status: Status, completed: Completion
) -> None:
    octets = giop.encode_reply(
        giop.Wire(2, True, OURS), 7, status, write_body=lambda writer: writer.octet(1)
    )
    reply = giop.decode_message(octets)
    assert isinstance(reply, giop.Reply)
    with pytest.raises(MARSHAL, match="the reply") as told:
        result_of(Answer(reply, OURS), ECHO, DEFAULT_LIMITS)
    assert told.value.completed is completed
