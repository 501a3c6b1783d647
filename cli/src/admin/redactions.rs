//! Erasing again what a restored store has of people whose data was erased.

use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::transitions::{RedactOutcome, redact};
use countersign_domain::store::Before;

use super::answer::{AdminAnswer, ListView, RepeatedView};
use super::command::Redaction;
use super::{Admin, AdminError};

/// Number of confirmations in one page of a list.
const PAGE: usize = 100;

impl Admin {
    /// Lists the redacted confirmations of all apps.
    pub(super) async fn list_redactions(&self) -> Result<AdminAnswer, AdminError> {
        let now = self.clock.now();
        let (apps, mut left_out) = self.store.list_apps().await?;
        let mut views = Vec::new();
        for app in apps {
            let mut before = Before::Time(now);
            loop {
                let page = self.store.list_redacted(&app.id, before, PAGE, now).await?;
                left_out += page.left_out;
                views.extend(page.items.into_iter().map(|item| Redaction {
                    app: item.app,
                    confirmation_id: item.id,
                }));
                match page.next {
                    Some(cursor) => before = cursor.into(),
                    None => break,
                }
            }
        }
        Ok(AdminAnswer::Redactions(ListView { views, left_out }))
    }

    /// Redacts these confirmations. One that must not be redacted yet is named in the answer.
    pub(super) async fn repeat_redactions(
        &self,
        wanted: &[Redaction],
    ) -> Result<AdminAnswer, AdminError> {
        let mut repeated = RepeatedView::default();
        for redaction in wanted {
            let now = self.clock.now();
            let decide = |current| redact(current, Scope::live(&redaction.app), now);
            match self.store.change(redaction.confirmation_id, decide).await? {
                RedactOutcome::Redacted(_) => repeated.redacted += 1,
                RedactOutcome::Unknown => repeated.unknown += 1,
                RedactOutcome::Open | RedactOutcome::WebhookOwed => {
                    repeated.to_repeat_later.push(redaction.clone());
                }
            }
        }
        Ok(AdminAnswer::Repeated(repeated))
    }
}
