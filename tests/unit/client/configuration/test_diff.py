"""The plan is made of plain data: no service is needed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.unit.client.configuration.worlds import configurations
from tidings.channel.vocabulary import Place, Side
from tidings.client.configuration.diff import plan
from tidings.client.configuration.model import AdminPart, Configuration, Spot
from tidings.client.configuration.reading import read_configuration
from tidings.client.configuration.state import OWN, Found
from tidings.client.configuration.steps import (
    AddParts,
    ArrangeParts,
    Attach,
    ChangeTypes,
    Detach,
    MakeChannel,
    Plan,
    Remove,
    SetProperties,
    Verb,
)
from tidings.errors import InvalidUsage
from tidings.filters.constraint import constraint, event_type

QUICK = settings(settings.get_profile("quick"))
SPOT = Spot("a", Side.CONSUMER, proxy="s")


def found(configuration: Configuration) -> Found:
    """A service with this configuration; ids are positions."""
    places = {Spot(name): Place(n) for n, name in enumerate(configuration.channels, 1)}
    attachments = {}
    for n, (spot, holder) in enumerate(configuration.holders()):
        channel = places[Spot(spot.channel)].channel
        if isinstance(holder, AdminPart):
            places[spot] = Place(channel, spot.side, n)
        else:
            places[spot] = Place(channel, proxy=n)
        labels = [*holder.filters, *([] if holder.constraints is None else [OWN])]
        attachments[spot] = {label: (id,) for id, label in enumerate(labels, 1)}
    filters = {label: n for n, label in enumerate(configuration.filters, 1)}
    mappings = {label: n for n, label in enumerate(configuration.mappings, 100)}
    return Found(configuration, places, attachments, filters, mappings)


def planned(before: str, after: str, *, prune: bool = False) -> Plan:
    old, new = (read_configuration("version = 1\n" + text) for text in (before, after))
    return plan(new, found(old), prune=prune)


@QUICK
@given(configurations())
def test_what_is_there_needs_no_step(configuration: Configuration) -> None:
    assert plan(configuration, found(configuration), prune=True) == Plan(())


@QUICK
@given(configurations())
def test_labels_of_filters_and_admins_mean_nothing(configuration: Configuration) -> None:
    other = read_configuration(_relabelled(configuration))
    assert plan(other, found(configuration), prune=True) == Plan(())


def _relabelled(configuration: Configuration) -> str:
    from tidings.client.configuration.text import written

    text = written(configuration)
    for label in [*configuration.filters, *configuration.mappings]:
        text = text.replace(f'"{label}"', f'"other-{label}"').replace(
            f"s.{label}]", f"s.other-{label}]"
        )
    for label in ("x", "y"):
        text = text.replace(f'admin = "{label}"', f'admin = "other-{label}"')
        text = text.replace(f"-admins.{label}", f"-admins.other-{label}")
    return text


def test_a_new_channel() -> None:
    [step] = planned("", "[channels.a.qos]\nPriority = 3").steps
    assert (step.verb, step.what, step.details) == (
        Verb.CREATE,
        "channel a",
        (
            "qos: EventReliability: Persistent",
            "qos: ConnectionReliability: Persistent",
            "qos: Priority: 3",
        ),
    )
    [action] = step.actions
    assert isinstance(action, MakeChannel)
    assert action.qos["Priority"] == 3


def test_a_property() -> None:
    steps = planned("[channels.a]", "[channels.a.qos]\nPriority = 3").steps
    assert [step.details for step in steps] == [("qos: Priority: 0 → 3",)] * 3
    assert steps[0].actions == (SetProperties(Spot("a"), {"Priority": 3}),)


S = "[channels.a.subscriptions.s]\n"


def test_new_constraints_come_before_the_old_go() -> None:
    [step] = planned(S + "constraints = ['$a == 1']", S + "constraints = ['$a == 2']").steps
    assert step.actions == (Attach(SPOT, (constraint("$a == 2"),)),)
    assert step.narrowing == (Detach(SPOT, (1,)),)
    assert step.details == ("constraints: - $a == 1", "constraints: + $a == 2")
    assert step.guarded is None


def test_the_first_filter_narrows_and_the_last_to_go_widens() -> None:
    with_filter = S + "constraints = ['$a == 1']"
    [step] = planned(S, with_filter).steps
    assert (step.actions, len(step.narrowing)) == ((), 1)
    [step] = planned(with_filter, S).steps
    assert (len(step.actions), step.narrowing) == (1, ())


def test_several_first_filters_are_guarded() -> None:
    both = "[filters.f]\n" + S + "constraints = ['$a == 1']\nfilters = ['f']"
    [step] = planned(S, both).steps
    assert step.guarded == SPOT
    [step] = [one for one in planned(both, S).steps if one.verb is Verb.CHANGE]
    assert step.guarded == SPOT


@pytest.mark.parametrize(
    ("before", "after", "widening", "narrowing"),
    [
        ("", "D::T", None, ("D::T", "")),
        ("D::T", "", ("", "D::T"), None),
        ("D::T", "E::T", ("E::T", ""), ("", "D::T")),
    ],
)
def test_event_types(
    before: str,
    after: str,
    widening: tuple[str, str] | None,
    narrowing: tuple[str, str] | None,
) -> None:
    def types(text: str) -> str:
        return S + (f"types = ['{text}']" if text else "")

    def actions(change: tuple[str, str] | None) -> tuple[ChangeTypes, ...]:
        if change is None:
            return ()
        added, removed = (tuple(event_type(one) for one in [text] if one) for text in change)
        return (ChangeTypes(SPOT, added, removed),)

    [step] = planned(types(before), types(after)).steps
    assert (step.actions, step.narrowing) == (actions(widening), actions(narrowing))


def test_a_shared_filter_is_changed_and_not_made_anew() -> None:
    text = "[filters.f]\nconstraints = ['{}']\n" + S + "filters = ['f']"
    [step] = planned(text.format("$a == 1"), text.format("$a == 2")).steps
    assert step.what == "filter f"
    assert step.actions == (AddParts("f"),)
    assert step.narrowing == (ArrangeParts("f"),)


def test_what_is_not_in_the_file_is_kept_or_pruned() -> None:
    before = "[channels.a.consumer-admins.x]\n[channels.b]\n" + S
    kept = planned(before, "[channels.a]")
    assert kept == Plan((), ("subscription a/s", "consumer admin a/x", "channel b"))
    pruned = planned(before, "[channels.a]", prune=True)
    assert [step.what for step in pruned.steps] == list(kept.kept)
    assert pruned.steps[0].narrowing == (Remove(SPOT),)
    assert pruned.kept == ()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (S, S + "style = 'pull'", "its style is push and cannot become pull"),
        (S, S + "form = 'any'", "its form is structured and cannot become any"),
        (
            "[channels.a.consumer-admins.x]\n" + S,
            "[channels.a.consumer-admins.x]\n" + S + "admin = 'x'",
            "its admin is default and cannot become x",
        ),
        (
            "[channels.a.consumer-admins.x]\n" + S + "admin = 'x'",
            "[channels.a.consumer-admins.x]\noperator = 'or'\n" + S + "admin = 'x'",
            "consumer admin a/x: its operator is and and cannot become or",
        ),
    ],
)
def test_what_would_lose_events_is_refused(before: str, after: str, told: str) -> None:
    with pytest.raises(InvalidUsage, match=told):
        planned(before, after)


def test_a_subscription_has_its_filters_before_it_gets_events() -> None:
    [*_, step] = planned("", S + "constraints = ['$a == 1']\ntypes = ['D::T']").steps
    names = [type(action).__name__ for action in step.actions]
    assert names == ["MakeProxy", "Attach", "ChangeTypes", "Keep"]
