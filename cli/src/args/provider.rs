//! The command line of `countersign provider`.

use std::str::FromStr;

use clap::{Args, Subcommand};

use super::Output;
use crate::server_address::PublicUrl;

/// The names of all providers, as in their routes.
pub(crate) const NAMES: [&str; 14] = [
    "bandwidth",
    "end-user-messaging",
    "generic",
    "infobip",
    "plivo",
    "sinch",
    "sinch-conversation",
    "sms-gate",
    "sns",
    "telnyx",
    "twilio",
    "vonage-messages",
    "vonage-sms",
    "whatsapp",
];

/// The name of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProviderName(pub(crate) &'static str);

impl FromStr for ProviderName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.into_iter().find(|name| *name == text);
        known
            .map(Self)
            .ok_or_else(|| format!("must be one of {}", NAMES.join(", ")))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ProviderArgs {
    #[command(subcommand)]
    pub(crate) what: ProviderCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProviderCommand {
    /// Turn a provider on, or add a new secret beside its present one. On a terminal the command
    /// asks for the secret and does not show it; otherwise it reads standard input. The signing key of
    /// sms-gate and the secret of generic are generated unless standard input has one
    Add(AddProviderArgs),
    /// Show which providers are on
    List,
    /// Show the URL to paste and what to set in the provider's console
    Show(ProviderNamed),
    /// Send a correctly signed text to the running server, or to a deployment's public URL
    Test(TestProviderArgs),
    /// Turn a provider off and forget its secrets. Its calls then get 404
    Remove(ProviderNamed),
}

#[derive(Debug, Args)]
pub(crate) struct ProviderNamed {
    /// The provider's name
    pub(crate) provider: ProviderName,
}

#[derive(Debug, Args)]
pub(crate) struct TestProviderArgs {
    /// The provider's name
    pub(crate) provider: ProviderName,
    /// The server to call, if not the public URL
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct AddProviderArgs {
    /// The provider's name
    pub(crate) provider: ProviderName,
    /// Forget the present secrets, instead of keeping the newest beside the new one
    #[arg(long)]
    pub(crate) replace: bool,
    /// Generate the secret and print it, for sinch, sinch-conversation, bandwidth, infobip and sms-gate
    #[arg(long)]
    pub(crate) generate: bool,
    /// twilio: the secret is a shared key for webhooks, not the auth token
    #[arg(long)]
    pub(crate) shared_key: bool,
    /// vonage-sms, and infobip with an HMAC: the hash
    #[arg(long, value_name = "HASH", value_parser = ["sha256", "sha512", "sha1", "md5"])]
    pub(crate) algorithm: Option<String>,
    /// vonage-messages: the API key that has this secret, if there are several
    #[arg(long, value_name = "API_KEY")]
    pub(crate) key: Option<String>,
    /// plivo: the lowest version of a signature
    #[arg(long, value_name = "VERSION", value_parser = ["v2", "v3"])]
    pub(crate) signature: Option<String>,
    /// infobip with an HMAC: the name of the header that carries it
    #[arg(long, value_name = "NAME")]
    pub(crate) header: Option<String>,
    /// sns: the topic
    #[arg(long, value_name = "ARN")]
    pub(crate) topic: Option<String>,
    /// sns: the lowest version of a signature
    #[arg(long, value_name = "VERSION", value_parser = ["1", "2"])]
    pub(crate) signature_version: Option<String>,
    /// sms-gate: the phone's own number, with + and the country's calling code
    #[arg(long, value_name = "NUMBER")]
    pub(crate) number: Option<String>,
    /// sms-gate: the country of the phone's SIM, such as GB, which completes numbers that come without +
    #[arg(long, value_name = "COUNTRY")]
    pub(crate) country: Option<String>,
}
