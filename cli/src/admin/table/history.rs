//! Hourly counts of a deployment, which its table does not keep: from the confirmations and logins that it still has.

use std::ops::Range;

use countersign_domain::confirmation::VALIDITIES;
use countersign_domain::hourly::{Counted, Hour, Split, Sums, confirmation_steps, login_steps};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{ConfirmationSearch, LoginSearch, SearchCursor};

use crate::admin::history::History;
use crate::admin::sentence::Sentence;
use crate::admin::{Admin, AdminError};

/// Largest number of pages of confirmations, and of logins, that are read for an answer: 5,000 of each.
const MAX_PAGES: usize = 5;

/// Number of items that are asked for at a time, the largest number that a search looks at.
const PAGE: usize = 1_000;

/// Counts from the items that the table has.
struct Walked {
    sums: Sums,
    hours: Range<Hour>,
    /// The time of the last item that was read, if more would have followed.
    reached: Option<Timestamp>,
    left_out: usize,
}

/// Returns counts from the list of confirmations and logins, of which it reads the newest. `why` is a sentence that says
/// why they come from the list.
pub(super) async fn of_list(
    admin: &Admin,
    hours: Range<Hour>,
    by: Option<Split>,
    now: Timestamp,
    why: Sentence,
) -> Result<History, AdminError> {
    let apps = admin.searched_apps(None).await?;
    let mut walked = Walked {
        sums: Sums::new(by),
        hours,
        reached: None,
        left_out: 0,
    };
    walked.confirmations(admin, &apps, now).await?;
    walked.logins(admin, &apps, now).await?;
    let mut gaps = vec![
        why,
        Sentence::new(
            "history_of_table",
            "These are counts of the confirmations and logins that the table still has: a confirmation without a result \
         is removed after 24 hours, a login after some minutes, and a verified confirmation after the deployment's \
         retention.",
            [],
        ),
    ];
    if let Some(reached) = walked.reached {
        gaps.push(Sentence::new(
            "history_bounded",
            "Only the newest {most} confirmations and logins were read, and so hours before {reached} are missing.",
            [("most", &(MAX_PAGES * PAGE)), ("reached", &reached)],
        ));
    }
    if walked.left_out > 0 {
        gaps.push(Sentence::new(
            "history_unreadable",
            "{documents} documents cannot be read.",
            [("documents", &walked.left_out)],
        ));
    }
    Ok(History::new(by, walked.sums, gaps, Vec::new()))
}

impl Walked {
    /// Returns the bounds of creation times. A step may follow the start by as long as a confirmation can be open.
    fn period(&self) -> (Timestamp, Timestamp) {
        let before = VALIDITIES.end().as_secs() * 1000;
        let from = self.hours.start.start().as_millis().saturating_sub(before);
        (Timestamp::from_millis(from), self.hours.end.start())
    }

    async fn confirmations(
        &mut self,
        admin: &Admin,
        apps: &[AppId],
        now: Timestamp,
    ) -> Result<(), AdminError> {
        let (from, before) = self.period();
        let search = ConfirmationSearch {
            statuses: Vec::new(),
            last_digits: None,
            failed: false,
            no_text: false,
            from,
            before,
        };
        let mut after: Option<SearchCursor> = None;
        for _ in 0..MAX_PAGES {
            let page = admin
                .store
                .search_confirmations(apps, &search, after.as_ref(), PAGE, now);
            let page = page.await?;
            for item in &page.items {
                self.add(&confirmation_steps(None, item));
            }
            self.left_out += page.left_out;
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
        self.stop_at(after.as_ref());
        Ok(())
    }

    async fn logins(
        &mut self,
        admin: &Admin,
        apps: &[AppId],
        now: Timestamp,
    ) -> Result<(), AdminError> {
        let (from, before) = self.period();
        let search = LoginSearch {
            statuses: Vec::new(),
            failed: false,
            from,
            before,
        };
        let mut after: Option<SearchCursor> = None;
        for _ in 0..MAX_PAGES {
            let page = admin
                .store
                .search_logins(apps, &search, after.as_ref(), PAGE, now);
            let page = page.await?;
            for item in &page.items {
                self.add(&login_steps(None, item));
            }
            self.left_out += page.left_out;
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
        self.stop_at(after.as_ref());
        Ok(())
    }

    fn add(&mut self, steps: &[Counted]) {
        for step in steps.iter().filter(|step| self.hours.contains(&step.hour)) {
            self.sums.add(step, 1);
        }
    }

    fn stop_at(&mut self, cursor: Option<&SearchCursor>) {
        let reached = cursor.map(SearchCursor::created_at);
        self.reached = self.reached.max(reached);
    }
}
