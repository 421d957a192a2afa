//! What every engine must do, told once. An engine's own test crate names how a fresh store is opened:
//! `suite::for_engine!(open)`, where `open` is an `async fn() -> (Arc<dyn Store>, guard)`.

pub mod audit;
pub mod capacity;
pub mod claim;
pub mod commit;
pub mod create;
pub mod fixture;
pub mod linked;
pub mod list;
pub mod metering;
pub mod model;
pub mod plain;
pub mod platform;
pub mod principals;
pub mod secrets;
pub mod update;

/// Runs the whole suite on an engine.
macro_rules! for_engine {
    ($open:path) => {
        $crate::suite::each!($open, audit: [
            the_audit_is_appended_and_read_newest_first,
            the_audit_is_narrowed_by_each_filter,
            a_seal_is_stored_only_if_it_follows_the_newest,
            a_change_that_did_not_happen_is_not_audited,
        ]);
        $crate::suite::each!($open, claim: [
            due_work_is_claimed_oldest_first,
            a_row_is_never_claimed_twice_while_its_lease_holds,
            many_hosts_at_once_never_share_a_row,
            a_lease_that_ran_out_is_claimed_again_under_a_higher_epoch,
            an_account_has_no_more_leases_than_its_cap,
            accounts_take_turns,
            tenants_of_an_account_take_turns,
            what_somebody_waits_for_goes_before_a_refresh,
            a_claim_changes_no_revision,
            renewing_tells_which_leases_were_lost,
            giving_up_keeps_the_row_due,
            the_next_due_row_is_not_one_that_is_being_worked_on,
            rows_due_for_refresh_are_told_by_account_and_kind,
        ]);
        $crate::suite::each!($open, commit: [
            a_run_stores_its_row_with_everything_that_goes_with_it,
            a_run_keeps_its_lease_if_it_goes_on,
            a_tenants_write_in_between_is_shown_to_the_run,
            a_lease_that_was_taken_over_stores_nothing,
            a_lease_that_was_given_up_stores_nothing,
            a_lease_that_ran_out_but_was_not_taken_over_still_stores,
            children_are_marked_with_their_parent_unless_they_changed,
            a_wake_makes_rows_due_without_failing_anyones_write,
            a_wake_during_a_run_outlives_the_runs_own_schedule,
            a_tenants_write_during_a_run_is_looked_at_after_it,
            an_ended_row_is_not_woken,
            a_provider_id_belongs_to_one_live_row,
            secrets_are_destroyed_with_their_row,
            a_secret_that_another_wrote_stores_nothing_of_the_run,
        ]);
        $crate::suite::each!($open, create: [
            a_created_row_reads_back_as_it_was_written,
            numbers_of_a_spec_come_back_exactly,
            a_create_publishes_and_audits_in_the_same_write,
            the_same_id_answers_the_row_as_it_is,
            a_missing_or_foreign_or_unfit_parent_is_no_parent,
            a_parent_on_its_way_out_takes_no_children,
            an_identity_is_taken_within_its_parent,
            an_identity_without_a_parent_is_taken_within_the_account,
            an_object_that_a_live_row_has_is_not_recorded_again,
            a_name_is_taken_among_live_rows_of_the_kind,
            a_quota_counts_live_rows_of_the_kind,
            refusals_come_in_the_promised_order,
            a_refusal_stores_nothing,
            of_many_creates_of_one_name_one_wins,
            of_many_creates_of_one_identity_one_wins,
            of_many_creates_for_the_last_slots_as_many_win,
            of_many_retries_of_one_create_one_creates,
        ]);
        $crate::suite::each!($open, capacity: [
            what_a_row_holds_is_booked_with_it,
            growth_is_booked_and_a_shrink_is_free,
            what_an_ended_row_held_is_free_once,
            of_many_creates_for_the_last_capacity_as_many_win,
            quotas_are_put_listed_and_deleted,
        ]);
        $crate::suite::each!($open, metering: [
            a_span_is_recorded_with_its_row_and_once,
            a_meter_runs_once_at_a_time,
            spans_are_read_by_window_place_and_owner,
            what_ran_is_summed_up_by_its_price,
            prices_are_added_and_those_in_force_are_found,
            a_budget_is_one_for_a_tenant_project_and_currency,
        ]);
        $crate::suite::each!($open, update: [
            an_update_moves_the_revision,
            an_update_of_an_old_revision_changes_nothing,
            several_rows_are_written_together_or_not_at_all,
            what_never_changes_is_not_changed,
            concurrent_updates_of_one_row_are_each_seen,
            more_rows_than_fit_one_trip_are_still_one_change,
        ]);
        $crate::suite::each!($open, list: [
            pages_show_every_row_once,
            filters_narrow_a_list,
            ended_rows_are_listed_only_on_demand,
            a_cursor_that_is_none_is_refused,
            a_tenant_never_sees_anothers_rows,
            counts_count_live_rows,
            a_providers_objects_are_told_with_the_live_rows_that_record_them,
            children_are_the_live_ones,
        ]);
        $crate::suite::each!($open, linked: [
            what_is_recorded_reads_back_and_pages,
            what_is_missing_from_a_whole_set_is_gone_with_the_same_write,
            objects_that_rows_exchange_are_written_together,
            of_two_that_record_one_object_one_wins,
            what_ended_once_stays_as_it_was,
        ]);
        $crate::suite::each!($open, platform: [
            tenants_are_stored_and_paged_by_age,
            projects_stay_with_their_tenant,
            accounts_are_updated_by_their_owner_only,
            a_pool_is_seen_by_its_owner_and_those_it_is_offered_to,
            a_pool_is_offered_to_a_tenant_once,
        ]);
        $crate::suite::each!($open, principals: [
            a_principal_keeps_its_policies_in_order,
            a_policy_of_another_tenant_is_not_attached,
            deleting_a_policy_detaches_it,
            deleting_a_principal_deletes_its_tokens,
            a_token_is_found_by_its_hash_with_its_principal,
            revoking_twice_keeps_the_first_time,
            a_policy_of_another_tenant_is_not_overwritten,
            every_write_that_decisions_depend_on_moves_the_version,
            principals_are_paged_with_their_policies,
        ]);
        $crate::suite::each!($open, secrets: [
            versions_are_stored_one_after_another,
            of_two_writers_of_one_version_one_is_stale,
            what_a_retired_key_sealed_is_not_stored,
            secrets_are_sealed_again_unless_they_changed,
            secrets_are_listed_by_name_without_their_bytes,
            a_deleted_secret_is_gone_and_starts_anew,
            another_tenants_secret_is_out_of_reach,
        ]);
        $crate::suite::each!($open, plain: [
            a_deployment_keeps_its_first_id,
            a_proof_of_writing_is_a_write_that_stays,
            events_come_in_the_order_of_commits,
            the_journal_tells_what_became_of_a_request,
            only_closed_entries_of_the_journal_are_dropped,
            a_generation_is_stored_once_with_its_component,
            one_generation_of_a_plugin_is_active,
            what_hangs_on_nothing_is_refused,
            a_closed_store_is_unavailable,
        ]);

        #[test]
        fn it_agrees_with_a_model_in_memory() {
            $crate::suite::model::agrees($open);
        }
    };
}
pub(crate) use for_engine;

/// One test of a module after another, each on a store of its own.
macro_rules! each {
    ($open:path, $module:ident: [$($test:ident,)*]) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let (store, guard) = $open().await;
                    $crate::suite::$module::$test(store).await;
                    drop(guard);
                }
            )*
        }
    };
}
pub(crate) use each;
