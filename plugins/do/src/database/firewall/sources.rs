//! Sources as a spec writes them and as the API does.

use std::net::Ipv4Addr;

use berth_sdk::labels::TagAlphabet;
use berth_sdk::types::FieldError;
use berth_sdk::{Call, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::FIELDS;
use crate::spec::firewall::Spec;
use crate::spec::pg::RuleSource;

/// The most sources that a cluster has.
pub(super) const MOST: usize = 100;

/// What the host's names for objects start with.
const MARK: &str = "bc-r-";

/// A source, as the API takes and gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Source {
    #[serde(rename = "type")]
    source: RuleSource,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Source {
    /// Whether it was written under this name.
    pub(super) fn bears(&self, name: &str) -> bool {
        self.description.as_deref() == Some(name)
    }

    /// The name that a source of a host's was written under.
    pub(super) fn mark(&self) -> Option<&str> {
        self.description
            .as_deref()
            .filter(|text| text.len() == 29 && text.starts_with(MARK))
    }

    pub(super) fn output(&self) -> Value {
        json!({"type": self.source, "value": self.value})
    }
}

/// What the plugin remembers of a firewall between calls.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Memo {
    /// Digest of the spec as it was last written.
    applied: Option<String>,
    /// The Droplet of each instance that was written, in the order of the spec; empty for one that
    /// was gone.
    #[serde(default)]
    droplets: Vec<String>,
}

impl Memo {
    pub(super) fn of(call: &Call<'_, Spec>) -> Self {
        call.memo().unwrap_or_default()
    }

    /// After the whole spec was written.
    pub(super) fn written(call: &Call<'_, Spec>) -> Self {
        let droplets = call
            .spec()
            .instances
            .iter()
            .flatten()
            .map(|id| droplet(call, id).unwrap_or_default().to_owned())
            .collect();
        Self {
            applied: Some(digest::of(call.spec())),
            droplets,
        }
    }

    /// The fields of a spec that was not written as it is now. One write applies them all.
    pub(super) fn pending(&self, call: &Call<'_, Spec>) -> Vec<String> {
        if self.is_applied(call) {
            return Vec::new();
        }
        FIELDS
            .iter()
            .filter(|field| call.spec_field(field).is_some())
            .map(|field| (*field).to_owned())
            .collect()
    }

    fn is_applied(&self, call: &Call<'_, Spec>) -> bool {
        self.applied.as_ref() == Some(&digest::of(call.spec()))
    }
}

fn droplet<'a>(call: &Call<'a, Spec>, instance: &str) -> Option<&'a str> {
    call.instances()
        .iter()
        .find(|linked| linked.id == instance)
        .map(|linked| linked.provider_id.as_str())
}

/// How many sources a spec names.
pub(super) fn count(spec: &Spec) -> usize {
    [
        &spec.addresses,
        &spec.instances,
        &spec.tags,
        &spec.droplets,
        &spec.kubernetes,
        &spec.apps,
    ]
    .into_iter()
    .flatten()
    .map(Vec::len)
    .sum()
}

/// What the schema can't say.
pub(super) fn unusable(spec: &Spec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, address) in spec.addresses.iter().flatten().enumerate() {
        if !is_address(address) {
            errors.push(FieldError {
                field: format!("/addresses/{index}"),
                message: "is no IPv4 address or range such as 192.0.2.7 or 192.0.2.0/24".to_owned(),
            });
        }
    }
    for (index, tag) in spec.tags.iter().flatten().enumerate() {
        // Whoever may tag a Droplet would get in.
        if TagAlphabet::reserved(tag) {
            errors.push(FieldError {
                field: format!("/tags/{index}"),
                message: "tags that start with better-compute- are the host's: choose another"
                    .to_owned(),
            });
        }
    }
    errors
}

fn is_address(text: &str) -> bool {
    let (address, prefix) = text.split_once('/').unwrap_or((text, "32"));
    let fits = prefix.parse::<u8>().is_ok_and(|prefix| prefix <= 32);
    fits && address.parse::<Ipv4Addr>().is_ok()
}

/// Every source of the spec, once; instances as their Droplets, without those that are gone.
pub(super) fn wanted(call: &Call<'_, Spec>) -> Vec<Source> {
    let spec = call.spec();
    let instances: Vec<String> = spec
        .instances
        .iter()
        .flatten()
        .filter_map(|id| droplet(call, id).map(str::to_owned))
        .collect();
    let mut sources: Vec<Source> = Vec::new();
    for (source, values) in [
        (RuleSource::IpAddr, spec.addresses.as_ref()),
        (RuleSource::Droplet, Some(&instances)),
        (RuleSource::Tag, spec.tags.as_ref()),
        (RuleSource::Droplet, spec.droplets.as_ref()),
        (RuleSource::K8s, spec.kubernetes.as_ref()),
        (RuleSource::App, spec.apps.as_ref()),
    ] {
        for value in values.into_iter().flatten() {
            let has = |other: &Source| other.source == source && other.value == *value;
            if !sources.iter().any(has) {
                sources.push(Source {
                    source,
                    value: value.clone(),
                    description: Some(call.name().to_owned()),
                });
            }
        }
    }
    sources
}

/// The spec that the shown sources make, in the order of the wanted one. Ids and tags of the account
/// only where the tenant wrote such or owns the account.
pub(super) fn reported(shown: &[Source], call: &Call<'_, Spec>, memo: &Memo) -> Value {
    let spec = call.spec();
    let values = |source: RuleSource| -> Vec<&str> {
        shown
            .iter()
            .filter(|shown| shown.source == source)
            .map(|shown| shown.value.as_str())
            .collect()
    };
    let mut droplets = values(RuleSource::Droplet);
    let mut reported = Map::new();
    if let Some(wanted) = spec.instances.as_ref().filter(|_| memo.is_applied(call)) {
        // One that was gone when the sources were written is as applied as it can be.
        let seen: Vec<&String> = wanted
            .iter()
            .zip(&memo.droplets)
            .filter(|(_, droplet)| droplet.is_empty() || droplets.contains(&droplet.as_str()))
            .map(|(instance, _)| instance)
            .collect();
        reported.insert("instances".to_owned(), json!(seen));
        let of_spec = |id: &str| spec.droplets.iter().flatten().any(|wanted| wanted == id);
        droplets.retain(|id| of_spec(id) || !memo.droplets.iter().any(|known| known == id));
    }
    for (field, shown, wanted) in [
        ("addresses", values(RuleSource::IpAddr), &spec.addresses),
        ("tags", values(RuleSource::Tag), &spec.tags),
        ("droplets", droplets, &spec.droplets),
        ("kubernetes", values(RuleSource::K8s), &spec.kubernetes),
        ("apps", values(RuleSource::App), &spec.apps),
    ] {
        let may_show = field == "addresses" || wanted.is_some() || !call.account().shared;
        if may_show && (wanted.is_some() || !shown.is_empty()) {
            reported.insert(field.to_owned(), json!(in_order(shown, wanted.as_deref())));
        }
    }
    Value::Object(reported)
}

/// The order is not the provider's to keep: the same sources are the same list.
fn in_order(shown: Vec<&str>, wanted: Option<&[String]>) -> Vec<String> {
    let wanted = wanted.unwrap_or_default();
    let same = shown
        .iter()
        .all(|shown| wanted.iter().any(|wanted| wanted == shown))
        && wanted.iter().all(|wanted| shown.contains(&wanted.as_str()));
    if same {
        wanted.to_vec()
    } else {
        shown.into_iter().map(str::to_owned).collect()
    }
}
