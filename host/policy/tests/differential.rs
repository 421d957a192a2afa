//! The compiled policies decide as a plain interpreter of the same documents does.
//!
//! The interpreter knows nothing of Cedar nor of the crate's own parsing: it walks the JSON and
//! follows the table in the crate's documentation word by word.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on stops, and says where"
)]

use std::net::IpAddr;

use berth_policy::{
    Action, AllowedBy, Attributes, Context, Decision, DenyReason, Document, PolicySet, Principal,
    Reach, Request, Resource, ResourceType,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

// ---------------------------------------------------------------- the plain interpreter

fn interpret(policies: &[(String, Value)], request: &Request<'_>) -> Decision {
    let principal = &request.principal;
    let resource = &request.resource;
    if principal.reach == Reach::OwnTenant && principal.tenant != resource.tenant {
        return Decision::Deny {
            reason: DenyReason::OtherTenant,
        };
    }
    let mut allowed = None;
    for (policy, document) in policies {
        for statement in document["Statement"].as_array().unwrap() {
            if !applies(statement, request) {
                continue;
            }
            let policy = policy.clone();
            let sid = statement["Sid"].as_str().map(str::to_owned);
            if statement["Effect"] == "Deny" {
                return Decision::Deny {
                    reason: DenyReason::ExplicitDeny { policy, sid },
                };
            }
            allowed = allowed.or(Some(AllowedBy::Policy { policy, sid }));
        }
    }
    let action = request.action.as_str();
    let owns = resource.kind == ResourceType::CloudResource
        && resource.tenant == principal.tenant
        && resource.owner == Some(principal.id)
        && ["read", "update", "delete"]
            .iter()
            .any(|verb| action == format!("compute:cloud-resources:{verb}"));
    match allowed.or(owns.then_some(AllowedBy::Owner)) {
        Some(by) => Decision::Allow { by },
        None => Decision::Deny {
            reason: DenyReason::NoAllow,
        },
    }
}

fn applies(statement: &Value, request: &Request<'_>) -> bool {
    let action = request.action.as_str();
    let resource = format!("{}/{}", request.resource.kind, request.resource.id);
    let decided_here = request
        .action
        .resource_types()
        .contains(&request.resource.kind);
    let no_conditions = json!({});
    let conditions = statement.get("Condition").unwrap_or(&no_conditions);
    decided_here
        && list(&statement["Action"])
            .iter()
            .any(|p| wild(p.as_str().unwrap(), action))
        && list(&statement["Resource"])
            .iter()
            .any(|p| wild(p.as_str().unwrap(), &resource))
        && conditions
            .as_object()
            .unwrap()
            .iter()
            .all(|(operator, keys)| {
                keys.as_object()
                    .unwrap()
                    .iter()
                    .all(|(key, values)| holds(operator, values, held(key, request)))
            })
}

fn list(value: &Value) -> Vec<Value> {
    value
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![value.clone()])
}

#[derive(Clone)]
enum Held {
    Text(String),
    Number(i64),
    Truth(bool),
    Address(IpAddr),
}

/// What the request holds under a key; nothing is a missing key.
fn held(key: &str, request: &Request<'_>) -> Vec<Held> {
    let Request {
        principal,
        resource,
        context,
        ..
    } = request;
    let text = |text: Option<&str>| text.map(|t| Held::Text(t.to_owned()));
    let one = match key {
        "resource.kind" => text(resource.attributes.kind),
        "resource.family" => text(resource.attributes.family),
        "resource.provider" => text(resource.attributes.provider),
        "resource.providerAccountId" => text(resource.attributes.provider_account_id),
        "resource.poolId" => text(resource.attributes.pool_id),
        "resource.region" => text(resource.attributes.region),
        "resource.projectId" => text(resource.attributes.project_id),
        "resource.name" => text(resource.attributes.name),
        "resource.tenantId" => text(Some(resource.tenant)),
        "resource.owner" => text(resource.owner),
        "principal.id" => text(Some(principal.id)),
        "principal.tenantId" => text(Some(principal.tenant)),
        "principal.name" => text(principal.name),
        "principal.groups" => {
            return principal.groups.iter().cloned().map(Held::Text).collect();
        }
        "context.requestTime" => context.request_time.map(Held::Number),
        "context.sourceIp" => context.source_ip.map(Held::Address),
        "context.method" => text(context.method),
        "context.tokenName" => text(context.token_name),
        "context.tokenAgeSeconds" => context.token_age_seconds.map(Held::Number),
        "context.secureTransport" => context.secure_transport.map(Held::Truth),
        other => panic!("{other} is no key"),
    };
    one.into_iter().collect()
}

fn holds(operator: &str, values: &Value, held: Vec<Held>) -> bool {
    let values = list(values);
    if operator == "Null" {
        let missing = held.is_empty();
        return values.iter().any(|value| truth(value) == missing);
    }
    let (operator, if_exists) = match operator.strip_suffix("IfExists") {
        Some(operator) => (operator, true),
        None => (operator, false),
    };
    if held.is_empty() && if_exists {
        return true;
    }
    if let Some(operator) = operator.strip_prefix("ForAnyValue:") {
        return held.iter().any(|held| meets(operator, held, &values));
    }
    if let Some(operator) = operator.strip_prefix("ForAllValues:") {
        return held.iter().all(|held| meets(operator, held, &values));
    }
    match held.first() {
        Some(held) => meets(operator, held, &values),
        None => operator.contains("Not"),
    }
}

fn meets(operator: &str, held: &Held, values: &[Value]) -> bool {
    let positive = operator.replace("Not", "");
    let met = values.iter().any(|value| match held {
        Held::Text(text) => {
            let value = value.as_str().unwrap();
            match positive.as_str() {
                "StringEquals" => value == text,
                "StringLike" => wild(value, text),
                other => panic!("{other} does not compare texts"),
            }
        }
        Held::Number(number) => {
            let value = whole(value);
            match positive
                .trim_start_matches("Numeric")
                .trim_start_matches("Date")
            {
                "Equals" => *number == value,
                "LessThan" => *number < value,
                "LessThanEquals" => *number <= value,
                "GreaterThan" => *number > value,
                "GreaterThanEquals" => *number >= value,
                other => panic!("{other} does not compare numbers"),
            }
        }
        Held::Truth(held) => truth(value) == *held,
        Held::Address(address) => inside(*address, value.as_str().unwrap()),
    });
    met != operator.contains("Not")
}

fn truth(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value == "true")
}

fn whole(value: &Value) -> i64 {
    match value {
        Value::Number(number) => number.as_i64().unwrap(),
        Value::String(text) if text == MOMENT.0 => MOMENT.1,
        other => other.as_str().unwrap().parse().unwrap(),
    }
}

fn inside(address: IpAddr, network: &str) -> bool {
    let (network, prefix) = network.split_once('/').map_or((network, None), |(n, p)| {
        (n, Some(p.parse::<usize>().unwrap()))
    });
    let bits = |address: IpAddr| -> Vec<bool> {
        let bytes = match address {
            IpAddr::V4(v4) => v4.octets().to_vec(),
            IpAddr::V6(v6) => v6.octets().to_vec(),
        };
        let bit = |byte: u8, n: u32| byte >> (7 - n) & 1 == 1;
        bytes
            .iter()
            .flat_map(|byte| (0..8).map(move |n| bit(*byte, n)))
            .collect()
    };
    let (address, network) = (bits(address), bits(network.parse().unwrap()));
    let prefix = prefix.unwrap_or(network.len());
    address.len() == network.len() && address[..prefix] == network[..prefix]
}

fn wild(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .any(|at| wild(&pattern[1..], &text[at..])),
        Some(literal) => {
            let rest = &pattern[literal.len_utf8()..];
            text.strip_prefix(literal)
                .is_some_and(|text| wild(rest, text))
        }
    }
}

// ---------------------------------------------------------------- documents and requests

const MOMENT: (&str, i64) = ("2026-05-01T12:00:00Z", 1_777_636_800_000);

const TEXTS: &[&str] = &[
    "a",
    "b",
    "ab",
    "a*b",
    "*",
    "**",
    "?",
    "a?",
    "",
    "\"",
    "\\",
    "\n",
    "a\nb",
    "ü",
    "😀",
    "a/b",
    "acme",
    "prn_1",
    "__entity",
    "{}",
    "$",
    "\u{202e}a",
    "aа",
    "\0",
];

/// Texts that differ from each other little, so that they often match, and some that are odd.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(TEXTS).prop_map(str::to_owned),
        1 => "[ab*]{0,5}",
        1 => "\\PC{0,6}".prop_filter("a variable", |text| !text.contains("${")),
    ]
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![-2_i64..3, Just(MOMENT.1), Just(i64::MAX), Just(i64::MIN)]
}

fn values(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    let value = value.boxed();
    prop_oneof![
        2 => value.clone(),
        3 => prop::collection::vec(value, 1..4).prop_map(Value::from),
    ]
    .boxed()
}

fn texts() -> BoxedStrategy<Value> {
    values(text().prop_map(Value::from))
}

fn qualified(operators: &'static [&'static str]) -> impl Strategy<Value = String> {
    let prefixes = select(&["", "", "ForAnyValue:", "ForAllValues:"][..]);
    let suffixes = select(&["", "", "IfExists"][..]);
    (prefixes, select(operators), suffixes).prop_map(|(p, o, s)| format!("{p}{o}{s}"))
}

type Line = (String, &'static str, Value);

fn condition() -> BoxedStrategy<Line> {
    let line = |operators, keys: &'static [&'static str], values| {
        (qualified(operators), select(keys), values).boxed()
    };
    let text_keys: &[&str] = &[
        "resource.kind",
        "resource.family",
        "resource.provider",
        "resource.providerAccountId",
        "resource.poolId",
        "resource.region",
        "resource.projectId",
        "resource.name",
        "resource.tenantId",
        "resource.owner",
        "principal.id",
        "principal.tenantId",
        "principal.name",
        "context.method",
        "context.tokenName",
    ];
    let text_operators: &[&str] = &[
        "StringEquals",
        "StringNotEquals",
        "StringLike",
        "StringNotLike",
    ];
    let numeric: &[&str] = &[
        "NumericEquals",
        "NumericNotEquals",
        "NumericLessThan",
        "NumericLessThanEquals",
        "NumericGreaterThan",
        "NumericGreaterThanEquals",
    ];
    let date: &[&str] = &[
        "DateEquals",
        "DateNotEquals",
        "DateLessThan",
        "DateLessThanEquals",
        "DateGreaterThan",
        "DateGreaterThanEquals",
    ];
    let numbers = number().prop_flat_map(|n| select(vec![json!(n), json!(n.to_string())]));
    let moments = prop_oneof![number().prop_map(Value::from), Just(json!(MOMENT.0))];
    let truths = || {
        values(select(vec![
            json!(true),
            json!(false),
            json!("true"),
            json!("false"),
        ]))
    };
    let networks = select(vec![
        json!("10.0.0.0/8"),
        json!("10.1.2.3"),
        json!("0.0.0.0/0"),
        json!("10.1.2.0/23"),
        json!("2001:db8::/32"),
        json!("::/0"),
        json!("2001:db8::1"),
    ]);
    let group_operator = (
        select(&["ForAnyValue:", "ForAllValues:"][..]),
        select(&["StringEquals", "StringNotEquals"][..]),
        select(&["", "IfExists"][..]),
    )
        .prop_map(|(p, o, s)| format!("{p}{o}{s}"));
    let any_key: Vec<&'static str> = berth_policy::Key::ALL.iter().map(|k| k.as_str()).collect();
    prop_oneof![
        6 => line(text_operators, text_keys, texts()),
        2 => (group_operator, Just("principal.groups"), texts()).boxed(),
        1 => line(numeric, &["context.tokenAgeSeconds"], values(numbers)),
        1 => line(date, &["context.requestTime"], values(moments)),
        1 => line(&["Bool"], &["context.secureTransport"], truths()),
        1 => line(&["IpAddress", "NotIpAddress"], &["context.sourceIp"], values(networks)),
        2 => (Just("Null".to_owned()), select(any_key), truths()).boxed(),
    ]
    .boxed()
}

fn statement() -> impl Strategy<Value = Value> {
    let actions = vec![
        "*",
        "compute:*",
        "compute:cloud-resources:*",
        "compute:secrets:*",
        "compute:cloud-resources:read",
        "compute:cloud-resources:update",
        "compute:secrets:use",
        "compute:principals:read",
    ];
    let resources = vec![
        "*".to_owned(),
        "compute-cloud-resource/*".to_owned(),
        "compute-secret/*".to_owned(),
        "compute-tenant/*".to_owned(),
        "compute-cloud-resource/a*b".to_owned(),
    ];
    let resource = prop_oneof![
        4 => Just("*".to_owned()),
        4 => select(resources),
        1 => text().prop_map(|id| format!("compute-cloud-resource/{id}")),
        1 => text().prop_map(|id| format!("compute-principal/{id}")),
    ];
    (
        prop_oneof![2 => Just("Allow"), 1 => Just("Deny")],
        subsequence(actions, 1..3),
        prop::collection::vec(resource, 1..3),
        prop::collection::vec(condition(), 0..3),
        any::<bool>(),
    )
        .prop_map(|(effect, actions, resources, lines, named)| {
            let mut conditions: Map<String, Value> = Map::new();
            for (operator, key, values) in lines {
                let keys = conditions.entry(operator).or_insert_with(|| json!({}));
                keys.as_object_mut().unwrap().insert(key.to_owned(), values);
            }
            let mut statement = json!({"Effect": effect, "Action": actions, "Resource": resources});
            if !conditions.is_empty() {
                statement["Condition"] = conditions.into();
            }
            if named {
                statement["Sid"] = json!("Named");
            }
            statement
        })
}

/// Documents of one statement each that the crate accepts; what it refuses is tested elsewhere.
fn policies() -> impl Strategy<Value = Vec<(String, Value)>> {
    prop::collection::vec(statement(), 0..6).prop_map(|statements| {
        statements
            .into_iter()
            .map(|statement| json!({"Version": "2012-10-17", "Statement": [statement]}))
            .filter(|document| Document::parse(document).is_ok())
            .enumerate()
            .map(|(index, document)| (format!("pol_{index}"), document))
            .collect()
    })
}

#[derive(Debug, Clone)]
struct Asked {
    id: String,
    tenant: String,
    reach: Reach,
    name: Option<String>,
    groups: Vec<String>,
    action: Action,
    kind: ResourceType,
    resource: String,
    of: String,
    owner: Option<String>,
    attributes: Vec<Option<String>>,
    time: Option<i64>,
    address: Option<IpAddr>,
    texts: (Option<String>, Option<String>),
    age: Option<i64>,
    secure: Option<bool>,
}

fn asked() -> impl Strategy<Value = Asked> {
    let maybe = || prop::option::of(text());
    let who = (
        select(&["prn_1", "a", "\""][..]),
        select(&["acme", "acme", "acme", "ab"][..]),
        prop_oneof![3 => Just(Reach::OwnTenant), 1 => Just(Reach::EveryTenant)],
        maybe(),
        prop::collection::vec(text(), 0..3),
    );
    let action = prop_oneof![
        3 => Just(Action::CloudResourcesRead),
        2 => Just(Action::CloudResourcesUpdate),
        2 => Just(Action::SecretsUse),
        2 => select(Action::ALL),
    ];
    let what = (
        action,
        any::<prop::sample::Index>(),
        text(),
        select(&["acme", "acme", "acme", "ab"][..]),
    );
    let about = (
        prop::option::of(select(&["prn_1", "a"][..])),
        prop::collection::vec(maybe(), 8),
    );
    let addresses: Vec<IpAddr> = ["10.1.2.3", "10.1.3.3", "11.0.0.1", "2001:db8::1", "::1"]
        .map(|address| address.parse().unwrap())
        .to_vec();
    let how = (
        prop::option::of(number()),
        prop::option::of(select(addresses)),
        (maybe(), maybe()),
        prop::option::of(number()),
        prop::option::of(any::<bool>()),
    );
    (who, what, about, how).prop_map(|(who, what, about, how)| {
        let (action, kind, resource, of) = what;
        let kind = *kind.get(action.resource_types());
        let (owner, mut attributes) = about;
        // Placing attributes belong to cloud resources and tenants, names to all but tenants.
        let placed = matches!(kind, ResourceType::CloudResource | ResourceType::Tenant);
        let named = kind != ResourceType::Tenant;
        for (index, attribute) in attributes.iter_mut().enumerate() {
            if (index < 7 && !placed) || (index == 7 && !named) {
                *attribute = None;
            }
        }
        Asked {
            id: who.0.to_owned(),
            tenant: who.1.to_owned(),
            reach: who.2,
            name: who.3,
            groups: who.4,
            action,
            kind,
            resource,
            of: of.to_owned(),
            owner: owner
                .filter(|_| kind == ResourceType::CloudResource)
                .map(str::to_owned),
            attributes,
            time: how.0,
            address: how.1,
            texts: how.2,
            age: how.3,
            secure: how.4,
        }
    })
}

impl Asked {
    fn request(&self) -> Request<'_> {
        let attribute = |index: usize| self.attributes[index].as_deref();
        Request {
            principal: Principal {
                id: &self.id,
                tenant: &self.tenant,
                reach: self.reach,
                name: self.name.as_deref(),
                groups: &self.groups,
            },
            action: self.action,
            resource: Resource {
                owner: self.owner.as_deref(),
                attributes: Attributes {
                    kind: attribute(0),
                    family: attribute(1),
                    provider: attribute(2),
                    provider_account_id: attribute(3),
                    pool_id: attribute(4),
                    region: attribute(5),
                    project_id: attribute(6),
                    name: attribute(7),
                },
                ..Resource::new(self.kind, &self.of, &self.resource)
            },
            context: Context {
                request_time: self.time,
                source_ip: self.address,
                method: self.texts.0.as_deref(),
                token_name: self.texts.1.as_deref(),
                token_age_seconds: self.age,
                secure_transport: self.secure,
            },
        }
    }
}

fn compiled(policies: &[(String, Value)]) -> PolicySet {
    let documents: Vec<(&str, Document)> = policies
        .iter()
        .map(|(id, json)| (id.as_str(), Document::parse(json).unwrap()))
        .collect();
    PolicySet::compile(&documents).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cedar_decides_as_the_plain_interpreter_does(
        policies in policies(),
        asked in prop::collection::vec(asked(), 1..8),
    ) {
        let set = compiled(&policies);
        for asked in &asked {
            let request = asked.request();
            prop_assert_eq!(
                set.decide(&request),
                interpret(&policies, &request),
                "{:#?}\n{}", asked, json!(policies)
            );
        }
    }
}

/// The comparison means something only while every outcome comes up often.
#[test]
fn the_comparison_sees_every_outcome() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut allowed, mut owned, mut denied, mut nothing) = (0, 0, 0, 0);
    for _ in 0..2000 {
        let policies = policies().new_tree(&mut runner).unwrap().current();
        let asked = asked().new_tree(&mut runner).unwrap().current();
        match interpret(&policies, &asked.request()) {
            Decision::Allow {
                by: AllowedBy::Owner,
            } => owned += 1,
            Decision::Allow { .. } => allowed += 1,
            Decision::Deny {
                reason: DenyReason::ExplicitDeny { .. },
            } => denied += 1,
            Decision::Deny { .. } => nothing += 1,
        }
    }
    assert!(
        allowed > 100 && owned > 30 && denied > 100 && nothing > 100,
        "allowed {allowed}, owned {owned}, denied {denied}, nothing {nothing}"
    );
}
