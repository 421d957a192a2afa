//! Which addresses are out in the world.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is public: not private, loopback, link-local (where clouds keep their metadata),
/// multicast, documentation or otherwise reserved, nor a v6 form that leads to such a v4 one.
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

/// Only global unicast, without the parts of it that tunnel to v4 (6to4, Teredo) or are for documents.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    let global = (0x2000..=0x3fff).contains(&a);
    let tunnel = a == 0x2002 || (a == 0x2001 && b <= 0x01ff);
    let document = (a == 0x2001 && b == 0x0db8) || (a == 0x3fff && b <= 0x0fff);
    global && !tunnel && !document
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_out_in_the_world_is_refused() {
        for text in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fd00:ec2::254",
            "fc00::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "::127.0.0.1",
            "100::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_out_in_the_world_is_not() {
        for text in [
            "1.1.1.1",
            "104.16.181.15",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::6810:b50f",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_v4_address_in_a_v6_coat_is_judged_as_itself(bits: u32) {
            let ip = Ipv4Addr::from(bits);
            prop_assert_eq!(is_public(ip.to_ipv6_mapped().into()), is_public(ip.into()));
        }

        #[test]
        fn the_standard_library_agrees_on_what_it_knows(bits: u32) {
            let ip = Ipv4Addr::from(bits);
            if ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_multicast() || ip.is_broadcast() || ip.is_documentation() || ip.is_unspecified() {
                prop_assert!(!is_public(ip.into()));
            }
        }
    }
}
