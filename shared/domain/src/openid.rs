//! The `OpenID` provider: apps that already have accounts use it to log people in with a phone number.
//!
//! It offers the authorization code flow only (`OpenID` Connect Core, section 3.1), and keeps no session: each request
//! needs a new proof. Until the person has given it, nothing is stored. The page carries the [sealed
//! request](sealed), and a text is bound to it by the code that the request and the browser's cookie determine.

pub mod access_token;
pub mod answer;
pub mod code;
pub mod grant;
pub mod id_token;
pub mod key_schedule;
pub mod parameters;
pub mod pkce;
pub mod request;
pub mod sealed;
pub mod secret;
pub mod subject;

use serde::{Deserialize, Serialize};

/// The way in which a person proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A text over a mobile network: proves possession of a SIM.
    Text,
    /// A text on `WhatsApp`: proves possession of an account.
    #[serde(rename = "whatsapp")]
    WhatsApp,
    /// A signature with a registered key of the app's phone.
    Key,
}

impl Method {
    /// Returns the claim `acr`.
    #[must_use]
    pub const fn acr(self) -> &'static str {
        match self {
            Self::Text => "urn:countersign:text",
            Self::WhatsApp => "urn:countersign:whatsapp",
            Self::Key => "urn:countersign:key",
        }
    }

    /// Returns the claim `amr` (RFC 8176). There is no registered value for messengers.
    #[must_use]
    pub const fn amr(self) -> &'static str {
        match self {
            Self::Text => "sms",
            Self::WhatsApp => "whatsapp",
            Self::Key => "swk",
        }
    }
}
