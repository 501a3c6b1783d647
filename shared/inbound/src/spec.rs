//! Provider facts that the service, the command and the documentation share.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use countersign_domain::confirmation::text::Channel;
use serde::de::DeserializeOwned;

use crate::certificate_source::CertificateSource;
use crate::provider::InboundProvider;
use crate::public_url::PublicUrl;

/// A provider, as declared by its module.
#[derive(Debug)]
pub struct ProviderSpec {
    /// The name in the route, in the settings and in commands.
    pub name: &'static str,
    /// The name for people: the title of its section in `docs/providers.md`.
    pub title: &'static str,
    /// The section of `docs/providers.md`.
    pub anchor: &'static str,
    /// The channel of all or most of the provider's texts.
    pub channel: Channel,
    /// The secrets in the provider's settings.
    pub secrets: SecretSpec,
    /// The other settings, which `countersign provider add` takes as options.
    pub options: &'static [OptionSpec],
    /// True if the provider signs the public URL.
    pub signs_url: bool,
    /// The holder of the private key, if only the provider itself can sign.
    pub sole_signer: Option<&'static str>,
    /// True if a text may include its sender's carrier.
    pub names_carrier: bool,
    /// Steps in the provider's console, with the placeholders `{URL}`, `{TOPIC}` and `{TOKEN}`.
    pub steps: &'static str,
    /// Creates the provider from its settings. `None` if the provider has no settings: a function on AWS
    /// receives its events.
    pub(crate) create: Option<Create>,
}

/// Creates a provider from its member in the settings.
pub(crate) type Create = fn(&str, &Surroundings<'_>) -> Result<Arc<dyn InboundProvider>, Wrong>;

/// The values that providers get in addition to their own settings.
pub(crate) struct Surroundings<'a> {
    pub(crate) public_url: Option<&'a PublicUrl>,
    /// Fetches the certificates of SNS; `None` if nothing can be fetched.
    pub(crate) certificates: Option<Arc<dyn CertificateSource>>,
}

/// The secrets of a provider: their place in the settings, and how a new one is created.
#[derive(Debug)]
pub struct SecretSpec {
    /// The provider's name for its secret.
    pub label: &'static str,
    /// The members with lists of secrets or keys. A new secret is added to the first list, unless
    /// an option [says otherwise](OptionKind).
    pub lists: &'static [&'static str],
    /// True if only one of the lists may be in use.
    pub one_list: bool,
    /// True if another member, `keys`, has such a list for each API key.
    pub by_key: bool,
    /// A member with a token that the operator enters in the provider's console, generated if missing.
    pub token: Option<&'static str>,
    /// The format of a secret that the operator chooses; `None` if the provider creates it.
    pub generated: Option<GeneratedSecret>,
    /// Other values near the secret in the provider's console.
    pub mistaken_for: &'static [Mistake],
}

/// The format of a secret that `countersign provider add` generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedSecret {
    /// A Standard Webhooks secret, always generated unless one is given.
    Webhook,
    /// This number of random bytes in hexadecimal, always generated unless one is given; the operator types it
    /// on a phone.
    Typed(usize),
    /// This number of random bytes in hexadecimal, with `--generate`.
    Hex(usize),
    /// `NAME:PASSWORD` with this number of random bytes in hexadecimal, with `--generate`.
    Credentials(usize),
}

/// A value that is often pasted in place of the secret.
#[derive(Debug)]
pub struct Mistake {
    prefix: &'static str,
    /// Number of characters.
    length: usize,
    /// Description of the value in the console, with an article.
    is: &'static str,
}

pub(crate) const fn mistake(prefix: &'static str, length: usize, is: &'static str) -> Mistake {
    Mistake { prefix, length, is }
}

/// A setting that is not a secret.
#[derive(Debug)]
pub struct OptionSpec {
    /// The member in the settings.
    pub member: &'static str,
    /// The option of the command, without dashes.
    pub flag: &'static str,
    pub help: &'static str,
    pub kind: OptionKind,
}

/// The values and the effect of an option.
#[derive(Debug)]
pub enum OptionKind {
    /// A value that the provider requires.
    Required(Value),
    /// A value that the provider has only if its secret goes into this list.
    WithList(Value, &'static str),
    /// Not a member: selects this list for the secret.
    List(&'static str),
    /// Not a member: the API key to which the secret belongs.
    ApiKey,
}

impl OptionKind {
    /// Returns the format of the option's value; `None` if the option takes no value.
    #[must_use]
    pub const fn value(&self) -> Option<&Value> {
        const API_KEY: Value = Value::any("API_KEY");
        match self {
            Self::Required(value) | Self::WithList(value, _) => Some(value),
            Self::ApiKey => Some(&API_KEY),
            Self::List(_) => None,
        }
    }
}

/// The hash function of an HMAC.
pub(crate) const HASH: Value = Value {
    name: "HASH",
    possible: &["sha256", "sha512", "sha1", "md5"],
};

/// A value on the command line.
#[derive(Debug)]
pub struct Value {
    /// The placeholder in the help text.
    pub name: &'static str,
    /// The possible values; empty if there are too many to list.
    pub possible: &'static [&'static str],
}

impl Value {
    pub(crate) const fn any(name: &'static str) -> Self {
        Self {
            name,
            possible: &[],
        }
    }
}

/// Secrets that the provider creates, in the member `secrets`.
pub(crate) const PROVIDERS_SECRET: SecretSpec = SecretSpec {
    label: "signature secret",
    lists: &["secrets"],
    one_list: false,
    by_key: false,
    token: None,
    generated: None,
    mistaken_for: &[],
};

/// The defaults of a provider: it signs bodies of SMS texts but not the URL, and does not report
/// the carrier.
pub(crate) const USUAL: ProviderSpec = ProviderSpec {
    name: "",
    title: "",
    anchor: "",
    channel: Channel::Sms,
    secrets: PROVIDERS_SECRET,
    options: &[],
    signs_url: false,
    sole_signer: None,
    names_carrier: false,
    steps: "",
    create: None,
};

impl ProviderSpec {
    /// Returns whether the provider has settings. Otherwise a function on AWS receives its events.
    #[must_use]
    pub const fn has_settings(&self) -> bool {
        self.create.is_some()
    }

    /// Refuses a text that cannot be the provider's secret, and explains what it is instead, without showing
    /// it.
    ///
    /// # Errors
    ///
    /// Fails if the text is quoted, or is another value from the provider's console.
    pub fn check_secret(&self, secret: &str) -> Result<(), MistakenSecret> {
        let quotes = [
            '"', '\'', '`', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}',
        ];
        let is_plain = secret
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'-');
        let mut known = self.secrets.mistaken_for.iter();
        let mistake = known.find(|mistake| {
            is_plain && secret.starts_with(mistake.prefix) && secret.len() == mistake.length
        });
        let (label, name) = (self.secrets.label, self.name);
        if secret.starts_with(quotes) || secret.ends_with(quotes) {
            Err(MistakenSecret::Quoted { label, name })
        } else if let Some(Mistake { is, .. }) = mistake {
            Err(MistakenSecret::Other { is, label, name })
        } else {
            Ok(())
        }
    }
}

/// The text is not a secret of this provider. No message contains the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakenSecret {
    /// The secret was copied with quotes around it.
    #[error("the {label} of {name} has no quotes around it")]
    Quoted {
        label: &'static str,
        name: &'static str,
    },
    /// The text is another value from the console.
    #[error(
        "this is {is}, and not the {label} of {name}: `countersign provider show {name}` says where to find it"
    )]
    Other {
        is: &'static str,
        label: &'static str,
        name: &'static str,
    },
}

impl Surroundings<'_> {
    /// Returns the public URL, for providers that sign it.
    pub(crate) fn public_url(&self) -> Result<&PublicUrl, Wrong> {
        self.public_url
            .ok_or_else(|| Wrong::value("needs the setting publicUrl"))
    }
}

/// Why a provider's settings are refused. No message contains a secret.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// The text does not have the documented format. This variant's own message would repeat
    /// values.
    Shape(serde_json::Error),
    /// A value is invalid.
    Value(String),
}

impl Wrong {
    pub(crate) fn value(reason: impl Display) -> Self {
        Self::Value(reason.to_string())
    }
}

/// Parses a provider's member in the settings.
pub(crate) fn parse_settings<T: DeserializeOwned>(settings: &str) -> Result<T, Wrong> {
    serde_json::from_str(settings).map_err(Wrong::Shape)
}

/// Parses a value in a provider's settings.
pub(crate) fn value<T: FromStr<Err: Display>>(text: &str) -> Result<T, Wrong> {
    text.parse().map_err(|error: T::Err| Wrong::value(error))
}
