//! What a provider tells of a whole account, once for all its tenants.

use std::sync::Arc;

use berth_domain::provider::{Application, Signal};

use crate::asking::answered;
use crate::place::Place;
use crate::shared_answers::Subject;
use crate::{Caller, Code, Service, ServiceError};

fn subject(place: &Place) -> Subject {
    Subject {
        account: place.account.id.clone(),
        generation: place.digest(),
    }
}

/// All that can be installed, whatever on.
///
/// # Errors
/// `UNSUPPORTED` where the provider has no catalog; `UNAVAILABLE`.
pub(super) async fn applications(
    service: &Service,
    caller: &Caller,
    place: &Place,
) -> Result<Arc<Vec<Application>>, ServiceError> {
    let provider = place.account.provider.clone();
    if !place.generation.manifest().has_catalog {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!(
                "the pool's provider `{provider}` has no catalog; choose a pool of another provider"
            ),
        )
        .reason("catalog"));
    }
    let call = service.read_call(caller, place)?;
    let (runtime, generation) = (service.runtime().clone(), place.generation.clone());
    let asking =
        || async move { answered(&provider, runtime.catalog(&generation, call, None).await) };
    let settings = &service.settings().answers;
    service
        .catalogs
        .get(subject(place), service.now(), settings, asking)
        .await
}

/// All signals of the account, newest first.
///
/// # Errors
/// `UNSUPPORTED` where the provider has no signals, or holds them behind previews that the account
/// does not have; `UNAVAILABLE`.
pub(super) async fn signals(
    service: &Service,
    caller: &Caller,
    place: &Place,
) -> Result<Arc<Vec<Signal>>, ServiceError> {
    let provider = place.account.provider.clone();
    let Some(support) = &place.generation.manifest().signals else {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!("the pool's provider `{provider}` has no signals; what happens to resources is in `events/list`"),
        )
        .reason("signals"));
    };
    if support.preview && !place.account.previews {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!("signals are a preview of provider `{provider}`, and the pool's account has previews off; ask its owner to turn `previews` on"),
        )
        .reason("preview"));
    }
    let call = service.read_call(caller, place)?;
    let (runtime, generation) = (service.runtime().clone(), place.generation.clone());
    let asking = || async move { answered(&provider, runtime.signals(&generation, call).await) };
    let settings = &service.settings().answers;
    service
        .signals
        .get(subject(place), service.now(), settings, asking)
        .await
}
