//! The API's enumerated values.

/// Defines an enum of API values. A value of a later version is `Other`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about])* $variant,)+
            /// A value that this version does not know. It is empty if the service sent no value.
            Other(String),
        }

        impl $name {
            /// Returns the API's value.
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
        /// The confirmation is waiting for a text.
        Open = "open",
        /// The text arrived.
        Verified = "verified",
        /// No text arrived in time.
        Expired = "expired",
        /// The owner cancelled the confirmation.
        Cancelled = "cancelled",
    }
}
words! {
    /// The kind of confirmation: of a number that the text reveals, or of a known one.
    ConfirmationFlow {
        /// The text's sender reveals the number.
        Acquisition = "acquisition",
        /// The number was already known.
        Confirmation = "confirmation",
    }
}
words! {
    /// Why a text did not complete its confirmation.
    LastMissReason {
        /// The text arrived after the end.
        Late = "late",
        /// The text's sender was hidden.
        NumberHidden = "number_hidden",
        /// The app refuses numbers of the sender's type.
        NumberTypeRefused = "number_type_refused",
        /// The text went to a different number.
        WrongRecipient = "wrong_recipient",
        /// The text came from a different number.
        WrongSender = "wrong_sender",
    }
}
words! {
    /// Where the private half of an association key is.
    AssociationKeyKind {
        /// In an app on the phone.
        App = "app",
        /// In the storage of the phone's browser, where the web authenticator keeps it.
        Browser = "browser",
        /// In the phone's passkeys, which sign proofs in a form of their own.
        Passkey = "passkey",
    }
}
words! {
    /// The channel through which a text arrived.
    ResultChannel {
        /// Over a mobile network, from a subscriber's number.
        Sms = "sms",
        /// Like `Sms`, but received by the operator's own modem.
        Modem = "modem",
        /// From a WhatsApp account, which does not prove a SIM.
        Whatsapp = "whatsapp",
        /// Simulated with a test key.
        Simulated = "simulated",
    }
}
words! {
    /// The type of a number according to its country's numbering plan.
    ResultNumberType {
        /// Calls cost extra.
        PremiumRate = "premium_rate",
        /// Calls are free for the caller.
        TollFree = "toll_free",
        /// Caller and owner share the cost of calls.
        SharedCost = "shared_cost",
        /// A service over the internet.
        Voip = "voip",
        /// A personal number, which follows its owner.
        Personal = "personal",
        /// A pager.
        Pager = "pager",
        /// A company-wide number (UAN).
        Uan = "uan",
        /// A voicemail.
        Voicemail = "voicemail",
        /// A fixed line.
        FixedLine = "fixed_line",
        /// A mobile phone.
        Mobile = "mobile",
        /// Either a fixed line or a mobile phone, in countries where both share number ranges.
        FixedLineOrMobile = "fixed_line_or_mobile",
    }
}
words! {
    /// The status of a delivery.
    DeliveryStatus {
        /// Further attempts will be made.
        Pending = "pending",
        /// The receiver accepted the webhook.
        Delivered = "delivered",
        /// No further attempts will be made.
        Failed = "failed",
    }
}
words! {
    /// The outcome of an attempt.
    AttemptOutcome {
        /// The receiver answered 2xx.
        Succeeded = "succeeded",
        /// The receiver did not answer 2xx.
        Failed = "failed",
    }
}
words! {
    /// Why an attempt got no answer.
    AttemptFailure {
        /// The URL contains an address to which no webhook may go.
        AddressRefused = "address_refused",
        /// The name resolves to such an address.
        DnsAddressRefused = "dns_address_refused",
        /// The name does not resolve.
        NameNotResolved = "name_not_resolved",
        /// The connection failed.
        ConnectFailed = "connect_failed",
        /// The TLS handshake failed.
        TlsFailed = "tls_failed",
        /// The answer took too long.
        TimedOut = "timed_out",
        /// The answer was not HTTP.
        ProtocolError = "protocol_error",
        /// The receiver failed a moment ago, so no attempt was made.
        ReceiverDown = "receiver_down",
        /// The service could not sign the webhook.
        SigningFailed = "signing_failed",
    }
}
words! {
    /// The status of a login.
    LoginState {
        /// The code is shown on the screen.
        Created = "created",
        /// A phone opened the login.
        Scanned = "scanned",
        /// The user confirmed the login.
        Confirmed = "confirmed",
        /// The browser has redeemed the payload.
        Consumed = "consumed",
        /// The user denied the login.
        Denied = "denied",
        /// The service blocked the login.
        Blocked = "blocked",
        /// The login expired.
        Expired = "expired",
        /// The browser or the app's server cancelled the login.
        Cancelled = "cancelled",
    }
}
words! {
    /// The decision about a login.
    LoginResult {
        /// The user confirmed the login.
        Confirmed = "confirmed",
        /// The user, or the phone itself, denied the login.
        Denied = "denied",
    }
}
words! {
    /// Why a phone itself denied a login.
    LoginDenyReason {
        /// The id does not match the service's answer.
        KeyMismatch = "key_mismatch",
    }
}
words! {
    /// The state of a phone registration.
    PhoneRegistrationState {
        /// No phone has opened the link.
        Created = "created",
        /// A phone has opened the link.
        Opened = "opened",
        /// The phone shows the digits.
        Signed = "signed",
        /// The phone's key is registered.
        Completed = "completed",
        /// It ended without a key.
        Failed = "failed",
        /// Its time is over.
        Expired = "expired",
    }
}
words! {
    /// Why a phone registration failed.
    PhoneRegistrationFailure {
        /// The third wrong pair of digits was typed.
        WrongDigits = "wrong_digits",
        /// The app's server, the page or the phone cancelled it.
        Cancelled = "cancelled",
        /// The key was registered or revoked meanwhile, or there are too many keys.
        KeyRefused = "key_refused",
    }
}
