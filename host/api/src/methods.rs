//! The table of methods: `{module}/{method}` and the use case behind it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use berth_service::{Caller, Code, Service, ServiceError};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::body;

type Answer = Pin<Box<dyn Future<Output = Result<Value, ServiceError>> + Send>>;
type Call = fn(Arc<Service>, Caller, Bytes) -> Answer;

/// A method of the API.
pub(crate) struct Method {
    /// Its module in the path.
    pub(crate) module: &'static str,
    /// Its name in the path.
    pub(crate) name: &'static str,
    /// Parses the body and runs the use case.
    pub(crate) call: Call,
}

fn output(value: impl Serialize) -> Result<Value, ServiceError> {
    serde_json::to_value(value)
        .map_err(|error| ServiceError::internal(format!("an output does not serialise: {error}")))
}

fn input<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, ServiceError> {
    body::parse(bytes)
}

macro_rules! methods {
    ($($path:literal => $module:ident :: $method:ident),* $(,)?) => {
        &[$(Method {
            module: head($path),
            name: tail($path),
            call: |service, caller, bytes| Box::pin(async move {
                let input: berth_service::$module::$method::Input = input(&bytes)?;
                output(berth_service::$module::$method::handle(&service, &caller, input).await?)
            }),
        }),*]
    };
}

const fn split_at(path: &str) -> usize {
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'/' {
        at += 1;
    }
    at
}

const fn head(path: &'static str) -> &'static str {
    path.split_at(split_at(path)).0
}

const fn tail(path: &'static str) -> &'static str {
    path.split_at(split_at(path) + 1).1
}

/// Every method. Adding one is a line here and a file in the service.
pub(crate) static METHODS: &[Method] = methods! {
    "cloudResources/kinds" => cloud_resources::kinds,
    "cloudResources/catalog" => cloud_resources::catalog,
    "cloudResources/signals" => cloud_resources::signals,
    "cloudResources/create" => cloud_resources::create,
    "cloudResources/list" => cloud_resources::list,
    "cloudResources/get" => cloud_resources::get,
    "cloudResources/update" => cloud_resources::update,
    "cloudResources/delete" => cloud_resources::delete,
    "cloudResources/discover" => cloud_resources::discover,
    "cloudResources/adopt" => cloud_resources::adopt,
    "cloudResources/release" => cloud_resources::release,
    "tenants/create" => tenants::create,
    "tenants/get" => tenants::get,
    "tenants/list" => tenants::list,
    "tenants/update" => tenants::update,
    "projects/create" => projects::create,
    "projects/get" => projects::get,
    "projects/list" => projects::list,
    "principals/create" => principals::create,
    "principals/get" => principals::get,
    "principals/list" => principals::list,
    "principals/update" => principals::update,
    "principals/delete" => principals::delete,
    "principals/createToken" => principals::create_token,
    "principals/listTokens" => principals::list_tokens,
    "principals/revokeToken" => principals::revoke_token,
    "policies/put" => policies::put,
    "policies/get" => policies::get,
    "policies/list" => policies::list,
    "policies/delete" => policies::delete,
    "accounts/create" => accounts::create,
    "accounts/get" => accounts::get,
    "accounts/list" => accounts::list,
    "accounts/update" => accounts::update,
    "pools/create" => pools::create,
    "pools/update" => pools::update,
    "pools/get" => pools::get,
    "pools/list" => pools::list,
    "offers/create" => offers::create,
    "offers/update" => offers::update,
    "offers/list" => offers::list,
    "offers/delete" => offers::delete,
    "budgets/put" => budgets::put,
    "budgets/list" => budgets::list,
    "budgets/delete" => budgets::delete,
    "prices/put" => prices::put,
    "prices/list" => prices::list,
    "usage/list" => usage::list,
    "usage/export" => usage::export,
    "quotas/put" => quotas::put,
    "quotas/get" => quotas::get,
    "quotas/list" => quotas::list,
    "quotas/delete" => quotas::delete,
    "instances/put" => instances::put,
    "instances/sync" => instances::sync,
    "instances/get" => instances::get,
    "instances/list" => instances::list,
    "instances/delete" => instances::delete,
    "networks/put" => networks::put,
    "networks/sync" => networks::sync,
    "networks/get" => networks::get,
    "networks/list" => networks::list,
    "networks/delete" => networks::delete,
    "secrets/put" => secrets::put,
    "secrets/get" => secrets::get,
    "secrets/list" => secrets::list,
    "secrets/reveal" => secrets::reveal,
    "secrets/delete" => secrets::delete,
    "events/list" => events::list,
    "audit/list" => audit::list,
    "plugins/install" => plugins::install,
    "plugins/list" => plugins::list,
    "plugins/show" => plugins::show,
    "plugins/activate" => plugins::activate,
    "plugins/rollback" => plugins::rollback,
    "resources/forget" => resources::forget,
};

static BY_PATH: LazyLock<BTreeMap<(&'static str, &'static str), &'static Method>> =
    LazyLock::new(|| {
        METHODS
            .iter()
            .map(|method| ((method.module, method.name), method))
            .collect()
    });

/// The method at a path.
///
/// # Errors
/// `NOT_FOUND`, with the methods that come nearest.
pub(crate) fn find(module: &str, name: &str) -> Result<&'static Method, ServiceError> {
    if let Some(method) = BY_PATH.get(&(module, name)) {
        return Ok(method);
    }
    let asked = format!("{module}/{name}");
    let nearest = METHODS
        .iter()
        .map(|method| format!("{}/{}", method.module, method.name))
        .map(|path| {
            (
                strsim::damerau_levenshtein(&path.to_lowercase(), &asked.to_lowercase()),
                path,
            )
        })
        .min()
        .filter(|(distance, _)| *distance <= asked.len().min(8));
    let hint = match nearest {
        Some((_, path)) => format!("did you mean `{path}`?"),
        None => "see the API's document for the methods there are".to_owned(),
    };
    Err(
        ServiceError::new(Code::NotFound, format!("there is no such method; {hint}"))
            .reason("method"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_is_named_twice() {
        assert_eq!(BY_PATH.len(), METHODS.len());
    }

    #[test]
    fn an_unknown_method_is_told_its_nearest() {
        let refusal = find("cloudresources", "creat").err().unwrap();
        assert!(
            refusal.message.contains("`cloudResources/create`"),
            "{}",
            refusal.message
        );
        assert_eq!(
            find("zzzzzzzzzzzzzzzzzzzz", "q").err().unwrap().code,
            Code::NotFound
        );
    }
}
