//! Addresses and networks.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses that share a prefix. An IPv4 network written as IPv6 is the IPv4 network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// One address.
    pub(crate) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self {
            address,
            prefix: width(address),
        }
    }

    /// `10.0.0.0/8` or a single address.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let Some((address, prefix)) = text.split_once('/') else {
            return Some(Self::of(text.parse().ok()?));
        };
        let written: IpAddr = address.parse().ok()?;
        let plain = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
        let prefix: u32 = prefix.parse().ok().filter(|_| plain)?;
        if prefix > width(written) {
            return None;
        }
        let address = written.to_canonical();
        let prefix = match (written, address) {
            // Less than the mapping's own prefix takes in more than IPv4: leave it IPv6.
            (IpAddr::V6(_), IpAddr::V4(_)) => match prefix.checked_sub(96) {
                Some(prefix) => prefix,
                None => {
                    return Some(
                        Self {
                            address: written,
                            prefix,
                        }
                        .masked(),
                    );
                }
            },
            _ => prefix,
        };
        Some(Self { address, prefix }.masked())
    }

    /// Without the bits behind the prefix.
    fn masked(self) -> Self {
        let address = match self.address {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - self.prefix).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
            }
        };
        Self { address, ..self }
    }
}

fn width(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// As Cedar reads it, which knows no IPv4 inside IPv6.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            IpAddr::V4(v4) => write!(f, "{v4}")?,
            IpAddr::V6(v6) => {
                for (index, segment) in v6.segments().iter().enumerate() {
                    let colon = if index == 0 { "" } else { ":" };
                    write!(f, "{colon}{segment:x}")?;
                }
            }
        }
        write!(f, "/{}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn networks_are_written_without_the_bits_behind_the_prefix() {
        for (text, written) in [
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("10.1.2.3", "10.1.2.3/32"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:db8::1/32", "2001:db8:0:0:0:0:0:0/32"),
            ("::1", "0:0:0:0:0:0:0:1/128"),
            ("::/0", "0:0:0:0:0:0:0:0/0"),
            ("::ffff:10.1.2.3", "10.1.2.3/32"),
            ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
            ("::ffff:10.1.2.3/90", "0:0:0:0:0:ffc0:0:0/90"),
            ("::10.1.2.3/128", "0:0:0:0:0:0:a01:203/128"),
        ] {
            assert_eq!(Network::parse(text).unwrap().to_string(), written, "{text}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "/",
            "10.0.0.0/",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "10.0.0.0/+8",
            "a/8",
            "10.0.0.0/8/8",
            "010.0.0.1",
            " 10.0.0.1",
            "fe80::1%eth0",
        ] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
