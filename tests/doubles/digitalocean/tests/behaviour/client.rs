//! A plain client of a double.

use double_digitalocean::{Config, Double};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("an answer of JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A double whose time stands still, and a client with its token.
pub(crate) struct Rig {
    pub(crate) double: Double,
    http: Client,
}

impl Rig {
    /// Frozen time: only `advance` moves it, and changes of users take none.
    pub(crate) async fn frozen() -> Self {
        let mut config = Config {
            speed: 0.0,
            ..Config::default()
        };
        config.times.user = 0;
        Self::with(config).await
    }

    pub(crate) async fn with(config: Config) -> Self {
        let double = Double::start(config).await.expect("a double");
        let http = Client::builder().no_proxy().build().expect("a client");
        Self { double, http }
    }

    /// A request with the token and without a body.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method: Method = method.parse().expect("a method");
        self.http
            .request(method, format!("{}{path}", self.double.base_url()))
            .bearer_auth(self.double.token())
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> reqwest::Result<Reply> {
        let response = request.send().await?;
        Ok(Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request("GET", path))
            .await
            .expect("an answer")
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(self.request("DELETE", path))
            .await
            .expect("an answer")
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.send(self.request(method, path).json(body))
            .await
            .expect("an answer")
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.call("POST", path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        self.call("PUT", path, body).await
    }

    /// Creates a cluster and tells its id.
    pub(crate) async fn cluster(&self, name: &str) -> String {
        let reply = self.post("/v2/databases", &cluster(name)).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        id_in(&reply.json()["database"])
    }

    /// Creates a cluster, lets its time pass and tells its id.
    pub(crate) async fn online_cluster(&self, name: &str) -> String {
        let id = self.cluster(name).await;
        self.double.finish_everything();
        id
    }

    /// Creates an app and tells its id.
    pub(crate) async fn app(&self, name: &str) -> String {
        let reply = self.post("/v2/apps", &app(name)).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        id_in(&reply.json()["app"])
    }
}

pub(crate) fn id_in(object: &Value) -> String {
    object["id"].as_str().expect("an id").to_owned()
}

/// The body that creates a small cluster.
pub(crate) fn cluster(name: &str) -> Value {
    json!({
        "name": name,
        "engine": "pg",
        "version": "16",
        "num_nodes": 1,
        "size": "db-s-1vcpu-1gb",
        "region": "nyc3",
        "tags": ["env:test"],
    })
}

/// The body that creates an inference endpoint of two replicas with one GPU each, in a VPC.
pub(crate) fn inference(name: &str, vpc: &str) -> Value {
    json!({"spec": {
        "version": 1,
        "name": name,
        "region": "tor1",
        "vpc": {"uuid": vpc},
        "enable_public_endpoint": true,
        "model_deployments": [{
            "model_slug": "mistral/mistral-7b-instruct-v3",
            "model_provider": "hugging_face",
            "accelerators": [{
                "scale": 2, "type": "prefill_decode", "accelerator_slug": "gpu-h100x1-80gb",
            }],
        }],
    }})
}

/// The body that creates a small app with a secret.
pub(crate) fn app(name: &str) -> Value {
    json!({"spec": {
        "name": name,
        "region": "ams",
        "services": [{
            "name": "web",
            "image": {"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"},
            "instance_count": 1,
            "instance_size_slug": "apps-s-1vcpu-0.5gb",
            "envs": [
                {"key": "GREETING", "value": "hello"},
                {"key": "KEY", "value": "hush-hush", "type": "SECRET", "scope": "RUN_TIME"},
            ],
        }],
    }})
}
