//! What documents allow and deny.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on stops, and says where"
)]

use berth_policy::{
    Action, AllowedBy, Attributes, Context, Decision, DenyReason, Document, ManagedPolicy,
    PolicySet, Principal, Reach, Request, Resource, ResourceType,
};
use serde_json::{Value, json};

fn document(statements: Value) -> Document {
    Document::parse(&json!({"Version": "2012-10-17", "Statement": statements})).unwrap()
}

fn policies(statements: Value) -> PolicySet {
    PolicySet::compile(&[("pol_1", document(statements))]).unwrap()
}

fn alice() -> Principal<'static> {
    Principal {
        id: "prn_alice",
        tenant: "acme",
        reach: Reach::OwnTenant,
        name: Some("alice"),
        groups: &[],
    }
}

fn database() -> Resource<'static> {
    Resource {
        attributes: Attributes {
            kind: Some("do.database.pg"),
            family: Some("data"),
            provider: Some("digitalocean"),
            provider_account_id: Some("acc_1"),
            pool_id: Some("pool_1"),
            region: Some("nyc1"),
            project_id: None,
            name: Some("orders"),
        },
        ..Resource::new(ResourceType::CloudResource, "acme", "crs_1")
    }
}

fn request() -> Request<'static> {
    Request {
        principal: alice(),
        action: Action::CloudResourcesRead,
        resource: database(),
        context: Context::default(),
    }
}

fn by_policy(sid: Option<&str>) -> Decision {
    Decision::Allow {
        by: AllowedBy::Policy {
            policy: "pol_1".to_owned(),
            sid: sid.map(str::to_owned),
        },
    }
}

fn denied(reason: DenyReason) -> Decision {
    Decision::Deny { reason }
}

/// Whether a statement with this condition allows reading the database.
fn allows(condition: Value, request: &Request<'_>) -> bool {
    policies(json!([{
        "Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition,
    }]))
    .decide(request)
    .is_allowed()
}

#[test]
fn nothing_is_allowed_without_a_policy() {
    let none = PolicySet::compile(&[]).unwrap();
    for action in Action::ALL {
        for kind in action.resource_types() {
            let request = Request {
                action: *action,
                resource: Resource::new(*kind, "acme", "x"),
                ..request()
            };
            assert_eq!(none.decide(&request), denied(DenyReason::NoAllow));
        }
    }
}

#[test]
fn a_statement_allows_its_actions_on_its_resources() {
    let policies = policies(json!([{
        "Sid": "Read",
        "Effect": "Allow",
        "Action": "compute:cloud-resources:read",
        "Resource": "compute-cloud-resource/crs_1",
    }]));
    assert_eq!(policies.decide(&request()), by_policy(Some("Read")));
    let other_action = Request {
        action: Action::CloudResourcesUpdate,
        ..request()
    };
    assert_eq!(policies.decide(&other_action), denied(DenyReason::NoAllow));
    let other_resource = Request {
        resource: Resource::new(ResourceType::CloudResource, "acme", "crs_2"),
        ..request()
    };
    assert_eq!(
        policies.decide(&other_resource),
        denied(DenyReason::NoAllow)
    );
    let listing = Request {
        resource: Resource::tenant("acme"),
        ..request()
    };
    assert_eq!(policies.decide(&listing), denied(DenyReason::NoAllow));
}

#[test]
fn an_explicit_denial_wins_over_every_allowance() {
    let policies = PolicySet::compile(&[
        ("pol_admin", ManagedPolicy::Administrator.document()),
        (
            "pol_fence",
            document(json!({
                "Sid": "NoDeletes",
                "Effect": "Deny",
                "Action": "compute:cloud-resources:delete",
                "Resource": "*",
            })),
        ),
    ])
    .unwrap();
    let delete = Request {
        action: Action::CloudResourcesDelete,
        resource: Resource {
            owner: Some("prn_alice"),
            ..database()
        },
        ..request()
    };
    assert_eq!(
        policies.decide(&delete),
        denied(DenyReason::ExplicitDeny {
            policy: "pol_fence".to_owned(),
            sid: Some("NoDeletes".to_owned()),
        })
    );
    assert!(policies.decide(&request()).is_allowed());
}

#[test]
fn the_owner_may_read_update_and_delete_and_no_more() {
    let none = PolicySet::compile(&[]).unwrap();
    let own = Resource {
        owner: Some("prn_alice"),
        ..database()
    };
    for action in Action::ALL {
        let request = Request {
            action: *action,
            resource: own,
            ..request()
        };
        let expected = match action {
            Action::CloudResourcesRead
            | Action::CloudResourcesUpdate
            | Action::CloudResourcesDelete => Decision::Allow {
                by: AllowedBy::Owner,
            },
            _ => denied(DenyReason::NoAllow),
        };
        assert_eq!(none.decide(&request), expected, "{action}");
    }
    let somebody_elses = Request {
        resource: Resource {
            owner: Some("prn_bob"),
            ..database()
        },
        ..request()
    };
    assert_eq!(none.decide(&somebody_elses), denied(DenyReason::NoAllow));
}

#[test]
fn ownership_counts_also_where_policies_exist_that_do_not_match() {
    let policies = policies(json!({
        "Effect": "Allow", "Action": "*", "Resource": "*",
        "Condition": {"StringEquals": {"resource.region": "ams3"}},
    }));
    let own = Request {
        resource: Resource {
            owner: Some("prn_alice"),
            ..database()
        },
        ..request()
    };
    assert_eq!(
        policies.decide(&own),
        Decision::Allow {
            by: AllowedBy::Owner
        }
    );
}

#[test]
fn another_tenants_resource_is_denied_whatever_the_documents_say() {
    let admin = policies(json!({"Effect": "Allow", "Action": "*", "Resource": "*"}));
    let foreign = Resource {
        tenant: "evil",
        owner: Some("prn_alice"),
        ..database()
    };
    let request = Request {
        resource: foreign,
        ..request()
    };
    assert_eq!(admin.decide(&request), denied(DenyReason::OtherTenant));
    let operator = Request {
        principal: Principal {
            reach: Reach::EveryTenant,
            ..alice()
        },
        ..request
    };
    assert_eq!(admin.decide(&operator), by_policy(None));
    let no_policy = PolicySet::compile(&[]).unwrap();
    assert_eq!(no_policy.decide(&operator), denied(DenyReason::NoAllow));
}

#[test]
fn the_administrator_may_do_everything_in_its_tenant() {
    let id = ManagedPolicy::Administrator.id();
    let admin = PolicySet::compile(&[(id, ManagedPolicy::Administrator.document())]).unwrap();
    for action in Action::ALL {
        for kind in action.resource_types() {
            let request = Request {
                action: *action,
                resource: Resource::new(*kind, "acme", "x"),
                ..request()
            };
            assert!(admin.decide(&request).is_allowed(), "{action} on {kind}");
        }
    }
}

#[test]
fn the_reader_sees_everything_and_reveals_and_changes_nothing() {
    let reader = PolicySet::compile(&[("r", ManagedPolicy::ReadOnly.document())]).unwrap();
    for action in Action::ALL {
        for kind in action.resource_types() {
            let request = Request {
                action: *action,
                resource: Resource::new(*kind, "acme", "x"),
                ..request()
            };
            let reads = action.as_str().ends_with(":read");
            assert_eq!(reader.decide(&request).is_allowed(), reads, "{action}");
        }
    }
}

#[test]
fn one_family_is_allowed_without_the_others() {
    let data = json!({"StringEquals": {"resource.family": "data"}});
    assert!(allows(data.clone(), &request()));
    let mut app = request();
    app.resource.attributes.family = Some("platform");
    assert!(!allows(data.clone(), &app));
    app.resource.attributes.family = None;
    assert!(!allows(data, &app));
}

#[test]
fn an_action_on_a_type_it_is_not_decided_on_is_denied() {
    let admin = policies(json!({"Effect": "Allow", "Action": "*", "Resource": "*"}));
    let odd = Request {
        action: Action::SecretsReveal,
        ..request()
    };
    assert_eq!(admin.decide(&odd), denied(DenyReason::NoAllow));
}

#[test]
fn an_attribute_that_the_type_can_not_have_denies() {
    let admin = policies(json!({"Effect": "Allow", "Action": "*", "Resource": "*"}));
    let odd = Request {
        action: Action::SecretsUse,
        resource: Resource {
            attributes: Attributes {
                region: Some("nyc1"),
                ..Attributes::default()
            },
            ..Resource::new(ResourceType::Secret, "acme", "db")
        },
        ..request()
    };
    let Decision::Deny {
        reason: DenyReason::EvaluationError { message, .. },
    } = admin.decide(&odd)
    else {
        panic!("expected a failure");
    };
    assert_eq!(message, "a compute-secret has no resource.region");
}

#[test]
fn a_principal_that_looks_at_itself_is_decided_like_any_other() {
    let policies = policies(json!({
        "Effect": "Allow", "Action": "compute:principals:read",
        "Resource": "compute-principal/prn_alice",
    }));
    let itself = Request {
        action: Action::PrincipalsRead,
        resource: Resource::new(ResourceType::Principal, "acme", "prn_alice"),
        ..request()
    };
    assert!(policies.decide(&itself).is_allowed());
}

#[test]
fn resource_patterns_match_whole_ids() {
    let secret = |pattern: &str, id: &str| {
        policies(json!({
            "Effect": "Allow", "Action": "compute:secrets:use", "Resource": pattern,
        }))
        .decide(&Request {
            action: Action::SecretsUse,
            resource: Resource::new(ResourceType::Secret, "acme", id),
            ..request()
        })
        .is_allowed()
    };
    for (pattern, id, expected) in [
        ("*", "a", true),
        ("compute-secret/*", "a/b", true),
        ("compute-secret/team-a-*", "team-a-db", true),
        ("compute-secret/team-a-*", "team-a-", true),
        ("compute-secret/team-a-*", "xteam-a-db", false),
        ("compute-secret/*-db", "team-a-db", true),
        ("compute-secret/*-db", "team-a-db2", false),
        ("compute-secret/a*b*c", "a-b-b-c", true),
        ("compute-secret/a*b*c", "acb", false),
        ("compute-secret/a", "a", true),
        ("compute-secret/a", "A", false),
        ("compute-secret/a?", "ab", false),
        ("compute-secret/a?", "a?", true),
        ("compute-secret/a/b", "a/b", true),
    ] {
        assert_eq!(secret(pattern, id), expected, "{pattern} {id}");
    }
}

#[test]
fn texts_compare_whole_and_with_case() {
    let kind = |operator: &str, values: Value| {
        allows(json!({operator: {"resource.kind": values}}), &request())
    };
    assert!(kind("StringEquals", json!("do.database.pg")));
    assert!(kind("StringEquals", json!(["x", "do.database.pg"])));
    assert!(!kind("StringEquals", json!("DO.database.pg")));
    assert!(!kind("StringEquals", json!("do.database.*")));
    assert!(!kind("StringNotEquals", json!(["x", "do.database.pg"])));
    assert!(kind("StringNotEquals", json!(["x", "y"])));
    assert!(kind("StringLike", json!("do.*.pg")));
    assert!(kind("StringLike", json!(["x*", "*"])));
    assert!(!kind("StringLike", json!("do.?atabase.pg")));
    assert!(!kind("StringNotLike", json!(["x", "do.*"])));
    assert!(kind("StringNotLike", json!("x*")));
}

#[test]
fn a_missing_key_counts_as_the_documentation_says() {
    let lacking = request();
    for (condition, expected) in [
        (
            json!({"StringEquals": {"resource.projectId": "prj_1"}}),
            false,
        ),
        (json!({"StringLike": {"resource.projectId": "*"}}), false),
        (
            json!({"StringNotEquals": {"resource.projectId": "prj_1"}}),
            true,
        ),
        (json!({"StringNotLike": {"resource.projectId": "*"}}), true),
        (
            json!({"StringEqualsIfExists": {"resource.projectId": "prj_1"}}),
            true,
        ),
        (
            json!({"StringLikeIfExists": {"resource.projectId": "x"}}),
            true,
        ),
        (
            json!({"StringNotEqualsIfExists": {"resource.projectId": "prj_1"}}),
            true,
        ),
        (
            json!({"ForAnyValue:StringEquals": {"resource.projectId": "x"}}),
            false,
        ),
        (
            json!({"ForAnyValue:StringNotEquals": {"resource.projectId": "x"}}),
            false,
        ),
        (
            json!({"ForAnyValue:StringNotEqualsIfExists": {"resource.projectId": "x"}}),
            true,
        ),
        (
            json!({"ForAllValues:StringEquals": {"resource.projectId": "x"}}),
            true,
        ),
        (
            json!({"ForAllValues:StringNotLike": {"resource.projectId": "*"}}),
            true,
        ),
        (json!({"Null": {"resource.projectId": true}}), true),
        (json!({"Null": {"resource.projectId": "false"}}), false),
        (json!({"Null": {"resource.projectId": [true, false]}}), true),
        (json!({"Null": {"resource.kind": true}}), false),
        (json!({"Null": {"resource.kind": false}}), true),
        (json!({"Null": {"principal.id": true}}), false),
        (json!({"Null": {"resource.tenantId": false}}), true),
        (json!({"Bool": {"context.secureTransport": "false"}}), false),
        (
            json!({"BoolIfExists": {"context.secureTransport": true}}),
            true,
        ),
        (
            json!({"NumericLessThan": {"context.tokenAgeSeconds": 5}}),
            false,
        ),
        (
            json!({"NumericNotEquals": {"context.tokenAgeSeconds": 5}}),
            true,
        ),
        (
            json!({"DateGreaterThan": {"context.requestTime": 0}}),
            false,
        ),
        (json!({"DateNotEquals": {"context.requestTime": 0}}), true),
        (
            json!({"IpAddress": {"context.sourceIp": "0.0.0.0/0"}}),
            false,
        ),
        (
            json!({"NotIpAddress": {"context.sourceIp": "0.0.0.0/0"}}),
            true,
        ),
        (
            json!({"ForAnyValue:StringEquals": {"principal.groups": "x"}}),
            false,
        ),
        (
            json!({"ForAllValues:StringEquals": {"principal.groups": "x"}}),
            true,
        ),
        (json!({"Null": {"principal.groups": true}}), true),
        (
            json!({
                "StringNotEquals": {"resource.projectId": "prj_1"},
                "Null": {"resource.projectId": false},
            }),
            false,
        ),
    ] {
        assert_eq!(allows(condition.clone(), &lacking), expected, "{condition}");
    }
}

#[test]
fn a_denial_by_a_negated_test_also_denies_what_lacks_the_key() {
    let fenced = policies(json!([
        {"Effect": "Allow", "Action": "*", "Resource": "*"},
        {
            "Sid": "OnlyProjectOne", "Effect": "Deny", "Action": "*", "Resource": "*",
            "Condition": {"StringNotEquals": {"resource.projectId": "prj_1"}},
        },
    ]));
    assert!(!fenced.decide(&request()).is_allowed());
    let mut inside = request();
    inside.resource.attributes.project_id = Some("prj_1");
    assert!(fenced.decide(&inside).is_allowed());
    // Also on a type that never has the key.
    let secret = Request {
        action: Action::SecretsUse,
        resource: Resource::new(ResourceType::Secret, "acme", "db"),
        ..request()
    };
    assert!(!fenced.decide(&secret).is_allowed());
}

#[test]
fn sets_of_groups_compare_by_any_and_by_all() {
    let groups = |names: &[&str], operator: &str, values: Value| {
        let groups: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let request = Request {
            principal: Principal {
                groups: &groups,
                ..alice()
            },
            ..request()
        };
        allows(json!({operator: {"principal.groups": values}}), &request)
    };
    let both = &["dev", "ops"];
    assert!(groups(
        both,
        "ForAnyValue:StringEquals",
        json!(["ops", "x"])
    ));
    assert!(!groups(both, "ForAnyValue:StringEquals", json!("x")));
    assert!(groups(
        both,
        "ForAllValues:StringEquals",
        json!(["ops", "dev", "x"])
    ));
    assert!(!groups(both, "ForAllValues:StringEquals", json!("ops")));
    assert!(groups(both, "ForAnyValue:StringNotEquals", json!("ops")));
    assert!(!groups(both, "ForAnyValue:StringNotEquals", json!(both)));
    assert!(groups(both, "ForAllValues:StringNotEquals", json!("x")));
    assert!(!groups(
        both,
        "ForAllValues:StringNotEquals",
        json!(["x", "ops"])
    ));
}

#[test]
fn numbers_truths_moments_and_addresses_compare() {
    let request = Request {
        context: Context {
            request_time: Some(1_777_636_800_000),
            source_ip: Some("203.0.113.7".parse().unwrap()),
            method: Some("cloudResources.get"),
            token_name: Some("ci"),
            token_age_seconds: Some(90),
            secure_transport: Some(true),
        },
        ..request()
    };
    for (condition, expected) in [
        (
            json!({"NumericEquals": {"context.tokenAgeSeconds": [1, "90"]}}),
            true,
        ),
        (
            json!({"NumericNotEquals": {"context.tokenAgeSeconds": 90}}),
            false,
        ),
        (
            json!({"NumericLessThan": {"context.tokenAgeSeconds": 90}}),
            false,
        ),
        (
            json!({"NumericLessThanEquals": {"context.tokenAgeSeconds": 90}}),
            true,
        ),
        (
            json!({"NumericGreaterThan": {"context.tokenAgeSeconds": [100, 89]}}),
            true,
        ),
        (
            json!({"NumericGreaterThanEquals": {"context.tokenAgeSeconds": 91}}),
            false,
        ),
        (json!({"Bool": {"context.secureTransport": true}}), true),
        (json!({"Bool": {"context.secureTransport": "false"}}), false),
        (
            json!({"DateEquals": {"context.requestTime": "2026-05-01T12:00:00Z"}}),
            true,
        ),
        (
            json!({"DateNotEquals": {"context.requestTime": "2026-05-01T12:00:00Z"}}),
            false,
        ),
        (
            json!({"DateLessThan": {"context.requestTime": "2026-05-01T14:00:01+02:00"}}),
            true,
        ),
        (
            json!({"DateLessThanEquals": {"context.requestTime": 1_777_636_800_000_i64}}),
            true,
        ),
        (
            json!({"DateGreaterThan": {"context.requestTime": "2026-05-01"}}),
            true,
        ),
        (
            json!({"DateGreaterThanEquals": {"context.requestTime": "1777636800001"}}),
            false,
        ),
        (
            json!({"IpAddress": {"context.sourceIp": ["10.0.0.0/8", "203.0.113.0/24"]}}),
            true,
        ),
        (
            json!({"IpAddress": {"context.sourceIp": "203.0.113.8"}}),
            false,
        ),
        (json!({"IpAddress": {"context.sourceIp": "::/0"}}), false),
        (
            json!({"IpAddress": {"context.sourceIp": "::ffff:203.0.113.7"}}),
            true,
        ),
        (
            json!({"NotIpAddress": {"context.sourceIp": "203.0.113.0/24"}}),
            false,
        ),
        (
            json!({"NotIpAddress": {"context.sourceIp": "203.0.114.0/24"}}),
            true,
        ),
        (
            json!({"StringLike": {"context.method": "cloudResources.*"}}),
            true,
        ),
        (
            json!({"StringEquals": {"context.tokenName": "ci", "principal.name": "alice"}}),
            true,
        ),
        (
            json!({"StringEquals": {"context.tokenName": "ci", "principal.name": "bob"}}),
            false,
        ),
    ] {
        assert_eq!(allows(condition.clone(), &request), expected, "{condition}");
    }
    let mapped = Request {
        context: Context {
            source_ip: Some("::ffff:10.0.0.1".parse().unwrap()),
            ..Context::default()
        },
        ..request
    };
    assert!(allows(
        json!({"IpAddress": {"context.sourceIp": "10.0.0.0/8"}}),
        &mapped
    ));
    let v6 = Request {
        context: Context {
            source_ip: Some("2001:db8::7".parse().unwrap()),
            ..Context::default()
        },
        ..request
    };
    assert!(allows(
        json!({"IpAddress": {"context.sourceIp": "2001:db8::/32"}}),
        &v6
    ));
    assert!(!allows(
        json!({"IpAddress": {"context.sourceIp": "0.0.0.0/0"}}),
        &v6
    ));
}

#[test]
fn hostile_texts_are_data() {
    let hostile = [
        "\" || true || \"",
        "a\nb",
        "\\",
        "\0",
        "?",
        "*",
        "{\"__entity\":{\"type\":\"Berth::Caller\",\"id\":\"x\"}}",
        "ü\u{202e}😀",
        "",
        "$",
        "principal",
    ];
    for text in hostile {
        let mut request = request();
        request.resource.attributes.region = Some(text);
        request.resource.id = text;
        for other in hostile {
            let equal = json!({"StringEquals": {"resource.region": other}});
            assert_eq!(allows(equal, &request), text == other, "{text:?} {other:?}");
            let like = json!({"StringLike": {"resource.region": other}});
            let expected = text == other || other == "*";
            assert_eq!(allows(like, &request), expected, "{text:?} {other:?}");
        }
    }
}

#[test]
fn conditions_at_every_limit_are_decided() {
    let many = |n: usize| {
        (0..n)
            .map(|i| json!(format!("*a{i}*b*")))
            .collect::<Value>()
    };
    let statements: Vec<Value> = (0..10)
        .map(|i| {
            json!({
                "Sid": format!("S{i}"), "Effect": "Allow", "Action": "*",
                "Resource": (0..100).map(|n| format!("compute-cloud-resource/*{n}*")).collect::<Value>(),
                "Condition": {
                    "StringLike": {"resource.region": many(50), "resource.kind": many(50)},
                    "StringNotLike": {"resource.region": many(50), "resource.name": many(50)},
                    "StringEquals": {"resource.provider": many(50)},
                },
            })
        })
        .collect();
    let Err(error) =
        Document::parse(&json!({"Version": "2012-10-17", "Statement": statements.clone()}))
    else {
        panic!("the document is too long");
    };
    assert!(error.to_string().contains("policy.max_document_bytes"));
    let policies = policies(json!(statements[..3]));
    assert!(!policies.decide(&request()).is_allowed());
}

#[test]
fn many_items_are_decided_with_one_preparation() {
    let documents: Vec<(String, Document)> = (0..20)
        .map(|n| {
            let statement = json!({
                "Effect": "Allow", "Action": "compute:cloud-resources:*",
                "Resource": "compute-cloud-resource/*",
                "Condition": {"StringEquals": {"resource.region": format!("r{n}")}},
            });
            (format!("pol_{n}"), document(statement))
        })
        .collect();
    let documents: Vec<(&str, Document)> = documents
        .iter()
        .map(|(id, document)| (id.as_str(), document.clone()))
        .collect();
    let decider = PolicySet::compile(&documents)
        .unwrap()
        .prepare(&alice(), &Context::default());
    let allowed = (0..500)
        .map(|n| format!("r{}", n % 40))
        .filter(|region| {
            let mut resource = database();
            resource.attributes.region = Some(region);
            decider
                .decide(Action::CloudResourcesRead, &resource)
                .is_allowed()
        })
        .count();
    assert_eq!(allowed, 260);
}
