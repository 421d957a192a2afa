//! Calls that go well, and answers that are checked.

use berth_domain::provider::{InstallsOn, Operation, ProviderError, Wanted};
use berth_runtime::*;
use serde_json::{Value, json};

use crate::harness::*;
use crate::provider::Reply;

#[tokio::test]
async fn a_check_runs_without_http() {
    let host = Host::start().await;
    let spec = json!({"script": {"steps": [get("/v2/regions")], "answer": {"defaults": "{\"size\": \"small\"}"}}});
    let checked = host
        .runtime
        .check(
            &host.generation,
            &account(),
            "hostile.db",
            spec.as_object().unwrap(),
            None,
        )
        .await
        .unwrap();
    assert_eq!(checked.defaults["size"], "small");
    assert!(host.provider.lines().is_empty());
}

#[tokio::test]
async fn a_check_answers_by_the_rules() {
    let host = Host::start().await;
    let check = async |answer: &str| {
        let spec = json!({"size": "big", "script": {"answer": {"defaults": answer}}});
        host.runtime
            .check(
                &host.generation,
                &account(),
                "hostile.db",
                spec.as_object().unwrap(),
                None,
            )
            .await
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!([check("[]").await, check("{").await, check("{\"size\": \"small\"}").await, check("{\"note\": 5}").await].join("\n"), @r#"
    the plugin's answer breaks a rule: `defaults` is no JSON object
    the plugin's answer breaks a rule: `defaults` is no JSON: EOF while parsing an object at line 1 column 1
    the plugin's answer breaks a rule: `defaults` has `size`, which the spec says already
    the plugin's answer breaks a rule: `defaults` do not fit the schema of kind `hostile.db`: /spec/note: the value is not of type "string"
    "#);
}

#[tokio::test]
async fn an_unknown_kind_is_not_asked_for() {
    let host = Host::start().await;
    let failure = host
        .runtime
        .check(
            &host.generation,
            &account(),
            "hostile.none",
            &serde_json::Map::new(),
            None,
        )
        .await
        .unwrap_err();
    assert_eq!(
        failure.to_string(),
        "generation 0.1.0 of plugin `hostile` has no kind `hostile.none`"
    );
}

#[tokio::test]
async fn an_observation_comes_back_whole() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/dbs/own-id",
        Reply::json(200, &json!({"db": {"id": OWN}})),
    );
    let outcome = host
        .observe(json!({"steps": [get("/v2/dbs/own-id"), "now"], "answer": {"memo": "m", "pending": ["size"], "secrets": [["password", "sealed-canary"], ]}}))
        .await;
    let seen = outcome.result.unwrap();
    assert_eq!(
        (
            seen.provider_id.as_str(),
            seen.memo.as_ref(),
            seen.pending.as_slice()
        ),
        (OWN, Some(&json!("m")), ["size".to_owned()].as_slice())
    );
    assert_eq!(seen.secret_outputs[0].value.expose(), "sealed-canary");
    assert_eq!(report(&seen)[0]["status"], 200);
    assert_eq!(report(&seen)[1], NOW.0);
    assert!(!outcome.wrote);
}

#[tokio::test]
async fn an_answer_that_breaks_a_rule_is_thrown_away() {
    let host = Host::start().await;
    let answers = [
        json!({"outputs": "{"}),
        json!({"outputs": "[1]"}),
        json!({"outputs": "{\"undeclared\": 1}"}),
        json!({"secrets": [["undeclared", "value-x"]]}),
        json!({"secrets": [["password", "value-x"], ["password", "value-y"]]}),
        json!({"memo": "x".repeat(4_100)}),
        json!({"pending": ["undeclared"]}),
        json!({"providerId": "neighbour"}),
        json!({"providerId": "../own-id"}),
    ];
    let mut refusals = Vec::new();
    for answer in answers {
        refusals.push(
            host.observe(json!({"answer": answer}))
                .await
                .result
                .unwrap_err()
                .to_string(),
        );
    }
    insta::assert_snapshot!(refusals.join("\n"), @r"
    the plugin's answer breaks a rule: `outputs` is no JSON: EOF while parsing an object at line 1 column 1
    the plugin's answer breaks a rule: `outputs` is no JSON object
    the plugin's answer breaks a rule: `outputs` has `undeclared`, which kind `hostile.db` does not declare
    the plugin's answer breaks a rule: secret output `undeclared` is not declared by kind `hostile.db`
    the plugin's answer breaks a rule: secret output `password` is there twice
    the plugin's answer breaks a rule: `memo` has 4102 bytes; at most 4096 are kept (`runtime.limits.memoBytes`)
    the plugin's answer breaks a rule: `pending` names `undeclared`, which is no field of the spec of kind `hostile.db`
    the plugin's answer breaks a rule: it is about `neighbour`, and the call was about `own-id`
    the plugin's answer breaks a rule: `../own-id` is no provider id of kind `hostile.db`, which match `[a-z0-9-]{1,40}`
    ");
}

#[tokio::test]
async fn an_empty_secret_never_comes_through() {
    let host = Host::start().await;
    let seen = host
        .observe(json!({"answer": {"secrets": [["password", ""]]}}))
        .await
        .result
        .unwrap();
    assert!(seen.secret_outputs.is_empty());
}

#[tokio::test]
async fn a_new_id_is_one_that_the_provider_named_in_this_create() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/dbs",
        Reply::json(200, &json!({"dbs": [{"id": "neighbour"}]})),
    );
    host.provider.on(
        "POST /v2/dbs",
        Reply::json(201, &json!({"db": {"id": "fresh"}})),
    );
    let create = async |script: Value| {
        host.runtime
            .create(&host.generation, host.call(), unknown(script))
            .await
    };
    let good = create(json!({"steps": [send("POST", "/v2/dbs", json!({"name": "bc-r-own"}))], "answer": {"providerId": "$pointer:/db/id"}})).await;
    assert_eq!(good.result.unwrap().provider_id, "fresh");
    let stolen = create(json!({"steps": [get("/v2/dbs"), send("POST", "/v2/dbs", json!({}))], "answer": {"providerId": "neighbour"}})).await;
    assert!(stolen.wrote && stolen.is_ambiguous());
    insta::assert_snapshot!(stolen.result.unwrap_err(), @"the plugin's answer breaks a rule: no answer of the provider in this call shows `neighbour` to be this resource's: an id is taken from the answer to the create, or from an object found that bears the resource's name or id");
}

#[tokio::test]
async fn a_found_id_is_one_of_an_object_that_bears_the_rows_name_or_id() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/dbs",
        Reply::json(200, &json!({"dbs": [{"id": 77, "name": "bc-r-own"}, {"id": 78, "name": "x", "tags": [format!("better-compute-resource:{}", wanted(json!({})).id)]}, {"id": 79, "name": "bc-r-neighbour"}]})),
    );
    let find = async |id: &str| {
        let script = json!({"steps": [get("/v2/dbs")], "answer": {"providerId": id}});
        host.runtime
            .find(&host.generation, host.call(), unknown(script))
            .await
            .result
    };
    assert_eq!(find("77").await.unwrap().unwrap().provider_id, "77");
    assert_eq!(find("78").await.unwrap().unwrap().provider_id, "78");
    assert!(
        matches!(find("79").await, Err(CallFailure::BadAnswer(_))),
        "a neighbour's"
    );
    assert!(
        matches!(find("80").await, Err(CallFailure::BadAnswer(_))),
        "nobody's"
    );
    assert!(
        host.runtime
            .find(&host.generation, host.call(), unknown(json!({})))
            .await
            .result
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn a_list_carries_no_secret_outputs() {
    let host = Host::start().await;
    let cursor = json!({"answer": {"secrets": [["password", "value-x"]]}}).to_string();
    let outcome = host
        .runtime
        .list(
            &host.generation,
            host.call(),
            "hostile.db",
            None,
            Some(cursor),
        )
        .await;
    assert_eq!(
        outcome.result.unwrap_err().to_string(),
        "the plugin's answer breaks a rule: an item of `list` has secret outputs; a list carries none"
    );
}

#[tokio::test]
async fn catalog_and_signals_reach_the_endpoints_reads_alone() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/regions", Reply::json(200, &json!({})));
    let mut call = host.call();
    call.account.regions = vec![json!({"steps": [get("/v2/regions"), get("/v2/dbs")]}).to_string()];
    let catalog = host
        .runtime
        .catalog(&host.generation, call.clone(), Some(InstallsOn::Instance))
        .await
        .result
        .unwrap();
    assert!(
        catalog[0].title.contains("\"status\":200") && catalog[0].title.contains("refused"),
        "{}",
        catalog[0].title
    );
    assert_eq!(
        host.runtime
            .signals(&host.generation, call)
            .await
            .result
            .unwrap(),
        []
    );
    assert_eq!(
        host.provider.lines(),
        ["GET /v2/regions", "GET /v2/regions"]
    );
}

#[tokio::test]
async fn a_plugins_error_is_one_short_line() {
    let host = Host::start().await;
    let failure = host
        .observe(json!({"error": ["failed", format!("two\nlines {}", "x".repeat(2_000))]}))
        .await
        .result
        .unwrap_err();
    let CallFailure::Provider(ProviderError::Failed(text)) = failure else {
        panic!("{failure}")
    };
    assert!(text.starts_with("two lines x") && text.len() <= 500);
}

#[tokio::test]
async fn a_spec_is_upgraded() {
    let host = Host::start().await;
    let spec = json!({"note": "n"}).as_object().unwrap().clone();
    assert_eq!(
        host.runtime
            .upgrade_spec(&host.generation, "hostile.db", "0.0.9", &spec)
            .await
            .unwrap(),
        spec
    );
}

#[tokio::test]
async fn each_operation_reaches_the_plugin_under_its_own_name() {
    let host = Host::start().await;
    for line in [
        "PUT /v2/dbs/own-id",
        "DELETE /v2/dbs/own-id",
        "POST /v2/tags/x/resources",
        "DELETE /v2/tags/x/resources",
    ] {
        host.provider.on(line, Reply::json(200, &json!({})));
    }
    let own = json!({"resources": [{"resource_id": OWN}]});
    let runtime = &host.runtime;
    let update = json!({"steps": [send("PUT", "/v2/dbs/own-id", json!({}))]});
    assert!(
        runtime
            .update(
                &host.generation,
                host.call(),
                wanted(update),
                vec!["size".to_owned()]
            )
            .await
            .result
            .is_ok()
    );
    let delete = json!({"steps": [send("DELETE", "/v2/dbs/own-id", Value::Null)]});
    assert!(
        runtime
            .delete(&host.generation, host.call(), wanted(delete))
            .await
            .result
            .is_ok()
    );
    let label = json!({"steps": [send("POST", "/v2/tags/x/resources", own.clone())]});
    assert!(
        runtime
            .label(&host.generation, host.call(), wanted(label))
            .await
            .result
            .is_ok()
    );
    let unlabel = json!({"steps": [send("DELETE", "/v2/tags/x/resources", own)]});
    assert!(
        runtime
            .unlabel(&host.generation, host.call(), wanted(unlabel))
            .await
            .result
            .is_ok()
    );
    assert_eq!(host.provider.lines().len(), 4);
    assert_eq!(host.ports.writes.lock().unwrap().len(), 4);
    assert!(Operation::Label.writes());
}

#[tokio::test]
async fn an_object_that_is_addressed_by_its_name_bears_that_name() {
    let host = Host::start().await;
    host.provider.on(
        "POST /v2/dbs/own-id/users",
        Reply::json(201, &json!({"user": {"name": "other", "password": "p"}})),
    );
    let new = |script: Value| Wanted {
        provider_id: None,
        ..user(script)
    };
    let post = || json!([send("POST", "/v2/dbs/own-id/users", json!({"name": "app"}))]);
    let outcome = host
        .runtime
        .create(
            &host.generation,
            host.call(),
            new(json!({"steps": post(), "answer": {"providerId": "other"}})),
        )
        .await;
    assert!(outcome.is_ambiguous());
    let mut refusals = vec![outcome.result.unwrap_err().to_string()];
    let outcome = host
        .runtime
        .create(
            &host.generation,
            host.call(),
            new(json!({"steps": post(), "answer": {"providerId": "app", "name": "other"}})),
        )
        .await;
    assert!(outcome.is_ambiguous());
    refusals.push(outcome.result.unwrap_err().to_string());
    let outcome = host
        .runtime
        .find(
            &host.generation,
            host.call(),
            new(json!({"answer": {"providerId": "other"}})),
        )
        .await;
    refusals.push(outcome.result.unwrap_err().to_string());
    let observe = async |script: Value| {
        host.runtime
            .observe(&host.generation, host.call(), user(script))
            .await
            .result
    };
    refusals.push(
        observe(json!({"answer": {"name": "other"}}))
            .await
            .unwrap_err()
            .to_string(),
    );
    assert!(observe(json!({"answer": {"name": "app"}})).await.is_ok());
    insta::assert_snapshot!(refusals.join("\n"), @r"
    the plugin's answer breaks a rule: it is about `other`, and the call was about `app`, by which name kind `hostile.db.user` is addressed
    the plugin's answer breaks a rule: it is about an object named `other`, and the call was about `app`, by which name kind `hostile.db.user` is addressed
    the plugin's answer breaks a rule: it is about `other`, and the call was about `app`, by which name kind `hostile.db.user` is addressed
    the plugin's answer breaks a rule: it is about an object named `other`, and the call was about `app`, by which name kind `hostile.db.user` is addressed
    ");
}

#[tokio::test]
#[cfg(debug_assertions)]
async fn a_call_inside_of_a_transaction_panics() {
    let host = std::sync::Arc::new(Host::start().await);
    host.ports
        .in_transaction
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let inside = host.clone();
    let task = tokio::spawn(async move { inside.observe(json!({})).await.wrote });
    assert!(task.await.unwrap_err().is_panic());
}
