//! What the commands know about each provider.

use crate::args::ProviderName;

/// What the commands know about a provider.
#[derive(Debug)]
pub(super) struct Kind {
    /// The name in the route and in the settings.
    pub(super) name: &'static str,
    /// The section of `docs/providers.md`.
    pub(super) anchor: &'static str,
    /// The members of the settings that hold secrets or keys; a new one goes into the first, unless
    /// an option says otherwise.
    pub(super) secrets: &'static [&'static str],
    /// What the provider calls its secret.
    pub(super) secret: &'static str,
    /// The options that it needs, by their members.
    pub(super) options: &'static [&'static str],
    /// Whether it signs the public URL.
    pub(super) signs_url: bool,
    /// Whether only the provider can sign.
    pub(super) signs_alone: bool,
    /// Whether it has no settings: a deployment on AWS has its topic and function.
    on_aws_alone: bool,
    /// What to set in its console.
    pub(super) steps: &'static str,
}

const PLAIN: Kind = Kind {
    name: "",
    anchor: "",
    secrets: &["secrets"],
    secret: "signature secret",
    options: &[],
    signs_url: false,
    signs_alone: false,
    on_aws_alone: false,
    steps: "",
};

static KINDS: [Kind; 12] = [
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
        signs_url: true,
        steps: include_str!("steps/twilio.txt"),
        ..PLAIN
    },
    Kind {
        name: "vonage-sms",
        anchor: "vonage-sms",
        options: &["algorithm"],
        steps: include_str!("steps/vonage-sms.txt"),
        ..PLAIN
    },
    Kind {
        name: "vonage-messages",
        anchor: "vonage-messages",
        steps: include_str!("steps/vonage-messages.txt"),
        ..PLAIN
    },
    Kind {
        name: "telnyx",
        anchor: "telnyx",
        secrets: &["publicKeys"],
        secret: "public key",
        signs_alone: true,
        steps: include_str!("steps/telnyx.txt"),
        ..PLAIN
    },
    Kind {
        name: "plivo",
        anchor: "plivo",
        secrets: &["authTokens"],
        secret: "auth token",
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

    /// Whether this is the function for a topic, which a deployment on AWS has without settings.
    pub(super) const fn is_on_aws_alone(&self) -> bool {
        self.on_aws_alone
    }

    /// Whether this is the generic provider, whose secrets are generated. In a data directory they
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
    fn every_provider_has_its_kind() {
        for name in PROVIDER_NAMES {
            let kind = Kind::of(ProviderName(name));
            assert_eq!(kind.name, name);
            assert!(kind.steps.starts_with("1. "), "{name}");
        }
    }
}
