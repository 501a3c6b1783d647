//! Values on command lines and in messages over the admin socket: one text each.

mod login;
mod quota;

use std::fmt;
use std::str::FromStr;

use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::phone::Country;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(crate) use login::AndroidIdentity;
pub(crate) use quota::QuotaNumber;

/// A value that operators write as one text.
pub(crate) trait ArgumentValue: Sized {
    /// Parses the text. The error tells operators what it should look like.
    fn from_argument(text: &str) -> Result<Self, String>;

    /// Returns the text that parses to this value.
    fn to_argument(&self) -> String;
}

/// An [`ArgumentValue`] for clap and serde.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument<T>(pub(crate) T);

impl<T: ArgumentValue> FromStr for Argument<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        T::from_argument(text).map(Self)
    }
}

impl<T: ArgumentValue> fmt::Display for Argument<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_argument())
    }
}

impl<T: ArgumentValue> Serialize for Argument<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: ArgumentValue> Deserialize<'de> for Argument<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Implements [`ArgumentValue`] by `FromStr` and `Display`.
macro_rules! plain_arguments {
    ($($value:ty),+) => {$(
        impl ArgumentValue for $value {
            fn from_argument(text: &str) -> Result<Self, String> {
                text.parse::<Self>().map_err(|error| error.to_string())
            }

            fn to_argument(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

plain_arguments!(
    CodePrefix,
    LinkHost,
    WebOrigin,
    Sender,
    AndroidIdentity,
    QuotaNumber,
    WhatsAppNumber
);

impl ArgumentValue for AppId {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "an app's name is 1 to 40 lower-case letters, digits and inner hyphens, and begins \
             with a letter"
                .to_owned()
        })
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for ApiKeyId {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "a key is named by `key_` and 16 hexadecimal digits; `countersign key list APP` shows \
             them"
                .to_owned()
        })
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for CallbackUrl {
    fn from_argument(text: &str) -> Result<Self, String> {
        Self::from_stored(text).map_err(|error| error.to_string())
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for PayloadEncryption {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for CallbackOrigin {
    fn from_argument(text: &str) -> Result<Self, String> {
        let url = CallbackUrl::from_argument(text)?;
        let parts = url.as_url();
        if parts.path() == "/" && parts.query().is_none() {
            Ok(Self::of(&url))
        } else {
            Err("an origin is https://HOST or https://HOST:PORT, without a path".to_owned())
        }
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ArgumentValue for MessageTemplate {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn to_argument(&self) -> String {
        self.as_str().to_owned()
    }
}

/// A number of a sender pool: for every country (`+44…`), or for one (`GB=+44…`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sender {
    /// The country of the people who send to it; `None` means every country.
    pub(crate) country: Option<Country>,
    /// The number that receives their texts.
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
        let number = number.parse::<Recipient>();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips<T: ArgumentValue>(text: &str) {
        assert_eq!(
            T::from_argument(text)
                .map(|value| value.to_argument())
                .as_deref(),
            Ok(text)
        );
    }

    #[test]
    fn every_argument_round_trips() {
        round_trips::<AppId>("shop-eu");
        round_trips::<ApiKeyId>("key_0123456789abcdef");
        round_trips::<CallbackUrl>("https://shop.example/hook?a=b");
        round_trips::<CallbackOrigin>("https://shop.example:443");
        round_trips::<MessageTemplate>("Shop: {code}");
        round_trips::<CodePrefix>("SHOP");
        round_trips::<Sender>("+12025550199");
        round_trips::<Sender>("GB=+447700900001");
    }

    #[test]
    fn origin_with_a_path_is_refused() {
        let read = |text| CallbackOrigin::from_argument(text).map(|origin| origin.to_argument());
        assert_eq!(
            read("https://Shop.example").as_deref(),
            Ok("https://shop.example:443")
        );
        assert_eq!(
            read("https://shop.example/").as_deref(),
            Ok("https://shop.example:443")
        );
        assert!(read("https://shop.example/hook").is_err());
        assert!(read("https://shop.example?a").is_err());
        assert!(read("shop.example").is_err());
    }

    #[test]
    fn sender_country_has_two_letters() {
        assert_eq!(
            "gb=+447700900001"
                .parse::<Sender>()
                .map(|sender| sender.to_string())
                .as_deref(),
            Ok("GB=+447700900001")
        );
        for bad in [
            "",
            "GBR=+447700900001",
            "=+447700900001",
            "GB=",
            "GB=ACME",
            "+44 7700",
        ] {
            assert!(bad.parse::<Sender>().is_err(), "{bad}");
        }
    }

    #[test]
    fn malformed_json_argument_is_refused() {
        assert!(serde_json::from_str::<Argument<AppId>>("\"shop\"").is_ok());
        assert!(serde_json::from_str::<Argument<AppId>>("\"Shop!\"").is_err());
        assert!(serde_json::from_str::<Argument<AppId>>("7").is_err());
    }
}
