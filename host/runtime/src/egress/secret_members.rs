//! Members that hold secrets by their very name, whatever a manifest declares.
//!
//! A manifest names the secrets of each answer, but a stranger wrote the manifest. So in every answer
//! that is not the call's own object, these are blanked at any depth.

use serde_json::Value;

use super::{blank, text};

/// Names, without `_` and `-` and in lower case, whose value is a secret.
const NAMES: [&str; 41] = [
    "accesskey",
    "accesskeysecret",
    "accesstoken",
    "adminpassword",
    "apikey",
    "apisecret",
    "apitoken",
    "authkey",
    "authorization",
    "authtoken",
    "bearertoken",
    "bgpauthkey",
    "certificatekey",
    "clientkey",
    "clientsecret",
    "connectionstring",
    "credential",
    "credentials",
    "dbpassword",
    "encryptionkey",
    "hmackey",
    "idtoken",
    "licensekey",
    "masterkey",
    "masterpassword",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "refreshtoken",
    "rootpassword",
    "secret",
    "secretaccesskey",
    "secretkey",
    "servicekey",
    "sessiontoken",
    "sharedkey",
    "signingkey",
    "token",
    "webhooksecret",
];

/// Members that hold the secret inside an object that is named like one: `"token": {"id": …, "value": …}`.
const INNER: [&str; 5] = ["value", "key", "data", "plaintext", "content"];

fn is_secret(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    NAMES.binary_search(&plain.as_str()).is_ok()
}

/// Blanks every secret member and takes credentials out of every URL and connection string.
pub(super) fn blank_all(value: &mut Value) {
    match value {
        Value::String(content) => {
            if let std::borrow::Cow::Owned(clean) = text::without_connection_secrets(content) {
                *content = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank_all),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if is_secret(name) {
                    blank_member(member);
                }
                blank_all(member);
            }
        }
        _ => {}
    }
}

fn blank_member(member: &mut Value) {
    match member {
        Value::Object(members) => {
            for (_, inner) in members
                .iter_mut()
                .filter(|(name, _)| INNER.contains(&name.as_str()))
            {
                blank::blank(inner);
            }
        }
        // Objects in a list keep their ids, or a list of tokens could not be read at all.
        Value::Array(items) => items.iter_mut().for_each(blank_member),
        other => blank::blank(other),
    }
}

/// Every secret that its name or form betrays, to be looked for in what the plugin says later.
pub(super) fn visit_all(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(content) => text::userinfo_passwords(content, visit),
        Value::Array(items) => items.iter().for_each(|item| visit_all(item, visit)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(secret) if is_secret(name) => visit(secret),
                    Value::Object(inner) if is_secret(name) => {
                        INNER
                            .iter()
                            .filter_map(|name| inner.get(*name)?.as_str())
                            .for_each(&mut *visit);
                    }
                    _ => {}
                }
                visit_all(member, visit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_names_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn a_neighbours_secrets_are_blanked_wherever_they_stand() {
        let mut value = json!({
            "databases": [{
                "id": "n", "name": "neighbour",
                "connection": {"uri": "postgres://doadmin:canary-1@h.example.com:25060/db?sslmode=require", "host": "h", "password": "canary-2", "port": 25060},
                "users": [{"name": "u", "Password": "canary-3", "access_key": "canary-4", "private-key": "canary-5"}],
                "dsn": "host=h password=canary-6 user=u",
                "token": {"id": "t1", "value": "canary-7"},
                "tokens": [{"id": "t2", "token": "canary-8"}],
                "api_key": ["canary-9"], "secretKey": 123456
            }],
            "next_page_token": "page-2", "links": {"pages": {"next": "https://api.example.com/v2?page=2"}}
        });
        blank_all(&mut value);
        assert!(!value.to_string().contains("canary"), "{value}");
        assert_eq!(
            value["databases"][0]["connection"]["uri"],
            "postgres://h.example.com:25060/db?sslmode=require"
        );
        assert_eq!(value["databases"][0]["token"]["id"], "t1");
        assert_eq!(value["databases"][0]["secretKey"], 0);
        assert_eq!(value["next_page_token"], "page-2");
        assert_eq!(
            value["links"]["pages"]["next"],
            "https://api.example.com/v2?page=2"
        );
    }

    #[test]
    fn the_own_objects_secrets_are_seen_where_they_stand() {
        let mut seen = Vec::new();
        visit_all(
            &json!({"c": {"password": "one", "uri": "pg://u:two@h/"}, "token": {"value": "three"}}),
            &mut |secret: &str| seen.push(secret.to_owned()),
        );
        seen.sort();
        assert_eq!(seen, ["one", "three", "two"]);
    }
}
