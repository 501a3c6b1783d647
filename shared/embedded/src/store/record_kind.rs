//! The kinds of records.

use std::fmt;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordKind {
    /// A confirmation.
    Confirmation,
    /// A login.
    Login,
    /// The recent denials of logins from an address.
    Denials,
    /// The history of a person's logins.
    Person,
    /// An app.
    App,
    /// An API key.
    ApiKey,
    /// An association key, or its tombstone.
    AssociationKey,
    /// A nonce that a provider used.
    Nonce,
    /// Parts of a text.
    Text,
    /// The profile: every prefix and number that any app ever had.
    Profile,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Confirmation,
        Self::Login,
        Self::Denials,
        Self::Person,
        Self::App,
        Self::ApiKey,
        Self::AssociationKey,
        Self::Nonce,
        Self::Text,
        Self::Profile,
    ];

    /// Returns the number of the kind in backups, which never changes.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Confirmation => 1,
            Self::Login => 2,
            Self::Denials => 3,
            Self::Person => 4,
            Self::App => 5,
            Self::ApiKey => 6,
            Self::Profile => 7,
            Self::AssociationKey => 8,
            Self::Nonce => 9,
            Self::Text => 10,
        }
    }

    /// Returns the kind with a number, or `None` if there is none.
    #[must_use]
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmation => "confirmations",
            Self::Login => "logins",
            Self::Denials => "denials",
            Self::Person => "login histories",
            Self::App => "apps",
            Self::ApiKey => "API keys",
            Self::AssociationKey => "association keys",
            Self::Nonce => "nonces",
            Self::Text => "parts of texts",
            Self::Profile => "profiles",
        })
    }
}
