//! The providers whose own libraries are compared with ours.

use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::sinch::Sinch;
use countersign_inbound::sinch_conversation::SinchConversation;
use countersign_inbound::twilio::{Twilio, TwilioKey};
use countersign_inbound::vonage_messages::VonageMessages;
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::{HashAlgorithm, InboundProvider, PublicUrl, SharedSecret};

/// A provider as both sides see it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) algorithm: &'static str,
    pub(crate) make: fn(&PublicUrl, SharedSecret) -> Box<dyn InboundProvider>,
    /// True if bodies are forms rather than JSON.
    pub(crate) form: bool,
}

pub(crate) const KINDS: [Kind; 11] = [
    Kind {
        name: "twilio",
        algorithm: "HMAC_SHA1",
        make: |url, secret| Box::new(Twilio::new(url, TwilioKey::AuthToken(secret))),
        form: true,
    },
    Kind {
        name: "twilio",
        algorithm: "HMAC_SHA256",
        make: |url, secret| Box::new(Twilio::new(url, TwilioKey::SharedKey(secret))),
        form: true,
    },
    Kind {
        name: "vonage-sms",
        algorithm: "md5",
        make: |_, secret| Box::new(VonageSms::new(secret, HashAlgorithm::Md5)),
        form: false,
    },
    Kind {
        name: "vonage-sms",
        algorithm: "sha1",
        make: |_, secret| Box::new(VonageSms::new(secret, HashAlgorithm::Sha1)),
        form: false,
    },
    Kind {
        name: "vonage-sms",
        algorithm: "sha256",
        make: |_, secret| Box::new(VonageSms::new(secret, HashAlgorithm::Sha256)),
        form: false,
    },
    Kind {
        name: "vonage-sms",
        algorithm: "sha512",
        make: |_, secret| Box::new(VonageSms::new(secret, HashAlgorithm::Sha512)),
        form: false,
    },
    Kind {
        name: "vonage-messages",
        algorithm: "",
        make: |_, secret| Box::new(VonageMessages::new(secret)),
        form: false,
    },
    Kind {
        name: "plivo-v2",
        algorithm: "",
        make: |url, secret| Box::new(Plivo::new(url, secret, PlivoVersion::V2)),
        form: true,
    },
    Kind {
        name: "plivo-v3",
        algorithm: "",
        make: |url, secret| Box::new(Plivo::new(url, secret, PlivoVersion::V3)),
        form: true,
    },
    Kind {
        name: "sinch",
        algorithm: "",
        make: |_, secret| Box::new(Sinch::new(secret)),
        form: false,
    },
    Kind {
        name: "sinch-conversation",
        algorithm: "",
        make: |_, secret| Box::new(SinchConversation::new(secret)),
        form: false,
    },
];
