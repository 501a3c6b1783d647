//! Words of the domain as command lines and the admin socket carry them: one text each.

mod login;
mod quota;

use std::fmt;
use std::str::FromStr;

use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::phone::Country;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(crate) use login::AndroidIdentity;
pub(crate) use quota::QuotaNumber;

/// A word of the domain that is read from a text and written as one.
pub(crate) trait Word: Sized {
    /// Reads the word; otherwise says what it should look like.
    fn read(text: &str) -> Result<Self, String>;

    /// Writes it so that it reads back.
    fn write(&self) -> String;
}

/// A [`Word`] that clap and serde can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written<T>(pub(crate) T);

impl<T: Word> FromStr for Written<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        T::read(text).map(Self)
    }
}

impl<T: Word> fmt::Display for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.write())
    }
}

impl<T: Word> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.write())
    }
}

impl<'de, T: Word> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::read(&text).map(Self).map_err(de::Error::custom)
    }
}

impl Word for AppId {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "an app's name is 1 to 40 lower-case letters, digits and inner hyphens, and begins \
             with a letter"
                .to_owned()
        })
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for ApiKeyId {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|_| {
            "a key is named by `key_` and 16 hexadecimal digits; `countersign key list APP` shows \
             them"
                .to_owned()
        })
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for CallbackUrl {
    fn read(text: &str) -> Result<Self, String> {
        Self::from_stored(text).map_err(|error| error.to_string())
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for CallbackOrigin {
    fn read(text: &str) -> Result<Self, String> {
        let url = CallbackUrl::read(text)?;
        let parts = url.as_url();
        if parts.path() == "/" && parts.query().is_none() {
            Ok(Self::of(&url))
        } else {
            Err("an origin is https://HOST or https://HOST:PORT, without a path".to_owned())
        }
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for MessageTemplate {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for CodePrefix {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| error.to_string())
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

/// One number of a sender pool: for everybody, or for the people of one country (`GB=+44…`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sender {
    /// Whose; `None` means everybody's.
    pub(crate) country: Option<Country>,
    /// The number.
    pub(crate) number: Recipient,
}

impl Word for Sender {
    fn read(text: &str) -> Result<Self, String> {
        let (country, number) = match text.split_once('=') {
            None => (None, text),
            Some((country, number)) => (
                Some(
                    country
                        .parse::<Country>()
                        .map_err(|error| error.to_string())?,
                ),
                number,
            ),
        };
        let number = number
            .parse::<Recipient>()
            .map_err(|error| error.to_string())?;
        Ok(Self { country, number })
    }

    fn write(&self) -> String {
        match self.country {
            None => self.number.to_string(),
            Some(country) => format!("{country}={}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back<T: Word>(text: &str) {
        assert_eq!(T::read(text).map(|word| word.write()).as_deref(), Ok(text));
    }

    #[test]
    fn every_word_reads_back() {
        reads_back::<AppId>("shop-eu");
        reads_back::<ApiKeyId>("key_0123456789abcdef");
        reads_back::<CallbackUrl>("https://shop.example/hook?a=b");
        reads_back::<CallbackOrigin>("https://shop.example:443");
        reads_back::<MessageTemplate>("Shop: {code}");
        reads_back::<CodePrefix>("SHOP");
        reads_back::<Sender>("+12025550199");
        reads_back::<Sender>("GB=+447700900001");
    }

    #[test]
    fn an_origin_has_no_path() {
        let read = |text| CallbackOrigin::read(text).map(|origin| origin.write());
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
    fn a_sender_names_its_country_in_two_letters() {
        assert_eq!(
            Sender::read("gb=+447700900001")
                .map(|s| s.write())
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
            assert!(Sender::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn json_that_is_no_word_is_refused() {
        assert!(serde_json::from_str::<Written<AppId>>("\"shop\"").is_ok());
        assert!(serde_json::from_str::<Written<AppId>>("\"Shop!\"").is_err());
        assert!(serde_json::from_str::<Written<AppId>>("7").is_err());
    }
}
