//! The IP addresses that a webhook may reach.
//!
//! A callback URL comes from a stranger, so it must not be able to direct our client to its own
//! machine, to the surrounding network, or to a cloud's metadata service. For IPv4, there is a list
//! of forbidden blocks (IANA's special-purpose registry, RFC 6890, and one platform address). IPv6
//! addresses are allowed only within global unicast, except for blocks that wrap an IPv4 address,
//! are for documentation or do not address hosts. Because IPv6 uses an allow list, mapped,
//! compatible, translated and local addresses are refused without being listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;

#[cfg(test)]
mod tests;

/// The error for an address that a webhook must not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the address is not public: {purpose}")]
pub struct ForbiddenAddress {
    purpose: &'static str,
}

impl ForbiddenAddress {
    /// Returns the purpose of the block that contains the address, as a short phrase.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        self.purpose
    }
}

/// Refused IPv4 blocks: first address, prefix length in bits, purpose.
const REFUSED_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private use"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space"),
    // This block also includes a Lambda function's own runtime API.
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    // Instance metadata and container credentials.
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private use"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private use"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
    // Azure's DNS, health probe and agent endpoint: a public address for a private service.
    (
        Ipv4Addr::new(168, 63, 129, 16),
        32,
        "cloud platform service",
    ),
];

/// The only IPv6 block with addresses of Internet hosts: first address, prefix length in bits.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Refused IPv6 blocks inside global unicast: first address, prefix length in bits, purpose.
const REFUSED_V6: &[(Ipv6Addr, u32, &str)] = &[
    // Teredo, ORCHID, benchmarking, AMT.
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        23,
        "protocol assignments",
    ),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        "documentation",
    ),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        "documentation",
    ),
];

/// The well-known NAT64 prefix (RFC 6052), whose last 32 bits are an IPv4 address.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Returns whether a webhook may reach `address` if there is no NAT64. See [`check`].
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    check(address).is_ok()
}

/// Checks that a webhook may reach `address`.
///
/// # Errors
///
/// Fails with the purpose of the block if the address is not public. NAT64 addresses count as not
/// public; deployments with NAT64 egress use [`check_through_nat64`].
pub fn check(address: IpAddr) -> Result<(), ForbiddenAddress> {
    match address {
        IpAddr::V4(v4) => check_v4(v4),
        IpAddr::V6(v6) => check_v6(v6),
    }
}

/// Checks that a webhook may reach `address` if egress passes through NAT64: an address in
/// `64:ff9b::/96` is treated like the IPv4 address inside it, any other as in [`check`].
///
/// # Errors
///
/// Fails with the purpose of the block if the address is not public.
pub fn check_through_nat64(address: IpAddr) -> Result<(), ForbiddenAddress> {
    match address {
        IpAddr::V6(v6) if v6_in(v6, NAT64.0, NAT64.1) => {
            let [.., a, b, c, d] = v6.octets();
            check_v4(Ipv4Addr::new(a, b, c, d))
        }
        other => check(other),
    }
}

fn check_v4(address: Ipv4Addr) -> Result<(), ForbiddenAddress> {
    let refused = REFUSED_V4
        .iter()
        .find(|(base, prefix, _)| v4_in(address, *base, *prefix));
    refused.map_or(Ok(()), |&(_, _, purpose)| Err(ForbiddenAddress { purpose }))
}

fn check_v6(address: Ipv6Addr) -> Result<(), ForbiddenAddress> {
    if !v6_in(address, GLOBAL_UNICAST.0, GLOBAL_UNICAST.1) {
        return Err(ForbiddenAddress {
            purpose: "outside IPv6 global unicast",
        });
    }
    let refused = REFUSED_V6
        .iter()
        .find(|(base, prefix, _)| v6_in(address, *base, *prefix));
    refused.map_or(Ok(()), |&(_, _, purpose)| Err(ForbiddenAddress { purpose }))
}

/// Returns whether `address` shares its first `prefix` bits (1 to 32) with `base`.
const fn v4_in(address: Ipv4Addr, base: Ipv4Addr, prefix: u32) -> bool {
    (address.to_bits() ^ base.to_bits()) >> (32 - prefix) == 0
}

/// Returns whether `address` shares its first `prefix` bits (1 to 128) with `base`.
const fn v6_in(address: Ipv6Addr, base: Ipv6Addr, prefix: u32) -> bool {
    (address.to_bits() ^ base.to_bits()) >> (128 - prefix) == 0
}
