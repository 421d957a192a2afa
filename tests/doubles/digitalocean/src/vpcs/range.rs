//! Ranges of private addresses.

use std::net::Ipv4Addr;

/// A range of IPv4 addresses whose first address is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    first: u32,
    prefix: u32,
}

/// The blocks that a VPC may take its range from.
const PRIVATE: [Range; 3] = [
    Range {
        first: 0x0a00_0000,
        prefix: 8,
    },
    Range {
        first: 0xac10_0000,
        prefix: 12,
    },
    Range {
        first: 0xc0a8_0000,
        prefix: 16,
    },
];

/// The largest and the smallest range of a VPC.
const WIDEST: u32 = 16;
const NARROWEST: u32 = 28;
/// What a VPC gets that doesn't ask for a range.
const USUAL: u32 = 20;

impl Range {
    /// Reads `10.10.10.0/24`, and says what is wrong with it.
    pub(crate) fn of_vpc(text: &str) -> Result<Self, String> {
        let malformed = || format!("`{text}` is no range of IPv4 addresses such as 10.10.10.0/24");
        let (address, prefix) = text.split_once('/').ok_or_else(malformed)?;
        let address: Ipv4Addr = address.parse().map_err(|_| malformed())?;
        let prefix: u32 = prefix.parse().map_err(|_| malformed())?;
        if !(WIDEST..=NARROWEST).contains(&prefix) {
            return Err(format!(
                "`{text}` must not be larger than /{WIDEST} nor smaller than /{NARROWEST}"
            ));
        }
        let range = Self {
            first: address.to_bits(),
            prefix,
        };
        if range.first & range.mask() != range.first {
            return Err(format!("`{text}` doesn't start at its first address"));
        }
        if !PRIVATE.iter().any(|block| block.contains(range)) {
            return Err(format!("`{text}` isn't within the private ranges"));
        }
        Ok(range)
    }

    /// The first usual range that overlaps none of `taken`.
    pub(crate) fn free(taken: &[Self]) -> Option<Self> {
        let step = 1_u32 << (32 - USUAL);
        // From 10.100.0.0 on, away from ranges that people choose.
        (0..0x900_u32)
            .map(|place| Self {
                first: 0x0a64_0000 + place * step,
                prefix: USUAL,
            })
            .find(|range| taken.iter().all(|other| !other.overlaps(*range)))
    }

    fn mask(self) -> u32 {
        u32::MAX << (32 - self.prefix)
    }

    fn contains(self, other: Self) -> bool {
        self.prefix <= other.prefix && other.first & self.mask() == self.first
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from_bits(self.first), self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn only_private_ranges_of_a_fitting_size_are_read() {
        for right in ["10.10.10.0/24", "172.16.0.0/16", "192.168.1.16/28"] {
            assert_eq!(Range::of_vpc(right).unwrap().to_string(), right);
        }
        for wrong in [
            "",
            "10.0.0.0",
            "10.0.0.0/8",
            "10.0.0.0/29",
            "10.0.0.1/24",
            "172.32.0.0/16",
            "8.8.8.0/24",
            "fd00::/16",
            "10.0.0.0/24/24",
        ] {
            assert!(Range::of_vpc(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_free_range_overlaps_nothing() {
        let mut taken = Vec::new();
        for _ in 0..40 {
            let range = Range::free(&taken).unwrap();
            assert!(taken.iter().all(|other: &Range| !other.overlaps(range)));
            taken.push(range);
        }
        let wide = Range::of_vpc("10.100.0.0/16").unwrap();
        assert!(!Range::free(&[wide]).unwrap().overlaps(wide));
    }
}
