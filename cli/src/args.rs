//! The command line.

mod confirmations;
mod console;
mod login;
mod mcp;
mod phone_keys;
mod places;
mod provider;
mod serve;
mod service;
mod size;
mod state;
mod text;

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser};
use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, LoginLink};
use countersign_domain::primitives::ids::AppId;

use crate::admin::apps::{CreateApp, DeleteApp, ListApps, ShowApp, UpdateApp};
use crate::admin::association_keys::{
    AddAssociationKey, ListAssociationKeys, RevokeAssociationKey, RevokeUserKeys,
};
use crate::admin::attention::ListAttention;
use crate::admin::audit::ListAudit;
use crate::admin::client_secrets::{IssueClientSecret, ListClientSecrets, RevokeClientSecret};
use crate::admin::history::ShowHistory;
use crate::admin::keys::{IssueKey, ListKeys, RevokeKey};
use crate::admin::link_host::CheckLinkHost;
use crate::admin::master_secret::{ReplaceMasterSecret, RetireMasterSecret};
use crate::admin::openid_keys::{ListOpenIdKeys, RotateOpenIdKey};
use crate::admin::phone_registrations::{
    CancelPhoneRegistration, ListPhoneRegistrations, ShowPhoneRegistration,
};
use crate::admin::redactions::ListRedactions;
use crate::admin::running::TestWebhook;
use crate::admin::settings::only_set;
use crate::admin::signing_keys::{ListSigningKeys, RotateSigningKey};
use crate::admin::system::ShowSystem;
use crate::server_address::PublicUrl;
pub(crate) use confirmations::{
    ConfirmationsArgs, ConfirmationsCommand, ListArgs, PeriodArgs, SearchedArgs,
};
pub(crate) use console::ConsoleArgs;
pub(crate) use login::{LoginArgs, LoginCommand, LoginListArgs, LoginStartArgs, LoginVerifyArgs};
pub(crate) use mcp::McpArgs;
pub(crate) use phone_keys::{PhoneKeysArgs, PhoneKeysCommand, ShowKeyArgs};
pub(crate) use places::{FetchPlacesArgs, PlacesArgs, PlacesCommand, parse_registry};
pub(crate) use provider::{AddProviderArgs, ProviderArgs, ProviderCommand, TestProviderArgs};
#[cfg(test)]
pub(crate) use provider::{ProviderName, ProviderOptions};
pub(crate) use serve::ServeArgs;
pub(crate) use service::ServiceArgs;
pub(crate) use text::{ReceiveArgs, TextCommand};

/// The default port of `countersign webhook listen`.
pub(crate) const LISTEN_PORT: u16 = 9797;

/// Verifies that a user holds a phone: the server and its tools
#[derive(Debug, Parser)]
#[command(name = "countersign", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// The server's data directory; it also determines which server a command is for
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = ".countersign"
    )]
    pub(crate) data: PathBuf,
    /// The DynamoDB table of a deployment on AWS, for `console`, `mcp`, `app`, `key`, `openid` (its secrets),
    /// `webhook-secret`, `provider`, `audit`, `attention`, `history`, `system`, `redactions`, and lists of confirmations and
    /// logins; uses the credentials and the region of your AWS environment
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "data")]
    pub(crate) table: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Subcommand,
}

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one value, parsed once")]
pub(crate) enum Subcommand {
    /// Run the server
    Serve(ServeArgs),
    /// Open a page that shows and changes what the other commands do
    Console(ConsoleArgs),
    /// Let an assistant read what the console shows (Model Context Protocol)
    Mcp(McpArgs),
    /// Create, show and change apps
    App(AppArgs),
    /// Issue, show and revoke the API keys of apps
    Key(KeyArgs),
    /// Manage the secrets of clients of the OpenID provider, and the keys that sign ID tokens
    #[command(name = "openid")]
    OpenId(OpenIdArgs),
    /// Show and rotate the keys that sign webhooks
    SigningKey(SigningKeyArgs),
    /// Replace the secret from which the webhook secrets of all apps derive
    WebhookSecret(MasterSecretArgs),
    /// Set up SMS providers
    Provider(ProviderArgs),
    /// Fetch and check databases that map IP addresses to places
    Places(PlacesArgs),
    /// Show what an app has started, and send its webhooks again
    Confirmations(ConfirmationsArgs),
    /// Show what administrators did in the last year
    Audit(RequestArgs<ListAudit>),
    /// Show what needs attention and what to do about it; fails if anything does
    Attention(RequestArgs<ListAttention>),
    /// Count what was started, texted, verified, delivered and logged in, by hour
    History(RequestArgs<ShowHistory>),
    /// Show the version, the store and the latest backups
    System(RequestArgs<ShowSystem>),
    /// Erase personal data again after a backup was restored
    Redactions(RedactionsArgs),
    /// Hand over texts that your modem received
    #[command(subcommand)]
    Text(TextCommand),
    /// Simulate a phone
    Phone(PhoneArgs),
    /// Open, check and show logins
    #[command(visible_alias = "logins")]
    Login(LoginArgs),
    /// Receive, check and test webhooks
    Webhook(WebhookArgs),
    /// Write all of the server's data to one file, whether the server is running or not
    Backup(BackupArgs),
    /// Restore a backup into an empty data directory
    Restore(BackupArgs),
    /// Check a backup, or the data of a stopped server
    Check(CheckArgs),
    /// Print the running server's counters
    Metrics(MetricsArgs),
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

/// The arguments of a command that sends one request.
#[derive(Clone, Debug, Args)]
pub(crate) struct RequestArgs<R: Args> {
    #[command(flatten)]
    pub(crate) request: R,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct RedactionsArgs {
    #[command(subcommand)]
    pub(crate) command: RedactionsCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum RedactionsCommand {
    /// List the confirmations whose personal data was erased, one per line
    List(ListRedactions),
    /// Erase the personal data of these confirmations, as `list` printed them from the previous
    /// store
    Repeat {
        /// The file with the lines, or `-` for standard input
        file: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print Prometheus's text format
    #[arg(long, conflicts_with = "json")]
    pub(crate) prometheus: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HealthcheckArgs {
    /// The server's URL
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8787")]
    pub(crate) url: PublicUrl,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The backup file. It contains private keys: protect it like them
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
    pub(crate) command: AppCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum AppCommand {
    /// Create an app and its first API key, which is not shown again
    #[command(mut_args(only_set))]
    Create(CreateApp),
    /// Show every app
    List(ListApps),
    /// Show one app
    Show(ShowApp),
    /// Change the given settings of an app
    #[command(
        mut_args(|arg| if arg.get_id() == "app" { arg } else { arg.group("change") }),
        group = ArgGroup::new("change").required(true).multiple(true)
    )]
    Update(UpdateApp),
    /// Check an app's link host as phones see it: DNS, certificate, and the files that name the app
    CheckLink(CheckLinkHost),
    /// Delete an app and revoke its API keys, immediately and permanently
    Delete(DeleteApp),
    /// Show the secrets that sign an app's webhooks (`webhook-signature`), the newest first
    WebhookSecret(WebhookSecretArgs),
    /// Register, show and revoke the association keys of an app's users
    #[command(subcommand)]
    Keys(AssociationKeyCommand),
    /// Show and cancel what sets up phones without the app
    #[command(subcommand)]
    PhoneRegistrations(PhoneRegistrationCommand),
}

#[derive(Debug, Args)]
pub(crate) struct WebhookSecretArgs {
    /// The app's name
    pub(crate) app: AppId,
    /// Also sign with a new secret, until the old one is retired
    #[arg(long)]
    pub(crate) rotate: bool,
    /// Sign with the newest secret only
    #[arg(long, conflicts_with = "rotate")]
    pub(crate) retire: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum AssociationKeyCommand {
    /// Register the public half of a user's key, so that the service can verify proofs by it
    Add(AddAssociationKey),
    /// Show active keys: of all apps, of one app or of one user
    List(ListAssociationKeys),
    /// Revoke a key, immediately and permanently
    Revoke(RevokeAssociationKey),
    /// Revoke all keys of a user of an app, such as after a phone was lost, immediately and permanently
    RevokeAll(RevokeUserKeys),
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum PhoneRegistrationCommand {
    /// Show the phones that a user set up or tried to set up in the last day
    List(ListPhoneRegistrations),
    /// Show one registration
    Show(ShowPhoneRegistration),
    /// Cancel a registration under way: no phone can complete it any longer
    Cancel(CancelPhoneRegistration),
}

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum KeyCommand {
    /// Issue an API key, which is not shown again; an app has at most two active keys of each kind
    Issue(IssueKey),
    /// Show the API keys of an app, or of all apps, revoked ones included
    List(ListKeys),
    /// Revoke an API key, immediately and permanently
    Revoke(RevokeKey),
}

#[derive(Debug, Args)]
pub(crate) struct OpenIdArgs {
    #[command(subcommand)]
    pub(crate) command: OpenIdCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum OpenIdCommand {
    /// Issue a client secret, which is not shown again; an app has at most two active ones
    IssueSecret(IssueClientSecret),
    /// Show the client secrets of an app, or of all apps, revoked ones included
    ListSecrets(ListClientSecrets),
    /// Revoke a client secret, immediately and permanently
    RevokeSecret(RevokeClientSecret),
    /// Show the keys that sign ID tokens, the current one first
    ListKeys(ListOpenIdKeys),
    /// Publish a new key, which signs ID tokens in ten minutes, when clients know it
    RotateKey(RotateOpenIdKey),
}

#[derive(Debug, Args)]
pub(crate) struct SigningKeyArgs {
    #[command(subcommand)]
    pub(crate) command: SigningKeyCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum SigningKeyCommand {
    /// Show the signing keys, the current one first
    List(ListSigningKeys),
    /// Sign with a new key from now on; old keys stay published
    Rotate(RotateSigningKey),
}

#[derive(Debug, Args)]
pub(crate) struct MasterSecretArgs {
    #[command(subcommand)]
    pub(crate) command: MasterSecretCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum MasterSecretCommand {
    /// Give each app a new secret, in addition to the present one until that is retired
    Replace(ReplaceMasterSecret),
    /// Sign only with the newest secret of each app
    Retire(RetireMasterSecret),
}

#[derive(Debug, Args)]
pub(crate) struct PhoneArgs {
    /// The phone's own directory, which holds its association keys
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = ".countersign-phone"
    )]
    pub(crate) phone: PathBuf,
    #[command(subcommand)]
    pub(crate) command: PhoneCommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum PhoneCommand {
    /// Send a text to the running server, as an SMS provider does
    Text(TextArgs),
    /// Open a login's link as an app on a phone does, and confirm or deny the login
    Open(OpenArgs),
    /// Create and show the association keys with which the phone proves who confirmed a login
    Keys(PhoneKeysArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// The number that sends the text, such as +12025550100
    #[arg(long, value_name = "NUMBER")]
    pub(crate) from: String,
    /// The number that receives it: the confirmation's sendTo
    #[arg(long, value_name = "NUMBER")]
    pub(crate) to: String,
    /// The text: the confirmation's confirmationMessage
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: String,
    /// The sender's carrier
    #[arg(long, value_name = "NAME")]
    pub(crate) carrier: Option<String>,
    /// The provider's id of the message; reusing an id repeats the same text
    #[arg(long, value_name = "ID", value_parser = message_id)]
    pub(crate) id: Option<String>,
    /// The file with a test key of the app, with which to simulate the text; also works outside
    /// local mode
    #[arg(long, value_name = "FILE", conflicts_with_all = ["carrier", "id"])]
    pub(crate) api_key_file: Option<PathBuf>,
    /// The service, if not the running server
    #[arg(long, value_name = "URL", requires = "api_key_file")]
    pub(crate) service: Option<PublicUrl>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without --confirm and --deny the command asks on the terminal. Without a terminal, \
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
    /// The payload for the page, encrypted if its browser has a key; defaults to JSON with
    /// `timestamp`, and with `publicUserId` if given. A denial sends it only with --deny, readable
    /// to the service and the app's server; otherwise a denial's payload is empty
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) payload: Option<String>,
    /// The app's own id of the user who logs in; not checked
    #[arg(long, value_name = "ID")]
    pub(crate) public_user_id: Option<ClaimedUserId>,
    /// The service that the link belongs to, if not the one at its host; links of localhost belong
    /// to the running server
    #[arg(long, value_name = "URL")]
    pub(crate) service: Option<PublicUrl>,
    /// The app's key; required if no app in the data directory uses the link's host
    #[arg(long, value_name = "KEY")]
    pub(crate) app_key: Option<AppKey>,
    #[command(flatten)]
    pub(crate) browser: LinkBrowserArgs,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The browser that shows the link.
#[derive(Debug, Args)]
pub(crate) struct LinkBrowserArgs {
    /// Open the link although its page's browser has no key (`qrp_`), so that the service can read
    /// the payload
    #[arg(long)]
    pub(crate) allow_unencrypted: bool,
    /// The browser that shows the link is on this phone: print the page to open in it after a confirmation
    #[arg(long)]
    pub(crate) same_phone: bool,
}

/// The phone user's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The user is logging in.
    Confirm,
    /// Someone else is logging in.
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
    pub(crate) command: WebhookCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum WebhookCommand {
    /// Receive webhooks on 127.0.0.1, check their signatures and print them
    Listen(ListenArgs),
    /// Check a body and a signature manually
    Verify(VerifyArgs),
    /// Send one test webhook from the running server
    Test(TestWebhook),
}

#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = LISTEN_PORT)]
    pub(crate) port: u16,
    /// The server whose keys to use, if not that of --data
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
    /// The server whose keys to use, if not that of --data
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
}

fn message_id(text: &str) -> Result<String, String> {
    let well_formed = (1..=256).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
    well_formed
        .then(|| text.to_owned())
        .ok_or_else(|| "must be 1 to 256 visible ASCII characters".to_owned())
}

#[cfg(test)]
mod tests;
