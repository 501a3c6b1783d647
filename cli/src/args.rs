//! The command line.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use countersign_api::viewer::TrustedProxy;
use countersign_domain::app::AppKey;
use countersign_domain::confirmation::{MAX_RETENTION, VALIDITIES};
use countersign_domain::login::{ClaimedUserId, LoginLink};

use crate::admin::command::{AppChange, AppNamed, Command, KeyNamed, NewApp, WebhookTest};
use crate::logs::LogFormat;
use crate::place::PublicUrl;

/// The default port of `countersign webhook listen`.
pub(crate) const LISTEN_PORT: u16 = 9797;

/// Verifies that a person holds a phone: the server and its tools
#[derive(Debug, Parser)]
#[command(name = "countersign", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// The server's data directory; it also tells which server a command is for
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = ".countersign"
    )]
    pub(crate) data: PathBuf,
    /// The DynamoDB table of a deployment on AWS, for `app` and `key`; uses the credentials and the
    /// region of your AWS environment
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "data")]
    pub(crate) table: Option<String>,
    #[command(subcommand)]
    pub(crate) what: What,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one value, parsed once")]
pub(crate) enum What {
    /// Run the server
    Serve(ServeArgs),
    /// Create, show and change apps
    App(AppArgs),
    /// Issue, show and revoke the API keys of apps
    Key(KeyArgs),
    /// Show and rotate the keys that sign webhooks
    SigningKey(SigningKeyArgs),
    /// Simulate a phone
    Phone(PhoneArgs),
    /// Receive, check and try webhooks
    Webhook(WebhookArgs),
    /// Write all of the server's data to one file, whether the server is running or not
    Backup(BackupArgs),
    /// Restore a backup into an empty data directory
    Restore(BackupArgs),
    /// Check a backup, or the data of a stopped server
    Check(CheckArgs),
    /// Print the running server's counters
    Metrics(Output),
    /// Check that a server works, and fail if it does not
    Healthcheck(HealthcheckArgs),
    /// Print the machine-readable description of the HTTP API
    Openapi,
}

/// The format of a command's output.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HealthcheckArgs {
    /// The server's URL
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8787")]
    pub(crate) url: PublicUrl,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8787", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// The URL that callers use, if not the address that the server listens on. A host other than
    /// this machine's loopback turns local mode off
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    /// How long a confirmation stays open, such as 5m or 90s
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = validity)]
    pub(crate) validity: Duration,
    /// How long to keep a verified confirmation after the last retry of its webhook, such as 7d
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    pub(crate) retention: Duration,
    /// A file in the MaxMind DB format that maps addresses to places, such as a downloaded
    /// GeoLite2-City.mmdb; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) places: Vec<PathBuf>,
    /// Trust X-Forwarded-For from this proxy, an address or a network such as 10.0.0.0/8, and let
    /// it use all connections; may be repeated
    #[arg(long, value_name = "PROXY")]
    pub(crate) trusted_proxy: Vec<TrustedProxy>,
    /// A file with the secret that CloudFront sends as x-countersign-origin-secret. Requests that
    /// carry it are trusted about their viewers
    #[arg(long, value_name = "FILE")]
    pub(crate) origin_secret_file: Option<PathBuf>,
    /// Apply no rate limits and no quotas, for load tests and protocol tests; only in local mode
    #[arg(long)]
    pub(crate) no_rate_limits: bool,
    /// Refuse new confirmations and logins if the disk has less free space than this, such as
    /// 256MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::bytes)]
    pub(crate) min_free_space: u64,
    /// Start with a new, empty store if the store is missing but its keys exist: without any app,
    /// API key or confirmation
    #[arg(long)]
    pub(crate) new_store: bool,
    /// How many webhooks may wait in memory, at about 300 bytes each; more wait in the store and
    /// are delivered later
    #[arg(long, value_name = "COUNT", default_value = "100000", value_parser = webhook_queue)]
    pub(crate) webhook_queue: usize,
    /// How many connections may be open at once. When all are open, a new one replaces one that is
    /// waiting for a request
    #[arg(long, value_name = "COUNT", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_connections: u32,
    /// How many connections one address may have (an IPv4 address or an IPv6 /64; a /48 may have
    /// twice as many). Trusted proxies are exempt [default: a quarter of all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_connections_per_address: Option<u32>,
    /// The format of log lines
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The backup file. It holds private keys: protect it like them
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The backup to check, instead of the data directory
    #[arg(conflicts_with = "repair")]
    pub(crate) file: Option<PathBuf>,
    /// Rebuild indexes that do not match the records
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AppArgs {
    #[command(subcommand)]
    what: AppCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
enum AppCommand {
    /// Create an app and its first API key, which is not shown again
    Create(NewApp),
    /// Show every app
    List,
    /// Show one app
    Show(AppNamed),
    /// Change the given settings of an app
    Update(AppChange),
}

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    what: KeyCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Issue an API key, which is not shown again; an app has at most two active keys
    Issue(AppNamed),
    /// Show an app's API keys, revoked ones included
    List(AppNamed),
    /// Revoke an API key, immediately and permanently
    Revoke(KeyNamed),
}

#[derive(Debug, Args)]
pub(crate) struct SigningKeyArgs {
    #[command(subcommand)]
    what: SigningKeyCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
enum SigningKeyCommand {
    /// Show the signing keys, the current one first
    List,
    /// Sign with a new key from now on; former keys stay published
    Rotate,
}

impl From<AppArgs> for Command {
    fn from(args: AppArgs) -> Self {
        match args.what {
            AppCommand::Create(new) => Self::CreateApp(new),
            AppCommand::List => Self::ListApps,
            AppCommand::Show(named) => Self::ShowApp(named),
            AppCommand::Update(change) => Self::UpdateApp(change),
        }
    }
}

impl From<KeyArgs> for Command {
    fn from(args: KeyArgs) -> Self {
        match args.what {
            KeyCommand::Issue(named) => Self::IssueKey(named),
            KeyCommand::List(named) => Self::ListKeys(named),
            KeyCommand::Revoke(named) => Self::RevokeKey(named),
        }
    }
}

impl From<SigningKeyArgs> for Command {
    fn from(args: SigningKeyArgs) -> Self {
        match args.what {
            SigningKeyCommand::List => Self::ListSigningKeys,
            SigningKeyCommand::Rotate => Self::RotateSigningKey,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PhoneArgs {
    #[command(subcommand)]
    pub(crate) what: PhoneCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PhoneCommand {
    /// Send a text to the running server, as an SMS provider does
    Text(TextArgs),
    /// Open a login's link as an app on a phone does, and confirm or deny the login
    Open(OpenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// The number that the text comes from, such as +12025550100
    #[arg(long, value_name = "NUMBER")]
    pub(crate) from: String,
    /// The number that it goes to: the confirmation's sendTo
    #[arg(long, value_name = "NUMBER")]
    pub(crate) to: String,
    /// The text: the confirmation's confirmationMessage
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: String,
    /// The sender's carrier
    #[arg(long, value_name = "NAME")]
    pub(crate) carrier: Option<String>,
    /// The provider's id of the message; sending an id again repeats the same text
    #[arg(long, value_name = "ID", value_parser = message_id)]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without --confirm and --deny you are asked on the terminal. Where there is none, \
                  the login is shown and left undecided, and the exit code is 3."
)]
pub(crate) struct OpenArgs {
    /// The link from the QR code, in quotes
    pub(crate) link: LoginLink,
    /// Confirm the login after showing it
    #[arg(long, conflicts_with = "deny")]
    confirm: bool,
    /// Deny the login after showing it
    #[arg(long)]
    deny: bool,
    /// The payload for the page, encrypted if its browser sends a key; defaults to JSON with
    /// `timestamp`, and with `publicUserId` if given
    #[arg(long, value_name = "TEXT")]
    pub(crate) payload: Option<String>,
    /// The app's own id of the user who logs in; not checked
    #[arg(long, value_name = "ID")]
    pub(crate) public_user_id: Option<ClaimedUserId>,
    /// The service that the link belongs to, if not the one at its host; links of localhost belong
    /// to the running server
    #[arg(long, value_name = "URL")]
    pub(crate) service: Option<PublicUrl>,
    /// The app's key, if not the demo app's
    #[arg(long, value_name = "KEY")]
    pub(crate) app_key: Option<AppKey>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The decision of the person at the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// They are logging in themselves.
    Confirm,
    /// Somebody else is.
    Deny,
}

impl OpenArgs {
    /// Returns the decision given as an option.
    pub(crate) const fn decision(&self) -> Option<Decision> {
        match (self.confirm, self.deny) {
            (true, _) => Some(Decision::Confirm),
            (_, true) => Some(Decision::Deny),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct WebhookArgs {
    #[command(subcommand)]
    pub(crate) what: WebhookCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// Receive webhooks on 127.0.0.1, check their signatures and print them
    Listen(ListenArgs),
    /// Check a body and a signature by hand
    Verify(VerifyArgs),
    /// Send one test webhook from the running server
    Test(WebhookTest),
}

#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = LISTEN_PORT)]
    pub(crate) port: u16,
    /// The server whose keys to check with, if not the one of --data
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The file with the body, byte for byte as it arrived; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) body: PathBuf,
    /// The value of the header x-signature
    #[arg(long, value_name = "BASE64")]
    pub(crate) signature: String,
    /// The file with the public key (PEM), if not a key that the server publishes
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(crate) key: Option<PathBuf>,
    /// The server whose keys to check with, if not the one of --data
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

/// Parses an address, or `localhost` and a port.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "must be ADDRESS:PORT, such as 127.0.0.1:8787".to_owned())
}

/// Allowed numbers of webhooks that wait in memory.
const WEBHOOK_QUEUES: RangeInclusive<usize> = 16..=10_000_000;

/// Parses a time from one millisecond to one day.
fn validity(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        VALIDITIES
            .contains(&time)
            .then_some(time)
            .ok_or_else(|| "must be between 1ms and 1d".to_owned())
    })
}

/// Parses a time of at most ten years.
fn retention(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        (time <= MAX_RETENTION)
            .then_some(time)
            .ok_or_else(|| "must be at most 3650d".to_owned())
    })
}

/// Parses a queue size: room for a few webhooks of each app, but no more than fits in memory.
fn webhook_queue(text: &str) -> Result<usize, String> {
    let count = text.parse().map_err(|_| "a number".to_owned())?;
    WEBHOOK_QUEUES
        .contains(&count)
        .then_some(count)
        .ok_or_else(|| "must be between 16 and 10000000".to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "must be a number and a unit, such as 90s, 5m or 7d".to_owned())
}

fn message_id(text: &str) -> Result<String, String> {
    let well_formed = (1..=256).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
    well_formed
        .then(|| text.to_owned())
        .ok_or_else(|| "must be 1 to 256 visible ASCII characters".to_owned())
}

mod size;
#[cfg(test)]
mod tests;
