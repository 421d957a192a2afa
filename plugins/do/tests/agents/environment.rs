//! `do.agents.environment`.

use berth_sdk::testing::{exchange, json, remember, wanted};
use berth_sdk::types::{Error, Phase};
use serde_json::{Value, json};

use crate::{CONFIG, NAME, host};

const KIND: &str = "do.agents.environment";
const ALL: &str = "/v2/agents/configs";
const LIST: &str = "/v2/agents/configs?page_size=200";
const OURS: &str = "/v2/agents/configs/0b1c2d3e-0000-4000-8000-00000000abcd";
const MANIFEST: &str = "agent: opencode\n";

fn shown(name: &str) -> Value {
    json!({
        "id": CONFIG, "name": name, "agentspec_schema_version": "agents.digitalocean.com/flat.v1",
        "content_hash": "c0c95e3b", "created_by": "u", "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "manifest": {"agent": "opencode"},
        "credentials": [{"name": "KEY", "source": "tenantSecret"}]
    })
}

#[test]
fn a_manifest_is_sent_as_it_is_or_by_its_reference() {
    for (spec, sent) in [
        (json!({"manifest": MANIFEST}), MANIFEST),
        (
            json!({"secret_manifest": "secret://acme/agent"}),
            "secret://acme/agent",
        ),
    ] {
        let berth = host();
        let mut environment = wanted(KIND, &spec);
        berth.check(KIND, &spec, None).unwrap();
        berth.expect([exchange("POST", ALL)
            .sending(&json!({"name": NAME, "manifest_yaml": sent}))
            .answers(201, &json!({"config": shown(NAME)}))]);
        let created = berth.create(&environment).unwrap();
        assert_eq!(
            (created.provider_id.as_str(), &created.phase),
            (CONFIG, &Phase::Ready)
        );
        assert_eq!(json(&created.outputs)["content_hash"], "c0c95e3b");
        remember(&mut environment, &created);
        // A newer version of the secret is for new environments: nothing is written.
        berth.expect([exchange("GET", OURS).answers(200, &json!({"config": shown(NAME)}))]);
        let seen = berth.update(&environment, &["secret_manifest"]).unwrap();
        assert_eq!((seen.phase, seen.pending), (Phase::Ready, Vec::new()));
    }
}

#[test]
fn it_has_exactly_one_manifest() {
    for spec in [
        json!({}),
        json!({"manifest": MANIFEST, "secret_manifest": "secret://acme/agent"}),
    ] {
        assert!(matches!(
            host().check(KIND, &spec, None),
            Err(Error::Invalid(_))
        ));
    }
}

#[test]
fn it_is_found_by_its_name_on_any_page() {
    let berth = host();
    let environment = wanted(KIND, &json!({"manifest": MANIFEST}));
    berth.expect([
        exchange("GET", LIST).answers(
            200,
            &json!({"configs": [{"id": "other", "name": "other"}], "next_page_token": "t/2"}),
        ),
        exchange("GET", "/v2/agents/configs?page_size=200&page_token=t%2F2")
            .answers(200, &json!({"configs": [shown(NAME)]})),
    ]);
    assert_eq!(
        berth.find(&environment).unwrap().unwrap().provider_id,
        CONFIG
    );
    berth.expect([exchange("GET", LIST).answers(200, &json!({"configs": []}))]);
    assert!(berth.find(&environment).unwrap().is_none());
    berth.expect([exchange("GET", LIST).answers(
        200,
        &json!({"configs": [shown("x")], "next_page_token": "more"}),
    )]);
    assert_eq!(
        berth.list(KIND, None, None).unwrap().next.as_deref(),
        Some("more")
    );
}

#[test]
fn one_with_active_sessions_is_deleted_later() {
    let berth = host();
    let mut environment = wanted(KIND, &json!({"manifest": MANIFEST}));
    environment.provider_id = Some(CONFIG.to_owned());
    berth.expect([exchange("DELETE", OURS).answers(
        409,
        &json!({"id": "conflict", "message": "agent config has active sessions"}),
    )]);
    assert!(matches!(berth.delete(&environment), Err(Error::Busy(_))));
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&environment).unwrap();
}
