//! The command line of `countersign text`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use countersign_domain::primitives::phone::{Country, PhoneNumber};

use super::{Output, message_id};
use crate::server_address::PublicUrl;

#[derive(Debug, Subcommand)]
pub(crate) enum TextCommand {
    /// Hand a text that a modem received to the server. gammu-smsd runs this with `RunOnReceive`; other
    /// daemons give --from and --text
    Receive(ReceiveArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Succeeds once the server has taken the text, whatever it verified, and fails if it could not \
                  be handed over. Handing a text over twice does no harm: docs/providers.md#a-modem"
)]
pub(crate) struct ReceiveArgs {
    /// The modem's own number, with + and the country's calling code; by default gammu-smsd's `PhoneID`
    #[arg(long, value_name = "NUMBER", value_parser = PhoneNumber::parse_international)]
    pub(crate) to: Option<PhoneNumber>,
    /// The country of the modem's SIM, such as GB, for senders without +
    #[arg(long, value_name = "COUNTRY", value_parser = numbered_country)]
    pub(crate) country: Option<Country>,
    /// The sender, if gammu-smsd does not run this
    #[arg(long, value_name = "NUMBER", requires = "text")]
    pub(crate) from: Option<String>,
    /// The text, if gammu-smsd does not run this. `-` reads it from standard input, because other
    /// users of the machine can see command lines
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) text: Option<OsString>,
    /// The text's id, the same each time this text is handed over; by default a hash of its content
    #[arg(long, value_name = "ID", value_parser = message_id)]
    pub(crate) id: Option<String>,
    /// The service, if not the running server of --data
    #[arg(long, value_name = "URL", requires = "secret_file")]
    pub(crate) service: Option<PublicUrl>,
    /// The file with the service's secret for the provider `generic` (`whsec_...`)
    #[arg(long, value_name = "FILE", requires = "service")]
    pub(crate) secret_file: Option<PathBuf>,
    /// The time to keep trying if the server does not answer or is unavailable. gammu-smsd never repeats a
    /// text, and delays the next one in the meantime
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = humantime::parse_duration)]
    pub(crate) retry_for: Duration,
    /// Ignored: gammu-smsd appends where it stored the text
    #[arg(hide = true)]
    pub(crate) stored_at: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn numbered_country(text: &str) -> Result<Country, String> {
    let country = text.parse::<Country>().map_err(|error| error.to_string())?;
    country
        .is_numbered()
        .then_some(country)
        .ok_or_else(|| format!("there are no phone numbers of {country}"))
}
