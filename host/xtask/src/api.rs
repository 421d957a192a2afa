//! Calls a running host over its HTTP API.

use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The host's HTTP API, as one principal.
#[derive(Debug, Clone)]
pub struct Api {
    agent: ureq::Agent,
    origin: String,
    token: String,
}

impl Api {
    /// A caller with this bearer token at `origin`, such as `http://127.0.0.1:8080`.
    pub fn new(origin: &str, token: &str) -> Self {
        let settings = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .proxy(None)
            .build();
        Self {
            agent: settings.into(),
            origin: origin.to_owned(),
            token: token.to_owned(),
        }
    }

    /// The same host, another principal.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// Calls `POST /api/compute/{module}/{method}`.
    pub fn call(&self, module: &str, method: &str, body: &Value) -> anyhow::Result<Value> {
        let url = self.url(module, method);
        let mut answer = self
            .agent
            .post(&url)
            .header("authorization", &format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .send(body.to_string())
            .with_context(|| format!("can't reach {url}"))?;
        let status = answer.status();
        let answer: Option<Value> = answer
            .body_mut()
            .read_to_string()
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok());
        let answer =
            answer.with_context(|| format!("{module}/{method} answered {status} and no JSON"))?;
        if status.is_success() {
            return Ok(answer);
        }
        bail!(
            "{module}/{method} answered {status}: {}",
            answer.get("error").unwrap_or(&answer)
        )
    }

    fn url(&self, module: &str, method: &str) -> String {
        format!("{}/api/compute/{module}/{method}", self.origin)
    }

    /// A curl line that does the same call.
    pub fn curl(&self, module: &str, method: &str, body: &Value) -> String {
        format!(
            "curl -sS {} -H 'authorization: Bearer {}' -H 'content-type: application/json' -d '{body}'",
            self.url(module, method),
            self.token
        )
    }
}

/// The text at a JSON pointer of an answer.
pub fn text(answer: &Value, pointer: &str) -> anyhow::Result<String> {
    let found = answer.pointer(pointer).and_then(Value::as_str);
    found
        .map(str::to_owned)
        .with_context(|| format!("the answer has no text at {pointer}: {answer}"))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use serde_json::json;

    use super::*;

    /// Answers one request with these lines and returns the request's body.
    fn answering(status: &'static str, body: &'static str) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut request = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                request.read_line(&mut line).unwrap();
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut received = vec![0; length];
            request.read_exact(&mut received).unwrap();
            write!(
                request.into_inner(),
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            String::from_utf8(received).unwrap()
        });
        (origin, serving)
    }

    #[test]
    fn a_call_sends_and_reads_json() {
        let (origin, serving) = answering("200 OK", "{\"id\":\"crs_1\"}");
        let answer = Api::new(&origin, "t")
            .call("cloudResources", "get", &json!({"tenantId": "demo"}))
            .unwrap();
        assert_eq!(text(&answer, "/id").unwrap(), "crs_1");
        assert_eq!(serving.join().unwrap(), "{\"tenantId\":\"demo\"}");
    }

    #[test]
    fn a_refusal_is_told_with_its_code_and_message() {
        let (origin, serving) = answering(
            "409 Conflict",
            "{\"error\":{\"code\":\"CONFLICT\",\"message\":\"the name is taken\"}}",
        );
        let told = Api::new(&origin, "t")
            .call("pools", "create", &json!({}))
            .unwrap_err()
            .to_string();
        serving.join().unwrap();
        assert_eq!(
            told,
            "pools/create answered 409 Conflict: {\"code\":\"CONFLICT\",\"message\":\"the name is taken\"}"
        );
    }

    #[test]
    fn an_answer_that_is_no_json_is_told_as_such() {
        let (origin, serving) = answering("502 Bad Gateway", "<html>");
        let told = Api::new(&origin, "t")
            .call("pools", "create", &json!({}))
            .unwrap_err()
            .to_string();
        serving.join().unwrap();
        assert_eq!(told, "pools/create answered 502 Bad Gateway and no JSON");
    }
}
