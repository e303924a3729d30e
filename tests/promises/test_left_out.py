"""What is not tried over CORBA, and why: a closed list, so that nothing is left out in passing."""

from __future__ import annotations

import pytest

from tests.promises.left_out import REASONS, SEEN

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "acks": (
        "test_batches.test_a_batch_is_acknowledged_when_the_next_is_asked_for",
        "test_batches.test_loops_over_events_and_over_batches_can_follow_each_other",
        "test_batches.test_single_events_of_a_batch_can_be_answered",
        "test_batches.test_the_batch_a_loop_was_left_at_is_acknowledged_by_closing",
        "test_batches.test_the_batch_an_error_came_from_comes_again",
        "test_promises_out.test_in_process_subscription",
        "test_subscribing.test_an_early_acknowledgement_counts_without_manual_mode",
        "test_subscribing.test_asking_for_more_does_not_acknowledge_what_is_to_be_retried",
        "test_subscribing.test_asking_for_the_next_acknowledges_the_one_before",
        "test_subscribing.test_what_a_loop_was_at_when_its_client_was_closed_comes_again",
        "test_subscribing.test_what_a_loop_was_left_at_is_acknowledged_by_closing",
        "test_subscribing.test_what_an_error_came_from_comes_again",
        "test_subscribing.test_what_is_to_be_retried_comes_before_those_behind_it",
        "test_subscribing.test_with_manual_acknowledgement_only_what_is_acknowledged_is_gone",
    ),
    "changes": (
        "test_changes.test_a_change_says_through_which_door_and_from_where",
        "test_changes.test_a_refusal_is_told_at_once_and_the_owner_alone_may_look",
        "test_changes.test_changes_outlast_a_restart",
        "test_changes.test_refusals_do_not_push_out_changes",
        "test_changes.test_the_service_tells_who_destroyed_a_channel",
    ),
    "grants": (
        "test_people.test_a_caller_is_told_who_it_is",
        "test_people.test_a_password_outlasts_a_restart_and_is_one",
        "test_people.test_what_is_no_password_is_refused_and_not_repeated",
    ),
    "history": (
        "test_history.test_a_moment_as_a_datetime",
        "test_history.test_a_service_that_keeps_nothing_shows_nothing",
        "test_history.test_batches_of_the_past",
        "test_history.test_closing_ends_the_past_too",
        "test_history.test_it_is_all_there_after_a_restart",
        "test_history.test_many_pages",
        "test_history.test_nothing_is_missed_while_the_line_is_made",
        "test_history.test_only_what_is_wanted",
        "test_history.test_peeking_takes_nothing_away",
        "test_history.test_the_past_comes_first_and_then_what_comes",
        "test_history.test_the_past_is_judged_as_the_subscription_judges",
        "test_history.test_the_service_is_not_told_what_became_of_the_past",
        "test_history.test_what_is_lost_is_told",
        "test_history.test_what_makes_no_sense_is_refused",
        "test_history.test_what_waits_for_a_name_comes_once",
        "test_history.test_what_was_not_taken_of_the_past_still_waits_for_a_name",
        "test_history.test_who_may_not_subscribe_may_not_look_back",
        "test_history.test_whoever_joins_sees_every_event_from_its_start_once",
        "test_promises_in.test_a_push_that_was_answered",
    ),
    "ids": (
        "test_access.test_filters_are_changed_by_those_who_made_them",
        "test_managing.test_filters_are_listed",
    ),
    "leases": (
        "test_pulling.test_a_lease_that_runs_out_brings_it_again",
        "test_pulling.test_a_leased_event_is_gone_when_it_is_acknowledged",
        "test_pulling.test_acknowledged_right_before_closing_it_does_not_come_again",
        "test_pulling.test_after_a_restart_what_was_leased_comes_again",
        "test_pulling.test_leased_events_come_again_when_the_puller_is_closed",
        "test_pulling.test_other_forms_give_many_with_a_lease",
    ),
    "letters": (
        "test_dead_letters.test_a_consumer_that_always_fails_is_given_up",
        "test_dead_letters.test_a_reason_that_is_no_text_stops_nobody",
        "test_dead_letters.test_dead_letters_come_in_pages_and_can_be_dropped",
        "test_dead_letters.test_in_memory_no_dead_letters_are_kept",
        "test_dead_letters.test_many_are_counted_delivered_again_and_dropped_by_a_constraint",
        "test_dead_letters.test_only_who_may_use_a_subscription_sees_its_dead_letters",
        "test_dead_letters.test_pulled_events_can_be_rejected",
        "test_dead_letters.test_what_is_rejected_can_be_delivered_again",
    ),
    "names": (
        "test_access.test_the_owner_may_use_what_others_have",
        "test_access.test_what_others_have_is_theirs",
        "test_access.test_who_is_confined_to_channels_finds_no_others_by_name",
        "test_handling.test_a_named_handler_goes_on_where_it_was",
        "test_handling.test_closing_the_client_leaves_the_name_of_a_handler",
        "test_handling.test_disconnected_ends_the_connection_with_a_name_too",
        "test_managing.test_channels_are_found_by_their_names",
        "test_promises.test_an_event_may_be_less_reliable_than_its_channel",
        "test_promises.test_best_effort_events_and_connections_are_lost",
        "test_promises.test_best_effort_events_are_lost_and_persistent_connections_stay",
        "test_promises.test_persistent_events_are_delivered_across_crashes",
        "test_promises_in.test_a_subscription_with_a_name",
        "test_pulling.test_closing_ends_a_pull_that_waits_under_a_name",
        "test_resuming.test_a_client_takes_over_from_itself",
        "test_resuming.test_after_a_restart_it_goes_on_where_it_was",
        "test_resuming.test_another_constraint_counts_from_then_on",
        "test_resuming.test_events_wait_while_nobody_takes_them",
        "test_resuming.test_filters_others_hold_stay_as_they_are",
        "test_resuming.test_from_everything_to_something_and_back",
        "test_resuming.test_other_types_and_qualities_count_from_then_on",
        "test_resuming.test_the_same_constraint_changes_nothing",
        "test_resuming.test_what_cannot_be_changed_must_fit",
        "test_resuming.test_what_was_acknowledged_before_a_take_over_does_not_come_again",
        "test_resuming.test_who_comes_later_takes_it_over",
        "test_subscribing.test_a_deleted_subscription_leaves_its_name",
        "test_subscribing.test_a_named_one_can_be_deleted_after_closing",
        "test_subscribing.test_a_subscription_that_cannot_be_had_leaves_no_name_behind",
        "test_subscribing.test_closing_ends_a_loop_in_another_task",
        "test_subscribing.test_closing_the_client_ends_its_loops_and_what_has_no_name",
        "test_subscribing.test_names_can_be_read",
        "test_subscribing.test_names_may_be_odd",
    ),
    "numbers": (
        "test_promises_in.test_a_batch",
        "test_publishing.test_a_slip_in_a_standard_name_is_warned_of",
        "test_publishing.test_many_events_have_their_receipts_in_order",
        "test_publishing.test_receipts_name_the_channel_and_count_its_events",
        "test_publishing.test_what_a_filter_of_the_suppliers_stops_has_no_number",
    ),
    "notices": (
        "test_service_changes.test_a_subscription_is_a_named_one_of_the_channel",
        "test_service_changes.test_changes_are_told_in_advance_and_at_once",
        "test_service_changes.test_each_change_is_told_once_whatever_happens",
        "test_service_changes.test_passwords_are_kept_as_digests",
    ),
    "producers": (
        "test_promises_in.test_a_number_beyond_the_window",
        "test_promises_in.test_a_push_without_an_answer",
        "test_publishing.test_a_producers_name_can_be_read",
        "test_publishing.test_numbers_go_on_behind_the_highest",
        "test_publishing.test_publishers_without_a_name_are_different_producers",
        "test_publishing.test_the_same_number_is_accepted_once",
        "test_publishing.test_the_same_number_is_accepted_once_across_restarts",
    ),
    "purges": (
        "test_pulling.test_what_waits_can_be_dropped",
        "test_resuming.test_what_was_dropped_does_not_come_back",
    ),
    "state": (
        "test_access.test_nobody_can_pretend_to_be_somebody_else",
        "test_offers.test_a_channel_tells_who_offers_and_who_wants_what",
    ),
    "interfaces": (
        "test_interfaces.test_a_text_with_a_mistake_changes_nothing",
        "test_interfaces.test_interfaces_outlast_a_restart",
        "test_interfaces.test_old_versions_go_and_the_others_are_compared",
        "test_interfaces.test_only_managers_load_and_remove",
        "test_interfaces.test_what_changed_is_told_by_version_and_by_text",
    ),
    "trading": (
        "test_trader.test_a_provider_changes_its_own_offers_only",
        "test_trader.test_a_trader_outlasts_a_restart",
        "test_trader.test_errors_say_what_was_wrong",
        "test_trader.test_offers_are_found_by_type_constraint_and_preference",
    ),
    "trails": (
        "test_access.test_everybody_may_use_what_is_not_of_the_standard",
        "test_managing.test_a_dry_run_tells_what_would_become_of_an_event",
        "test_managing.test_a_real_event_comes_with_its_trail",
        "test_managing.test_what_became_of_an_event_is_told",
    ),
    "trials": (
        "test_trying.test_a_check_says_what_is_wrong_where_and_what_would_be_right",
        "test_trying.test_an_explanation_has_the_value_of_every_part",
        "test_trying.test_the_count_is_that_of_a_plain_loop",
        "test_trying.test_the_properties_are_those_of_the_latest_events",
        "test_trying.test_what_cannot_be_tried_is_refused",
    ),
}


def test_each_reason_is_one_word_and_is_needed() -> None:
    assert all(reason.isalpha() and reason.islower() for reason in REASONS)
    assert set(LEFT_OUT) == set(REASONS)


def test_no_more_is_left_out_than_this(request: pytest.FixtureRequest) -> None:
    seen = request.config.stash[SEEN]
    collected = {scene.partition(".")[0] for scene in seen}
    listed = {
        scene: reason
        for reason, scenes in LEFT_OUT.items()
        for scene in scenes
        if scene.partition(".")[0] in collected
    }
    assert {scene: reason for scene, reason in seen.items() if reason} == listed
