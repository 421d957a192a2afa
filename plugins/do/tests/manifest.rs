//! What the plugin says of itself: the operator's grant follows from it, so each change of it shows here.

use std::fmt::Write as _;

use berth_sdk::testing::{TestHost, json};
use berth_sdk::types::{Kind, SecretPointer};
use plugin_do::DigitalOcean;
use serde_json::Value;

fn kinds() -> Vec<Kind> {
    TestHost::<DigitalOcean>::new().describe().kinds
}

fn pointers(secrets: &[SecretPointer]) -> String {
    let (own, foreign) = secrets.iter().fold((0, 0), |(own, foreign), secret| {
        if secret.own {
            (own + 1, foreign)
        } else {
            (own, foreign + 1)
        }
    });
    if secrets.is_empty() {
        String::new()
    } else {
        format!("  secrets: {own} own, {foreign} of others")
    }
}

/// Places of a mark in a schema.
fn marked(schema: &Value, mark: &str, at: &str, found: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            if members.get(mark) == Some(&Value::Bool(true)) {
                found.push(at.replace("/properties", "").replace("/items", "/*"));
            }
            for (key, member) in members {
                marked(member, mark, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
            marked(item, mark, &format!("{at}/{index}"), found);
        }),
        _ => {}
    }
}

#[test]
fn each_kind_reads_and_writes_these_paths() {
    let mut table = String::new();
    for kind in kinds() {
        writeln!(
            table,
            "{} ({:?}, id {})",
            kind.id, kind.ownership, kind.id_pattern
        )
        .unwrap();
        writeln!(table, "  updatable: {}", kind.updatable.join(" ")).unwrap();
        for read in &kind.reads {
            writeln!(
                table,
                "  read {} {}{}",
                read.method,
                read.path,
                pointers(&read.secrets)
            )
            .unwrap();
        }
        for write in &kind.writes {
            let own = if write.own_ids.is_empty() {
                String::new()
            } else {
                format!("  own: {}", write.own_ids.join(" "))
            };
            writeln!(
                table,
                "  {:?} {} {}{}{own}",
                write.operation,
                write.method,
                write.path,
                pointers(&write.secrets)
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn schemas_are_closed_objects_and_regional_kinds_require_a_region() {
    for kind in kinds() {
        let schema = json(&kind.spec_schema);
        assert_eq!(schema["type"], "object", "{}", kind.id);
        assert_eq!(schema["additionalProperties"], false, "{}", kind.id);
        let requires_region = schema["required"]
            .as_array()
            .is_some_and(|required| required.contains(&Value::from("region")));
        assert_eq!(kind.regional, requires_region, "{}", kind.id);
        for field in kind.updatable.iter().chain(&kind.identity) {
            assert!(
                schema["properties"].get(field).is_some(),
                "{} has no {field}",
                kind.id
            );
        }
    }
}

#[test]
fn these_fields_are_secret_or_reach_beyond_the_object() {
    let mut table = String::new();
    for kind in kinds() {
        let schema = json(&kind.spec_schema);
        for mark in ["x-secret", "x-account-wide", "x-instances", "x-networks"] {
            let mut found = Vec::new();
            marked(&schema, mark, "", &mut found);
            for place in found {
                writeln!(table, "{} {mark} {place}", kind.id).unwrap();
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn the_schema_of_a_cluster_is_what_a_tenant_reads() {
    let kind = kinds()
        .into_iter()
        .find(|kind| kind.id == "do.database.pg")
        .unwrap();
    let pretty = serde_json::to_string_pretty(&json(&kind.spec_schema)).unwrap();
    insta::assert_snapshot!(pretty);
}
