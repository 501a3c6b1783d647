//! Arguments about logins.

use std::fmt;
use std::str::FromStr;

use countersign_domain::app::login::{AndroidPackage, CertificateFingerprint, IosAppId};

use countersign_domain::login::{ClaimedUserId, KeyId};

use super::ArgumentValue;

impl ArgumentValue for ClaimedUserId {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for KeyId {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "an association key is named by 43 characters; `countersign app keys list APP USER` \
             shows them"
                .to_owned()
        })
    }

    fn to_argument(&self) -> String {
        self.to_string()
    }
}

impl ArgumentValue for IosAppId {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "an iOS app is TEAM.BUNDLE: the team's ten capitals and digits, and the bundle's \
             identifier, as in ABCDE12345.com.example.shop"
                .to_owned()
        })
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

/// An Android app and one of its certificates: `PACKAGE=FINGERPRINT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AndroidIdentity {
    /// The app's package name.
    pub(crate) package: AndroidPackage,
    /// The SHA-256 of the certificate.
    pub(crate) fingerprint: CertificateFingerprint,
}

impl FromStr for AndroidIdentity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (package, fingerprint) = text.split_once('=').ok_or(
            "an Android app is PACKAGE=FINGERPRINT, as in com.example.shop=AB:CD:… (32 pairs)",
        )?;
        Ok(Self {
            package: package.parse::<AndroidPackage>().map_err(|_| {
                "the package must look like com.example.shop: letters, digits and underscores, in \
                 at least two parts"
            })?,
            fingerprint: fingerprint.parse::<CertificateFingerprint>().map_err(|_| {
                "the fingerprint must be the certificate's SHA-256: 32 colon-separated pairs of \
                 hexadecimal digits"
            })?,
        })
    }
}

impl fmt::Display for AndroidIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.package.as_str(), self.fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::web::link_host::LinkHost;
    use countersign_domain::web::origin::WebOrigin;

    use super::*;

    #[test]
    fn login_arguments_round_trip() {
        fn round_trips<T: ArgumentValue>(text: &str) {
            assert_eq!(
                T::from_argument(text)
                    .map(|value| value.to_argument())
                    .as_deref(),
                Ok(text)
            );
        }
        let fingerprint = vec!["0F"; 32].join(":");
        round_trips::<LinkHost>("login.shop.example");
        round_trips::<LinkHost>("localhost:8787");
        round_trips::<WebOrigin>("https://shop.example:8443");
        round_trips::<ClaimedUserId>("zoë@example.com");
        round_trips::<KeyId>(&"A".repeat(43));
        round_trips::<IosAppId>("ABCDE12345.com.example.shop");
        round_trips::<AndroidIdentity>(&format!("com.example.shop={fingerprint}"));
    }

    #[test]
    fn malformed_android_app_is_refused_with_advice() {
        let fingerprint = vec!["0f"; 32].join(":");
        for (text, about) in [
            ("com.example.shop".to_owned(), "PACKAGE=FINGERPRINT"),
            (format!("shop={fingerprint}"), "package"),
            ("com.example.shop=0f".to_owned(), "fingerprint"),
            (format!("com.example.shop={fingerprint}:0f"), "fingerprint"),
        ] {
            let error = text.parse::<AndroidIdentity>().unwrap_err();
            assert!(error.contains(about), "{text}: {error}");
        }
    }
}
