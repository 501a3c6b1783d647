//! The command line of `countersign confirmations`.

use clap::{ArgGroup, Args, Subcommand};
use countersign_domain::confirmation::Status;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;

use super::state::state;
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

impl ConfirmationsArgs {
    /// Returns whether the command is an operator's.
    pub(crate) fn is_operators(&self) -> bool {
        match &self.command {
            ConfirmationsCommand::List(list) => list.searched.is_operators(),
            ConfirmationsCommand::Show(_) => false,
            ConfirmationsCommand::Redeliver(_) => self.operators().is_some(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfirmationsCommand {
    /// Show what an app has started, newest first
    List(ListArgs),
    /// Show one confirmation with its attempts, as JSON
    Show(OneArgs),
    /// Send the webhook of one confirmation again, or all webhooks that have failed since a time
    Redeliver(RedeliverArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) searched: SearchedArgs,
    /// Only confirmations in this state: open, verified, expired or cancelled; may be repeated for an operator's list
    #[arg(long = "state", visible_alias = "status", value_name = "STATE", value_parser = state::<Status>)]
    pub(crate) states: Vec<Status>,
    /// Only confirmations of numbers that end with these digits: two to six, or of an operator's entry the last four
    #[arg(long, visible_alias = "last-digits", value_name = "DIGITS")]
    pub(crate) digits: Option<String>,
    /// Only those whose webhook was given up; for an operator's list
    #[arg(long, requires = "operators")]
    pub(crate) failed: bool,
    /// Only open ones with whose code no text came; for an operator's list
    #[arg(long, requires = "operators")]
    pub(crate) no_text: bool,
    #[command(flatten)]
    pub(crate) period: PeriodArgs,
}

/// The apps that an operator's list is about. Without them, a list is that of an API key's app.
#[derive(Debug, Args)]
#[group(id = "operators", multiple = false)]
pub(crate) struct SearchedArgs {
    /// List as an operator, without an API key: what this app started, tests included, with masked numbers
    #[arg(long, value_name = "NAME")]
    pub(crate) app: Option<AppId>,
    /// List as an operator what all apps started
    #[arg(long)]
    pub(crate) all_apps: bool,
}

impl SearchedArgs {
    /// Returns whether the list is an operator's.
    pub(crate) const fn is_operators(&self) -> bool {
        self.app.is_some() || self.all_apps
    }
}

/// The period and the maximum length of a list.
#[derive(Debug, Args)]
pub(crate) struct PeriodArgs {
    /// Only items started at or after this time, in UTC: 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Timestamp>,
    /// Only items started before this time
    #[arg(long = "to", visible_alias = "before", value_name = "TIME")]
    pub(crate) to: Option<Timestamp>,
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
