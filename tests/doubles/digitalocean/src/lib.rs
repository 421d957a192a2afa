//! A double of the DigitalOcean API: managed databases and what lives in them, tags, apps, VPCs,
//! Functions namespaces, inference endpoints, managed agents and their signals, 1-Click apps.
//!
//! It keeps state, lets objects take their time, refuses what the real API refuses, and is strict:
//! a member, query parameter or content type that doesn't belong is an error, so that a sloppy
//! client is caught before its users are. It binds loopback only.
//!
//! # In a test
//! [`Double::start`] serves from a thread of its own. [`Controls`], to which a [`Double`]
//! dereferences, moves its time, arms faults, plants and changes objects and reads the log.
//!
//! # As a process
//! `double-digitalocean --help`. It prints one line of JSON with its URLs and ends on SIGTERM or
//! Ctrl-C; with `--state FILE` it keeps its account there from one run to the next.
//!
//! # Time
//! Objects live in virtual time: `speed` virtual milliseconds pass in a real one, and
//! [`Controls::advance`] jumps. Rate limits and delays are in real time, since clients are.
//!
//! # The control API
//! JSON over HTTP on a port of its own, without authentication. What can't be done is answered
//! `400 {"error": "…"}`.
//!
//! | path | does | method |
//! |---|---|---|
//! | `GET /settings` | the settings, see [`Config`] | [`Controls::config`] |
//! | `PATCH /settings` | merge patch of them | [`Controls::patch_config`] |
//! | `POST /speed {speed}` | speed of time | [`Controls::set_speed`] |
//! | `POST /advance {ms}` | jumps ahead | [`Controls::advance`] |
//! | `POST /finish` | jumps until everything is done | [`Controls::finish_everything`] |
//! | `DELETE /rate` | forgets counted requests | [`Controls::clear_rate`] |
//! | `GET /faults` | armed faults and their hits | [`Controls::faults`] |
//! | `POST /faults` | arms a [`Fault`], answers its `id` | [`Controls::fault`] |
//! | `GET /faults/{id}` | one of them, and how many requests it holds | [`Controls::held`] |
//! | `DELETE /faults/{id}` | disarms it and releases what it holds | [`Controls::release`] |
//! | `DELETE /faults` | disarms all | [`Controls::clear_faults`] |
//! | `GET /log?since=` | requests, see [`Entry`] | [`Controls::log_since`] |
//! | `DELETE /log` | empties it | [`Controls::clear_log`] |
//! | `GET /count?method=&path=` | requests that match | [`Controls::count`] |
//! | `GET /objects` | everything there is, see [`Objects`] | [`Controls::objects`] |
//! | `DELETE /objects/{id}` | an object of any kind vanishes | [`Controls::vanish`] |
//! | `POST /objects/{id}/hide {reads, in_lists}` | its reads answer 404 for a while | [`Controls::hide`] |
//! | `POST /clusters` | someone else's cluster, see [`PlantedCluster`] | [`Controls::plant_cluster`] |
//! | `PATCH /clusters/{id}` | someone changes it, see [`ClusterDrift`] | [`Controls::drift_cluster`] |
//! | `POST /clusters/{id}/users {name, password}` | someone else's user | [`Controls::plant_user`] |
//! | `DELETE /clusters/{id}/users/{name}` | a user vanishes | [`Controls::vanish_user`] |
//! | `POST /clusters/{id}/pools {name}` | someone else's pool | [`Controls::plant_pool`] |
//! | `DELETE /clusters/{id}/pools/{name}` | a pool vanishes | [`Controls::vanish_pool`] |
//! | `POST /clusters/{id}/pools/{name}/hide {reads, in_lists}` | its reads answer 404 | [`Controls::hide_pool`] |
//! | `POST /clusters/{id}/replicas {name}` | someone else's replica | [`Controls::plant_replica`] |
//! | `POST /vpcs` | someone else's VPC, see [`PlantedVpc`] | [`Controls::plant_vpc`] |
//! | `PATCH /vpcs/{id}` | someone changes it, see [`VpcDrift`] | [`Controls::drift_vpc`] |
//! | `GET /vpcs/defaults/{region}` | the default VPC of a region | [`Controls::default_vpc`] |
//! | `POST /droplets` | a droplet, see [`PlantedDroplet`] | [`Controls::plant_droplet`] |
//! | `POST /1-clicks {slug, type}` | an application, whatever its type | [`Controls::plant_one_click`] |
//! | `POST /namespaces {label, region, key}` | someone else's namespace | [`Controls::plant_namespace`] |
//! | `POST /inferences` | someone else's endpoint, see [`PlantedInference`] | [`Controls::plant_inference`] |
//! | `PATCH /inferences/{id}` | someone changes its spec | [`Controls::drift_inference`] |
//! | `POST /inferences/{id}/fail` | it is in `error` | [`Controls::fail_inference`] |
//! | `POST /inferences/fail-next {count}` | the next creates and changes fail | [`Controls::fail_next_inferences`] |
//! | `POST /agents/configs` | someone else's environment, see [`PlantedAgentConfig`] | [`Controls::plant_agent_config`] |
//! | `GET /agents/configs/{id}/secrets/{name}` | the plain value it was given | [`Controls::agent_secret`] |
//! | `PUT /agents/configs/{id}/consent {enabled}` | whether its sessions are analysed | [`Controls::plant_consent`] |
//! | `POST /agents/configs/{id}/analysed` | an odd session in its analysis | [`Controls::plant_analysed_session`] |
//! | `POST /agents/sessions` | someone else's session, see [`PlantedSession`] | [`Controls::plant_session`] |
//! | `POST /agents/sessions/{id}/fail` | it has failed | [`Controls::fail_session`] |
//! | `POST /agents/sessions/fail-next {count}` | the next sessions fail | [`Controls::fail_next_sessions`] |
//! | `POST /agents/sessions/{id}/dialogues` | a dialogue in its analysis | [`Controls::plant_dialogue`] |
//! | `POST /agents/sessions/{id}/events/{type}` | an event | [`Controls::plant_session_event`] |
//! | `POST /agents/triggers {name, kind}` | a trigger | [`Controls::plant_trigger`] |
//! | `POST /agents/triggers/{id}/executions` | a firing | [`Controls::plant_execution`] |
//! | `POST /apps` | someone else's app, see [`PlantedApp`] | [`Controls::plant_app`] |
//! | `PUT /apps/{id}/spec` | someone changes its spec | [`Controls::drift_app`] |
//! | `POST /apps/{id}/fail` | its newest deployment fails | [`Controls::fail_deployment`] |
//! | `POST /apps/fail-next {count}` | the next deployments fail | [`Controls::fail_next_deployments`] |
//! | `GET /apps/{id}/secrets/{key}` | the plain value it was given | [`Controls::app_secret`] |
//! | `GET /state` | the account, see [`Saved`] | [`Controls::saved`] |
//!
//! # The official document
//! [`openapi::Document`] checks exchanges against DigitalOcean's own OpenAPI document: those of
//! this double, and through the log those of any client of it.

mod agents;
mod apps;
mod body;
mod by_id;
mod clock;
mod clusters;
mod config;
mod control;
mod controls;
mod cursors;
mod drift;
mod droplets;
mod error;
mod faults;
mod front;
mod functions;
mod hiding;
mod holds;
mod inference;
mod log;
mod merge;
mod objects;
mod one_clicks;
pub mod openapi;
mod pages;
mod pattern;
mod plant;
mod projects;
mod query;
mod random;
mod rate;
mod routes;
mod server;
mod state;
mod sync;
mod tags;
mod times;
mod users;
mod vpcs;
mod wire;
mod world;

pub use agents::{PlantedAgentConfig, PlantedSession};
pub use apps::record::Phase;
pub use clusters::record::{Origin, Status};
pub use config::{
    Config, Limits, LogLimits, OneClicks, Previews, RateLimits, Refusals, Secrets, Times,
    UserPasswords, Visibility,
};
pub use controls::{Controls, Refused};
pub use drift::ClusterDrift;
pub use droplets::PlantedDroplet;
pub use faults::{Action, ArmedFault, Fault, FaultBody};
pub use inference::PlantedInference;
pub use log::{Authorization, Entry};
pub use objects::{
    AgentConfigInfo, AppInfo, ClusterInfo, InferenceInfo, NamespaceInfo, Objects, ReplicaInfo,
    SessionInfo, VpcInfo,
};
pub use pattern::Pattern;
pub use plant::{PlantedApp, PlantedCluster};
pub use server::{Double, StartError};
pub use state::Saved;
pub use vpcs::{PlantedVpc, VpcDrift};
pub use world::Totals;
