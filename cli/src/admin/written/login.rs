//! Words about logins.

use countersign_domain::app::login::{AndroidPackage, CertificateFingerprint, IosAppId};
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;

use super::Word;

impl Word for LinkHost {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Word for WebOrigin {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Word for IosAppId {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "an iOS app is TEAM.BUNDLE: the team's ten capitals and digits, and the bundle's \
             identifier, as in ABCDE12345.com.example.shop"
                .to_owned()
        })
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

/// An Android app and one certificate that it is signed with: `PACKAGE=FINGERPRINT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AndroidIdentity {
    /// The app.
    pub(crate) package: AndroidPackage,
    /// The certificate.
    pub(crate) fingerprint: CertificateFingerprint,
}

impl Word for AndroidIdentity {
    fn read(text: &str) -> Result<Self, String> {
        let (package, fingerprint) = text.split_once('=').ok_or(
            "an Android app is PACKAGE=FINGERPRINT, as in com.example.shop=AB:CD:… (32 pairs)",
        )?;
        Ok(Self {
            package: package.parse::<AndroidPackage>().map_err(|_| {
                "the package is not of the form com.example.shop: letters, digits and underscores, \
                 in two parts at least"
            })?,
            fingerprint: fingerprint.parse::<CertificateFingerprint>().map_err(|_| {
                "the fingerprint is SHA-256 of the certificate: 32 pairs of hexadecimal digits with \
                 colons in between"
            })?,
        })
    }

    fn write(&self) -> String {
        format!("{}={}", self.package.as_str(), self.fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_logins_read_back() {
        fn reads_back<T: Word>(text: &str) {
            assert_eq!(T::read(text).map(|word| word.write()).as_deref(), Ok(text));
        }
        let fingerprint = vec!["0F"; 32].join(":");
        reads_back::<LinkHost>("login.shop.example");
        reads_back::<LinkHost>("localhost:8787");
        reads_back::<WebOrigin>("https://shop.example:8443");
        reads_back::<IosAppId>("ABCDE12345.com.example.shop");
        reads_back::<AndroidIdentity>(&format!("com.example.shop={fingerprint}"));
    }

    #[test]
    fn what_is_wrong_with_an_android_app_is_said() {
        let fingerprint = vec!["0f"; 32].join(":");
        for (text, about) in [
            ("com.example.shop".to_owned(), "PACKAGE=FINGERPRINT"),
            (format!("shop={fingerprint}"), "package"),
            ("com.example.shop=0f".to_owned(), "fingerprint"),
            (format!("com.example.shop={fingerprint}:0f"), "fingerprint"),
        ] {
            let error = AndroidIdentity::read(&text).unwrap_err();
            assert!(error.contains(about), "{text}: {error}");
        }
    }
}
