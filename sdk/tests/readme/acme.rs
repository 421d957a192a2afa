use berth_sdk::http::Api;
use berth_sdk::types::{self, CredentialType, Endpoint, Error, Family, Operation, Ownership, Phase};
use berth_sdk::{About, Call, Kind, Kinds, Listed, Listing, Observed, Provider, manifest};
use serde::{Deserialize, Serialize};
use serde_json::json;

struct Acme;
struct Note;

/// What a tenant writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    text: String,
}

/// What the provider answers, and what the tenant sees of it.
#[derive(Deserialize, Serialize)]
struct Shown {
    url: String,
}

const SCHEMA: &str = r#"{
    "type": "object", "additionalProperties": false, "required": ["text"],
    "properties": { "text": { "type": "string", "maxLength": 1000 } }
}"#;
const ORIGIN: &str = "https://api.acme.example";

impl Kind for Note {
    const ID: &'static str = "acme.note";
    type Spec = Spec;
    type Outputs = Shown;

    fn describe(&self) -> types::Kind {
        types::Kind {
            outputs: manifest::outputs(&[("url", "Where the note can be read")]),
            ownership: Ownership::Name,
            id_pattern: "[a-z0-9-]{1,63}".to_owned(),
            reads: vec![manifest::get("/notes/{name}")],
            writes: vec![
                manifest::write(Operation::Create, "POST", "/notes"),
                manifest::write(Operation::Delete, "DELETE", "/notes/{name}"),
            ],
            ..manifest::kind(Self::ID, "Note", Family::Storage, SCHEMA)
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Shown>>, Error> {
        match self.observe(call) {
            Ok(note) => Ok(Some(note)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
        let note = Api::new(call.host(), ORIGIN).get(&["notes", call.name()]).send()?.json()?;
        Ok(Observed::new(call.name(), Phase::Ready, note).named(call.name()))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
        let note = Api::new(call.host(), ORIGIN)
            .post(&["notes"])
            .body(&json!({ "name": call.name(), "text": call.spec().text }))
            .send()?
            .json()?;
        Ok(Observed::new(call.name(), Phase::Ready, note).named(call.name()))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        Api::new(call.host(), ORIGIN).delete(&["notes", call.name()]).send().map(drop)
    }

    fn list(&self, _: &Listing<'_>) -> Result<Listed<Shown>, Error> {
        Ok(Listed { items: Vec::new(), next: None })
    }
}

impl Provider for Acme {
    fn about() -> About {
        About {
            provider: "acme",
            version: "0.1.0",
            title: "Acme",
            endpoints: vec![Endpoint { origin: ORIGIN.to_owned(), credential: true, reads: Vec::new() }],
            credential: CredentialType::Bearer,
            has_catalog: false,
            signals: None,
        }
    }

    fn kinds() -> Kinds {
        vec![&Note]
    }
}

berth_sdk::export!(Acme);

// The test: no wasm, no network.
#[cfg(test)]
mod tests {
    use berth_sdk::testing::{TestHost, exchange, wanted};

    use super::*;

    #[test]
    fn a_note_is_made_and_deleted() {
        let berth = TestHost::<Acme>::new();
        let mut note = wanted("acme.note", &json!({ "text": "hello" }));
        berth.expect([exchange("POST", "/notes")
            .sending(&json!({ "name": note.name, "text": "hello" }))
            .answers(201, &json!({ "url": "https://acme.example/n/1" }))]);
        let created = berth.create(&note).unwrap();
        assert_eq!(created.phase, Phase::Ready);

        note.provider_id = Some(created.provider_id);
        berth.expect([exchange("DELETE", &format!("/notes/{}", note.name)).answers(204, &json!(null))]);
        berth.delete(&note).unwrap();
    }
}
