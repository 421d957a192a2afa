//! What becomes of answers: a probe provider whose calls are single requests.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use berth_sdk::http::Api;
use berth_sdk::testing::{TestHost, exchange, wanted};
use berth_sdk::types::{
    self, CredentialType, Endpoint, Error, Family, HttpError, Operation, Ownership, Phase, Resource,
};
use berth_sdk::{About, Call, Kind, Kinds, Listed, Listing, Observed, Provider, manifest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

struct Probe;
struct Thing;

#[derive(Deserialize)]
struct Spec {}

#[derive(Deserialize, Serialize)]
struct Shown {
    port: u16,
}

const ORIGIN: &str = "https://api.probe.example";

impl Kind for Thing {
    const ID: &'static str = "probe.thing";
    type Spec = Spec;
    type Outputs = Shown;

    fn describe(&self) -> types::Kind {
        types::Kind {
            outputs: manifest::outputs(&[("port", "Port")]),
            ownership: Ownership::Name,
            id_pattern: "[a-z0-9-]+".to_owned(),
            reads: vec![manifest::get("/things/{name}")],
            writes: vec![
                manifest::write(Operation::Create, "POST", "/things"),
                manifest::write(Operation::Delete, "DELETE", "/things/{name}"),
            ],
            ..manifest::kind(Self::ID, "Thing", Family::Data, "{}")
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Shown>>, Error> {
        self.observe(call).map(Some)
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
        let api = Api::new(call.host(), ORIGIN);
        let shown = api.get(&["things", call.name()]).send()?.json()?;
        Ok(Observed::new("thing-1", Phase::Ready, shown))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
        let api = Api::new(call.host(), ORIGIN);
        let shown = api
            .post(&["things"])
            .body(&json!({"size": "big-one"}))
            .send()?
            .json()?;
        Ok(Observed::new("thing-1", Phase::Ready, shown))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        let api = Api::new(call.host(), ORIGIN);
        api.delete(&["things", call.name()]).send().map(drop)
    }

    fn list(&self, _: &Listing<'_>) -> Result<Listed<Shown>, Error> {
        Ok(Listed {
            items: Vec::new(),
            next: None,
        })
    }
}

impl Provider for Probe {
    fn about() -> About {
        About {
            provider: "probe",
            version: "0.1.0",
            title: "Probe",
            endpoints: vec![Endpoint {
                origin: ORIGIN.to_owned(),
                credential: true,
                reads: Vec::new(),
            }],
            credential: CredentialType::Bearer,
            has_catalog: false,
            signals: None,
        }
    }

    fn kinds() -> Kinds {
        vec![&Thing]
    }
}

fn thing() -> Resource {
    wanted("probe.thing", &json!({}))
}

fn read_path() -> String {
    format!("/things/{}", thing().name)
}

fn read(status: u16, body: &str) -> Error {
    let berth = TestHost::<Probe>::new();
    berth.expect([exchange("GET", &read_path()).answers_text(status, body)]);
    berth.observe(&thing()).unwrap_err()
}

fn write(status: u16, body: &str) -> Error {
    let berth = TestHost::<Probe>::new();
    berth.expect([exchange("POST", "/things").answers_text(status, body)]);
    berth.create(&thing()).unwrap_err()
}

/// The name of an error's variant.
fn variant(error: &Error) -> &'static str {
    match error {
        Error::Invalid(_) => "invalid",
        Error::NotFound(_) => "not-found",
        Error::Conflict(_) => "conflict",
        Error::Busy(_) => "busy",
        Error::Throttled(_) => "throttled",
        Error::Denied(_) => "denied",
        Error::Unavailable(_) => "unavailable",
        Error::Ambiguous(_) => "ambiguous",
        Error::Failed(_) => "failed",
        Error::Unsupported(_) => "unsupported",
    }
}

#[test]
fn each_status_class_means_one_thing_whatever_the_body_is() {
    let classes = [
        (301, "failed", "failed"),
        (400, "failed", "invalid"),
        (401, "denied", "denied"),
        (403, "denied", "denied"),
        (404, "not-found", "not-found"),
        (408, "unavailable", "ambiguous"),
        (409, "busy", "conflict"),
        (410, "not-found", "not-found"),
        (412, "busy", "busy"),
        (418, "failed", "failed"),
        (422, "failed", "invalid"),
        (423, "busy", "busy"),
        (429, "throttled", "throttled"),
        (500, "unavailable", "ambiguous"),
        (502, "unavailable", "ambiguous"),
        (504, "unavailable", "ambiguous"),
    ];
    let bodies = [
        "",
        "<html><h1>502</h1></html>",
        "{\"id\": \"x\", \"message\": \"no\"",
        "{\"id\": 7, \"message\": [], \"error\": null}",
        "{\"error\": {\"code\": 400, \"message\": \"no\"}}",
        "null",
        "\u{0}\u{1}",
    ];
    for (status, on_read, on_write) in classes {
        for body in bodies {
            assert_eq!(variant(&read(status, body)), on_read, "{status} {body:?}");
            assert_eq!(variant(&write(status, body)), on_write, "{status} {body:?}");
        }
    }
}

#[test]
fn a_refusal_that_speaks_of_a_lock_is_busy() {
    let error = write(
        422,
        r#"{"message": "the Thing is Locked, try again later"}"#,
    );
    assert_eq!(variant(&error), "busy");
}

#[test]
fn a_good_status_with_a_bad_body_says_where_and_never_what() {
    let error = read(200, r#"{"port": "canary-value"}"#);
    let Error::Unavailable(message) = &error else {
        panic!("{error:?}")
    };
    assert!(
        message.contains("at port") && !message.contains("canary"),
        "{message}"
    );
    assert_eq!(
        variant(&write(201, r#"{"port": "canary-value"}"#)),
        "ambiguous"
    );
    assert!(matches!(read(200, ""), Error::Unavailable(message) if message.contains("empty body")));
}

#[test]
fn no_answer_means_what_the_request_was() {
    let outcomes = [
        (
            HttpError::Refused("not granted".to_owned()),
            "failed",
            "failed",
        ),
        (HttpError::Throttled(5), "throttled", "throttled"),
        (
            HttpError::Connect("refused".to_owned()),
            "unavailable",
            "unavailable",
        ),
        (
            HttpError::Lost("reset".to_owned()),
            "unavailable",
            "ambiguous",
        ),
        (HttpError::TooLarge(10), "failed", "ambiguous"),
    ];
    for (error, on_read, on_write) in outcomes {
        let berth = TestHost::<Probe>::new();
        berth.expect([exchange("GET", &read_path()).fails(error.clone())]);
        assert_eq!(variant(&berth.observe(&thing()).unwrap_err()), on_read);
        berth.expect([exchange("POST", "/things").fails(error)]);
        assert_eq!(variant(&berth.create(&thing()).unwrap_err()), on_write);
    }
}

#[test]
fn a_tenant_reads_the_providers_reason_and_an_operator_its_request_id() {
    let berth = TestHost::<Probe>::new();
    let body = json!({"id": "unprocessable_entity", "message": "size big-one is sold out, secret AVNS_7x"});
    berth.expect([exchange("POST", "/things")
        .answers(422, &body)
        .with_header("X-Request-Id", "req-1")]);
    let Err(Error::Invalid(errors)) = berth.create(&thing()) else {
        panic!("not invalid")
    };
    assert_eq!(
        errors[0].message,
        "the provider answered 422: size big-one is sold out, secret … (request req-1)"
    );
    assert_eq!(
        berth.log(),
        [
            "Level::Warn the provider refused a request method=POST path=/things status=422 code=unprocessable_entity request=req-1"
        ]
    );
}

#[test]
fn an_error_that_is_only_a_code_shows_the_code() {
    let error = read(403, r#"{"id": "forbidden", "message": ""}"#);
    assert!(
        matches!(error, Error::Denied(message) if message.starts_with("the provider answered 403: forbidden"))
    );
}

#[test]
fn a_kind_that_is_not_served_is_unsupported() {
    let berth = TestHost::<Probe>::new();
    let outcome = berth.check("probe.other", &Value::from(1), None);
    assert!(matches!(outcome, Err(Error::Unsupported(_))));
}

#[test]
#[should_panic(expected = "the manifest of probe.thing allows no DELETE")]
fn a_request_that_the_manifest_does_not_allow_to_the_call_fails_the_test() {
    struct Sneaky;
    impl Provider for Sneaky {
        fn about() -> About {
            Probe::about()
        }
        fn kinds() -> Kinds {
            vec![&Eraser]
        }
    }
    struct Eraser;
    impl Kind for Eraser {
        const ID: &'static str = Thing::ID;
        type Spec = Spec;
        type Outputs = Shown;
        fn describe(&self) -> types::Kind {
            Thing.describe()
        }
        fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Shown>>, Error> {
            Thing.find(call)
        }
        fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
            Thing.delete(call)?;
            Thing.observe(call)
        }
        fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Shown>, Error> {
            Thing.create(call)
        }
        fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
            Thing.delete(call)
        }
        fn list(&self, listing: &Listing<'_>) -> Result<Listed<Shown>, Error> {
            Thing.list(listing)
        }
    }
    let berth = TestHost::<Sneaky>::new();
    berth.expect([exchange("DELETE", &read_path())]);
    let _ = berth.observe(&thing());
}
