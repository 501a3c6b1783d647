//! The command line of `countersign phone keys`.

use clap::{Args, Subcommand};
use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::login::user::ANONYMOUS;

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct PhoneKeysArgs {
    #[command(subcommand)]
    pub(crate) command: PhoneKeysCommand,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PhoneKeysCommand {
    /// Create a user's association key and show its public half
    Create(CreateKeyArgs),
    /// Show every association key
    List,
    /// Show the public half of a user's association key
    Show(ShowKeyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CreateKeyArgs {
    #[command(flatten)]
    pub(crate) shown: ShowKeyArgs,
    /// Replace the user's present key, which was lost
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show the user's present key, if there is one
    #[arg(long, conflicts_with = "replace")]
    pub(crate) if_absent: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowKeyArgs {
    /// The app's own id of the user; ANON for an unknown user
    #[arg(long, value_name = "ID", default_value = ANONYMOUS)]
    pub(crate) public_user_id: ClaimedUserId,
    /// Also show the signature that registers the key with this app
    #[arg(long, value_name = "KEY")]
    pub(crate) app_key: Option<AppKey>,
}
