//! `do.app` against scripted answers.

#![expect(clippy::unwrap_used, reason = "tests")]

use berth_sdk::testing::{TestHost, exchange, json, remember, wanted};
use berth_sdk::types::{Error, Phase, Resource};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.app";
const ID: &str = "4f6c71e2-1e90-4762-9fee-6cc4a0a9f2cf";
const APP: &str = "/v2/apps/4f6c71e2-1e90-4762-9fee-6cc4a0a9f2cf";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";
const REF: &str = "secret://acme/app/key";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn spec() -> Value {
    json!({
        "region": "nyc",
        "services": [{
            "name": "web",
            "git": {"repo_clone_url": "https://example.com/web.git", "branch": "main"},
            "envs": [
                {"key": "MODE", "type": "GENERAL", "value": "live"},
                {"key": "KEY", "type": "SECRET", "value": REF}
            ]
        }]
    })
}

/// The spec as the API shows it: with defaults, secrets encrypted anew each time.
fn shown(cipher: &str) -> Value {
    json!({
        "name": NAME, "region": "nyc",
        "services": [{
            "name": "web",
            "git": {"repo_clone_url": "https://example.com/web.git", "branch": "main"},
            "envs": [
                {"key": "MODE", "type": "GENERAL", "value": "live", "scope": "RUN_AND_BUILD_TIME"},
                {"key": "KEY", "type": "SECRET", "value": cipher, "scope": "RUN_AND_BUILD_TIME"}
            ],
            "instance_count": 1, "http_port": 8080
        }],
        "ingress": {"rules": [{"component": {"name": "web"}}]}
    })
}

fn deployment(id: &str, phase: &str) -> Value {
    json!({"id": id, "phase": phase})
}

fn app(changes: &Value) -> Value {
    let mut app = json!({"id": ID, "spec": shown("EV[1:aaaa:bbbb]"), "live_url": "https://x.ondigitalocean.app", "region": {"slug": "nyc"}});
    for (field, change) in changes.as_object().unwrap() {
        app[field] = change.clone();
    }
    json!({"app": app})
}

/// An app that was created with deployment `d1`.
fn owned() -> Resource {
    let berth = host();
    let mut ours = wanted(KIND, &spec());
    berth.expect([exchange("POST", "/v2/apps").answers(
        200,
        &app(&json!({"pending_deployment": deployment("d1", "PENDING_BUILD")})),
    )]);
    let created = berth.create(&ours).unwrap();
    remember(&mut ours, &created);
    ours
}

#[test]
fn a_create_sends_the_spec_under_our_name_with_references_for_secrets() {
    let berth = host();
    let mut sent = spec();
    sent["name"] = json!(NAME);
    let mut asked = spec();
    asked["project_id"] = json!(ID);
    berth.expect([exchange("POST", "/v2/apps")
        .sending(&json!({"spec": sent, "project_id": ID}))
        .answers(
            200,
            &app(&json!({"pending_deployment": deployment("d1", "PENDING_BUILD")})),
        )]);
    let created = berth.create(&wanted(KIND, &asked)).unwrap();
    assert_eq!(
        (created.phase, created.pending),
        (Phase::Converging, Vec::new())
    );
}

#[test]
fn pending_goes_before_in_progress_before_active() {
    let berth = host();
    let ours = owned();
    for (changes, phase) in [
        (
            json!({"pending_deployment": deployment("d2", "PENDING_BUILD"), "active_deployment": deployment("d1", "ACTIVE")}),
            Phase::Converging,
        ),
        (
            json!({"in_progress_deployment": deployment("d2", "DEPLOYING"), "active_deployment": deployment("d1", "ACTIVE")}),
            Phase::Converging,
        ),
        (
            json!({"active_deployment": deployment("d1", "ACTIVE")}),
            Phase::Ready,
        ),
    ] {
        berth.expect([exchange("GET", APP).answers(200, &app(&changes))]);
        assert_eq!(berth.observe(&ours).unwrap().phase, phase, "{changes}");
    }
}

#[test]
fn a_deployment_that_failed_is_found_after_it_left_the_app() {
    let berth = host();
    let ours = owned();
    let failed = json!({"deployment": {"id": "d1", "phase": "ERROR", "progress": {"error_steps": 1, "steps": [
        {"name": "build", "status": "SUCCESS"},
        {"name": "deploy", "status": "ERROR", "steps": [
            {"component_name": "web", "status": "ERROR", "reason": {"code": "DeployContainerExitNonZero", "message": "password is hunter2"}}
        ]}
    ]}}});
    berth.expect([
        exchange("GET", APP).answers(200, &app(&json!({}))),
        exchange("GET", &format!("{APP}/deployments/d1")).answers(200, &failed),
    ]);
    let Phase::Failed(message) = berth.observe(&ours).unwrap().phase else {
        panic!("not failed");
    };
    assert_eq!(
        message,
        "the deployment d1 failed at component web: DeployContainerExitNonZero"
    );
}

#[test]
fn a_failed_update_is_seen_beside_the_old_deployment_that_still_serves() {
    let berth = host();
    let mut ours = owned();
    ours.spec = spec_with_mode("test").to_string();
    berth.expect([
        exchange("GET", APP).answers(200, &app(&json!({"active_deployment": deployment("d1", "ACTIVE")}))),
        exchange("PUT", APP).answers(200, &app(&json!({"pending_deployment": deployment("d2", "PENDING_BUILD"), "active_deployment": deployment("d1", "ACTIVE")}))),
    ]);
    let asked = berth.update(&ours, &["services"]).unwrap();
    remember(&mut ours, &asked);
    berth.expect([
        exchange("GET", APP).answers(
            200,
            &app(&json!({"active_deployment": deployment("d1", "ACTIVE")})),
        ),
        exchange("GET", &format!("{APP}/deployments/d2"))
            .answers(200, &json!({"deployment": deployment("d2", "CANCELED")})),
    ]);
    let seen = berth.observe(&ours).unwrap();
    assert_eq!(
        seen.phase,
        Phase::Failed("the deployment d2 was canceled".to_owned())
    );
}

#[test]
fn a_deployment_that_another_superseded_says_nothing() {
    let berth = host();
    let ours = owned();
    berth.expect([
        exchange("GET", APP).answers(
            200,
            &app(&json!({"active_deployment": deployment("d3", "ACTIVE")})),
        ),
        exchange("GET", &format!("{APP}/deployments/d1"))
            .answers(200, &json!({"deployment": deployment("d1", "SUPERSEDED")})),
    ]);
    assert_eq!(berth.observe(&ours).unwrap().phase, Phase::Ready);

    berth.expect([
        exchange("GET", APP).answers(200, &app(&json!({}))),
        exchange("GET", &format!("{APP}/deployments/d1"))
            .answers(200, &json!({"deployment": deployment("d1", "SUPERSEDED")})),
        exchange("GET", &format!("{APP}/deployments?page=1&per_page=20")).answers(
            200,
            &json!({"deployments": [deployment("d3", "SUPERSEDED"), deployment("d2", "ERROR")]}),
        ),
    ]);
    assert!(matches!(
        berth.observe(&ours).unwrap().phase,
        Phase::Failed(_)
    ));
}

fn spec_with_mode(mode: &str) -> Value {
    let mut spec = spec();
    spec["services"][0]["envs"][0]["value"] = json!(mode);
    spec
}

#[test]
fn an_update_whose_answer_shows_only_the_old_deployment_is_not_ready() {
    let berth = host();
    let mut ours = owned();
    ours.spec = spec_with_mode("test").to_string();
    let old = app(&json!({"active_deployment": deployment("d1", "ACTIVE")}));
    berth.expect([
        exchange("GET", APP).answers(200, &old),
        exchange("PUT", APP).answers(200, &old),
    ]);
    let asked = berth.update(&ours, &["services"]).unwrap();
    assert_eq!(
        (asked.phase.clone(), asked.pending.clone()),
        (Phase::Converging, Vec::new())
    );
    remember(&mut ours, &asked);

    let deployments = format!("{APP}/deployments?page=1&per_page=20");
    berth.wait(5_000);
    berth.expect([
        exchange("GET", APP).answers(200, &old),
        exchange("GET", &deployments)
            .answers(200, &json!({"deployments": [deployment("d1", "ACTIVE")]})),
    ]);
    let stale = berth.observe(&ours).unwrap();
    assert_eq!(stale.phase, Phase::Converging);
    remember(&mut ours, &stale);

    berth.expect([
        exchange("GET", APP).answers(200, &old),
        exchange("GET", &deployments).answers(
            200,
            &json!({"deployments": [deployment("d2", "ERROR"), deployment("d1", "ACTIVE")]}),
        ),
    ]);
    assert!(
        matches!(berth.observe(&ours).unwrap().phase, Phase::Failed(message) if message.contains("d2"))
    );
}

#[test]
fn five_runs_over_encrypted_values_put_nothing() {
    let berth = host();
    let mut ours = owned();
    for run in 0..5 {
        let mut shown_app = app(&json!({"active_deployment": deployment("d1", "ACTIVE")}));
        shown_app["app"]["spec"] = shown(&format!("EV[1:{run}:{run}]"));
        berth.expect([exchange("GET", APP).answers(200, &shown_app)]);
        let seen = berth.observe(&ours).unwrap();
        assert_eq!(
            (seen.phase.clone(), seen.pending.clone()),
            (Phase::Ready, Vec::new())
        );
        let reported = json(seen.spec.as_deref().unwrap());
        assert_eq!(
            reported["services"][0]["envs"][1],
            json!({"key": "KEY", "type": "SECRET", "scope": "RUN_AND_BUILD_TIME", "value": null})
        );
        assert!(
            !format!("{seen:?}").contains("EV["),
            "a ciphertext is no part of what a tenant sees"
        );
        remember(&mut ours, &seen);
    }
}

#[test]
fn an_update_sends_what_changed_and_the_rest_as_it_came_encrypted_secrets_included() {
    let berth = host();
    let mut ours = owned();
    let mut changed = spec();
    changed["egress"] = json!({"type": "DEDICATED_IP"});
    ours.spec = changed.to_string();
    let mut sent = shown("EV[1:aaaa:bbbb]");
    sent["egress"] = json!({"type": "DEDICATED_IP"});
    berth.expect([
        exchange("GET", APP).answers(
            200,
            &app(&json!({"active_deployment": deployment("d1", "ACTIVE")})),
        ),
        exchange("PUT", APP)
            .sending(&json!({"spec": sent}))
            .answers(
                200,
                &app(&json!({"pending_deployment": deployment("d2", "PENDING_BUILD")})),
            ),
    ]);
    let asked = berth.update(&ours, &["egress"]).unwrap();
    assert_eq!(asked.pending, Vec::<String>::new());
}

#[test]
fn a_changed_component_is_sent_with_its_references() {
    let berth = host();
    let mut ours = owned();
    ours.spec = spec_with_mode("test").to_string();
    let mut sent = shown("EV[1:aaaa:bbbb]");
    sent["services"] = spec_with_mode("test")["services"].clone();
    berth.expect([
        exchange("GET", APP).answers(200, &app(&json!({}))),
        exchange("PUT", APP)
            .sending(&json!({"spec": sent}))
            .answers(
                200,
                &app(&json!({"pending_deployment": deployment("d2", "PENDING_BUILD")})),
            ),
    ]);
    berth.update(&ours, &["services"]).unwrap();
}

#[test]
fn the_memo_remembers_no_reference_and_no_value() {
    let ours = owned();
    let memo = ours.memo.unwrap();
    assert!(
        !memo.contains("secret://") && !memo.contains("live"),
        "{memo}"
    );
}

#[test]
fn a_lost_create_is_found_by_name_on_any_page_and_counts_as_applied() {
    let berth = host();
    let other = |index: usize| json!({"id": format!("id-{index}"), "spec": {"name": format!("app-{index}")}});
    let first: Vec<Value> = (0..200).map(other).collect();
    let mut ours = app(&json!({"pending_deployment": deployment("d1", "BUILDING")}))["app"].clone();
    ours["spec"] = shown("EV[1:x:y]");
    berth.expect([
        exchange("GET", "/v2/apps?page=1&per_page=200").answers(
            200,
            &json!({
                "apps": first, "meta": {"total": 202},
                "links": {"pages": {"next": "https://evil.example/v2/apps?page=2"}}
            }),
        ),
        exchange("GET", "/v2/apps?page=2&per_page=200").answers(
            200,
            &json!({"apps": [other(199), ours], "meta": {"total": 202}}),
        ),
    ]);
    let found = berth.find(&wanted(KIND, &spec())).unwrap().unwrap();
    assert_eq!(found.provider_id, ID);
    assert_eq!(
        (found.phase, found.pending),
        (Phase::Converging, Vec::new())
    );
}

#[test]
fn a_list_goes_page_by_page() {
    let berth = host();
    let many: Vec<Value> = (0..200)
        .map(|index| json!({"id": index.to_string(), "spec": {"name": "a"}}))
        .collect();
    berth.expect([exchange("GET", "/v2/apps?page=1&per_page=200")
        .answers(200, &json!({"apps": many, "meta": {"total": 201}}))]);
    let first = berth.list(KIND, None, None).unwrap();
    assert_eq!((first.items.len(), first.next.as_deref()), (200, Some("2")));
    berth.expect([exchange("GET", "/v2/apps?page=2&per_page=200").answers(
        200,
        &json!({"apps": [app(&json!({}))["app"]], "meta": {"total": 201}}),
    )]);
    let last = berth.list(KIND, None, first.next.as_deref()).unwrap();
    assert_eq!((last.items.len(), last.next), (1, None));
    berth.expect([exchange("GET", "/v2/apps?page=1&per_page=200")
        .answers(200, &json!({"links": {}, "meta": {"total": 0}}))]);
    assert!(berth.list(KIND, None, None).unwrap().items.is_empty());
}

#[test]
fn deleting_an_app_takes_200_and_404_alike() {
    let berth = host();
    let ours = owned();
    berth.expect([exchange("DELETE", APP).answers(200, &json!({"id": ID}))]);
    berth.delete(&ours).unwrap();
    berth.expect([
        exchange("DELETE", APP).answers(404, &json!({"id": "not_found", "message": "gone"}))
    ]);
    berth.delete(&ours).unwrap();
}

#[test]
fn an_app_carries_no_labels_and_can_not_be_let_go() {
    let berth = host();
    let ours = owned();
    assert!(matches!(berth.label(&ours), Err(Error::Unsupported(_))));
    assert!(matches!(berth.unlabel(&ours), Err(Error::Unsupported(_))));
    let kind = berth
        .describe()
        .kinds
        .into_iter()
        .find(|kind| kind.id == KIND)
        .unwrap();
    assert!(!kind.releasable && !kind.adoptable);
}

#[test]
fn the_accounts_own_registry_reaches_the_whole_account() {
    let image = |registry: &str| json!({"region": "nyc", "workers": [{"name": "w", "image": {"registry_type": registry, "repository": "r"}}]});
    let checked = host().check(KIND, &image("DOCR"), None).unwrap();
    assert_eq!(checked.account_wide, ["/workers/0/image/registry_type"]);
    assert!(
        host()
            .check(KIND, &image("GHCR"), None)
            .unwrap()
            .account_wide
            .is_empty()
    );
}

#[test]
fn a_spec_that_makes_no_app_is_refused_at_its_field() {
    let refused = |spec: &Value| match host().check(KIND, spec, None) {
        Err(Error::Invalid(errors)) => errors.into_iter().map(|error| error.field).collect(),
        other => vec![format!("{other:?}")],
    };
    assert_eq!(refused(&json!({"region": "nyc"})), [""]);
    let twice = json!({"key": "A", "type": "GENERAL", "value": "1"});
    assert_eq!(
        refused(
            &json!({"region": "nyc", "jobs": [{"name": "j", "envs": [twice, twice], "log_destinations": [{"name": "logs"}]}]})
        ),
        ["/jobs/0/envs/1/key", "/jobs/0/log_destinations/0"]
    );
}

#[test]
fn what_an_app_shows_of_itself_are_its_outputs() {
    let berth = host();
    let ours = owned();
    berth.expect([exchange("GET", APP).answers(200, &app(&json!({
        "active_deployment": deployment("d1", "ACTIVE"), "dedicated_ips": [{"ip": "192.0.2.7"}], "live_domain": ""
    })))]);
    let seen = berth.observe(&ours).unwrap();
    assert_eq!(
        json(&seen.outputs),
        json!({
            "live_url": "https://x.ondigitalocean.app", "region": "nyc", "active_deployment": "d1", "dedicated_ips": ["192.0.2.7"]
        })
    );
}
