//! Searching what all apps started, for operators.
//!
//! There is no index of numbers or failures, so a search is a walk over the list with a bound: a page may have few items
//! or none although more follow.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::listing::Listable;
use super::{Cursor, LastDigits, MalformedCursor, PageStart, Store};
use crate::confirmation::{self, Confirmation, State};
use crate::delivery::transitions::HasDelivery as _;
use crate::delivery::{Delivery, DeliveryKind, Progress};
use crate::login::{self, Login};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Largest number of documents that a page of a search looks at.
const MOST_LOOKED_AT: usize = 1_000;

/// The confirmations that an operator searches for. What is left out narrows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmationSearch {
    /// One of these.
    pub statuses: Vec<confirmation::Status>,
    /// Of the number to confirm, or of the one that was verified.
    pub last_digits: Option<LastDigits>,
    /// Whether only those whose webhook was given up.
    pub failed: bool,
    /// Whether only those with whose code no text came.
    pub no_text: bool,
    pub from: Timestamp,
    pub before: Timestamp,
}

/// The logins that an operator searches for. What is left out narrows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginSearch {
    /// One of these.
    pub statuses: Vec<login::Status>,
    /// Whether only those whose webhook was given up.
    pub failed: bool,
    pub from: Timestamp,
    pub before: Timestamp,
}

impl ConfirmationSearch {
    fn has(&self, item: &Confirmation, now: Timestamp) -> bool {
        now < item.purge_at
            && (self.statuses.is_empty() || self.statuses.contains(&item.status(now)))
            && (!self.failed || item.delivery().is_some_and(has_failed))
            && (!self.no_text || has_no_text(item))
            && self
                .last_digits
                .as_ref()
                .is_none_or(|digits| item.number().is_some_and(|number| digits.end(number)))
    }
}

impl LoginSearch {
    fn has(&self, item: &Login, now: Timestamp) -> bool {
        let notice = item.notice.as_deref();
        now < item.purge_at
            && (self.statuses.is_empty() || self.statuses.contains(&item.status(now)))
            && (!self.failed || notice.is_some_and(|notice| has_failed(&notice.delivery)))
    }
}

const fn has_failed(delivery: &Delivery) -> bool {
    matches!(delivery.progress, Progress::Failed { .. })
}

/// Returns whether no text with the code has come, as far as is known.
const fn has_no_text(item: &Confirmation) -> bool {
    matches!(item.state, State::Open { last_miss: None })
}

/// Where the next page of a search begins, as text: the time, the app and the id of the last one that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCursor {
    app: AppId,
    cursor: Cursor,
}

impl SearchCursor {
    /// Returns what the search is for.
    #[must_use]
    pub const fn kind(&self) -> DeliveryKind {
        self.cursor.kind()
    }

    /// Returns the creation time of the last item that was looked at.
    #[must_use]
    pub const fn created_at(&self) -> Timestamp {
        self.cursor.created_at()
    }

    /// Returns where the list of an app goes on. Of one millisecond, a search has the items of the first app first.
    fn place(&self, app: &AppId) -> PageStart {
        let at = self.cursor.created_at();
        match app.cmp(&self.app) {
            Ordering::Less => PageStart::Time(at),
            Ordering::Equal => self.cursor.into(),
            Ordering::Greater => PageStart::Time(at.plus(Duration::from_millis(1))),
        }
    }
}

impl fmt::Display for SearchCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.cursor, self.app)
    }
}

impl FromStr for SearchCursor {
    type Err = MalformedCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (cursor, app) = text.split_once('@').ok_or(MalformedCursor)?;
        Ok(Self {
            app: app.parse().map_err(|_| MalformedCursor)?,
            cursor: cursor.parse()?,
        })
    }
}

/// Some of what was searched for, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPage<T> {
    pub items: Vec<T>,
    /// Where the next page begins; `None` after the last one.
    pub next: Option<SearchCursor>,
    /// Number of documents that were looked at.
    pub looked_at: usize,
    /// Number of documents that were skipped because they cannot be read.
    pub left_out: usize,
}

impl Store {
    /// Searches the confirmations of these apps, tests included, newest first, at most `limit` of them. Looks at no more
    /// than 1,000, so there may be fewer although more follow. No quota counts it.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn search_confirmations(
        &self,
        apps: &[AppId],
        search: &ConfirmationSearch,
        after: Option<&SearchCursor>,
        limit: usize,
        now: Timestamp,
    ) -> Result<SearchPage<Confirmation>, Unavailable> {
        let fits = |item: &Confirmation| search.has(item, now);
        let period = (search.from, search.before);
        self.search(apps, period, after, limit, fits).await
    }

    /// Searches logins as [`search_confirmations`](Self::search_confirmations) does confirmations.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn search_logins(
        &self,
        apps: &[AppId],
        search: &LoginSearch,
        after: Option<&SearchCursor>,
        limit: usize,
        now: Timestamp,
    ) -> Result<SearchPage<Login>, Unavailable> {
        let fits = |item: &Login| search.has(item, now);
        let period = (search.from, search.before);
        self.search(apps, period, after, limit, fits).await
    }

    async fn search<T: Listable>(
        &self,
        apps: &[AppId],
        (from, before): (Timestamp, Timestamp),
        after: Option<&SearchCursor>,
        limit: usize,
        fits: impl Fn(&T) -> bool,
    ) -> Result<SearchPage<T>, Unavailable> {
        let mut apps: Vec<_> = apps.iter().collect();
        apps.sort();
        let place = |app| after.map_or(PageStart::Time(before), |cursor| cursor.place(app));
        let places: Vec<_> = apps.into_iter().map(|app| (app, place(app))).collect();
        let walked = self
            .walk(&places, from, limit, MOST_LOOKED_AT, fits)
            .await?;
        Ok(SearchPage {
            items: walked.items,
            next: walked.last.map(|(index, cursor)| SearchCursor {
                app: places[index].0.clone(),
                cursor,
            }),
            looked_at: walked.looked_at,
            left_out: walked.left_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::ids::ConfirmationId;

    #[test]
    fn cursor_reads_back_and_goes_on_in_every_list() {
        let at = Timestamp::from_millis(1_767_323_045_678);
        let subject = ConfirmationId::from_bytes([7; 16]).into();
        let cursor = SearchCursor {
            app: "shop".parse().unwrap(),
            cursor: Cursor::at(at, subject),
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        for bad in ["", "@", "@shop", "1767323045678.cfm_07@shop", "x@shop"] {
            assert_eq!(bad.parse::<SearchCursor>(), Err(MalformedCursor), "{bad}");
        }
        let place = |app: &str| cursor.place(&app.parse().unwrap());
        assert_eq!(place("shop"), PageStart::Item(at, subject));
        assert_eq!(place("bank"), PageStart::Time(at));
        assert_eq!(
            place("zoo"),
            PageStart::Time(Timestamp::from_millis(1_767_323_045_679))
        );
    }
}
