"""`tidings call`: any operation, by its name."""

from __future__ import annotations

import json

from tests.edges.cli.served import Served


def _answer(served: Served, *words: str) -> object:
    return json.loads(served.done("call", *words))


def test_operations_are_called_by_name_over_the_service(served: Served) -> None:
    assert "create_filter" in served.done("call")
    served.done("call", "create_channel", "name=roads", 'qos:={"Priority": 3}')
    seen = _answer(served, "see_channel", "channel=roads")
    assert isinstance(seen, dict)
    assert (seen["name"], seen["qos"]["Priority"]) == ("roads", 3)
    made = _answer(served, "create_filter", 'constraints:=["$rate > 50"]')
    assert isinstance(made, dict)
    proxy = _answer(served, "obtain_proxy", "channel=roads", "name=billing")
    assert isinstance(proxy, dict)
    place = ("channel=roads", "proxy=billing")
    assert _answer(served, "add_filter", *place, f"filter={made['id']}") == {"attachment": 1}
    assert served.done("call", "set_qos", *place, "Priority=5") == ""
    found = _answer(served, "see_proxy", *place)
    assert isinstance(found, dict)
    assert (found["qos"]["Priority"], found["filters"]) == (5, {"1": made["id"]})
    admins = _answer(served, "see_admin", "channel=roads", "side=consumer", "admin=0")
    assert isinstance(admins, dict)
    assert admins["proxies"] == [proxy["id"]]


def test_what_is_wrong_is_named(served: Served) -> None:
    for words, told in (
        (("fly",), "no operation is named 'fly'"),
        (("create_filter", "constraint=x"), "constraint: nothing of this name is known here"),
        (("destroy_filter",), "a field is missing"),
        (("destroy_filter", "filter=x"), "filter: Input should be a valid integer"),
        (("destroy_filter", "filter=1", "more=1"), "has no field more"),
        (("destroy_filter", "filter=9"), "there is no filter 9"),
        (("create_filter", 'constraints:=["$a >"]'), "the constraint ends too early"),
    ):
        result = served.tidings("call", *words)
        assert (result.exit_code, told in result.stderr) == (2, True), (words, result.stderr)
