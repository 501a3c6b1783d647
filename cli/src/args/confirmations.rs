//! The command line of `countersign confirmations`.

use clap::{ArgGroup, Args, Subcommand};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;

use super::{Output, ServiceArgs};
use crate::admin::confirmations::RedeliverFailed;

#[derive(Debug, Args)]
pub(crate) struct ConfirmationsArgs {
    #[command(subcommand)]
    pub(crate) command: ConfirmationsCommand,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfirmationsCommand {
    /// Show what the app has started, newest first
    List(ListArgs),
    /// Show one confirmation with its attempts, as JSON
    Show(OneArgs),
    /// Send the webhook of one confirmation again, or all webhooks that have failed since a time
    Redeliver(RedeliverArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only confirmations in this state: open, verified, expired or cancelled
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only confirmations of numbers that end with these digits, two to six
    #[arg(long, value_name = "DIGITS")]
    pub(crate) last_digits: Option<String>,
    #[command(flatten)]
    pub(crate) period: PeriodArgs,
}

/// The period and the maximum length of a list.
#[derive(Debug, Args)]
pub(crate) struct PeriodArgs {
    /// Only items started at or after this time, in UTC: 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Timestamp>,
    /// Only items started before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<Timestamp>,
    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
}

#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    /// The confirmation's id
    pub(crate) id: ConfirmationId,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true))]
pub(crate) struct RedeliverArgs {
    /// The confirmation's id
    #[arg(group = "which")]
    pub(crate) id: Option<ConfirmationId>,
    /// All confirmations since this time whose webhooks have failed
    #[arg(long, value_name = "TIME", group = "which")]
    pub(crate) failed_since: Option<Timestamp>,
    /// The newest 200 webhooks of --app that have failed --since a time, as an operator: without the app's API key
    #[arg(long, group = "which", requires_all = ["app", "since"])]
    failed: bool,
    /// The app of --failed
    #[arg(long, requires = "failed")]
    app: Option<AppId>,
    /// The time of --failed, in UTC: 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME", requires = "failed")]
    since: Option<Timestamp>,
}

impl RedeliverArgs {
    /// Returns the operator's request, if that is what the arguments are.
    pub(crate) fn operators(&self) -> Option<RedeliverFailed> {
        Some(RedeliverFailed {
            app: self.app.clone().filter(|_| self.failed)?,
            since: self.since?,
        })
    }
}

impl ConfirmationsArgs {
    /// Returns the operator's request, if that is what the arguments are.
    pub(crate) fn operators(&self) -> Option<RedeliverFailed> {
        match &self.command {
            ConfirmationsCommand::Redeliver(which) => which.operators(),
            ConfirmationsCommand::List(_) | ConfirmationsCommand::Show(_) => None,
        }
    }
}
