//! Facts about each provider, for the commands.

use crate::admin::command::ProviderChange;
use crate::args::ProviderName;
use crate::failure::Failure;

/// Facts about a provider.
#[derive(Debug)]
pub(super) struct Kind {
    /// The name in the route and in the settings.
    pub(super) name: &'static str,
    /// The section of `docs/providers.md`.
    pub(super) anchor: &'static str,
    /// The members of the settings that hold secrets or keys; a new one goes into the first, unless
    /// an option says otherwise.
    pub(super) secrets: &'static [&'static str],
    /// The provider's name for its secret.
    pub(super) secret: &'static str,
    /// Another value near the secret in its console: how it begins, how many characters it
    /// has, and what it is.
    mistaken_for: &'static [(&'static str, usize, &'static str)],
    /// The options that it needs, by their members.
    pub(super) options: &'static [&'static str],
    /// True if it signs the public URL.
    pub(super) signs_url: bool,
    /// True if only the provider can sign.
    pub(super) signs_alone: bool,
    /// True if it has no settings: a deployment on AWS has its topic and function.
    on_aws_alone: bool,
    /// Steps in its console.
    pub(super) steps: &'static str,
}

const PLAIN: Kind = Kind {
    name: "",
    anchor: "",
    secrets: &["secrets"],
    secret: "signature secret",
    mistaken_for: &[],
    options: &[],
    signs_url: false,
    signs_alone: false,
    on_aws_alone: false,
    steps: "",
};

static KINDS: [Kind; 14] = [
    Kind {
        name: "generic",
        anchor: "generic",
        steps: include_str!("steps/generic.txt"),
        ..PLAIN
    },
    Kind {
        name: "twilio",
        anchor: "twilio",
        secrets: &["authTokens", "sharedKeys"],
        secret: "auth token",
        mistaken_for: &[
            ("AC", 34, "an account SID"),
            ("SK", 34, "the SID of an API key"),
            ("MG", 34, "the SID of a messaging service"),
            ("PN", 34, "the SID of a phone number"),
        ],
        signs_url: true,
        steps: include_str!("steps/twilio.txt"),
        ..PLAIN
    },
    Kind {
        name: "vonage-sms",
        anchor: "vonage-sms",
        mistaken_for: &[("", 8, "an API key")],
        options: &["algorithm"],
        steps: include_str!("steps/vonage-sms.txt"),
        ..PLAIN
    },
    Kind {
        name: "vonage-messages",
        anchor: "vonage-messages",
        mistaken_for: &[("", 8, "an API key"), ("", 36, "the id of an application")],
        steps: include_str!("steps/vonage-messages.txt"),
        ..PLAIN
    },
    Kind {
        name: "telnyx",
        anchor: "telnyx",
        secrets: &["publicKeys"],
        secret: "public key",
        mistaken_for: &[("KEY", 58, "an API key")],
        signs_alone: true,
        steps: include_str!("steps/telnyx.txt"),
        ..PLAIN
    },
    Kind {
        name: "plivo",
        anchor: "plivo",
        secrets: &["authTokens"],
        secret: "auth token",
        mistaken_for: &[
            ("MA", 20, "an auth ID"),
            ("SA", 20, "the auth ID of a subaccount"),
        ],
        options: &["signature"],
        signs_url: true,
        steps: include_str!("steps/plivo.txt"),
        ..PLAIN
    },
    Kind {
        name: "sinch",
        anchor: "sinch",
        secret: "webhook secret",
        steps: include_str!("steps/sinch.txt"),
        ..PLAIN
    },
    Kind {
        name: "sinch-conversation",
        anchor: "sinch-conversation-api",
        secret: "webhook secret",
        steps: include_str!("steps/sinch-conversation.txt"),
        ..PLAIN
    },
    Kind {
        name: "sms-gate",
        anchor: "sms-gateway-for-android",
        secret: "signing key",
        options: &["number", "country"],
        steps: include_str!("steps/sms-gate.txt"),
        ..PLAIN
    },
    Kind {
        name: "infobip",
        anchor: "infobip",
        secrets: &["credentials", "secrets"],
        secret: "NAME:PASSWORD",
        steps: include_str!("steps/infobip.txt"),
        ..PLAIN
    },
    Kind {
        name: "bandwidth",
        anchor: "bandwidth",
        secrets: &["credentials"],
        secret: "NAME:PASSWORD",
        steps: include_str!("steps/bandwidth.txt"),
        ..PLAIN
    },
    Kind {
        name: "sns",
        anchor: "aws-end-user-messaging-over-https",
        secrets: &[],
        secret: "",
        options: &["topic", "signatureVersion"],
        signs_alone: true,
        steps: include_str!("steps/sns.txt"),
        ..PLAIN
    },
    Kind {
        name: "end-user-messaging",
        anchor: "aws-end-user-messaging-with-a-function",
        secrets: &[],
        secret: "",
        signs_alone: true,
        on_aws_alone: true,
        steps: include_str!("steps/end-user-messaging.txt"),
        ..PLAIN
    },
    Kind {
        name: "whatsapp",
        anchor: "whatsapp",
        secrets: &["appSecrets"],
        secret: "app secret",
        steps: include_str!("steps/whatsapp.txt"),
        ..PLAIN
    },
];

impl Kind {
    /// Returns what is known of a provider.
    pub(super) fn of(name: ProviderName) -> &'static Self {
        let found = KINDS.iter().find(|kind| kind.name == name.0);
        // Tests know that every name has a kind.
        found.unwrap_or(&KINDS[0])
    }

    /// Returns the record of a change of the provider's settings.
    pub(super) fn change(&self, removed: bool) -> ProviderChange {
        ProviderChange {
            provider: self.name.to_owned(),
            removed,
        }
    }

    /// Returns whether this is the function for a topic, which a deployment on AWS has without settings.
    pub(super) const fn is_on_aws_alone(&self) -> bool {
        self.on_aws_alone
    }

    /// Refuses what cannot be the provider's secret.
    ///
    /// # Errors
    ///
    /// Fails with what it is instead, without showing it.
    pub(super) fn check_secret(&self, secret: &str) -> Result<(), Failure> {
        let quotes = [
            '"', '\'', '`', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}',
        ];
        let is_plain = secret
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'-');
        let mut known = self.mistaken_for.iter();
        let mistaken = known.find(|(beginning, length, _)| {
            is_plain && secret.starts_with(beginning) && secret.len() == *length
        });
        let (name, wanted) = (self.name, self.secret);
        if secret.starts_with(quotes) || secret.ends_with(quotes) {
            Err(Failure::new(format!(
                "the {wanted} of {name} has no quotes around it"
            )))
        } else if let Some((_, _, what)) = mistaken {
            Err(Failure::new(format!(
                "this is {what}, and not the {wanted} of {name}: `countersign provider show {name}` \
                 says where to find it"
            )))
        } else {
            Ok(())
        }
    }

    /// Returns whether a text comes without its sender's carrier.
    pub(super) fn names_no_carrier(&self) -> bool {
        // Sinch sends the network's code, and the generic provider's sender may say the name.
        !["generic", "sinch", "telnyx"].contains(&self.name)
    }

    /// Returns whether this is an app on a phone: its secret is made up here, and its steps are shown at once.
    pub(super) fn is_phone(&self) -> bool {
        self.name == "sms-gate"
    }

    /// Returns whether this is the generic provider, whose secrets are generated. In a data directory they
    /// have a file of their own.
    pub(super) fn is_generic(&self) -> bool {
        self.name == "generic"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::PROVIDER_NAMES;

    #[test]
    fn what_cannot_be_a_secret_is_refused_unseen() {
        for (name, mistake, what) in [
            (
                "twilio",
                "AC0123456789abcdef0123456789abcdef",
                "an account SID",
            ),
            ("twilio", "SK0123456789abcdef0123456789abcdef", "an API key"),
            ("twilio", "\"0123456789abcdef0123456789abcdef\"", "quotes"),
            ("twilio", "'0123456789abcdef", "quotes"),
            ("sinch", "“0123456789abcdef”", "quotes"),
            ("plivo", "MAXXXXXXXXXXXXXXXXXX", "an auth ID"),
            ("vonage-sms", "abcd1234", "an API key"),
            (
                "vonage-messages",
                "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                "an application",
            ),
        ] {
            let refused = Kind::of(ProviderName(name)).check_secret(mistake);
            let said = refused.unwrap_err().to_string();
            assert!(said.contains(what) && !said.contains(mistake), "{said}");
        }
        for (name, secret) in [
            ("twilio", "0123456789abcdef0123456789abcdef"),
            ("plivo", "MzA0YjY3ZTQ5NjNjYWE5ZjIxM2Y5"),
            ("vonage-sms", "sigsecret1234567"),
            ("infobip", "name:it's-a-\"password\"!"),
        ] {
            Kind::of(ProviderName(name)).check_secret(secret).unwrap();
        }
    }

    #[test]
    fn every_provider_has_its_kind() {
        for name in PROVIDER_NAMES {
            let kind = Kind::of(ProviderName(name));
            assert_eq!(kind.name, name);
            assert!(kind.steps.starts_with("1. "), "{name}");
        }
    }
}
