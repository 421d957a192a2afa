//! What a document is refused for, and what its author reads.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on stops, and says where"
)]

use berth_policy::{Document, Limit, Limits, Problem};
use proptest::prelude::*;
use serde_json::{Value, json};

fn refused(document: &Value) -> String {
    Document::parse(document).unwrap_err().to_string()
}

/// A document of one statement that is right, changed by `change`.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut statement = json!({
        "Sid": "S",
        "Effect": "Allow",
        "Action": "compute:cloud-resources:read",
        "Resource": "compute-cloud-resource/*",
    });
    change(&mut statement);
    json!({"Version": "2012-10-17", "Statement": [statement]})
}

fn with(field: &str, value: Value) -> Value {
    changed(|statement| statement[field] = value)
}

fn condition(value: Value) -> Value {
    with("Condition", value)
}

/// The refusals of several documents, a line each.
fn lines(documents: impl IntoIterator<Item = Value>) -> String {
    let lines: Vec<String> = documents.into_iter().map(|d| refused(&d)).collect();
    lines.join("\n")
}

#[test]
fn the_shape_of_a_document() {
    insta::assert_snapshot!(lines([
        json!([]),
        json!({}),
        json!({"Version": "2012-10-17"}),
        json!({"Version": "2008-10-17", "Statement": []}),
        json!({"Version": 1, "Statement": []}),
        json!({"Version": "2012-10-17", "Statement": []}),
        json!({"Version": "2012-10-17", "Statement": [1]}),
        json!({"Version": "2012-10-17", "Statements": []}),
        json!({"Version": "2012-10-17", "Id": "x", "Statement": []}),
    ]));
}

#[test]
fn the_fields_of_a_statement() {
    insta::assert_snapshot!(lines([
        changed(|s| {
            s.as_object_mut().unwrap().remove("Effect");
        }),
        with("Effect", json!("allow")),
        with("Effect", json!(true)),
        with("Sid", json!("no spaces")),
        with("Efect", json!("Allow")),
        with("NotAction", json!("*")),
        with("NotResource", json!("*")),
        with("Principal", json!("*")),
        with("a/b~c", json!(1)),
    ]));
    let twice = json!({"Effect": "Allow", "Sid": "S", "Action": "*", "Resource": "*"});
    let twice = json!({"Version": "2012-10-17", "Statement": [twice, twice]});
    insta::assert_snapshot!(refused(&twice));
}

#[test]
fn actions_and_resources() {
    insta::assert_snapshot!(lines([
        with("Action", json!([])),
        with("Action", json!("compute:cloud-resources:raed")),
        with("Action", json!("compute:cloud-resource:*")),
        with("Action", json!("s3:GetObject")),
        with("Action", json!("compute:*:read")),
        with("Action", json!("compute:cloud-*")),
        with("Action", json!(["compute:cloud-resources:read", 7])),
        with("Action", json!("compute:secrets:use")),
        with("Resource", json!("compute-cloud-resources/*")),
        with("Resource", json!("compute-cloud-resource")),
        with("Resource", json!("compute-*/x")),
        with("Resource", json!("compute-secret/${principal.id}")),
        with("Resource", json!("arn:aws:s3:::bucket")),
        with("Resource", json!(["*", "compute-secret/*"])),
    ]));
}

#[test]
fn conditions() {
    insta::assert_snapshot!(lines([
        condition(json!([])),
        condition(json!({"StringEqual": {"resource.kind": "x"}})),
        condition(json!({"ForAnyValue:StringLikes": {"resource.kind": "x"}})),
        condition(json!({"StringEqualsIgnoreCase": {"resource.kind": "x"}})),
        condition(json!({"ArnLike": {"resource.kind": "x"}})),
        condition(json!({"ForAnyValue:Null": {"resource.kind": true}})),
        condition(json!({"NullIfExists": {"resource.kind": true}})),
        condition(json!({"StringEquals": {}})),
        condition(json!({"StringEquals": {"resource.knd": "x"}})),
        condition(json!({"StringEquals": {"aws:SourceIp": "x"}})),
        condition(json!({"StringEquals": {"resource.kind": []}})),
        condition(json!({"StringEquals": {"resource.kind": ["x", 1]}})),
        condition(json!({"StringEquals": {"resource.kind": "${principal.id}"}})),
        condition(json!({"StringEquals": {"principal.groups": "x"}})),
        condition(json!({"ForAnyValue:StringLike": {"principal.groups": "x*"}})),
        condition(json!({"StringEquals": {"context.requestTime": "x"}})),
        condition(json!({"NumericEquals": {"resource.kind": 1}})),
        condition(json!({"NumericEquals": {"context.tokenAgeSeconds": 1.5}})),
        condition(json!({"NumericEquals": {"context.tokenAgeSeconds": true}})),
        condition(json!({"DateLessThan": {"context.requestTime": "tomorrow"}})),
        condition(json!({"Bool": {"context.secureTransport": "yes"}})),
        condition(json!({"Bool": {"context.secureTransport": null}})),
        condition(json!({"IpAddress": {"context.sourceIp": "10.0.0.0/33"}})),
        condition(json!({
            "StringEquals": {"resource.kind": "x"},
            "Null": {"resource.kind": true},
        })),
        json!({"Version": "2012-10-17", "Statement": {
            "Effect": "Deny", "Action": "compute:secrets:*", "Resource": "compute-secret/*",
            "Condition": {"StringEquals": {"resource.region": "nyc1"}},
        }}),
    ]));
}

#[test]
fn every_limit_is_named_in_its_refusal() {
    let many = |n: usize| Value::from(vec!["compute:cloud-resources:read"; n]);
    let resources = Value::from(vec!["compute-cloud-resource/a"; 101]);
    let values = Value::from(vec!["a"; 51]);
    let statements = Value::from(vec![0; 101]);
    let keys: Vec<&str> = vec![
        "resource.kind",
        "resource.family",
        "resource.provider",
        "resource.poolId",
        "resource.region",
        "resource.name",
        "resource.owner",
        "resource.projectId",
    ];
    let operands: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| ((*key).to_owned(), json!("x")))
        .collect();
    let conditions: serde_json::Map<String, Value> =
        ["StringEquals", "StringLike", "StringNotLike"]
            .iter()
            .map(|operator| ((*operator).to_owned(), operands.clone().into()))
            .collect();
    insta::assert_snapshot!(lines([
        json!({"Version": "2012-10-17", "Statement": statements}),
        with("Action", many(101)),
        with("Resource", resources),
        with(
            "Resource",
            json!(format!("compute-cloud-resource/{}", "a".repeat(500)))
        ),
        condition(conditions.into()),
        condition(json!({"StringEquals": {"resource.kind": values}})),
        json!({"Version": "2012-10-17", "Statement": (0..100).map(|_| json!({
            "Effect": "Allow", "Action": "*",
            "Resource": format!("compute-cloud-resource/{}", "a".repeat(400)),
        })).collect::<Value>()}),
    ]));
}

#[test]
fn operators_set_limits() {
    let limits = Limits {
        statements: 1,
        ..Limits::default()
    };
    let one = json!({"Effect": "Allow", "Action": "*", "Resource": "*"});
    let document = |n: usize| json!({"Version": "2012-10-17", "Statement": vec![one.clone(); n]});
    assert!(Document::parse_within(&document(1), &limits).is_ok());
    assert!(Document::parse_within(&document(2), &Limits::NONE).is_ok());
    let error = Document::parse_within(&document(2), &limits).unwrap_err();
    assert_eq!(error.path, "/Statement");
    assert_eq!(
        error.problem,
        Problem::TooMany {
            limit: Limit::Statements,
            found: 2,
            allowed: 1
        }
    );
}

#[test]
fn a_refusal_repeats_no_more_than_a_line_of_the_document() {
    let long = "x\n".repeat(200);
    for document in [
        with("Effect", json!(long)),
        with("Action", json!(long)),
        with("Resource", json!(long)),
        with(&long, json!(1)),
        condition(json!({&long: {}})),
        condition(json!({"StringEquals": {&long: "x"}})),
        condition(json!({"DateEquals": {"context.requestTime": long}})),
    ] {
        let error = refused(&document);
        assert!(!error.contains(&"x\\n".repeat(31)), "{error}");
        assert!(!error.contains(&"x\n".repeat(31)), "{error}");
    }
}

#[test]
fn deeply_nested_and_huge_documents_are_refused_without_harm() {
    // As deep as a body can be: the reader of JSON stops there.
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let deep: Value = serde_json::from_str(&deep).unwrap();
    for field in ["Effect", "Action", "Resource", "Condition", "Sid"] {
        assert!(Document::parse(&with(field, deep.clone())).is_err());
    }
    let huge = Value::from(vec![json!({}); 1_000_000]);
    let document = json!({"Version": "2012-10-17", "Statement": huge});
    assert!(refused(&document).contains("policy.max_statements"));
}

#[test]
fn a_single_statement_action_and_resource_need_no_list() {
    let single = json!({"Version": "2012-10-17", "Statement": {
        "Effect": "Allow", "Action": "compute:*:*", "Resource": "*",
    }});
    assert!(Document::parse(&single).is_ok());
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "Version",
        "2012-10-17",
        "Statement",
        "Effect",
        "Allow",
        "Deny",
        "Action",
        "*",
        "compute:*",
        "Resource",
        "compute-secret/*",
        "Condition",
        "StringEquals",
        "Null",
        "resource.kind",
        "ForAllValues:StringLike",
        "context.requestTime",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(words.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_without_panic(json in any_json(), statement in any_json()) {
        let _ = Document::parse(&json);
        let wrapped = json!({"Version": "2012-10-17", "Statement": statement});
        if let Err(error) = Document::parse(&wrapped) {
            prop_assert!(wrapped.pointer(&error.path).is_some(), "{}", error);
        }
    }
}
