//! Erases personal data again that a restored store still contains.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::transitions::RedactOutcome;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::store::PageStart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Item, List, Request};
use super::{Admin, AdminError};
use crate::schema::Ours;

/// Number of confirmations on one page of a list.
const PAGE: usize = 100;

/// Lists the confirmations whose personal data was erased: the arguments of `redactions list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListRedactions {}

/// Redacts the given confirmations. The answer lists those that cannot be redacted yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RepeatRedactions {
    pub(crate) redactions: Vec<Redaction>,
}

/// A confirmation whose personal data was erased. Its text form is a line of `redactions list` and `redactions
/// repeat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Redaction {
    #[schemars(with = "Ours")]
    app: AppId,
    #[schemars(with = "Ours")]
    confirmation_id: ConfirmationId,
}

impl fmt::Display for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.app, self.confirmation_id)
    }
}

impl FromStr for Redaction {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let read = |(app, id): (&str, &str)| {
            Some(Self {
                app: app.parse().ok()?,
                confirmation_id: id.parse().ok()?,
            })
        };
        let words = line.trim().split_once(' ');
        words
            .and_then(read)
            .ok_or_else(|| "not the name of an app and the id of a confirmation".to_owned())
    }
}

impl Item for Redaction {
    const EMPTY: &'static str = "";
    const COLUMNS: &'static [&'static str] = &[];

    fn table(items: &[Self]) -> String {
        lines(items)
    }
}

fn lines(items: &[Redaction]) -> String {
    let lines: Vec<_> = items.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The outcome of repeated redactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Repeated {
    /// The number of confirmations that no longer have personal data.
    redacted: usize,
    /// The number of confirmations that the store does not have.
    unknown: usize,
    /// Confirmations that are open, or have a pending webhook, which needs the data.
    to_repeat_later: Vec<Redaction>,
}

impl Answer for Repeated {
    fn text(&self) -> String {
        let counts = format!("{} redacted, {} not there", self.redacted, self.unknown);
        if self.to_repeat_later.is_empty() {
            return counts;
        }
        let later = "These are still open or have a webhook to send. Repeat them in a day:";
        format!("{counts}\n{later}\n{}", lines(&self.to_repeat_later))
    }

    fn is_success(&self) -> bool {
        self.to_repeat_later.is_empty()
    }
}

impl Request for ListRedactions {
    const NAME: &'static str = "list_redactions";
    type Answer = List<Redaction>;

    async fn execute(self, admin: &Admin) -> Result<List<Redaction>, AdminError> {
        let now = admin.clock.now();
        let (apps, mut left_out) = admin.store.list_apps().await?;
        let mut items = Vec::new();
        for app in apps {
            let mut before = PageStart::Time(now);
            loop {
                let page = admin
                    .store
                    .list_redacted(&app.id, before, PAGE, now)
                    .await?;
                left_out += page.left_out;
                items.extend(page.items.into_iter().map(|item| Redaction {
                    app: item.app,
                    confirmation_id: item.id,
                }));
                match page.next {
                    Some(cursor) => before = cursor.into(),
                    None => break,
                }
            }
        }
        Ok(List { items, left_out })
    }
}

impl Request for RepeatRedactions {
    const NAME: &'static str = "repeat_redactions";
    const CHANGES: bool = true;
    type Answer = Repeated;

    async fn execute(self, admin: &Admin) -> Result<Repeated, AdminError> {
        let mut repeated = Repeated::default();
        for redaction in self.redactions {
            let now = admin.clock.now();
            let scope = Scope::live(&redaction.app);
            match admin
                .store
                .redact(redaction.confirmation_id, scope, now)
                .await?
            {
                RedactOutcome::Redacted(_) => repeated.redacted += 1,
                RedactOutcome::Unknown => repeated.unknown += 1,
                RedactOutcome::Open | RedactOutcome::WebhookPending => {
                    repeated.to_repeat_later.push(redaction);
                }
            }
        }
        Ok(repeated)
    }
}
