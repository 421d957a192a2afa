//! Resolves names, and refuses a name that leads to an address that is not granted.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address;

/// The addresses that it answers with are the ones connected to, so that what was vetted can't change
/// between the look and the connection.
pub(super) struct VettingResolver {
    pub(super) allow_private: bool,
}

/// A name led to an address that is not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` resolves to {address}, which is private, loopback, link-local or reserved; the operator can set `allowPrivateNetwork` for the account"
)]
pub(super) struct NotGranted {
    name: String,
    address: std::net::IpAddr,
}

impl Resolve for VettingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            vetted(name.as_str(), found, allow_private)
        })
    }
}

/// All addresses, if each of them is granted: a name that mixes good and bad ones is up to something.
fn vetted(
    name: &str,
    found: Vec<SocketAddr>,
    allow_private: bool,
) -> Result<Addrs, Box<dyn std::error::Error + Send + Sync>> {
    match found
        .iter()
        .map(SocketAddr::ip)
        .find(|ip| !address::is_public(*ip))
    {
        Some(address) if !allow_private => Err(Box::new(NotGranted {
            name: name.to_owned(),
            address,
        })),
        _ => Ok(Box::new(found.into_iter())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_address_among_good_ones_refuses_the_name() {
        let found = ["1.1.1.1:0", "169.254.169.254:0"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        assert!(vetted("rebind.example.com", found.clone(), false).is_err());
        assert_eq!(
            vetted("rebind.example.com", found, true).unwrap().count(),
            2
        );
    }
}
