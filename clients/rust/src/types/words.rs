//! Values of which there are a few.

/// Defines an enum of the API's words. A word of a later version is `Other`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about])* $variant,)+
            /// A word that this version does not know. It is empty if the service did not send one.
            Other(String),
        }

        impl $name {
            /// Returns the API's word.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($word => Self::$variant,)+
                    _ => Self::Other(word),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from).map(Self::from)
            }
        }
    };
}

words! {
    /// The status of a confirmation.
    ConfirmationStatus {
        /// It waits for a text.
        Open = "open",
        /// The text arrived.
        Verified = "verified",
        /// No text arrived in time.
        Expired = "expired",
        /// The owner cancelled it.
        Cancelled = "cancelled",
    }
}
words! {
    /// The kind of confirmation: of a number that the text tells, or of a known one.
    ConfirmationFlow {
        /// The text says the number.
        Acquisition = "acquisition",
        /// The number was known.
        Confirmation = "confirmation",
    }
}
words! {
    /// Why a text did not complete its confirmation.
    LastMissReason {
        /// It came after the end.
        Late = "late",
        /// Its sender was hidden.
        NumberHidden = "number_hidden",
        /// The type of its number is refused.
        NumberTypeRefused = "number_type_refused",
        /// It went to another number.
        WrongRecipient = "wrong_recipient",
        /// It came from another number.
        WrongSender = "wrong_sender",
    }
}
words! {
    /// The channel by which a text came.
    ResultChannel {
        /// Over a mobile network, from a subscriber's number.
        Sms = "sms",
        /// The same, received by the operator's own modem.
        Modem = "modem",
        /// From an account on WhatsApp, which proves no SIM.
        Whatsapp = "whatsapp",
        /// From a test, with a test key.
        Simulated = "simulated",
    }
}
words! {
    /// The type of a number by the numbering plan of its country.
    ResultNumberType {
        /// Costs extra.
        PremiumRate = "premium_rate",
        /// Costs the caller nothing.
        TollFree = "toll_free",
        /// Caller and owner share the cost.
        SharedCost = "shared_cost",
        /// A service over the internet.
        Voip = "voip",
        /// A number that follows a person.
        Personal = "personal",
        /// A pager.
        Pager = "pager",
        /// A number of a company for all its places.
        Uan = "uan",
        /// A voicemail.
        Voicemail = "voicemail",
        /// A fixed line.
        FixedLine = "fixed_line",
        /// A mobile phone.
        Mobile = "mobile",
        /// Either, where the country gives both the same numbers.
        FixedLineOrMobile = "fixed_line_or_mobile",
    }
}
words! {
    /// The status of a delivery.
    DeliveryStatus {
        /// Further attempts are made.
        Pending = "pending",
        /// The receiver accepted the webhook.
        Delivered = "delivered",
        /// No more attempts are made.
        Failed = "failed",
    }
}
words! {
    /// The outcome of an attempt.
    AttemptOutcome {
        /// The receiver answered 2xx.
        Succeeded = "succeeded",
        /// It did not.
        Failed = "failed",
    }
}
words! {
    /// Why an attempt got no answer.
    AttemptFailure {
        /// The URL names an address that no webhook may go to.
        AddressRefused = "address_refused",
        /// The name leads to such an address.
        DnsAddressRefused = "dns_address_refused",
        /// The name has no address.
        NameNotResolved = "name_not_resolved",
        /// There was no connection.
        ConnectFailed = "connect_failed",
        /// There was no encryption.
        TlsFailed = "tls_failed",
        /// The answer took too long.
        TimedOut = "timed_out",
        /// The answer was not HTTP.
        ProtocolError = "protocol_error",
        /// The receiver failed a moment ago.
        ReceiverDown = "receiver_down",
        /// The service could not sign.
        SigningFailed = "signing_failed",
    }
}
words! {
    /// The status of a login.
    LoginState {
        /// The code is on the screen.
        Created = "created",
        /// A phone opened it.
        Scanned = "scanned",
        /// The person confirmed.
        Confirmed = "confirmed",
        /// The browser has redeemed the payload.
        Consumed = "consumed",
        /// The person denied.
        Denied = "denied",
        /// The service stopped it.
        Blocked = "blocked",
        /// The time is over.
        Expired = "expired",
        /// The browser or the app's server ended it.
        Cancelled = "cancelled",
    }
}
words! {
    /// The decision about a login.
    LoginResult {
        /// The person confirmed.
        Confirmed = "confirmed",
        /// The person, or the phone itself, denied.
        Denied = "denied",
    }
}
words! {
    /// Why a phone itself denied a login.
    LoginDenyReason {
        /// The id does not fit the service's answer.
        KeyMismatch = "key_mismatch",
    }
}
