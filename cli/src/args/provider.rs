//! The command line of `countersign provider`.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use countersign_inbound::{GeneratedSecret, OptionSpec, SPECS};

use super::Output;
use crate::server_address::PublicUrl;

pub(crate) use crate::admin::providers::KnownProvider as ProviderName;

#[derive(Debug, Args)]
pub(crate) struct ProviderArgs {
    #[command(subcommand)]
    pub(crate) command: ProviderCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProviderCommand {
    /// Turn a provider on, or add a new secret in addition to its current one. On a terminal the
    /// command asks for the secret without echoing it; otherwise it reads standard input. The
    /// signing key of sms-gate and the secret of generic are generated unless standard input
    /// provides one
    Add(AddProviderArgs),
    /// Show which providers are on
    List,
    /// Show the URL to paste and what to set in the provider's console
    Show(ProviderNamed),
    /// Send a correctly signed text to the running server, or to a deployment's public URL
    Test(TestProviderArgs),
    /// Turn a provider off and forget its secrets. Its requests then get 404
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
    /// The server to call, if not at the public URL
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct AddProviderArgs {
    /// The provider's name
    pub(crate) provider: ProviderName,
    /// Forget the present secrets, instead of keeping the newest along with the new one
    #[arg(long)]
    pub(crate) replace: bool,
    #[arg(long, help = generate_help())]
    pub(crate) generate: bool,
    #[command(flatten)]
    pub(crate) options: ProviderOptions,
}

fn generate_help() -> String {
    let with_option = SPECS.iter().filter(|spec| {
        let generated = spec.secrets.generated;
        generated.is_some_and(|generated| generated != GeneratedSecret::Webhook)
    });
    let names: Vec<_> = with_option.map(|spec| spec.name).collect();
    format!("Generate the secret and print it, for {}", names.join(", "))
}

/// The provider options given on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProviderOptions(BTreeMap<&'static str, String>);

impl ProviderOptions {
    /// Returns the value of an option; it is empty for an option without a value.
    pub(crate) fn get(&self, flag: &str) -> Option<&str> {
        self.0.get(flag).map(String::as_str)
    }

    /// Returns the names of the given options.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}

impl FromIterator<(&'static str, String)> for ProviderOptions {
    fn from_iter<I: IntoIterator<Item = (&'static str, String)>>(options: I) -> Self {
        Self(options.into_iter().collect())
    }
}

/// Returns all options by name, each with the providers that have it.
fn declared() -> BTreeMap<&'static str, Vec<(&'static str, &'static OptionSpec)>> {
    let mut declared = BTreeMap::<_, Vec<_>>::new();
    for spec in SPECS {
        for option in spec.options {
            let providers = declared.entry(option.flag).or_default();
            providers.push((spec.name, option));
        }
    }
    declared
}

impl Args for ProviderOptions {
    fn augment_args(command: Command) -> Command {
        declared()
            .into_iter()
            .fold(command, |command, (flag, providers)| {
                let help = providers
                    .iter()
                    .map(|(name, option)| format!("{name}: {}", option.help));
                let help = help.collect::<Vec<_>>().join("; ");
                let arg = Arg::new(flag).long(flag).help(help);
                command.arg(match providers[0].1.kind.value() {
                    None => arg.action(ArgAction::SetTrue),
                    Some(value) if value.possible.is_empty() => arg.value_name(value.name),
                    Some(value) => arg
                        .value_name(value.name)
                        .value_parser(value.possible.to_vec()),
                })
            })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ProviderOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = declared().into_iter().filter_map(|(flag, providers)| {
            let value = match providers[0].1.kind.value() {
                None => matches.get_flag(flag).then(String::new),
                Some(_) => matches.get_one::<String>(flag).cloned(),
            };
            value.map(|value| (flag, value))
        });
        Ok(given.collect())
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
