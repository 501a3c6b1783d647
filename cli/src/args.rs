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

/// Where `countersign webhook listen` listens unless told otherwise.
pub(crate) const LISTEN_PORT: u16 = 9797;

/// Know that a person holds a phone: the server, and the tools around it.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// The server's data directory; it also says which server a command is for
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

/// What to do.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, read at the start")]
pub(crate) enum What {
    /// Run the server
    Serve(ServeArgs),
    /// Make, show and change apps
    App(AppArgs),
    /// Issue, show and revoke the API keys of apps
    Key(KeyArgs),
    /// Show and replace the keys that webhooks are signed with
    SigningKey(SigningKeyArgs),
    /// Be the phone
    Phone(PhoneArgs),
    /// Receive, check and try webhooks
    Webhook(WebhookArgs),
    /// Write all of the server's data into one file, whether it runs or not
    Backup(BackupArgs),
    /// Restore a backup into an empty data directory
    Restore(BackupArgs),
    /// Check a backup, or the data of a stopped server
    Check(CheckArgs),
    /// Print the running server's counters
    Metrics(Output),
    /// Ask a server whether it works, and fail if it does not
    Healthcheck(HealthcheckArgs),
    /// Print the description of the HTTP API for machines
    Openapi,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HealthcheckArgs {
    /// Where the server is
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8787")]
    pub(crate) url: PublicUrl,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8787", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// The URL under which callers reach the server, if not the address it listens on. A host other
    /// than this machine's loopback ends local mode
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    /// How long a session stays open, such as 5m or 90s
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = validity)]
    pub(crate) validity: Duration,
    /// How long to keep a verified confirmation after the last retry of its webhook, such as 7d
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    pub(crate) retention: Duration,
    /// A file in the MaxMind DB format that says where addresses are, such as a downloaded
    /// GeoLite2-City.mmdb; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) places: Vec<PathBuf>,
    /// Believe X-Forwarded-For from this proxy, an address or a network such as 10.0.0.0/8, and let
    /// it use all connections; may be repeated
    #[arg(long, value_name = "PROXY", value_parser = TrustedProxy::parse)]
    pub(crate) trusted_proxy: Vec<TrustedProxy>,
    /// A file with the secret that CloudFront sends as x-countersign-origin-secret. Requests that
    /// carry it are believed about their viewers
    #[arg(long, value_name = "FILE")]
    pub(crate) origin_secret_file: Option<PathBuf>,
    /// Apply no rate limit and no quota, for load tests and protocol tests; only local mode accepts
    /// it
    #[arg(long)]
    pub(crate) no_rate_limits: bool,
    /// Refuse new confirmations and logins when the disk has less free space, such as 256MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::bytes)]
    pub(crate) min_free_space: u64,
    /// Begin with a new, empty store when the store is missing beside its keys: without any app, API
    /// key or confirmation
    #[arg(long)]
    pub(crate) new_store: bool,
    /// How many webhooks may wait in memory, about 300 bytes each; more wait in the store and are
    /// delivered later
    #[arg(long, value_name = "COUNT", default_value = "100000", value_parser = webhook_queue)]
    pub(crate) webhook_queue: usize,
    /// How many connections may be open at once. When all are open, one that waits for a request is
    /// closed to make room for a new one
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
    /// The backup file. It holds private keys: keep it as safe as those
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The backup to check, instead of the data directory
    #[arg(conflicts_with = "repair")]
    pub(crate) file: Option<PathBuf>,
    /// Rebuild indexes that do not fit the records
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
    /// Make an app and its first API key, which is shown this once
    Create(NewApp),
    /// Show every app
    List,
    /// Show one app
    Show(AppNamed),
    /// Change what is named, and nothing else
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
    /// Issue an API key, which is shown this once; an app has at most two that are active
    Issue(AppNamed),
    /// Show an app's API keys, revoked ones included
    List(AppNamed),
    /// Revoke an API key, at once and for good
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
    /// Send a text to the running server, as an SMS provider brings it
    Text(TextArgs),
    /// Open the link of a login, as an app does on a phone, and confirm or deny it
    Open(OpenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// The number that the text comes from, such as +12025550100
    #[arg(long, value_name = "NUMBER")]
    pub(crate) from: String,
    /// The number that it goes to: sendTo of the session
    #[arg(long, value_name = "NUMBER")]
    pub(crate) to: String,
    /// What it says: confirmationMessage of the session
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: String,
    /// The sender's carrier
    #[arg(long, value_name = "NAME")]
    pub(crate) carrier: Option<String>,
    /// The provider's id for the message; the same twice is one text, delivered twice
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
    /// The link that the code holds, in quotes
    #[arg(value_parser = str::parse::<LoginLink>)]
    pub(crate) link: LoginLink,
    /// Confirm the login, once it was shown
    #[arg(long, conflicts_with = "deny")]
    confirm: bool,
    /// Deny the login, once it was shown
    #[arg(long)]
    deny: bool,
    /// What the page gets, encrypted where its browser gave a key; if not named, JSON with
    /// `timestamp`, and with `publicUserId` where there is one
    #[arg(long, value_name = "TEXT")]
    pub(crate) payload: Option<String>,
    /// Who logs in, by the app's own name for them; nobody checks it
    #[arg(long, value_name = "ID", value_parser = str::parse::<ClaimedUserId>)]
    pub(crate) public_user_id: Option<ClaimedUserId>,
    /// The service that the link belongs to, if not the one at its host; links of localhost belong
    /// to the running server
    #[arg(long, value_name = "URL")]
    pub(crate) service: Option<PublicUrl>,
    /// The app's key, if not the demo app's
    #[arg(long, value_name = "KEY", value_parser = str::parse::<AppKey>)]
    pub(crate) app_key: Option<AppKey>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What the person at the phone decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is they who log in.
    Confirm,
    /// It is not.
    Deny,
}

impl OpenArgs {
    /// What was decided beforehand.
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
    /// Have the running server send a test webhook, once
    Test(WebhookTest),
}

#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = LISTEN_PORT)]
    pub(crate) port: u16,
    /// The server whose keys count, if not the one of --data
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The file with the body, byte for byte as it came; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) body: PathBuf,
    /// The header x-signature
    #[arg(long, value_name = "BASE64")]
    pub(crate) signature: String,
    /// The file with the public key (PEM), if not a key that the server publishes
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(crate) key: Option<PathBuf>,
    /// The server whose keys count, if not the one of --data
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

/// An address, or `localhost` and a port.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "not of the form ADDRESS:PORT, such as 127.0.0.1:8787".to_owned())
}

/// How many webhooks may wait in memory.
const WEBHOOK_QUEUES: RangeInclusive<usize> = 16..=10_000_000;

/// A time from one millisecond to one day.
fn validity(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        VALIDITIES
            .contains(&time)
            .then_some(time)
            .ok_or_else(|| "between 1ms and 1d".to_owned())
    })
}

/// A time of at most ten years.
fn retention(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        (time <= MAX_RETENTION)
            .then_some(time)
            .ok_or_else(|| "at most 3650d".to_owned())
    })
}

/// Room for a few webhooks of each app, and for no more than memory holds (about 300 bytes each).
fn webhook_queue(text: &str) -> Result<usize, String> {
    let count = text.parse().map_err(|_| "a number".to_owned())?;
    WEBHOOK_QUEUES
        .contains(&count)
        .then_some(count)
        .ok_or_else(|| "between 16 and 10000000".to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "a number and a unit, such as 90s, 5m or 7d".to_owned())
}

fn message_id(text: &str) -> Result<String, String> {
    let well_formed = (1..=256).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
    well_formed
        .then(|| text.to_owned())
        .ok_or_else(|| "1 to 256 visible ASCII characters".to_owned())
}

mod size;
#[cfg(test)]
mod tests;
