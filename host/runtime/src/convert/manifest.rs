//! A component's manifest, as the host's own type.

use berth_domain::manifest::{
    CredentialType, Endpoint, Family, Kind, Manifest, ManifestFault, Output, Ownership,
    PathTemplate, Read, SecretPointer, SignalSupport, Write,
};
use berth_domain::provider::Operation;
use serde_json::Value;

use crate::bindings::berth::provider::types as wit;

/// Reads what can't be read otherwise: templates and schemas. All other rules are the domain's.
pub(crate) fn manifest(manifest: wit::Manifest) -> Result<Manifest, Vec<ManifestFault>> {
    let mut faults = Vec::new();
    let endpoints = manifest
        .endpoints
        .into_iter()
        .enumerate()
        .map(|(index, endpoint)| Endpoint {
            reads: reads(
                endpoint.reads,
                &format!("endpoints[{index}].reads"),
                &mut faults,
            ),
            origin: endpoint.origin,
            credential: endpoint.credential,
        })
        .collect();
    let kinds = manifest
        .kinds
        .into_iter()
        .filter_map(|inner| kind(inner, &mut faults))
        .collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Manifest {
        provider: manifest.provider,
        version: manifest.version,
        title: manifest.title,
        endpoints,
        credential: match manifest.credential {
            wit::CredentialType::None => CredentialType::None,
            wit::CredentialType::Bearer => CredentialType::Bearer,
        },
        kinds,
        has_catalog: manifest.has_catalog,
        signals: manifest.signals.map(|signals| SignalSupport {
            preview: signals.preview,
        }),
    })
}

fn kind(kind: wit::Kind, faults: &mut Vec<ManifestFault>) -> Option<Kind> {
    let place = format!("kind `{}`", kind.id.chars().take(64).collect::<String>());
    let spec_schema: Option<Value> = serde_json::from_str(&kind.spec_schema)
        .map_err(|error| {
            faults.push(ManifestFault {
                place: format!("{place}: spec-schema"),
                wrong: format!("is no JSON: {error}"),
                right: "a JSON Schema (2020-12) of an object".to_owned(),
            });
        })
        .ok();
    let read_list = reads(kind.reads, &format!("{place}: reads"), faults);
    let write_list = writes(kind.writes, &format!("{place}: writes"), faults);
    Some(Kind {
        id: kind.id,
        title: kind.title,
        family: family(kind.family),
        spec_schema: spec_schema?,
        outputs: outputs(kind.outputs),
        secret_outputs: outputs(kind.secret_outputs),
        regional: kind.regional,
        updatable: kind.updatable,
        parents: kind.parents,
        identity: kind.identity,
        singleton: kind.singleton,
        ends_with_parent: kind.ends_with_parent,
        preview: kind.preview,
        meters: kind.meters,
        bookings: kind.bookings,
        ownership: match kind.ownership {
            wit::Ownership::Labels => Ownership::Labels,
            wit::Ownership::Name => Ownership::Name,
            wit::Ownership::Parent => Ownership::Parent,
        },
        releasable: kind.releasable,
        adoptable: kind.adoptable,
        lists_whole: kind.lists_whole,
        id_pattern: kind.id_pattern,
        reads: read_list,
        writes: write_list,
    })
}

fn family(family: wit::Family) -> Family {
    match family {
        wit::Family::Storage => Family::Storage,
        wit::Family::Network => Family::Network,
        wit::Family::Edge => Family::Edge,
        wit::Family::Data => Family::Data,
        wit::Family::Platform => Family::Platform,
        wit::Family::Ai => Family::Ai,
        wit::Family::Observability => Family::Observability,
    }
}

fn outputs(outputs: Vec<wit::Output>) -> Vec<Output> {
    outputs
        .into_iter()
        .map(|output| Output {
            name: output.name,
            title: output.title,
        })
        .collect()
}

fn template(text: &str, place: &str, faults: &mut Vec<ManifestFault>) -> Option<PathTemplate> {
    text.parse()
        .map_err(|error: berth_domain::manifest::TemplateError| {
            let shown: String = text.chars().take(200).collect();
            faults.push(ManifestFault {
                place: place.to_owned(),
                wrong: format!("`{shown}` is no path template"),
                right: error.to_string(),
            });
        })
        .ok()
}

fn reads(reads: Vec<wit::Read>, place: &str, faults: &mut Vec<ManifestFault>) -> Vec<Read> {
    reads
        .into_iter()
        .enumerate()
        .filter_map(|(index, read)| {
            let path = template(&read.path, &format!("{place}[{index}].path"), faults)?;
            Some(Read {
                method: read.method,
                path,
                secrets: secrets(read.secrets),
            })
        })
        .collect()
}

fn writes(writes: Vec<wit::Write>, place: &str, faults: &mut Vec<ManifestFault>) -> Vec<Write> {
    writes
        .into_iter()
        .enumerate()
        .filter_map(|(index, write)| {
            let path = template(&write.path, &format!("{place}[{index}].path"), faults)?;
            Some(Write {
                operation: operation(write.operation),
                method: write.method,
                path,
                own_ids: write.own_ids,
                secrets: secrets(write.secrets),
            })
        })
        .collect()
}

fn secrets(secrets: Vec<wit::SecretPointer>) -> Vec<SecretPointer> {
    secrets
        .into_iter()
        .map(|secret| SecretPointer {
            pointer: secret.pointer,
            own: secret.own,
        })
        .collect()
}

fn operation(operation: wit::Operation) -> Operation {
    match operation {
        wit::Operation::Find => Operation::Find,
        wit::Operation::Observe => Operation::Observe,
        wit::Operation::Create => Operation::Create,
        wit::Operation::Update => Operation::Update,
        wit::Operation::Delete => Operation::Delete,
        wit::Operation::List => Operation::List,
        wit::Operation::Label => Operation::Label,
        wit::Operation::Unlabel => Operation::Unlabel,
        wit::Operation::Catalog => Operation::Catalog,
        wit::Operation::Signals => Operation::Signals,
    }
}
