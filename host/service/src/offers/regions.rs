//! Regions that an offer leaves out.

use berth_domain::id::PoolId;

use crate::{Service, ServiceError};

/// Most regions of one offer.
const REGIONS_MAX: usize = 100;
/// Longest name of a region.
const REGION_BYTES_MAX: usize = 64;

/// Each must be a region of the pool's account, where that configures any: a slip would exclude nothing.
pub(super) async fn check_regions(
    service: &Service,
    pool: &PoolId,
    regions: &[String],
) -> Result<(), ServiceError> {
    let wrong = |text: String| Err(ServiceError::invalid("/excludedRegions", text));
    if regions.len() > REGIONS_MAX {
        return wrong(format!("at most {REGIONS_MAX} regions are taken"));
    }
    for region in regions {
        let fits = (1..=REGION_BYTES_MAX).contains(&region.len())
            && region.bytes().all(|b| b.is_ascii_graphic());
        if !fits {
            return wrong(format!(
                "a region is 1 to {REGION_BYTES_MAX} printable characters without spaces"
            ));
        }
    }
    let store = service.store();
    let account = match store.pool(pool).await?.and_then(|pool| pool.account_id) {
        Some(account) => store.account(&account).await?,
        None => None,
    };
    let known = account.map(|account| account.regions).unwrap_or_default();
    let stray = regions.iter().find(|region| !known.contains(region));
    match stray {
        Some(stray) if !known.is_empty() => wrong(format!(
            "`{stray}` is no region of the pool's account; it configures {}",
            known.join(", ")
        )),
        _ => Ok(()),
    }
}
