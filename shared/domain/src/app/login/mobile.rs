//! The mobile apps that open an app's links, as Android and iOS identify them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

/// The error for a malformed identity of a mobile app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MalformedMobileIdentity(&'static str);

/// An Android app and its signing certificates, as listed in `assetlinks.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AndroidApp {
    /// The member `package_name`.
    pub package: AndroidPackage,
    /// The member `sha256_cert_fingerprints`.
    pub fingerprints: Vec<CertificateFingerprint>,
}

/// The package name of an Android app (`com.example.shop`): at least two segments of letters,
/// digits and underscores, each starting with a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct AndroidPackage(String);

impl AndroidPackage {
    /// Returns the package name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AndroidPackage {
    type Err = MalformedMobileIdentity;

    /// Parses a package name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let segment = |segment: &str| {
            segment.starts_with(|c: char| c.is_ascii_alphabetic())
                && segment
                    .bytes()
                    .all(|c| c.is_ascii_alphanumeric() || c == b'_')
        };
        if text.len() <= 255 && text.contains('.') && text.split('.').all(segment) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedMobileIdentity(
                "the package must look like com.example.shop: letters, digits and underscores, in at \
                 least two parts",
            ))
        }
    }
}

/// SHA-256 of a signing certificate, written as 32 pairs of upper-case hexadecimal digits separated
/// by colons, the only form that Android compares.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct CertificateFingerprint([u8; 32]);

impl FromStr for CertificateFingerprint {
    type Err = MalformedMobileIdentity;

    /// Parses pairs of hexadecimal digits, in either case, separated by colons.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = MalformedMobileIdentity(
            "the fingerprint must be the certificate's SHA-256: 32 colon-separated pairs of hexadecimal \
             digits",
        );
        let mut bytes = [0; 32];
        let mut pairs = text.split(':');
        for byte in &mut bytes {
            let pair = pairs.next().ok_or(malformed)?;
            let mut decoded = [0; 1];
            match base16ct::mixed::decode(pair, &mut decoded) {
                Ok([one]) => *byte = *one,
                _ => return Err(malformed),
            }
        }
        match pairs.next() {
            None => Ok(Self(bytes)),
            Some(_) => Err(malformed),
        }
    }
}

impl fmt::Display for CertificateFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, byte) in self.0.iter().enumerate() {
            let colon = if n == 0 { "" } else { ":" };
            write!(f, "{colon}{byte:02X}")?;
        }
        Ok(())
    }
}

/// An iOS app id: the ten characters of the team, a dot, and the bundle id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct IosAppId(String);

impl IosAppId {
    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IosAppId {
    type Err = MalformedMobileIdentity;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = MalformedMobileIdentity(
            "an iOS app is TEAM.BUNDLE: the team's ten capitals and digits, and the bundle's identifier, as \
             in ABCDE12345.com.example.shop",
        );
        let (team, bundle) = text.split_once('.').ok_or(malformed)?;
        let is_team = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit();
        let is_bundle = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
        let segments = bundle.split('.');
        let well_formed = team.len() == 10
            && team.bytes().all(is_team)
            && text.len() <= 255
            && segments
                .into_iter()
                .all(|part| !part.is_empty() && part.bytes().all(is_bundle));
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            Err(malformed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn android_package_has_two_segments_or_more() {
        for good in ["com.example", "com.example.shop_eu", "a.B2"] {
            assert!(good.parse::<AndroidPackage>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "com",
            "com.",
            ".a",
            "com.1a",
            "com.ex-ample",
            "com.ä",
            "com..a",
        ] {
            assert!(bad.parse::<AndroidPackage>().is_err(), "{bad}");
        }
    }

    #[test]
    fn fingerprint_is_written_in_capitals() {
        let upper = vec!["AB"; 32].join(":");
        for text in [upper.clone(), upper.to_lowercase()] {
            assert_eq!(
                text.parse::<CertificateFingerprint>().unwrap().to_string(),
                upper
            );
        }
        let short = vec!["AB"; 31].join(":");
        let long = vec!["AB"; 33].join(":");
        for bad in [
            "",
            &short,
            &long,
            &upper.replace(':', ""),
            &upper.replace('A', "G"),
        ] {
            assert!(bad.parse::<CertificateFingerprint>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ios_app_id_is_team_and_bundle() {
        for good in ["ABCDE12345.com.example.shop", "ABCDE12345.shop-eu"] {
            assert!(good.parse::<IosAppId>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "ABCDE12345",
            "ABCDE12345.",
            "abcde12345.a",
            "ABCDE1234.a",
            "ABCDE12345.a..b",
        ] {
            assert!(bad.parse::<IosAppId>().is_err(), "{bad}");
        }
    }
}
