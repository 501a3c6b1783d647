//! Values that are a single string on the command line and in messages over the admin socket.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::client_secret::ClientSecretId;
use countersign_domain::app::login::{AndroidPackage, CertificateFingerprint};
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::template::{MessageTemplate, TemplateLanguage};
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::phone::{Country, PhoneNumber, PhoneNumberError};
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde_with::{DeserializeFromStr, SerializeDisplay};

/// Parses the id of an API key.
pub(super) fn api_key_id(text: &str) -> Result<ApiKeyId, &'static str> {
    text.parse().map_err(|_| {
        "a key is named by `key_` and 16 hexadecimal digits; `countersign key list APP` shows them"
    })
}

/// Parses the id of a client secret.
pub(super) fn client_secret_id(text: &str) -> Result<ClientSecretId, &'static str> {
    text.parse().map_err(|_| {
        "a client secret is named by `sec_` and 16 hexadecimal digits; `countersign openid list-secrets APP` shows them"
    })
}

/// Parses the id of an association key.
pub(super) fn association_key_id(text: &str) -> Result<KeyId, &'static str> {
    text.parse().map_err(|_| {
        "an association key is named by 43 characters; `countersign app keys list APP --user USER` shows them"
    })
}

/// Parses a callback URL; the deployment may still refuse it.
pub(super) fn callback_url(text: &str) -> Result<CallbackUrl, String> {
    CallbackUrl::from_stored(text).map_err(|error| error.to_string())
}

/// Parses the origin of callback URLs.
pub(super) fn callback_origin(text: &str) -> Result<CallbackOrigin, String> {
    let url = callback_url(text)?;
    let parts = url.as_url();
    if parts.path() == "/" && parts.query().is_none() {
        Ok(CallbackOrigin::from_url(&url))
    } else {
        Err("an origin is https://HOST or https://HOST:PORT, without a path".to_owned())
    }
}

/// Parses a WhatsApp number in any common notation.
pub(super) fn whatsapp_number(text: &str) -> Result<WhatsAppNumber, String> {
    let number = PhoneNumber::parse_international(text).map_err(|error| error.to_string())?;
    let number = number.as_str().parse::<WhatsAppNumber>();
    number.map_err(|error| error.to_string())
}

/// A number of a sender pool: for every country (`+44…`), or for one (`GB=+44…`).
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct Sender {
    /// The country of the users who text this number; `None` means every country.
    pub(crate) country: Option<Country>,
    /// The number that receives the texts.
    pub(crate) number: Recipient,
}

impl FromStr for Sender {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (country, number) = match text.split_once('=') {
            None => (None, text),
            Some((country, number)) => {
                let country = country.parse::<Country>();
                (Some(country.map_err(|error| error.to_string())?), number)
            }
        };
        let number = match PhoneNumber::parse_international(number) {
            Ok(number) => number.as_str().parse::<Recipient>(),
            // A number that cannot exist would receive nothing.
            Err(error @ PhoneNumberError::NotPossible) => return Err(error.to_string()),
            Err(_) => number.parse::<Recipient>(),
        };
        Ok(Self {
            country,
            number: number.map_err(|error| error.to_string())?,
        })
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.country {
            None => self.number.fmt(f),
            Some(country) => write!(f, "{country}={}", self.number),
        }
    }
}

/// A message template for one language: `de=Anmeldung: {code}`.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct TemplateInLanguage {
    pub(crate) language: TemplateLanguage,
    pub(crate) template: MessageTemplate,
}

impl FromStr for TemplateInLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (language, template) = text.split_once('=').ok_or(
            "a template for a language is LANGUAGE=TEMPLATE, such as de=Anmeldung: {code}",
        )?;
        let language = language.parse::<TemplateLanguage>();
        let template = template.parse::<MessageTemplate>();
        Ok(Self {
            language: language.map_err(|error| error.to_string())?,
            template: template.map_err(|error| error.to_string())?,
        })
    }
}

impl fmt::Display for TemplateInLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.language, self.template.as_str())
    }
}

/// An Android app and one of its certificates: `PACKAGE=FINGERPRINT`.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
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
        let package = package.parse::<AndroidPackage>();
        let fingerprint = fingerprint.parse::<CertificateFingerprint>();
        Ok(Self {
            package: package.map_err(|error| error.to_string())?,
            fingerprint: fingerprint.map_err(|error| error.to_string())?,
        })
    }
}

impl fmt::Display for AndroidIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.package.as_str(), self.fingerprint)
    }
}

/// A limit of a quota; `None` means the default for apps without this setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct QuotaNumber(pub(crate) Option<NonZeroU32>);

impl FromStr for QuotaNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "default" {
            return Ok(Self(None));
        }
        let number = text.parse().map(|number| Self(Some(number)));
        number.map_err(|_| format!("must be a number from 1 to {}, or `default`", u32::MAX))
    }
}

impl fmt::Display for QuotaNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("default"),
            Some(number) => number.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips<T: FromStr + fmt::Display>(text: &str) {
        let parsed = text.parse::<T>().ok();
        let written = parsed.map(|value| value.to_string());
        assert_eq!(written.as_deref(), Some(text));
    }

    #[test]
    fn values_round_trip() {
        round_trips::<Sender>("+12025550199");
        round_trips::<Sender>("GB=+447700900001");
        let fingerprint = vec!["0F"; 32].join(":");
        round_trips::<AndroidIdentity>(&format!("com.example.shop={fingerprint}"));
        for number in ["1", "4294967295", "default"] {
            round_trips::<QuotaNumber>(number);
        }
    }

    #[test]
    fn origin_with_a_path_is_refused() {
        let shop = Ok("https://shop.example:443".to_owned());
        let read = |text| callback_origin(text).map(|origin| origin.to_string());
        assert_eq!(read("https://Shop.example"), shop);
        assert_eq!(read("https://shop.example/"), shop);
        assert!(read("https://shop.example/hook").is_err());
        assert!(read("https://shop.example?a").is_err());
        assert!(read("shop.example").is_err());
    }

    #[test]
    fn sender_country_has_two_letters() {
        let read = "gb=+447700900001".parse::<Sender>();
        let read = read.map(|sender| sender.to_string());
        assert_eq!(read.as_deref(), Ok("GB=+447700900001"));
        for bad in [
            "",
            "GBR=+447700900001",
            "=+447700900001",
            "GB=",
            "GB=ACME",
            "+44 7700",
            "+4477009000",
            "XX=+447700900001",
        ] {
            assert!(bad.parse::<Sender>().is_err(), "{bad}");
        }
        for (mistake, meant) in [("UK", "GB"), ("EN", "GB"), ("EL", "GR"), ("USA", "US")] {
            let refused = format!("{mistake}=+447700900001").parse::<Sender>();
            let said = refused.unwrap_err();
            assert!(said.contains(&format!("did you mean {meant}?")), "{said}");
        }
        let pasted = "GB=\u{202a}+44 7700 900001\u{202c}".parse::<Sender>();
        let pasted = pasted.map(|sender| sender.to_string());
        assert_eq!(pasted.as_deref(), Ok("GB=+447700900001"));
        assert!("12345".parse::<Sender>().is_ok());
    }

    #[test]
    fn number_on_whatsapp_can_exist() {
        let read = |text| whatsapp_number(text).map(|number| number.to_string());
        assert_eq!(read("+1 202 555 0177").as_deref(), Ok("+12025550177"));
        for bad in ["12025550177", "+1 202", "ACME", ""] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn template_is_for_a_language() {
        let read = |text: &str| {
            text.parse::<TemplateInLanguage>()
                .map(|one| one.to_string())
        };
        assert_eq!(read("deu=Code: {code}").as_deref(), Ok("de=Code: {code}"));
        let refused = read("jp={code}").unwrap_err();
        assert!(refused.contains("did you mean ja?"), "{refused}");
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

    #[test]
    fn quota_is_a_positive_number() {
        for bad in ["", "0", "-1", "1.5", "4294967296", "many"] {
            assert!(bad.parse::<QuotaNumber>().is_err(), "{bad}");
        }
    }
}
