//! The root certificates that clients of AWS services trust.

use aws_smithy_http_client::tls::TrustStore;

/// The roots of Amazon Trust Services, in PEM.
const AMAZON: &[u8] = include_bytes!("amazon-roots.pem");

/// Partitions whose services have certificates from other authorities, by the prefix of their regions'
/// names.
const OTHER_AUTHORITIES: [&str; 4] = ["cn-", "us-iso", "eu-iso", "eusc-"];

/// Which root certificates a client trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// Amazon's roots, compiled in. Reading the system's 145 roots would take half of the
    /// instructions of a cold start.
    Amazon,
    /// The system's roots, or those in the file specified by `SSL_CERT_FILE`.
    System,
}

impl Roots {
    /// Selects the roots for a function in this region. Manual settings, an endpoint or
    /// `SSL_CERT_FILE` (`custom`), may use a private authority.
    #[must_use]
    pub(super) fn of_function(region: &str, custom: bool) -> Self {
        let other = OTHER_AUTHORITIES
            .iter()
            .any(|start| region.starts_with(start));
        if other || custom {
            Self::System
        } else {
            Self::Amazon
        }
    }

    /// Returns the certificates.
    pub(super) fn store(self) -> TrustStore {
        match self {
            Self::Amazon => TrustStore::empty().with_pem_certificate(AMAZON),
            Self::System => TrustStore::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// SHA-256 of each certificate, from <https://www.amazontrust.com/repository/>.
    const FINGERPRINTS: [&str; 5] = [
        "8ecde6884f3d87b1125ba31ac3fcb13d7016de7f57cc904fe1cb97c6ae98196e",
        "1ba5b2aa8c65401a82960118f80bec4f62304d83cec4713a19c39c011ea46db4",
        "18ce6cfe7bf14e60b2e347b8dfe868cb31d02ebb3ada271569f50343b46db3a4",
        "e35d28419ed02025cfa69038cd623962458da5c695fbdea3c22b0bfb25897092",
        "568d6905a2c88708a4b3025190edcfedb1974a606a13c6e5290fcb2ae63edab5",
    ];

    #[test]
    fn amazons_roots_are_the_published_ones() {
        let text = std::str::from_utf8(AMAZON).unwrap();
        let certificates = text.split("-----BEGIN CERTIFICATE-----\n").skip(1);
        let fingerprints: Vec<_> = certificates
            .map(|rest| {
                let (body, _) = rest.split_once("-----END").unwrap();
                let der = STANDARD.decode(body.replace('\n', "")).unwrap();
                base16ct::lower::encode_string(&Sha256::digest(der))
            })
            .collect();
        assert_eq!(fingerprints, FINGERPRINTS);
    }

    #[test]
    fn functions_trust_only_amazon() {
        for region in ["eu-central-1", "us-east-1", "us-gov-west-1", "ap-east-2"] {
            assert_eq!(Roots::of_function(region, false), Roots::Amazon);
        }
    }

    #[test]
    fn other_authorities_are_found_in_the_system() {
        assert_eq!(Roots::of_function("cn-north-1", false), Roots::System);
        assert_eq!(Roots::of_function("us-iso-east-1", false), Roots::System);
        assert_eq!(Roots::of_function("eusc-de-east-1", false), Roots::System);
        assert_eq!(Roots::of_function("eu-central-1", true), Roots::System);
    }
}
