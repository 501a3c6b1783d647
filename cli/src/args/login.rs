//! The command line of `countersign login`.

use std::path::PathBuf;
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clap::{Args, Subcommand};
use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, Context, Passkey, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;

use super::state::state;
use super::{Output, PeriodArgs, SearchedArgs, ServiceArgs};

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    #[command(subcommand)]
    pub(crate) command: LoginCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl LoginArgs {
    /// Returns whether the command is an operator's.
    pub(crate) const fn is_operators(&self) -> bool {
        match &self.command {
            LoginCommand::List(list) => list.searched.is_operators(),
            LoginCommand::Start(_) | LoginCommand::Verify(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoginCommand {
    /// Create a login as the app's server does, and show its code in the terminal
    Start(LoginStartArgs),
    /// Show the logins of the last few minutes, newest first
    List(LoginListArgs),
    /// Check manually, without a server, what the proof of a login proves
    Verify(LoginVerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LoginListArgs {
    #[command(flatten)]
    pub(crate) searched: SearchedArgs,
    /// Only logins in this state, such as confirmed; may be repeated for an operator's list
    #[arg(long = "state", value_name = "STATE", value_parser = state::<Status>)]
    pub(crate) states: Vec<Status>,
    /// Only those whose webhook was given up; for an operator's list
    #[arg(long, requires = "operators")]
    pub(crate) failed: bool,
    #[command(flatten)]
    pub(crate) period: PeriodArgs,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Shows the code on standard error. With --wait, prints sessionId, state, and for a \
                  confirmed login payload, salt and proof, as JSON on standard output; the exit code \
                  is 3 if the login is not confirmed. `countersign login verify` checks the proof."
)]
pub(crate) struct LoginStartArgs {
    /// The text that the user approves, at most 12 lines; the phone then needs a key to sign it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) context: Option<Context>,
    /// The origin that the phone shows, one that the app lists; defaults to the service's
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Option<WebOrigin>,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    /// The app's key, if not the demo app's
    #[arg(long, value_name = "KEY")]
    pub(crate) app_key: Option<AppKey>,
    /// Wait for the answer, and redeem the payload
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The options say what the proof must be about. Fails if the proof breaks a rule. It \
                  cannot tell whether the proof was used before: a server must accept each session \
                  once."
)]
pub(crate) struct LoginVerifyArgs {
    /// The proof from the page's event `confirmed`
    #[arg(long, value_name = "PROOF")]
    pub(crate) proof: String,
    /// The payload, decrypted
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) payload: String,
    /// The payload's salt
    #[arg(long, value_name = "BASE64URL", value_parser = salt, allow_hyphen_values = true)]
    pub(crate) salt: [u8; 16],
    /// The app's key
    #[arg(long, value_name = "KEY")]
    pub(crate) app_key: AppKey,
    /// The page's origin, `https://` and a host
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: WebOrigin,
    /// The login's session id
    #[arg(long, value_name = "ID")]
    pub(crate) session_id: LoginId,
    /// The file with the public key: Base64, as `countersign phone keys show` prints it, or PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The key is a passkey of the page on this link host
    #[arg(long, value_name = "HOST", value_parser = passkey)]
    pub(crate) passkey: Option<Passkey>,
    /// The user to whom the key belongs and whom the proof must contain; without it, the proof must
    /// not contain a user
    #[arg(long, value_name = "ID")]
    pub(crate) public_user_id: Option<ClaimedUserId>,
    /// The approved context; without it, the proof must not contain a context
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) context: Option<String>,
    /// The time for which to check, such as 2026-01-02T03:04:05Z, if not now
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<Timestamp>,
}

fn passkey(text: &str) -> Result<Passkey, String> {
    let host = text.parse::<LinkHost>();
    let host = host.map_err(|error| error.to_string())?;
    // What the phone said about copies when it registered the key does not matter to a proof.
    Passkey::of_host(&host, false).ok_or_else(|| "passkeys belong to domains".to_owned())
}

fn salt(text: &str) -> Result<[u8; 16], String> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let malformed = |_| "must be 16 bytes in base64url without padding".to_owned();
    bytes.try_into().map_err(malformed)
}

fn time(text: &str) -> Result<Timestamp, String> {
    let time = humantime::parse_rfc3339(text);
    let time = time.map_err(|_| "must be a time in UTC such as 2026-01-02T03:04:05Z".to_owned())?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Ok(Timestamp::from_millis(
        u64::try_from(millis).unwrap_or(u64::MAX),
    ))
}
