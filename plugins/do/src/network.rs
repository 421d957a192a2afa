//! The tenant's networks that a spec names, at the provider.

use berth_sdk::Call;
use berth_sdk::answers::invalid;
use berth_sdk::types::Error;

/// The provider's id of the network that the spec's `network` names: of its part in the object's region.
pub(crate) fn part_in<'a, S>(
    call: &Call<'a, S>,
    network: Option<&str>,
    region: &str,
) -> Result<Option<&'a str>, Error> {
    let Some(wanted) = network else {
        return Ok(None);
    };
    call.networks()
        .iter()
        .find(|network| network.id == wanted && network.region == region)
        .map(|network| Some(network.provider_id.as_str()))
        .ok_or_else(|| {
            invalid(
                "/network",
                format!("the network {wanted} has no part in {region}"),
            )
        })
}
